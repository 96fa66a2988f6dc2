"""Closed linear matrices have the numbers of `lm.linearise`, and speak of symbols."""

import numpy as np
import pytest
import sympy as sp

import locomotor as lm
from locomotor.errors import ArgumentError, UnknownNameError


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
    with pytest.raises(ArgumentError, match="v has no value"):
        linear.evaluate({})


def test_pendulum_on_a_cart_hanging() -> None:
    pendulum = lm.System(
        "pendulum",
        [lm.Body("bob", mass="m", com=(0, 0, "-l"), inertia=("J", "J", "J"))],
        [lm.Revolute(name="swing", parent="world", child="bob", axis=(0, 1, 0), drive=lm.Torque("u"))],
        forces=[lm.Gravity((0, 0, "-g")), lm.JointDamper("oil", joint="swing", damping="c")],
        parameters={"m": 2.0, "l": 0.5, "J": 0.1, "g": 9.81, "c": 0.3},
        inputs=[lm.Input("u")],
    )
    linear = lm.equations(pendulum).linearised()
    m, length, J, g, c = (linear.symbols[n] for n in ("m", "l", "J", "g", "c"))
    assert linear.mass == sp.Matrix([[J + m * length**2]])
    assert linear.damping == sp.Matrix([[c]])
    assert linear.stiffness == sp.Matrix([[g * m * length]])
    assert linear.input_force == sp.Matrix([[1]])
    assert linear.rate_of_velocities == sp.Matrix([[1]]) and linear.rate_of_coordinates == sp.Matrix([[0]])


def test_mistakes_are_told() -> None:
    equations = lm.equations(lm.catalogue.bicycle(), style="shared")
    with pytest.raises(ArgumentError, match="no steady motion of bicycle_meijaard2007 for all values"):
        equations.linearised({"roll": 0.1})
    with pytest.raises(ArgumentError, match="where="):  # on a slope it would speed up
        equations.linearised({"rear_wheel_rate": "v/rR"})
    with pytest.raises(UnknownNameError, match="rear_wheel_rate"):
        equations.linearised({"rear_wheel_rat": 1.0})


def test_open_contacts_must_be_there() -> None:
    with pytest.raises(ArgumentError, match="no contact is open"):
        lm.equations(lm.catalogue.cart_pendulum()).delassus  # noqa: B018


def test_an_impact_of_the_walker_keeps_the_momentum_about_the_foot_that_strikes() -> None:
    """Plastic impact of foot_b by the printed Delassus matrix: foot_b stops, and momentum about it is what it was."""
    equations = lm.equations(lm.catalogue.compass_walker())
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
