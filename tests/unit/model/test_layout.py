"""The layout of the state: names, units, LaTeX and descriptions of every symbol, places, and lookups."""

import pytest

from locomotor.errors import UnknownNameError
from locomotor.model import (
    Body,
    Fixed,
    Frame,
    Free,
    Helical,
    Input,
    Parameter,
    ParameterSet,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Symbol,
    System,
    Translation,
    Universal,
)

Z = (0, 0, 1)
TWIST = ["speed", "sway_speed", "heave_speed", "roll_rate", "pitch_rate", "yaw_rate"]
POSE = ["x", "y", "z", "qw", "qx", "qy", "qz"]


def body(name):
    return Body(name, 1.0, inertia=(1, 1, 1))


def names(symbols):
    return [symbol.name for symbol in symbols]


def single(joint):
    return System("one", [body("b")], [joint]).layout


def menagerie(root=Free):
    """One joint of every kind, hanging on a root of the given kind."""
    kinds = [
        Revolute(Z, name="hinge", parent="b0", child="b1", latex=r"\delta", description="steering angle"),
        Prismatic(Z, name="slider", parent="b1", child="b2"),
        Helical(Z, 0.1, name="screw", parent="b2", child="b3"),
        Universal(((1, 0, 0), (0, 1, 0)), name="cross", parent="b3", child="b4"),
        Spherical(name="ball", parent="b4", child="b5"),
        Fixed(name="weld", parent="b5", child="b6"),
        Free(name="float_1", parent="b6", child="b7"),
        Planar(name="table", parent="b7", child="b8"),
        Translation(name="gantry", parent="b8", child="b9"),
    ]
    return System(
        "menagerie",
        [body(f"b{i}") for i in range(10)],
        [root(name="base", parent="world", child="b0"), *kinds],
        inputs=[Input("push", "N"), Input("steering")],
        parameters=ParameterSet((Parameter("m", 1.0, "kg"), Parameter("theta", 2.0))),
    )


# --- every symbol -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("root", [Free, Planar, Translation, Spherical, Fixed])
def test_every_symbol_is_described(root):
    symbols = menagerie(root).layout.symbols
    assert len({symbol.name for symbol in symbols}) == len(symbols)
    for symbol in symbols:
        assert symbol.name.isidentifier()
        assert symbol.unit, symbol
        assert len(symbol.description) > 5, symbol
        assert symbol.latex, symbol
        assert symbol.latex.count("{") == symbol.latex.count("}"), symbol


@pytest.mark.parametrize("root", [Free, Planar, Translation, Spherical])
def test_latex_tells_symbols_apart(root):
    latex = [symbol.latex for symbol in menagerie(root).layout.symbols]
    assert len(set(latex)) == len(latex)


def test_units_of_velocities_are_those_of_coordinates_per_second():
    layout = menagerie().layout
    units = {symbol.name: symbol.unit for symbol in layout.symbols}
    assert all(units[rate] == f"{units[name]}/s" for name, rate in layout.velocity_of.items())
    assert units["slider"] == "m"
    assert units["screw"] == "rad"
    assert units["speed"] == "m/s"
    assert units["roll_rate"] == "rad/s"
    assert units["qw"] == "1"
    assert units["ball_wx"] == "rad/s"


def test_latex_and_description_of_a_joint_are_used():
    layout = menagerie().layout
    assert layout.coordinates[layout.index_q("hinge")] == Symbol("hinge", "rad", r"\delta", "steering angle")
    rate = layout.velocities[layout.index_v("hinge_rate")]
    assert rate == Symbol("hinge_rate", "rad/s", r"\dot{\delta}", "rate of steering angle")


# --- names --------------------------------------------------------------------------------------------------


def root(kind, **own):
    return kind(name="base", parent="world", child="b", **own)


@pytest.mark.parametrize(
    ("joint", "coordinates", "velocities", "blocks"),
    [
        (root(Free), POSE, TWIST, (("vector", 3), ("quaternion",))),
        (root(Planar), ["x", "y", "yaw"], ["speed", "sway_speed", "yaw_rate"], (("vector", 3),)),
        (root(Translation), ["x", "y", "z"], ["x_rate", "y_rate", "z_rate"], (("vector", 3),)),
        (root(Fixed), [], [], ()),
        (root(Revolute, axis=Z), ["base"], ["base_rate"], (("vector", 1),)),
        (
            root(Universal, axes=((1, 0, 0), Z)),
            ["base_1", "base_2"],
            ["base_1_rate", "base_2_rate"],
            (("vector", 2),),
        ),
        (
            root(Spherical),
            ["base_qw", "base_qx", "base_qy", "base_qz"],
            ["base_wx", "base_wy", "base_wz"],
            (("quaternion",),),
        ),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "child") else "",
)
def test_names_at_the_root(joint, coordinates, velocities, blocks):
    layout = single(joint)
    assert names(layout.coordinates) == coordinates
    assert names(layout.velocities) == velocities
    assert layout.manifold.blocks == blocks


def test_names_beyond_the_root_have_the_joint_as_prefix():
    layout = menagerie().layout
    assert names(layout.coordinates[layout.q["float_1"]]) == [f"float_1_{name}" for name in POSE]
    assert names(layout.velocities[layout.v["float_1"]]) == [f"float_1_{name}" for name in TWIST]
    assert names(layout.velocities[layout.v["table"]]) == [
        "table_speed",
        "table_sway_speed",
        "table_yaw_rate",
    ]
    assert names(layout.velocities[layout.v["gantry"]]) == ["gantry_x_rate", "gantry_y_rate", "gantry_z_rate"]


def test_only_the_first_tree_of_a_forest_has_plain_names():
    forest = System(
        "forest",
        [body("a"), body("b")],
        [Free(name="first", parent="world", child="a"), Free(name="second", parent="world", child="b")],
    )
    assert names(forest.layout.coordinates) == POSE + [f"second_{name}" for name in POSE]


# --- places -------------------------------------------------------------------------------------------------


def test_slices_cover_everything_in_tree_order():
    system = menagerie()
    layout = system.layout
    q = [i for joint in system.joints for i in range(layout.nq)[layout.q[joint.name]]]
    v = [i for joint in system.joints for i in range(layout.nv)[layout.v[joint.name]]]
    assert q == list(range(layout.nq))
    assert v == list(range(layout.nv))
    assert layout.nq == 7 + 1 + 1 + 1 + 2 + 4 + 0 + 7 + 3 + 3
    assert layout.nv == 6 + 1 + 1 + 1 + 2 + 3 + 0 + 6 + 3 + 3


def test_blocks_merge_neighbouring_vectors():
    assert menagerie().layout.manifold.blocks == (
        ("vector", 3),
        ("quaternion",),
        ("vector", 5),
        ("quaternion",),
        ("vector", 3),
        ("quaternion",),
        ("vector", 6),
    )


def test_rigid_bodies_have_an_empty_slice():
    layout = menagerie().layout
    assert layout.coordinates[layout.q["b3"]] == ()
    assert layout.velocities[layout.v["b3"]] == ()


def test_velocity_of_lists_coordinates_that_have_a_plain_rate():
    layout = menagerie(Planar).layout
    assert dict(layout.velocity_of) == {
        "yaw": "yaw_rate",
        "hinge": "hinge_rate",
        "slider": "slider_rate",
        "screw": "screw_rate",
        "cross_1": "cross_1_rate",
        "cross_2": "cross_2_rate",
        "table_yaw": "table_yaw_rate",
        "gantry_x": "gantry_x_rate",
        "gantry_y": "gantry_y_rate",
        "gantry_z": "gantry_z_rate",
    }


def test_bodies_with_own_coordinates_come_after_the_joints():
    class Soft(Frame):
        @property
        def coordinates(self):
            return (Symbol("bend", "1", r"\epsilon", "first bending mode"),)

    system = System(
        "soft", [body("a"), Soft("s")],
        [Fixed(name="clamp", parent="world", child="s"), Revolute(Z, name="hinge", parent="s", child="a")],
    )  # fmt: skip
    layout = system.layout
    assert names(layout.coordinates) == ["hinge", "bend"]
    assert names(layout.velocities) == ["hinge_rate", "bend_rate"]
    assert layout.q["s"] == slice(1, 2) == layout.v["s"]
    assert layout.velocity_of["bend"] == "bend_rate"
    assert layout.velocities[1].unit == "1/s"
    assert layout.manifold.blocks == (("vector", 2),)


# --- lookups ------------------------------------------------------------------------------------------------


def test_indices():
    layout = menagerie().layout
    for i, symbol in enumerate(layout.coordinates):
        assert layout.index_q(symbol.name) == i
    for i, symbol in enumerate(layout.velocities):
        assert layout.index_v(symbol.name) == i


@pytest.mark.parametrize(
    ("look_up", "message"),
    [
        (lambda layout: layout.index_q("hing"), "no coordinate is named 'hing': did you mean 'hinge'?"),
        (
            lambda layout: layout.index_v("rol_rate"),
            "no velocity is named 'rol_rate': did you mean 'roll_rate'?",
        ),
        (lambda layout: layout.q["slyder"], "no joint or body is named 'slyder': did you mean 'slider'?"),
        (lambda layout: layout.v["bal"], "no joint or body is named 'bal': did you mean 'ball'?"),
        (lambda layout: layout.velocity_of["hnge"], "no coordinate with a plain rate is named 'hnge'"),
    ],
)
def test_unknown_names_are_answered_with_the_nearest(look_up, message):
    with pytest.raises(UnknownNameError) as info:
        look_up(menagerie().layout)
    assert str(info.value).startswith(message)


def test_inputs_have_defaults_for_what_is_not_given():
    push, steering = menagerie().layout.inputs
    assert (push.unit, push.latex, push.description) == ("N", r"\mathrm{push}", "input 'push'")
    assert steering.unit == "1"
