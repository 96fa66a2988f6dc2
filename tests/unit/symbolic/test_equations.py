"""Printed equations say what the compiled model computes."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

import locomotor as lm
from locomotor.errors import ArgumentError, ModelError, UnknownNameError

# Printed forms round differently: sums of some hundred products of numbers up to a hundred.
CLOSE = 1e-12

SYSTEMS: dict[str, Any] = {
    "snakeboard": {},
    "rocr": {"closed": ("grip_1",)},
    "compass_walker": {"closed": ("foot_a",)},
    "cart_pendulum": {},
    "painleve_rod": {},
    "diver": {},
}


def diver() -> lm.System:
    """A body in space with a limb on a ball joint and a slider: velocities that are no rates, of both kinds."""
    bodies = [
        lm.Body("trunk", mass="m", com=(0.1, 0.0, "c"), inertia=(0.3, 0.2, 0.1)),
        lm.Body("limb", mass=0.7, com=(0.0, 0.0, -0.2), inertia=(0.02, 0.02, 0.01)),
        lm.Body("hand", mass=0.2, inertia=(0.01, 0.01, 0.01)),
    ]
    joints = [
        lm.Free(name="base", parent="world", child="trunk"),
        lm.Spherical(name="hip", parent="trunk", child="limb", at=(0.0, 0.1, "-c")),
        lm.Prismatic(name="reach", parent="limb", child="hand", axis=(0.0, 0.0, 1.0)),
    ]
    return lm.System("diver", bodies, joints, forces=[lm.Gravity((0, 0, -9.81))], parameters={"m": 2.0, "c": 0.3})


@cache
def made(name: str, parameters: str = "symbolic") -> lm.Equations:
    system = diver() if name == "diver" else getattr(lm.catalogue, name)()
    return lm.equations(system, parameters=parameters, **SYSTEMS.get(name, {}))


def states(equations: lm.Equations, count: int, seed: int = 0) -> list[dict[str, float]]:
    """Random coordinates, velocities, inputs and loads, and parameters as they are; quaternions are unit."""
    rng = np.random.default_rng(seed)
    layout = equations.system.layout
    found = []
    for _ in range(count):
        q = rng.uniform(-0.9, 0.9, layout.nq)
        for turning, place, _ in layout.manifold.slices():
            if turning:
                q[place] = [1.0, *(0.4 * q[place][1:])] / np.linalg.norm([1.0, *(0.4 * q[place][1:])])
        values = dict(zip((s.name for s in layout.coordinates), q.tolist(), strict=True))
        for port in equations.function.inputs[2:-1]:
            values.update({field.name: float(rng.normal()) for field in port.fields})
        found.append(values)
    return found


def reference(equations: lm.Equations, values: dict[str, float]) -> dict[str, Any]:
    """The same parts by CasADi."""
    known = {"t": 0.0, **equations.system.parameters.values, **values}
    arguments = [[known[field.name] for field in port.fields] for port in equations.function.inputs]
    return dict(zip((p.name for p in equations.function.outputs), equations.function(*arguments), strict=True))


@pytest.mark.parametrize("name", SYSTEMS)
def test_printed_parts_have_the_numbers_of_the_traced_model(name: str) -> None:
    equations = made(name)
    for values in states(equations, 20):
        ours, theirs = equations.evaluate(values), reference(equations, values)
        for part, expected in theirs.items():
            scale = 1.0 + np.abs(expected).max(initial=0.0)
            assert np.abs(ours[part] - expected).max(initial=0.0) < CLOSE * scale, part


@pytest.mark.parametrize("name", ["snakeboard", "rocr", "diver"])
def test_printed_dynamics_are_those_that_are_compiled(name: str) -> None:
    """Velocities through the printed kernel, then the printed accelerations, against the right-hand side of a simulation."""
    equations = made(name)
    traced = lm.trace(equations.system)
    reduced = equations.reduced_names
    port = traced.dynamics.outputs[0]
    for values in states(equations, 10, seed=1):
        # Imposed joints follow their laws; the tail of the climber swings.
        at_rest = {**values, **dict.fromkeys((s.name for s in equations.system.layout.velocities), 0.0)}
        for joint in equations.system.imposed:
            law = joint.drive
            names = {**equations.system.parameters.values, "t": 0.0}
            at_rest[joint.name] = float(lm.model.evaluate(law.law, names))
            at_rest[f"{joint.name}_rate"] = float(lm.model.evaluate(law.velocity, names))
            at_rest[f"{joint.name}_rate_dot"] = float(lm.model.evaluate(law.acceleration, names))
        known = equations.evaluate(at_rest)
        v = known["kernel"] @ [values[name] for name in reduced] + (known["driven"] if known["driven"].size else 0.0)
        moving = {**at_rest, **dict(zip((s.name for s in equations.system.layout.velocities), v, strict=True))}
        ours = equations.evaluate(moving)["acceleration"]
        state = [moving[field.name] for field in traced.state_port.fields]
        rate, _ = traced.dynamics([0.0], state, [values[f.name] for f in traced.input_port.fields], [])
        expected = rate[[k for k, field in enumerate(port.fields) if field.name.endswith("_dot")]]
        assert ours == pytest.approx(expected, rel=CLOSE, abs=CLOSE)


def test_snakeboard_reads_as_its_source_prints_it() -> None:
    """Belkhiri 2013, section 2.4: the kernel (-2 l cos^2(phi), 0, sin(2 phi)), up to a factor."""
    equations = lm.equations(lm.catalogue.snakeboard(), where={"front_steer": "-steer"})
    phi, length, m, J, J_r, J_w = (equations.symbols[n] for n in ("steer", "l", "m", "J", "J_r", "J_w"))
    printed = sp.Matrix([-2 * length * sp.cos(phi) ** 2, 0, sp.sin(2 * phi)])
    first = equations.kernel[:3, 0]
    assert sp.simplify(first * printed[0] - printed * first[0]) == sp.zeros(3, 1)
    total = J + J_r + 2 * J_w
    expected = m + total * sp.tan(phi) ** 2 / length**2
    assert sp.simplify(equations.written_out(equations.reduced_mass[0, 0]) - expected) == 0
    assert equations.mass_matrix[2, 2] == total


def test_numeric_parameters_leave_no_parameter_symbol() -> None:
    equations = made("cart_pendulum", "numeric")
    state = {s.name for s in (*equations.system.layout.coordinates, *equations.system.layout.velocities)}
    named = {str(symbol) for symbol, _ in equations.definitions}
    assert {str(s) for s in equations.mass_matrix.free_symbols} <= state | named
    for values in states(equations, 3):
        assert equations.evaluate(values)["mass"] == pytest.approx(made("cart_pendulum").evaluate(values)["mass"], rel=CLOSE)


QUICK = ("rimless_wheel", "scallop/stokes", "hopper", "bouncing_ball", "snakeboard")
"""Of the catalogue: three that would be too long if everything short were written out, and one whose laws have conditions."""
READY = [
    pytest.param(ready.name, marks=() if ready.name in QUICK else pytest.mark.slow, id=ready.name)
    for ready in lm.catalogue.systems()
]


@pytest.mark.parametrize("name", READY)
def test_all_of_the_catalogue_is_printed_about_as_short_as_the_tape_and_right(name: str) -> None:
    equations = lm.equations(lm.catalogue.system(name))
    assert equations.operations <= 1.5 * equations.function.operations
    for values in states(equations, 2):
        ours, theirs = equations.evaluate(values), reference(equations, values)
        for part, expected in theirs.items():
            # Accelerations are solved for: round-off times the condition of the mass matrix.
            room = 1e-9 if part in ("acceleration", "delassus") else CLOSE
            assert np.abs(ours[part] - expected).max(initial=0.0) < room * (1.0 + np.abs(expected).max(initial=0.0)), part
    assert equations.latex().count("{") == equations.latex().count("}")


def test_conditions_are_numbers_where_they_are_multiplied() -> None:
    """On a tape a choice between something and nothing is a product with a comparison."""
    rod = lm.Body("rod", mass="m", com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    joint = lm.Revolute(name="swing", parent="world", child="rod", axis=(0, 1, 0), drive=lm.Torque("if_else(swing < b, u, 0)"))
    push = lm.JointForce("push", joint="swing", law="if_else(logic_and(less(0, swing), less(swing_rate, b)), u*swing, -u)")
    system = lm.System("gate", [rod], [joint], forces=[push], parameters={"m": 1.0, "b": 0.5, "u": 3.0})
    for style in ("explicit", "shared"):
        equations = lm.equations(system, style=style)
        for swing, rate in ((0.2, 0.1), (0.7, 0.1), (-0.2, 0.1), (0.2, 0.9)):
            expected = 3.0 * (swing < 0.5) + (3.0 * swing if swing > 0 and rate < 0.5 else -3.0)
            assert equations.evaluate({"swing": swing, "swing_rate": rate})["applied"] == pytest.approx([expected], rel=CLOSE)


@pytest.mark.slow
def test_christoffel_form_also_of_velocities_that_are_no_rates() -> None:
    """h = C v, and M_dot - 2 C is skew: on a body in space, whose velocities are its twist, with joints."""
    equations = lm.equations(diver(), parameters="numeric", christoffel=True, style="shared")
    layout = equations.system.layout
    step = 1e-6
    for values in states(equations, 3):
        now = equations.evaluate(values)
        v = np.array([values[s.name] for s in layout.velocities])
        assert now["coriolis"] @ v == pytest.approx(now["bias"], rel=1e-11, abs=1e-11)
        rates = dict(zip((s.name for s in layout.coordinates), now["reconstruction"], strict=True))
        sides = [equations.evaluate({**values, **{n: values[n] + s * step * r for n, r in rates.items()}}) for s in (1, -1)]
        M_dot = (sides[0]["mass"] - sides[1]["mass"]) / (2 * step)
        skew = M_dot - 2 * now["coriolis"]
        assert np.abs(skew + skew.T).max() < 1e-7  # a difference quotient


def test_christoffel_form_must_be_asked_for() -> None:
    with pytest.raises(ArgumentError, match="christoffel=True"):
        made("snakeboard").coriolis  # noqa: B018


def test_unknown_names_are_told() -> None:
    system = lm.catalogue.rocr()
    with pytest.raises(UnknownNameError, match="grip_1"):
        lm.equations(system, closed=("grip1",))
    with pytest.raises(UnknownNameError, match="swing"):
        lm.equations(system, closed=("grip_1",), where={"swin": 0})
    with pytest.raises(UnknownNameError, match="yaw_rate"):
        made("rocr").evaluate({"yaw_rat": 1.0})


def test_a_parameter_named_like_a_definition_keeps_its_name() -> None:
    base = lm.catalogue.rocr()
    renamed = [lm.Parameter("x1", p.value, p.unit) if p.name == "MS1" else p for p in base.parameters.parameters]
    bodies = tuple(
        body if body.name == "body" else lm.Body("tail", mass="m1", com=("x1/m1", 0, 0), inertia=(1e-9, 1e-9, 1e-9))
        for body in base.bodies
    )
    system = base.replace(parameters=lm.ParameterSet(renamed), bodies=bodies)
    equations = lm.equations(system, closed=("grip_1",), style="shared")
    assert str(equations.definitions[0][0]) != "x1"
    (values,) = states(equations, 1)
    assert equations.evaluate(values)["mass"] == pytest.approx(reference(equations, values)["mass"], rel=CLOSE)


def test_documents_name_every_symbol_and_balance_braces() -> None:
    equations = made("rocr")
    text, page = equations.latex(), equations.markdown()
    assert text.count("{") == text.count("}")
    for name in ("MS0", "swing", "yaw_rate"):
        assert rf"\texttt{{{name}".replace("_", r"\_") in text and f"`{name}`" in page
    assert page.count("$$") % 2 == 0 and "## Reduced dynamics" in page


def test_symbols_that_would_look_the_same_are_told_apart() -> None:
    page = made("snakeboard").markdown()
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| $")]
    assert len(rows) == len(set(rows))


def test_what_was_put_in_cannot_be_given_again() -> None:
    equations = lm.equations(lm.catalogue.cart_pendulum(), where={"g": 0})
    with pytest.raises(ArgumentError, match="'g' was put in as 0"):
        equations.evaluate({"g": 9.81})


def test_a_stop_is_open_unless_it_is_closed() -> None:
    """A coupling that switches is treated as contacts are."""
    rod = lm.Body("rod", mass="m", com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    joints = [lm.Revolute(name="swing", parent="world", child="rod", axis=(0, 1, 0))]
    stop = lm.Coupling("stop", "swing", law=lm.Unilateral())
    system = lm.System("gate", [rod], joints, constraints=[stop], parameters={"m": 1.0})
    assert lm.equations(system).row_names == () and lm.equations(system).reduced_names == ("swing_rate",)
    assert lm.equations(system, closed=("stop",)).row_names == ("stop",)


@pytest.mark.parametrize("given", [-1e300, "x", None, [1.0]])
def test_only_expressions_are_written_out(given: object) -> None:
    with pytest.raises(ArgumentError, match="no expression of SymPy"):
        lm.equations(lm.catalogue.system("snakeboard")).written_out(given)


def test_angles_are_fractions_of_pi() -> None:
    """Upside down and sideways: what was put in is exact, so that sines vanish and become cosines."""
    down = lm.equations(lm.catalogue.cart_pendulum(), where={"pendulum": "pi"})
    assert down.where["pendulum"] == sp.pi and not down.written_out(down.mass_matrix).has(sp.sin, sp.cos)
    assert not down.written_out(down.gravity)[3]  # it stands on its tip
    aside = lm.equations(lm.catalogue.rocr(), closed=("grip_1",), where={"yaw": "yaw + pi/2"})
    assert sp.sin(aside.symbols["yaw"]) in aside.written_out(aside.gravity)[1].atoms(sp.sin)


def test_a_terrain_is_left_out_while_nothing_stands_on_it() -> None:
    """In flight a ball above a kerb has the equations of one above a floor; a closed contact there has no one form."""
    ball = lm.catalogue.bouncing_ball()
    system = ball.replace(grounds=(lm.Terrain.kerb(0.1),))
    equations = lm.equations(system, style="shared")
    assert equations.left_out == ("floor",) and "gaps" not in equations.parts
    assert "Impacts of `floor` are left out" in equations.markdown()
    assert equations.mass_matrix == lm.equations(ball, style="shared").mass_matrix
    with pytest.raises(ModelError, match="is a Terrain, and which part of it is touched"):
        lm.equations(system, closed=("floor",))
