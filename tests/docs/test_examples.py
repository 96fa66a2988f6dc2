"""The examples print what mechanics says they must: every number against a closed form worked out here."""

import importlib.util
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def example(name: str) -> Any:
    """The module of an example."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_tested() -> None:
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert {path.stem for path in EXAMPLES.glob("*.py")} <= tested


def test_rolling_disc() -> None:
    numbers = example("rolling_disc").main()
    m, r, g = 1.0, 0.2, 9.81
    across, axial = m * r**2 / 4, m * r**2 / 2
    roll, yaw_rate = math.radians(20), -2.0

    # Roll balance of a steady circle, with n the whole rotation about the axle (the spin and what yaw adds to it):
    #   (axial + m r^2) n yaw_rate cos(roll) - across yaw_rate^2 sin(roll) cos(roll) + m g r sin(roll) = 0.
    n = math.sin(roll) * (across * yaw_rate**2 * math.cos(roll) - m * g * r)
    n /= (axial + m * r**2) * yaw_rate * math.cos(roll)
    spin_rate = n - yaw_rate * math.sin(roll)
    assert numbers["spin rate of the steady circle (rad/s)"] == pytest.approx(spin_rate, rel=1e-9)
    # 1e-6: the centre of the circle is the mean of the samples.
    radius = r * spin_rate / abs(yaw_rate)
    assert numbers["radius of the circle on the ground (m)"] == pytest.approx(radius, rel=1e-6)

    # Upright at n = speed / r: across (across + m r^2) wobble^2 = axial (axial + m r^2) n^2 - across m g r.
    n = 1.5 / r
    wobble = math.sqrt((axial * (axial + m * r**2) * n**2 - across * m * g * r) / (across * (across + m * r**2)))
    assert numbers["wobble at 1.5 m/s (rad/s)"] == pytest.approx(wobble, rel=1e-9)

    # Runge-Kutta 4 at a step of 1 ms, ten seconds.
    assert numbers["energy drift after a push, relative"] < 1e-10


def test_unicycle() -> None:
    numbers = example("unicycle").main()
    m, inertia, length, wheel, r, g = 70.0, 8.0, 0.8, 3.0, 0.25, 9.81

    # Forward: rider and wheel as a pendulum on a cart, mass matrix [[a, b], [b, c]] in (pitch, wheel angle).
    a, b, c = m * length**2 + inertia, m * length * r, (m + 2 * wheel) * r**2
    forward = math.sqrt(m * g * length / (a - b**2 / c))
    assert numbers["rate of falling forward (1/s)"] == pytest.approx(forward, rel=1e-9)

    # Sideways: one rigid body about the line of travel.
    moment = m * g * (r + length) + wheel * g * r
    about_ground = m * (r + length) ** 2 + inertia + wheel * r**2 + wheel * r**2 / 2
    assert numbers["rate of falling sideways (1/s)"] == pytest.approx(math.sqrt(moment / about_ground), rel=1e-9)

    # The torque accelerates both masses and spins a hoop of mass `wheel`. The lean is an unstable equilibrium, where
    # round-off grows by exp(6.9) in the second, hence 1e-9.
    assert numbers["acceleration at constant lean (m/s^2)"] == pytest.approx(40.0 / r / (m + 2 * wheel), rel=1e-9)
    assert numbers["speed the rider settles at (m/s)"] == pytest.approx(2.0, abs=1e-5)


def test_two_wheel_platform() -> None:
    numbers = example("two_wheel_platform").main()
    rho, half_track, right, left = 0.1, 0.2, 6.0, 4.0
    speed, yaw_rate = rho / 2 * (right + left), rho / (2 * half_track) * (right - left)
    assert numbers["speed (m/s)"] == pytest.approx(speed, rel=1e-12)
    assert numbers["yaw rate (rad/s)"] == pytest.approx(yaw_rate, rel=1e-12)
    # An arc of a circle from the origin; Runge-Kutta 4 at 1 ms follows it to 1e-12.
    assert numbers["x after 4 s (m)"] == pytest.approx(speed / yaw_rate * math.sin(4 * yaw_rate), abs=1e-11)
    assert numbers["y after 4 s (m)"] == pytest.approx(speed / yaw_rate * (1 - math.cos(4 * yaw_rate)), abs=1e-11)
    # Half of the inertia each: 8 kg of chassis, two wheels of 0.6 kg that roll as discs.
    effective = 8.0 + 2 * 0.6 * 1.5
    assert numbers["torque of each motor at 1 m/s^2 (N m)"] == pytest.approx(rho * effective / 2, rel=1e-9)


def test_tricycle() -> None:
    numbers = example("tricycle").main()
    chassis, fork, wheel, g = 90.0, 2.0, 3.0, 9.81
    wheelbase, half_track, height, r, speed = 1.2, 0.4, 0.7, 0.3, 3.0
    radius = wheelbase / math.tan(0.2)
    assert numbers["turning radius of the rear axle (m)"] == pytest.approx(radius, rel=1e-12)
    weight = (chassis + fork + 3 * wheel) * g
    assert numbers["sum of the vertical ground forces (N)"] == pytest.approx(weight, rel=1e-9)
    # Moments about the line of travel through the middle of the rear axle, on the ground: centripetal forces at their
    # heights, and the wheels' spin turned round at the yaw rate. The front wheel stands on that line.
    lateral, spin = speed**2 / radius, wheel * r**2 / 2 * speed / r
    moment = (chassis * height + (fork + 3 * wheel) * r) * lateral + 3 * spin * speed / radius
    assert numbers["right less left rear wheel load (N)"] == pytest.approx(moment / half_track, rel=1e-9)


@pytest.mark.slow
def test_stability_chart(tmp_path: Path) -> None:
    numbers = example("stability_chart").main(5, tmp_path / "chart.nc")
    assert numbers["points"] == 125 and numbers["points without a result"] == 0
    # The benchmark bicycle lies within the box, and is stable over 1.73 of the 9.5 m/s (Meijaard et al. 2007).
    assert 0.05 < numbers["share of stable points"] < 0.5
    assert 0.02 <= numbers["trail that has it (m)"] <= 0.14
    again = example("stability_chart").main(5, tmp_path / "chart.nc")
    assert again == numbers


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
@pytest.mark.sampled(2)
def test_an_example_runs_as_a_program_and_names_its_numbers(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) >= 3
    for line in lines:
        name, number = line.rsplit(maxsplit=1)
        assert name.strip() and math.isfinite(float(number))
