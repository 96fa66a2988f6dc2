"""Linearisations in the hands of control: regulators against python-control, frequency responses, names of modes, bands."""

import sys
from pathlib import Path

import control
import numpy as np
import pytest
import scipy.signal

import locomotor as lm
from locomotor.analysis.stability import frequency_response
from locomotor.errors import ArgumentError, LocomotorError, NumericsError


@pytest.fixture(scope="module")
def slow_ride() -> lm.Linearisation:
    """Below weave speed: unstable."""
    return lm.linearise(lm.catalogue.bicycle(), about={"speed": 3.0})


def pole(torque: bool = True) -> lm.System:
    """A rod that stands on a hinge: q'' = 3 g/(2 l) q + 3/(m l²) u."""
    return lm.System(
        "pole",
        bodies=[lm.Body("rod", mass=1.0, com=(0, 0, 0.5), inertia=(1 / 12, 1 / 12, 1e-6))],
        joints=[
            lm.Revolute(name="q", parent="world", child="rod", axis=(1, 0, 0), drive=lm.Torque("u" if torque else 0.0)),
        ],
        forces=[lm.Gravity()],
        inputs=[lm.Input("u", "N m")] if torque else [],
        modes=[lm.Mode("falls", oscillates=False, states=("q", "q_rate"))],
    )


def test_the_regulator_is_that_of_python_control(slow_ride: lm.Linearisation) -> None:
    found = lm.lqr(slow_ride, {"roll": 10.0, "steer": 1.0, "roll_rate": 2.0, "steer_rate": 0.5}, {"steer_torque": 0.3})
    # The speed, along which straight rides are a family, is the last state, without feedback.
    gain, cost, poles = control.lqr(slow_ride.A[:4, :4], slow_ride.B[:4, :1], np.diag([10.0, 1.0, 2.0, 0.5]), [[0.3]])
    np.testing.assert_allclose(found.K[0], [*gain[0], 0.0], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.S[:4, :4], cost, rtol=1e-7)
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues), np.sort_complex(poles), rtol=1e-7)
    assert found.stable and not slow_ride.stable and found.gains["steer_torque"]["roll"] == found.K[0, 0]


def test_the_regulator_of_a_pole_in_closed_form() -> None:
    """q'' = a q + b u with Q = diag(1, 0), R = 1: k = (a + sqrt(a² + b²))/b and sqrt(2 k b)/b."""
    found = lm.lqr(lm.linearise(pole(), about={}), {"q": 1.0}, {"u": 1.0})
    a, b = 1.5 * 9.81, 3.0
    k = (a + np.sqrt(a * a + b * b)) / b
    np.testing.assert_allclose(found.K, [[k, np.sqrt(2.0 * b * k) / b]], rtol=1e-9)


def test_what_nothing_that_weighs_depends_on_gets_no_feedback() -> None:
    """Across a slope the heading matters to the speed alone: the gains are those of level ground, and the drift stays."""
    weights = {"roll": 10.0, "steer": 1.0, "roll_rate": 1.0}, {"steer_torque": 0.02}
    level, across = (lm.linearise(lm.catalogue.bicycle(slope=slope), {"speed": 3.0}) for slope in (0.0, 0.05))
    flat, found = lm.lqr(level, *weights), lm.lqr(across, *weights)
    assert across.state_names == ("yaw", *level.state_names)
    # It leans as much as the ground is inclined: what is lateral is as on level ground.
    np.testing.assert_allclose(found.K[0], [0.0, *flat.K[0]], rtol=1e-7, atol=1e-9)
    assert sorted(np.round(found.eigenvalues, 6), key=abs)[0] == 0.0 and not found.stable
    with pytest.raises(NumericsError, match="Q does not weigh what grows"):
        lm.lqr(lm.linearise(pole(), about={}), {"q": 0.0}, {"u": 1.0})


def test_channels_that_a_regulator_cannot_act_from_are_named() -> None:
    law = lm.lqr(lm.linearise(pole(), about={}), {"q": 1.0}, {"u": 1.0})
    with pytest.raises(lm.errors.UnknownNameError, match="no 'q', from which it acts"):
        law({"swing": 1.0})
    with pytest.raises(lm.errors.ArgumentError, match="channel 'q' is None; give a number"):
        law({"q": None, "q_rate": 0.0})


def test_the_regulator_keeps_a_bicycle_up(slow_ride: lm.Linearisation) -> None:
    law = lm.lqr(slow_ride, None, {"steer_torque": 1.0})
    start = {"speed": 3.0, "roll_rate": 0.2}
    run = lm.simulate(lm.catalogue.bicycle(), 6.0, start=start, controller=lm.Controller(law))
    assert run.status.ok and abs(run["roll"][-1]) < 1e-4


def test_mistakes_about_regulators(slow_ride: lm.Linearisation) -> None:
    for arguments, said in [
        (({"rol": 1.0},), "Q weighs 'rol', which is no state here: did you mean 'roll'"),
        ((None, {"steer": 1.0}), "no input 'steer': did you mean 'steer_torque'"),
        ((np.eye(3),), r"Q has shape \(3, 3\); there are 5"),
        ((None, {"steer_torque": 0.0}), "R is not positive definite; every input must cost something"),
        ((-1.0,), "Q has a negative eigenvalue"),
        ((np.triu(np.ones((5, 5))),), "Q is not symmetric"),
        (({"roll": np.nan},), "roll"),
    ]:
        with pytest.raises(ArgumentError, match=said):
            lm.lqr(slow_ride, *arguments)
    with pytest.raises(ArgumentError, match="no input to act by"):
        lm.lqr(lm.linearise(pole(torque=False), about={}))
    with pytest.raises((NumericsError, ArgumentError), match=r"cannot stabilise|Riccati"):
        lm.lqr(slow_ride, None, {"rear_wheel_torque": 1.0})  # acts on the speed alone
    with pytest.raises(LocomotorError):
        lm.lqr("bicycle")  # type: ignore[arg-type]


def test_state_spaces(slow_ride: lm.Linearisation, monkeypatch: pytest.MonkeyPatch) -> None:
    found = slow_ride.to_statespace(inputs=["steer_torque"], outputs=["roll", "steer"])
    assert isinstance(found, control.StateSpace) and found.state_labels == list(slow_ride.state_names)
    assert found.input_labels == ["steer_torque"] and found.output_labels == ["roll", "steer"]
    np.testing.assert_array_equal(found.A, slow_ride.A)
    frequencies = np.geomspace(0.1, 30.0, 7)
    ours = frequency_response(slow_ride, "steer_torque", "steer", frequencies)
    np.testing.assert_allclose(ours, found(1j * frequencies)[1, 0], rtol=1e-8)
    monkeypatch.setitem(sys.modules, "control", None)
    plain = slow_ride.to_statespace(inputs=["steer_torque"], outputs=["roll"])
    assert isinstance(plain, scipy.signal.StateSpace) and plain.C.tolist() == [[1.0, 0.0, 0.0, 0.0, 0.0]]
    with pytest.raises(ArgumentError, match="no output 'rol': did you mean 'roll'"):
        slow_ride.to_statespace(outputs=["rol"])


def test_modes_have_names_where_participation_says_so() -> None:
    """Of the benchmark at 5 m/s (Meijaard et al. 2007, table 2): weave -0.775 +- 4.465i, capsize -0.323, castering -14.079."""
    linear = lm.linearise(lm.catalogue.bicycle(), about={"speed": 5.0})
    named = {name: value for name, value in zip(linear.mode_names, linear.eigenvalues, strict=True) if value.imag >= 0.0}
    np.testing.assert_allclose(named["weave"], -0.77534 + 4.46487j, atol=1e-5)
    np.testing.assert_allclose([named["capsize"], named["castering"]], [-0.32287, -14.07839], atol=1e-5)
    np.testing.assert_allclose(linear.participation.sum(axis=0), 1.0)
    assert lm.linearise(pole(), about={}).mode_names.count("falls") == 2  # one up, one down, both of the same states
    assert set(lm.linearise(lm.catalogue.system("bicycle/SE2"), about={"speed": 5.0}).mode_names) >= {"weave"}


@pytest.mark.slow
def test_a_band_is_what_the_uncertainty_allows() -> None:
    """With one uncertain parameter the spread is that of the slope, to first order."""
    numbers = {p.name: p for p in lm.catalogue.bicycle().parameters.parameters if p.name != "slope"}
    sigma = 1e-4
    given = lm.ParameterSet([lm.Parameter(n, p.value, uncertainty=sigma if n == "c" else 0.0) for n, p in numbers.items()])
    curves = lm.eigenvalue_curves(lm.catalogue.bicycle(given), {"speed": np.array([4.0, 5.0, 6.0])})
    low, high = curves.band(samples=400, seed=1).real(share=0.6827)

    def weave(trail: float) -> float:
        bike = lm.catalogue.bicycle({n: trail if n == "c" else p.value for n, p in numbers.items()})
        return float(max(e.real for e in lm.linearise(bike, about={"speed": 5.0}).eigenvalues if e.imag > 0.0))

    slope = (weave(0.0801) - weave(0.0799)) / 2e-4
    column = curves.mode_names.index("weave")
    # 400 samples of a normal distribution give its width to about 6 %.
    assert (high - low)[1, column] == pytest.approx(2.0 * abs(slope) * sigma, rel=0.2)
    with pytest.raises(ArgumentError, match="no parameter of it has an uncertainty"):
        lm.eigenvalue_curves(lm.catalogue.bicycle(), {"speed": np.array([4.0, 5.0])}).band()


def test_figures(slow_ride: lm.Linearisation, tmp_path: Path) -> None:
    slow_ride.plot(path=tmp_path / "poles.png")
    bode = slow_ride.plot("bode", path=tmp_path / "bode.png", input="steer_torque", output="roll")
    assert [axis.get_ylabel() for axis in bode.axes] == ["|roll / steer torque|\n(rad/(N m))", "phase (degrees)"]
    assert {file.name for file in tmp_path.iterdir()} == {"poles.png", "bode.png"}
    with pytest.raises(ArgumentError, match="no output 'rol'"):
        slow_ride.plot("bode", path=tmp_path / "x.png", output="rol")
    with pytest.raises(ArgumentError, match="0 < low < high"):
        slow_ride.plot("bode", path=tmp_path / "x.png", low=3.0, high=1.0)
    with pytest.raises(ArgumentError, match="'poles', 'bode'"):
        slow_ride.plot("nyquist")
