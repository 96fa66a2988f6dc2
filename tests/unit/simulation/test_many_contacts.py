"""Many contacts: sets of bits solved in the runtime give what contacts written out give, and hundreds of them run."""

from dataclasses import replace

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import CompileError, ContactLawError
from locomotor.simulation.stepping import ContactSettings, SteppedSystem, compile_stepping
from locomotor.tracing.contacts.many_numbers import Turn, pass_on_numbers

G = 9.81


def snake(modules: int, friction: float = 0.4, axis: tuple[int, int, int] = (0, 0, 1)) -> lm.System:
    """Modules of 0.2 kg on four feet each, 0.1 m apart."""
    names = [f"module_{k}" for k in range(modules)]
    feet = [(-0.03, -0.02, -0.02), (-0.03, 0.02, -0.02), (0.03, -0.02, -0.02), (0.03, 0.02, -0.02)]
    return lm.System(
        "snake",
        bodies=tuple(lm.Body(name, 0.2, inertia=(2e-4, 3e-4, 4e-4)) for name in names),
        joints=(
            lm.Free(name="base", parent="world", child=names[0]),
            *(
                lm.Revolute(name=f"joint_{k}", parent=names[k - 1], child=names[k], axis=axis, at=(-0.1, 0, 0))
                for k in range(1, modules)
            ),
        ),
        contacts=tuple(
            lm.StickingPoint(f"foot_{k}_{i}", name, at=at, law=lm.Unilateral(friction=friction))
            for k, name in enumerate(names)
            for i, at in enumerate(feet)
        ),
        forces=(lm.Gravity((0, 0, -G)),),
    )


def stepped(system: lm.System, solver: str, target: str = "interpreter", sweeps: int = 12) -> SteppedSystem:
    """Compiled with contacts written out or in the runtime."""
    return compile_stepping(system, "time-stepping", target=target, settings=ContactSettings(sweeps=sweeps, solver=solver))


def pushed(compiled: SteppedSystem, **velocities: float) -> np.ndarray:
    """On the ground, with some velocities."""
    x = np.zeros(len(compiled.state_names))
    for name, value in {"z": 0.02, "qw": 1.0, **velocities}.items():
        x[compiled.state_names.index(name)] = value
    return x


@pytest.mark.slow
def test_sets_of_bits_give_what_contacts_written_out_give() -> None:
    """A module thrown on its feet: it slides, turns, tips and lands. With as many sweeps, 400, the motion is one."""
    written, solved = stepped(snake(1), "traced", "c", 400), stepped(snake(1), "runtime", "c", 20)
    x = pushed(written, z=0.03, speed=0.5, yaw_rate=3.0, roll_rate=1.0)
    wanted, found = (compiled.rollout(x, 150, 0.002) for compiled in (written, solved))
    assert wanted.status == found.status == 0
    # Round-off but for the step in which it stops: there sweeps end where they change little.
    assert np.abs(wanted.states - found.states).max() < 1e-6 and np.abs(wanted.final - found.final).max() < 1e-9
    assert solved.operations < written.operations / 4


def in_water() -> lm.System:
    """A module that carries water along."""
    made = snake(1)
    return made.replace(forces=(*made.forces, lm.AddedMass("water", "module_0", (0.1, 0.3, 0.2, 1e-4, 2e-4, 3e-4))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "start", "step"),
    [
        (lm.catalogue.soft_snake(), {}, 1e-3),
        (in_water(), {"z": 0.03, "qw": 1.0, "speed": 0.5, "yaw_rate": 3.0, "roll_rate": 1.0}, 2e-3),
    ],
    ids=["soft", "in water"],
)
@pytest.mark.parametrize("target", ["c", "simd", "interpreter"])
def test_masses_that_no_axes_tell_are_given_to_the_runtime(
    system: lm.System, start: dict[str, float], step: float, target: str
) -> None:
    """Bodies that bend and bodies in a fluid: mass matrix and rows are traced, sets and impulses found in the runtime."""
    written, solved = stepped(system, "traced", "c", 400), stepped(system, "runtime", target, 20)
    x = pushed(written, **start) if start else written.start()
    steps = 40 if target == "interpreter" else 150
    wanted, found = (compiled.rollout(x, steps, step) for compiled in (written, solved))
    assert wanted.status == found.status == 0 and np.abs(wanted.final - x).max() > 0.01
    assert np.abs(wanted.states - found.states).max() < 1e-6 and np.abs(wanted.final - found.final).max() < 1e-9


def test_a_step_of_a_set_is_the_kernel_of_its_mode() -> None:
    """An arm hinged to a block: its tip on the ground, lifted, and swinging; velocities change as in the compiled mode."""
    feet = [(x, y, -0.02) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
    law = lm.Unilateral(friction=2.0)
    arm = lm.System(
        "arm",
        bodies=(
            lm.Body("block", 2.0, inertia=(2e-3, 3e-3, 4e-3)),
            lm.Body("arm", 0.2, com=(-0.1, 0, 0), inertia=(1e-5, 7e-4, 7e-4)),
        ),
        joints=(
            lm.Free(name="base", parent="world", child="block"),
            lm.Revolute(name="hinge", parent="block", child="arm", axis=(0, 1, 0), at=(-0.05, 0, 0)),
        ),
        contacts=(
            *(lm.StickingPoint(f"foot_{i}", "block", at=at, law=law) for i, at in enumerate(feet)),
            *(lm.StickingPoint(f"tip_{i}", "arm", at=(-0.2, y, -0.02), law=law) for i, y in enumerate((-0.03, 0.03))),
        ),
        forces=(lm.Gravity((0, 0, -G)),),
    )
    compiled, h = stepped(arm, "runtime"), 1e-6
    rates = [compiled.state_names.index(s.name) for s in arm.layout.velocities]
    for angle, rate, closed in ((0.0, 0.0, "foot tip"), (0.5, 0.0, "foot"), (0.5, 3.0, "foot")):
        x = pushed(compiled, hinge=angle, hinge_rate=rate)
        held = tuple(replace(c, law=lm.Persistent()) for c in arm.contacts if c.name.split("_")[0] in closed.split())
        wanted = lm.accelerations(arm.replace(contacts=held), {"z": 0.02, "hinge": angle, "hinge_rate": rate})
        found = (compiled.rollout(x, 1, h, save_every=0).final - x)[rates] / h
        # To first order in the step, at accelerations of 70 rad/s².
        assert np.abs(found - [wanted[s.name] for s in arm.layout.velocities]).max() < 1e-3
        if angle and not rate:
            assert abs(wanted["hinge_rate"] + 0.02 * G * np.cos(0.5) / (7e-4 + 0.2 * 0.1**2)) < 1e-9


def test_machine_code_is_the_readable_form(rng: np.random.Generator) -> None:
    """Steps of the interpreter call numpy, those of C the header of the runtime."""
    plain, compiled = (stepped(snake(2), "runtime", target) for target in ("interpreter", "c"))
    x = pushed(plain, z=0.021, speed=0.3, roll_rate=0.5, joint_1_rate=2.0)
    wanted, found = (each.rollout(x, 12, 0.002) for each in (plain, compiled))
    assert np.abs(wanted.states - found.states).max() < 1e-9


def test_masses_and_impulses_of_the_runtime_are_those_of_the_tree() -> None:
    """A pass with the joints turned: M from axes and inertias is the mass matrix, and resting feet carry the weight."""
    compiled = stepped(snake(3), "runtime")
    many = compiled.stepping
    resting = many.impulses(
        np.zeros(1), pushed(compiled, joint_1=0.4, joint_2=-0.3), np.zeros(0), np.zeros(0), np.array([0.001])
    )[0]
    normal = resting.reshape(-1, 3)[:, 0]
    assert (normal >= 0.0).all() and abs(normal.sum() / 0.001 - 3 * 0.2 * G) < 1e-9
    assert np.isnan(pass_on_numbers(many._tree, np.full(many._tree.takes(False), np.nan), Turn.FIRST, 3)).all()


def test_a_chain_that_lies_does_not_creep() -> None:
    """On a slope within the cone; above it, it slides with g (sin - mu cos), as far as sweeps have shared out the load."""
    slope = 0.3
    down = (G * np.sin(slope), 0.0, -G * np.cos(slope))
    for friction, speed in ((0.4, 0.0), (0.2, 0.1 * G * (np.sin(slope) - 0.2 * np.cos(slope)))):
        compiled = stepped(snake(3, friction).replace(forces=(lm.Gravity(down),)), "runtime")
        last = compiled.rollout(pushed(compiled), 20, 0.005, save_every=0)
        assert last.status == 0
        assert abs(last.final[compiled.state_names.index("speed")] - speed) < (1e-12 if speed == 0.0 else 1e-3 * speed)


@pytest.mark.parametrize("target", ["interpreter", "c"])
@pytest.mark.parametrize("mu", [1.0, 1.8, 2.5])
def test_friction_that_lifts_more_than_the_normal_does_not_keep_the_runtime_from_ending(mu: float, target: str) -> None:
    """A rod that leans by arctan 2 comes down at 1 m/s and slides at 10 m/s: W_NN = 8/5, W_NT = 6/5, N (8/5 + 6/5 mu) = 1.

    From mu = 4/3 on friction lifts more than the normal; sweeps then left it without any impulse.
    """
    half = np.array([0.5, 0.0, 1.0]) / np.sqrt(5.0)
    rod = lm.System(
        "rod",
        bodies=(lm.Body("rod", 1.0, inertia=(1 / 12, 1 / 12, 1 / 12)),),
        joints=(lm.Free(name="base", parent="world", child="rod"),),
        contacts=(lm.StickingPoint("tip", "rod", at=tuple(-half), law=lm.Unilateral(friction=mu)),),
    )
    compiled, h = stepped(rod, "runtime", target), 1e-7
    x = pushed(compiled, z=half[2], speed=10.0, heave_speed=-1.0)
    after = compiled.rollout(x, 1, h, save_every=0)
    normal = 1.0 / (1.6 + 1.2 * mu)
    change = dict(zip(compiled.state_names, after.final - x, strict=True))
    assert after.status == 0  # the rod turns by 1e-6 rad in the step
    assert [change["heave_speed"], change["speed"]] == pytest.approx([normal, -mu * normal], abs=1e-5)


def test_the_solver_is_chosen_by_the_number_of_contacts_and_refused_by_name() -> None:
    few, many = (compile_stepping(snake(n), "time-stepping", target="interpreter") for n in (1, 4))
    assert not few.stepping.step.calls and len(many.stepping.step.calls) == 2
    with pytest.raises(CompileError, match="settings=ContactSettings\\(solver='traced'\\)"):
        many.jacobians(pushed(many), 1, 0.001)
    bouncing = lm.catalogue.bouncing_ball(restitution=0.5)
    with pytest.raises(ContactLawError, match="solver='runtime' is not for 'floor': only contacts that push, without"):
        stepped(bouncing, "runtime")


def energy_of(names: tuple[str, ...], x: np.ndarray, modules: int) -> float:
    """Kinetic energy of a snake that moves in the plane, module by module."""
    value = dict(zip(names, x, strict=True))
    heading, turning = 2.0 * np.arctan2(value["qz"], value["qw"]), value["yaw_rate"]
    velocity = np.exp(1j * heading) * (value["speed"] + 1j * value["sway_speed"])
    total = 0.0
    for k in range(modules):
        if k:
            velocity += 1j * turning * np.exp(1j * heading) * -0.1
            heading, turning = heading + value[f"joint_{k}"], turning + value[f"joint_{k}_rate"]
        total += 0.5 * (0.2 * abs(velocity) ** 2 + 4e-4 * turning**2)
    return total


@pytest.mark.slow
def test_four_hundred_contacts_run() -> None:
    """A snake of a hundred modules whose joints begin to turn to and fro: friction takes energy, and no foot sinks or lifts."""
    compiled = compile_stepping(snake(100), "time-stepping", target="c")
    x, names = pushed(compiled), compiled.state_names
    for k in range(1, 100):
        x[names.index(f"joint_{k}_rate")] = 0.02 * np.sin(0.2 * k)
    batch = compiled.rollout(x, 20, 0.002)
    assert batch.status == 0 and np.abs(batch["z"] - 0.02).max() < 1e-6
    energies = [energy_of(names, state, 100) for state in batch.states]
    assert (np.diff(energies) < 0.0).all() and energies[-1] < 0.8 * energies[0]
