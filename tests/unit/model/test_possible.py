"""Parameters of many instances: the columns are judged as the model judges each of them alone."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.errors import InertiaTriangleError, NonPositiveMassError, NonPositiveRadiusError
from locomotor.model import Contact
from locomotor.model.inertia_rule import ASYMMETRIC, NEGATIVE, NO_TRIANGLE, POSSIBLE, SLIGHT_EXCESS, judge_inertias
from locomotor.model.possible import impossible_rows, require_possible, why_impossible


def everything() -> lm.System:
    """A system in which every range that the model knows depends on a parameter."""
    bodies = [
        lm.Body("a", mass="m", inertia=("i1", "i2", "i3")),
        lm.Body("b", mass="1/m", com=("log(m)", 0, 0), inertia=(("i1", "k", 0), ("k", "i2", 0), (0, 0, "i3"))),
        lm.Body("c", mass=1.0, inertia=(1, 1, 1)),
        lm.Body("d", mass=1.0, inertia=(1, 1, 1)),
    ]
    tilt = ("sin(s)*n", 0, "cos(s)*n")
    turned = (("cos(s)", "-sin(s)", 0), ("sin(s)", "n*cos(s)", 0), (0, 0, 1))
    joints = [
        lm.Free(name="root", parent="world", child="a"),
        lm.Revolute(name="j", parent="a", child="b", axis=tilt),
        lm.Universal(name="u", parent="a", child="c", axes=((1, 0, 0), ("cos(s)", "sin(s)", 0))),
        lm.Prismatic(name="p", parent="c", child="d", axis=(1, 0, 0), rotation=turned),
    ]
    contacts = [
        lm.RollingDisc("disc", "a", centre=(0, 0, 0), axis=tilt, radius="r", ground="slope"),
        lm.RollingTorus("torus", "b", centre=(0, 0, 0), axis=(0, 1, 0), radius=1.0, tube="r - 0.5"),
        lm.RollingSphere("ball", "c", centre=(0, 0, 0), radius="sqrt(r)"),
        lm.Skate("skate", "d", at=(0, 0, "l"), heading=tilt, law=lm.Unilateral(friction="f")),
    ]
    forces = [
        lm.PointSpring("spring", "a", (0, 0, 0), "world", (0, 0, "l"), stiffness="1/l", length="l"),
        lm.JointSpring("coil", "j", "k/(1 - r)"),
        lm.CompliantContact("soft", "a", at=(0, 0, 0), stiffness="f + 1", ground="slope"),
        lm.FluidDrag("drag", "d", ("f", "f", 1, 1, 1, 1)),
    ]
    parameters = dict(m=1.0, i1=1.0, i2=1.2, i3=1.5, k=0.1, s=0.3, n=1.0, r=0.8, l=0.5, f=0.2)
    grounds = [lm.Plane("ground"), lm.Plane("slope", normal=tilt)]
    return lm.System("everything", bodies, joints, contacts, forces=forces, grounds=grounds, parameters=parameters)


@pytest.mark.filterwarnings("ignore::locomotor.model.body.InertiaWarning")
@pytest.mark.parametrize("name", ["m", "i1", "i2", "i3", "k", "s", "n", "r", "l", "f"])
@pytest.mark.sampled(4)
def test_columns_are_judged_like_single_values(name: str, rng: np.random.Generator) -> None:
    system = everything()
    base = system.parameters.values[name]
    limits = [0.0, 0.3, 0.5, 1.0, 2.7]
    near = [limit + side for limit in limits for side in (-1e-6, -1e-10, -1e-13, 0.0, 1e-13, 1e-10, 1e-6)]
    near += [limit + side for limit in (2.2 / 0.95, 2.5 / 0.95, 2.7 / 0.95) for side in (-1e-6, 1e-6)]
    values = np.array([base, -base, 1e300, -1e300, 1e-300, *near, *rng.normal(base, 1.0, 20)])
    found = impossible_rows(system, (name,), values[:, None])
    expected = []
    for value in values.tolist():
        try:
            system.with_parameters(**{name: value})  # builds the system, with all checks of the model
            expected.append(False)
        except lm.errors.ModelError as error:
            expected.append(True)
            assert why_impossible(system, {name: value}) == str(error)
    assert found.tolist() == expected
    assert not expected[0] and (any(expected) or name == "s")


MIRROR = ((1, 0, 0), (0, 1, 0), (0, 0, "a"))


def alone(
    *, mass: object = 1.0, inertia: object = (1, 1, 1), joint: object = None, contact: object = None, normal: object = (0, 0, 1)
) -> lm.System:
    """A system of two bodies in which one thing alone depends on the parameters a and b."""
    return lm.System(
        "alone",
        [lm.Body("first", mass=mass, inertia=inertia), lm.Body("second", mass=1.0, inertia=(1, 1, 1))],
        [lm.Free(name="root", parent="world", child="first"), joint or hinge(lm.Revolute)],
        [contact] if isinstance(contact, Contact) else [],
        forces=[contact] if contact is not None and not isinstance(contact, Contact) else [],
        grounds=[lm.Plane("ground", normal=normal)],
        parameters=dict(a=1.0, b=1.0),
    )


def hinge(kind: type, **settings: object) -> object:
    return kind(**{"name": "joint", "parent": "first", "child": "second", "axis": (0, 1, 0), **settings})


def touching(kind: type, **settings: object) -> object:
    round_ = {} if kind in (lm.RollingSphere, lm.SlidingSphere) else {"axis": (0, 1, 0)}
    tube = {"tube": 0.1} if kind is lm.RollingTorus else {}
    return kind("contact", "first", **{"centre": (0, 0, 0), "radius": 1.0, **round_, **tube, **settings})


def pushing(**law: object) -> object:
    return touching(lm.RollingSphere, law=lm.Unilateral(**law))


def bending(length: object = 1.0, damping: object = 0.0, curvature: object = (0.0, 0.0, 0.0), **section: object) -> lm.System:
    """A rod and a flexible body of the same section, which alone depends on a."""
    material = {"radius": 0.1, "young": 1.0, "density": 1.0, "poisson": 0.3}
    slice_ = lm.CrossSection.circle(**{**material, **section})
    flexible = lm.FlexibleBody("strip", length, slice_, bending_z=1, torsion=1, damping=damping)
    rod = lm.Rod("rod", section=slice_, length=length, strains={"bend_y": 2}, damping=damping, curvature=curvature)
    joints = [lm.Fixed(name=f"at_{body.name}", parent="world", child=body.name) for body in (rod, flexible)]
    return lm.System("bending", [rod, flexible], joints, parameters=dict(a=1.0, b=1.0))


LENGTHS = [(1.0, False), (1e-6, False), (0.0, True), (-1.0, True)]
UNITS = [(1.0, False), (-1.0, False), (0.9, True), (1.1, True), (0.0, True)]
ALONE = {
    "mass": (alone(mass="a"), LENGTHS),
    "moments": (alone(inertia=("a", 1, 1)), [(1.0, False), (2.0, False), (2.2, True), (-0.1, True)]),
    # Moments 1 + a/2, 1 - a/2 (about axes turned by 45 degrees) and 1.5.
    "products": (alone(inertia=((1, "a/2", 0), ("a/2", 1, 0), (0, 0, 1.5))), [(0.0, False), (1.4, False), (2.2, True)]),
    # Moments 1 + a/2, 1 - a/4, 1 - a/4: the first exceeds the two others where a > 1, and is negative where a < -2.
    "all products": (
        alone(inertia=((1, "a/4", "a/4"), ("a/4", 1, "a/4"), ("a/4", "a/4", 1))),
        [(0.9, False), (-0.9, False), (-1.9, False), (1.4, True), (-2.1, True)],
    ),
    "rotation": (alone(joint=hinge(lm.Revolute, rotation=(("a", 0, 0), (0, "a", 0), (0, 0, 1)))), UNITS),
    "mirrored": (alone(joint=hinge(lm.Revolute, rotation=MIRROR)), [(1.0, False), (-1.0, True)]),
    "revolute": (alone(joint=hinge(lm.Revolute, axis=("a", 0, 0))), UNITS),
    "prismatic": (alone(joint=hinge(lm.Prismatic, axis=("a", 0, 0))), UNITS),
    "helical": (alone(joint=hinge(lm.Helical, axis=("a", 0, 0), pitch=0.1)), UNITS),
    "normal": (alone(normal=("a", 0, 0)), UNITS),
    "heading": (alone(contact=lm.Skate("contact", "first", at=(0, 0, 0), heading=("a", 0, 0))), UNITS),
    "disc": (alone(contact=touching(lm.RollingDisc, radius="a")), LENGTHS),
    "axis of a disc": (alone(contact=touching(lm.RollingDisc, axis=("a", 0, 0))), UNITS),
    "torus": (alone(contact=touching(lm.RollingTorus, radius="a")), LENGTHS),
    "axis of a torus": (alone(contact=touching(lm.RollingTorus, axis=("a", 0, 0))), UNITS),
    "tube": (alone(contact=touching(lm.RollingTorus, tube="a")), LENGTHS),
    "sphere": (alone(contact=touching(lm.RollingSphere, radius="a")), LENGTHS),
    "smooth sphere": (alone(contact=touching(lm.SlidingSphere, radius="a")), LENGTHS),
    "spring": (
        alone(contact=lm.PointSpring("spring", "first", (0, 0, 0), "world", (0, 0, 0), stiffness=1.0, length="a")),
        [(1.0, False), (0.0, False), (-1e-6, True)],
    ),
    "restitution": (alone(contact=pushing(restitution="a")), [(1.0, False), (0.0, False), (-0.1, True), (1.1, True)]),
    "tangential": (alone(contact=pushing(tangential="a")), [(1.0, False), (-1.0, False), (-1.1, True), (1.1, True)]),
    "length of a rod": (bending(length="a"), LENGTHS),
    "radius of a section": (bending(radius="a"), LENGTHS),  # areas are even in it, and do not tell
    "radius at the end": (bending(radius=(0.1, "0.1*a")), [(1.0, False), (0.0, False), (-0.01, True)]),
    "young": (bending(young="a"), LENGTHS),
    "density": (bending(density="a"), LENGTHS),
    "poisson": (bending(poisson="0.3*a"), [(1.0, False), (-3.3, False), (-3.4, True), (5 / 3, True), (2.0, True)]),
    "damping of a rod": (bending(damping="a"), [(1.0, False), (0.0, False), (-0.1, True)]),
    "friction": (alone(contact=pushing(friction="a")), [(0.0, False), (5.0, False), (-0.1, True)]),
}


@pytest.mark.filterwarnings("ignore::locomotor.model.body.InertiaWarning")
@pytest.mark.parametrize("part", ALONE)
def test_each_range_by_itself(part: str) -> None:
    """No other range refuses the same values, so that each is tested."""
    system, cases = ALONE[part]
    values, expected = zip(*cases, strict=True)
    assert impossible_rows(system, ("a",), np.array(values)[:, None]).tolist() == list(expected)
    assert [bool(why_impossible(system, {"a": value})) for value in values] == list(expected)


def test_a_batch_of_several_pieces_is_judged_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locomotor.model.possible.CHUNK", 4)
    values = np.array([1.0, 1.0, np.nan, 1.0, 1.0, -1.0, np.nan, 1.0, -1.0])
    assert impossible_rows(alone(mass="a"), ("a",), values[:, None]).tolist() == [value < 0.0 for value in values]


@pytest.mark.filterwarnings("ignore::locomotor.model.body.InertiaWarning")
def test_several_parameters_at_once(rng: np.random.Generator) -> None:
    system, names = bicycle(), ("mB", "IBxx", "IFyy", "rR", "lam")
    values = system.parameters.values
    rows = np.array([values[name] for name in names]) * rng.uniform(0.2, 1.3, (300, len(names)))
    rows[::7, 0] *= -1.0
    rows[5] = np.nan  # has a status of its own
    found = impossible_rows(system, names, rows)
    single = [bool(why_impossible(system, dict(zip(names, row, strict=True)))) for row in np.delete(rows, 5, axis=0).tolist()]
    assert np.delete(found, 5).tolist() == single and not found[5]
    assert 50 < found.sum() < 290, "both kinds are there"


def test_parameters_that_no_part_declares_a_range_for_cost_nothing() -> None:
    assert not impossible_rows(bicycle(), ("g",), np.array([[-1.0], [0.0]])).any()


def test_inertias_are_those_of_masses(rng: np.random.Generator) -> None:
    """Sums of point masses are possible; moments beyond the sum of the others, products and signs are not."""
    points, masses = rng.normal(size=(500, 6, 3)), rng.uniform(0.1, 2.0, (500, 6))
    squares = np.einsum("bi,bij,bij->b", masses, points, points)
    real = squares[:, None, None] * np.eye(3) - np.einsum("bi,bij,bik->bjk", masses, points, points)
    assert (judge_inertias(real) == POSSIBLE).all()
    assert (judge_inertias(-real) == NEGATIVE).all()
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    cases = {
        (1.0, 1.0, 2.0): POSSIBLE,  # a thin disc, on the limit
        (1.0, 1.0, 2.0 + 1e-5): SLIGHT_EXCESS,
        (1.0, 1.0, 2.0 / 0.951): SLIGHT_EXCESS,
        (1.0, 1.0, 2.0 / 0.949): NO_TRIANGLE,
        (0.0, 1.0, 1.0): POSSIBLE,  # a rod
        (0.0, 0.0, 0.0): POSSIBLE,  # a point
        (0.0, 0.0, 1.0): NO_TRIANGLE,
        (-1e-3, 1.0, 1.0): NEGATIVE,
        (1e-200, 1e-200, 1e-200): POSSIBLE,
        (1e300, 1e300, 1e300): POSSIBLE,
    }
    for moments, verdict in cases.items():
        assert judge_inertias((rotation @ np.diag(moments) @ rotation.T)[None]) == verdict, moments
    lopsided = np.eye(3)[None] + 1e-3 * np.array([[[0, 1, 0], [0, 0, 0], [0, 0, 0]]])
    assert judge_inertias(lopsided) == ASYMMETRIC


def test_words_name_the_part_the_value_and_the_remedy() -> None:
    with pytest.raises(NonPositiveMassError, match=r"Body 'rear_frame': mass is -5\.0 kg \(from 'mB'\); it must be positive"):
        require_possible(bicycle(), {"mB": -5.0})
    with pytest.raises(NonPositiveRadiusError, match=r"'rear': radius is -0\.1 m \(from 'rR'\)"):
        require_possible(bicycle(), {"rR": -0.1})
    with pytest.raises(InertiaTriangleError, match="Body 'front_disc': no body has the principal moments"):
        require_possible(bicycle(), {"IFyy": 1.0})
