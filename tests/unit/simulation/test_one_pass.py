"""Steps that take forces once: `ContactSettings(passes=1)`, of first order, with half the work."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactLawError, ModelError
from locomotor.simulation.stepping import ContactSettings, SteppedSystem, compile_stepping

from .test_many_contacts import pushed, snake

G = 9.81
ONE = ContactSettings(passes=1)


def block(friction: float) -> lm.System:
    """A block that cannot turn: no force depends on its velocity."""
    return lm.System(
        "block",
        bodies=(lm.Frame("carriage"), lm.Body("block", 2.0, inertia=(1.0, 1.0, 1.0))),
        joints=(
            lm.Prismatic(name="along", parent="world", child="carriage", axis=(1, 0, 0)),
            lm.Prismatic(name="height", parent="carriage", child="block", axis=(0, 0, 1)),
        ),
        contacts=(lm.StickingPoint("foot", "block", at=(0, 0, 0), law=lm.Unilateral(friction=friction)),),
        forces=(lm.Gravity((0, 0, -G)),),
    )


def top() -> lm.System:
    """A heavy top on a tip that sticks to the ground and may leave it."""
    return lm.System(
        "top",
        bodies=(lm.Body("top", 0.5, inertia=(3e-4, 3e-4, 2e-4)),),
        joints=(lm.Free(name="base", parent="world", child="top"),),
        contacts=(lm.StickingPoint("tip", "top", at=(0, 0, -0.05), law=lm.Unilateral()),),
        forces=(lm.Gravity((0, 0, -G)),),
    )


def stepped(system: lm.System, passes: int, target: str = "interpreter", **settings: object) -> SteppedSystem:
    return compile_stepping(system, "time-stepping", target=target, settings=ContactSettings(passes=passes, **settings))


def test_forces_that_know_no_velocity_need_one_pass() -> None:
    """A block lands and slides to rest: v = 1.5 - mu g t once it is down, and both numbers of passes are one to round-off."""
    one, two = (stepped(block(0.4), passes) for passes in (1, 2))
    start = one.start({"along_rate": 1.5, "height": 0.1})
    found, wanted = (compiled.rollout(start, 600, 0.001, save_every=1) for compiled in (one, two))
    assert found.status == wanted.status == 0
    np.testing.assert_allclose(found.states, wanted.states, rtol=0, atol=1e-13)
    along = found.states[:, list(one.state_names).index("along_rate")]
    sliding = (along < 0.9) & (along > 0.01)
    assert sliding.sum() > 50 and np.diff(along[sliding]) == pytest.approx(-0.4 * G * 0.001, rel=1e-9)
    assert abs(along[-1]) < 1e-15


def error_after(passes: int, steps: int, theta: float | None = None) -> float:
    """Of a quarter of a second of a spinning top, against very short steps."""
    compiled = stepped(top(), passes, theta=theta)
    start = compiled.start({"roll": 0.3, "yaw_rate": 150.0}, closed=["tip"])
    finest = stepped(top(), 2).rollout(start, 20_000, 0.25 / 20_000, save_every=0).final
    return float(np.abs(compiled.rollout(start, steps, 0.25 / steps, save_every=0).final - finest).max())


@pytest.mark.parametrize(("passes", "theta", "order"), [(1, None, 1), (2, None, 2), (1, 0.5, 1)])
def test_one_pass_is_of_first_order(passes: int, theta: float | None, order: int) -> None:
    coarse, fine = error_after(passes, 500, theta), error_after(passes, 1000, theta)
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.25)


@pytest.mark.parametrize("friction", [0.51, 0.6])
@pytest.mark.sampled(1)
def test_what_is_within_its_cone_does_not_creep(friction: float) -> None:
    """On a slope of tan = 0.5."""
    slope = snake(1, friction).replace(forces=(lm.Gravity((G * np.sin(np.arctan(0.5)), 0, -G * np.cos(np.arctan(0.5)))),))
    for solver in ("traced", "runtime"):
        compiled = stepped(slope, 1, solver=solver)
        run = compiled.rollout(pushed(compiled), 200, 0.001)
        assert np.abs(run.final - pushed(compiled)).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("target", ["c", "simd"])
def test_many_contacts_take_the_same_step(target: str) -> None:
    """A module thrown on its feet, written out and in the runtime."""
    written, solved = (
        stepped(snake(1), 1, target, solver="traced", sweeps=400),
        stepped(snake(1), 1, target, solver="runtime", sweeps=20),
    )
    x = pushed(written, z=0.03, speed=0.5, yaw_rate=3.0, roll_rate=1.0)
    wanted, found = (compiled.rollout(x, 150, 0.002) for compiled in (written, solved))
    assert wanted.status == found.status == 0
    assert np.abs(wanted.states - found.states).max() < 1e-6 and np.abs(wanted.final - found.final).max() < 1e-9


def test_every_form_of_the_step_is_one() -> None:
    """Feet that stand, slide, land, and fly: the runtime in C and on numbers, and the straight step of a device."""
    stepping = stepped(snake(5), 1).stepping
    compiled = lm.codegen.compile(stepping.step)
    names = [field.name for field in stepping.step.inputs[1].fields]
    for z, heave, speed in ((0.02, 0.0, 0.0), (0.02, -0.1, 0.5), (0.021, -1.0, 0.3), (0.2, 0.0, 0.0)):
        x = np.zeros(len(names))
        for name, value in {"qw": 1.0, "z": z, "heave_speed": heave, "speed": speed, "roll_rate": 0.3 * speed}.items():
            x[names.index(name)] = value
        arguments = (np.zeros(1), x, np.zeros(0), np.zeros(stepping.step.inputs[3].size), np.array([0.002]))
        wanted = stepping.step(*arguments)
        for found in (stepping.device_step(*arguments), compiled(*arguments)):
            for one, other in zip(wanted, found, strict=True):
                np.testing.assert_allclose(np.ravel(other), np.ravel(one), rtol=0, atol=1e-10)


@pytest.mark.parametrize("passes", [0, 3, 1.5, "1", None, True])
def test_other_numbers_of_passes_are_refused(passes: object) -> None:
    with pytest.raises((ModelError, TypeError), match="passes"):
        ContactSettings(passes=passes)  # type: ignore[arg-type]


def test_friction_that_asks_for_two_passes_is_refused_by_name() -> None:
    """Where it differs at rest a first pass tells whether a slip ends; nothing would hold what turns back."""
    rough = block(0.4).replace(
        contacts=(lm.StickingPoint("foot", "block", at=(0, 0, 0), law=lm.Unilateral(friction=0.3, static=0.4)),)
    )
    dry = block(0.4).replace(forces=(lm.Gravity((0, 0, -G)), lm.JointFriction("dry", "along", 1.0, static=2.0)))
    for system, name in ((rough, "foot"), (dry, "dry")):
        with pytest.raises(ContactLawError, match=rf"passes=1 is not for .*{name}"):
            compile_stepping(system, "time-stepping", settings=ONE)
