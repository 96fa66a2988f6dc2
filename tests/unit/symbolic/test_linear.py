"""Closed linear matrices have the numbers of `lm.linearise`, and speak of symbols."""

import numpy as np
import pytest
import sympy as sp

import locomotor as lm
from locomotor.errors import ArgumentError, UnknownNameError


@pytest.mark.slow
def test_bicycle_at_any_speed() -> None:
    """M, D and K as functions of the speed, against exact derivatives on numbers at two speeds."""
    system = lm.catalogue.bicycle()
    linear = lm.equations(system, where={"slope": 0}, style="shared").linearised({"rear_wheel_rate": "v/rR"}, sample={"v": 5.0})
    assert linear.coordinate_names == ("roll", "steer")
    for speed in (3.0, 6.5):
        expected = lm.linearise(system, about={"speed": speed})
        assert expected.coordinate_names == ("roll", "steer") and expected.velocity_names == linear.velocity_names
        ours = linear.evaluate({"v": speed})
        for part, theirs in (("mass", expected.mass), ("damping", expected.damping), ("stiffness", expected.stiffness)):
            assert ours[part] == pytest.approx(theirs, abs=1e-9 * np.abs(theirs).max()), part


def pendulum() -> lm.System:
    return lm.System(
        "pendulum",
        [lm.Body("bob", mass="m", com=(0, 0, "-l"), inertia=("J", "J", "J"))],
        [lm.Revolute(name="swing", parent="world", child="bob", axis=(0, 1, 0), drive=lm.Torque("u"))],
        forces=[lm.Gravity((0, 0, "-g")), lm.JointDamper("oil", joint="swing", damping="c")],
        parameters={"m": 2.0, "l": 0.5, "J": 0.1, "g": 9.81, "c": 0.3},
        inputs=[lm.Input("u")],
    )


def test_pendulum_hanging() -> None:
    linear = lm.equations(pendulum()).linearised()
    m, length, J, g, c = (linear.symbols[n] for n in ("m", "l", "J", "g", "c"))
    assert linear.mass == sp.Matrix([[J + m * length**2]])
    assert linear.damping == sp.Matrix([[c]])
    assert linear.stiffness == sp.Matrix([[g * m * length]])
    assert linear.input_force == sp.Matrix([[1]])
    assert linear.rate_of_velocities == sp.Matrix([[1]]) and linear.rate_of_coordinates == sp.Matrix([[0]])


def test_mistakes_are_told() -> None:
    equations = lm.equations(pendulum())
    with pytest.raises(ArgumentError, match="no steady motion of pendulum for all values"):
        equations.linearised({"swing": 0.1})
    assert equations.linearised({"swing": "pi"}).stiffness[0, 0].could_extract_minus_sign()  # upside down
    with pytest.raises(UnknownNameError, match="swing_rate"):
        equations.linearised({"swing_rat": 1.0})
    with pytest.raises(ArgumentError, match="w has no value"):
        lm.equations(rotor()).linearised({"spin_rate": "w"}).evaluate({})


def rotor() -> lm.System:
    """A wheel that turns freely, at any speed steadily."""
    wheel = [lm.Body("wheel", mass="m", inertia=("J", "J", "J"))]
    spin = [lm.Revolute(name="spin", parent="world", child="wheel", axis=(0, 0, 1))]
    return lm.System("rotor", wheel, spin, parameters={"m": 1.0, "J": 0.2})


@pytest.mark.slow
def test_a_bicycle_on_a_slope_has_no_steady_straight_motion() -> None:
    equations = lm.equations(lm.catalogue.bicycle(), style="shared")
    with pytest.raises(ArgumentError, match="where="):
        equations.linearised({"rear_wheel_rate": "v/rR"})


def test_open_contacts_must_be_there() -> None:
    with pytest.raises(ArgumentError, match="no contact is open"):
        lm.equations(lm.catalogue.cart_pendulum()).delassus  # noqa: B018


def test_an_impact_of_the_walker_keeps_the_momentum_about_the_foot_that_strikes() -> None:
    """Plastic impact of foot_b by the printed Delassus matrix: foot_b stops, and momentum about it is what it was."""
    equations = lm.equations(lm.catalogue.compass_walker(), style="shared")
    values = {"leg_a": 0.3, "leg_b": -0.3, "up": float(np.cos(0.3)), "m": 0.2, "M": 1.3, "l": 1.1, "g": 1.0}
    velocities = dict(zip((s.name for s in equations.system.layout.velocities), (0.5, -0.1, 0.4, 0.7), strict=True))
    found = equations.evaluate({**values, **velocities})
    W, D, M = found["contact_rows"], found["delassus"], found["mass"]
    assert equations.contact_names == ("foot_a", "foot_b") and W.shape == (4, 4)
    v = np.array(list(velocities.values()))
    struck = W[2:4]
    impulse = -np.linalg.solve(D[2:4, 2:4], struck @ v)
    after = v + np.linalg.solve(M, struck.T @ impulse)
    assert struck @ after == pytest.approx([0.0, 0.0], abs=1e-12)
    # Motions that leave the struck foot where it is feel no impulse.
    kept = np.linalg.svd(struck)[2][2:]
    assert kept @ M @ after == pytest.approx(kept @ M @ v, abs=1e-12)
