"""One model for every mode: contacts held as numbers tell give what a model of each mode gives, and hundreds of them run."""

from collections.abc import Callable

import numpy as np
import pytest

import locomotor as lm
from locomotor import codegen
from locomotor.codegen.branches import sides
from locomotor.errors import ContactLawError, StepperError
from locomotor.simulation.events import search
from locomotor.simulation.events.friction_events import SlipEnds
from locomotor.simulation.events.friction_start import Landing, _sliding
from locomotor.simulation.events.held_modes import HeldKernels
from locomotor.simulation.events.many_start import landed_on_rows
from locomotor.simulation.events.modes import modes_of
from locomotor.simulation.events.stances import Slips
from locomotor.simulation.terrain import Footholds
from locomotor.tracing.contacts.active_numbers import project_on_numbers, solve_on_numbers
from locomotor.tracing.contacts.held_system import FEW, active_call, held_name
from locomotor.tracing.contacts.many_numbers import Tree
from locomotor.tracing.core import Field, Port, Recorder, Traced, slopes_of

G = 9.81


# -- the runtime alone ------------------------------------------------------------------------------------------------


def compiled_call(what: str, tree: Tree, takes: list[int], gives: list[int], twin: Callable[..., np.ndarray]) -> Callable:
    """The function of the runtime, in C, as a function of one vector."""
    import casadi

    numbers, recorder = casadi.SX.sym("numbers", sum(takes)), Recorder(1e-12)
    found = recorder.call(active_call(what, tree, takes, gives, twin), [numbers[k] for k in range(sum(takes))])
    ports = [Port(name, tuple(Field(f"{name}_{k}") for k in range(n))) for name, n in (("in", sum(takes)), ("out", sum(gives)))]
    kernel = codegen.compile(
        Traced.build_with_loops("call", [(ports[0], numbers)], [(ports[1], casadi.vertcat(*found))], recorder), target="c"
    )
    return lambda values: kernel(values)[0]


def problem(rng: np.random.Generator, n: int, counts: list[int], held: list[float], rank: int) -> tuple[Tree, dict]:
    """Random masses and rows, of which only so many are independent."""
    m = sum(counts)
    root = rng.normal(size=(n, n))
    C = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    begin = np.cumsum([0, *counts])
    c = rng.uniform(-0.3, 0.3, m)
    c[begin[:-1]] = 0.0
    tree = Tree((-1,), (0, n), (0,) * len(counts), tuple(int(x) for x in begin), whole=True)
    # Rates that dependent rows agree on, as those of a motion do.
    rates = C @ rng.normal(size=n)
    M = root @ root.T + n * np.eye(n)
    return tree, {"M": M, "C": C, "f": rng.normal(size=n), "bias": rates, "c": c, "held": np.array(held)}


@pytest.mark.parametrize(("n", "rank"), [(6, 6), (6, 4), (9, 9), (2, 2), (FEW, 11), (FEW + 1, 11)])
def test_accelerations_and_forces_are_those_of_the_equations_of_motion(rng: np.random.Generator, n: int, rank: int) -> None:
    """All conditions one by one; of all forces that do the same, these are orthogonal to those that do nothing."""
    counts, held = [3, 1, 3, 2, 3], [1.0, 0.0, 2.0, 2.0, 1.0]
    for _ in range(5):
        tree, p = problem(rng, n, counts, held, rank)
        numbers = np.concatenate([p["M"].ravel(), p["C"].ravel(), p["f"], p["bias"], p["c"], p["held"]])
        takes, gives = [n * n, tree.rows * n, n, tree.rows, tree.rows, len(counts)], [n, tree.rows, len(counts)]
        wanted = solve_on_numbers(tree, numbers)
        found = compiled_call("solve", tree, takes, gives, solve_on_numbers)(numbers)
        assert np.abs(found - wanted).max() < 1e-9 * (1.0 + np.abs(wanted).max())
        a, forces = found[:n], found[n : n + tree.rows]
        begin = tree.begin
        rows = [begin[k] for k in range(5) if held[k]] + [
            i for k in range(5) if held[k] == 1.0 for i in range(begin[k] + 1, begin[k + 1])
        ]
        scale = 1.0 + np.abs(forces).max()
        assert np.abs(p["M"] @ a - p["f"] - p["C"].T @ forces).max() < 1e-9 * scale * n
        assert np.abs(p["C"][rows] @ a + p["bias"][rows]).max() < 1e-9 * scale
        for k in (2, 3):
            part = slice(begin[k] + 1, begin[k + 1])
            assert np.abs(forces[part] - p["c"][part] * forces[begin[k]]).max() < 1e-9 * scale
        assert forces[begin[1]] == 0.0
        left = np.linalg.svd(p["C"][rows].T)[2][np.linalg.matrix_rank(p["C"][rows]) :]
        assert np.abs(left @ forces[rows]).max(initial=0.0) < 1e-8 * scale


def test_loops_over_few_velocities_are_written_out() -> None:
    """Sizes are numbers in what is copied; a large tree would make a text of thousands of lines."""
    trees = [Tree((-1,), (0, n), (0,), (0, 1), whole=True) for n in (FEW, FEW + 1)]
    few, many = (active_call("move", tree, [tree.n], [tree.n], solve_on_numbers) for tree in trees)
    assert "few.h" in few.headers and few.headers.index("few.h") < few.headers.index("many.h")
    assert "few.h" not in many.headers


def test_velocities_are_projected_as_their_energy_tells(rng: np.random.Generator) -> None:
    """What is taken away does no work on any motion that is allowed."""
    counts, held = [3, 2, 3], [1.0, 0.0, 2.0]
    tree, p = problem(rng, 7, counts, held, 7)
    v = rng.normal(size=7)
    numbers = np.concatenate([p["M"].ravel(), p["C"].ravel(), v, p["bias"], p["held"]])
    found = compiled_call("project", tree, [49, 56, 7, 8, 3], [7], project_on_numbers)(numbers)
    rows = p["C"][[0, 1, 2, 5]]
    assert np.abs(found - project_on_numbers(tree, numbers)).max() < 1e-10
    assert np.abs(rows @ found + p["bias"][[0, 1, 2, 5]]).max() < 1e-10
    allowed = np.linalg.svd(rows)[2][4:]
    assert np.abs(allowed @ p["M"] @ (found - v)).max() < 1e-9


# -- runs ---------------------------------------------------------------------------------------------------------------


def box(friction: float = 0.4) -> lm.System:
    """A box of 1 kg with a contact at each corner."""
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.05, 0.05) for z in (-0.08, 0.08)]
    return lm.System(
        "box",
        bodies=(lm.Body("box", 1.0, inertia=(0.003, 0.006, 0.005)),),
        joints=(lm.Free(name="base", parent="world", child="box"),),
        contacts=tuple(
            lm.StickingPoint(f"corner_{k}", "box", at, law=lm.Unilateral(friction=friction)) for k, at in enumerate(corners)
        ),
        forces=(lm.Gravity((0, 0, -G)),),
    )


def chain(links: int, friction: float = 0.3, axis: tuple[int, int, int] = (0, 1, 0)) -> lm.System:
    """Links of 0.1 kg hinged in a row, in a vertical plane, with a point each where they join and at the end."""
    names = [f"link_{k}" for k in range(links)]
    law = lm.Unilateral(friction=friction)
    return lm.System(
        "chain",
        bodies=tuple(lm.Body(name, 0.1, com=(0.05, 0, 0), inertia=(1e-5, 1e-4, 1e-4)) for name in names),
        joints=(
            lm.Free(name="base", parent="world", child=names[0]),
            *(
                lm.Revolute(
                    name=f"joint_{k}",
                    parent=names[k - 1],
                    child=names[k],
                    axis=axis,
                    at=(0.1, 0, 0),
                    drive=lm.Torque(f"-0.002*joint_{k}_rate"),
                )
                for k in range(1, links)
            ),
        ),
        contacts=tuple(lm.StickingPoint(f"tip_{k}", name, (0.1, 0, 0), law=law) for k, name in enumerate(names)),
        forces=(lm.Gravity((0, 0, -G)),),
    )


def snake(modules: int, axis: tuple[int, int, int] = (0, 0, 1)) -> lm.System:
    """Modules of 0.2 kg on four feet each, hinged 0.1 m apart, about vertical axes if no others are given."""
    names = [f"module_{k}" for k in range(modules)]
    feet = [(x, y, -0.02) for x in (-0.03, 0.03) for y in (-0.02, 0.02)]
    hinges = [
        lm.Revolute(name=f"joint_{k}", parent=names[k - 1], child=names[k], axis=axis, at=(-0.1, 0, 0))
        for k in range(1, modules)
    ]
    return lm.System(
        "snake",
        bodies=tuple(lm.Body(name, 0.2, inertia=(2e-4, 3e-4, 4e-4)) for name in names),
        joints=(lm.Free(name="base", parent="world", child=names[0]), *hinges),
        contacts=tuple(
            lm.StickingPoint(f"foot_{k}_{i}", name, at, law=lm.Unilateral(friction=0.4))
            for k, name in enumerate(names)
            for i, at in enumerate(feet)
        ),
        forces=(lm.Gravity((0, 0, -G)),),
    )


def both(system: lm.System, duration: float, **options: object) -> tuple[lm.Run, lm.Run]:
    """The same run by a model of each mode, and by one for all."""
    found = tuple(lm.simulate(system, duration, solver=solver, **options) for solver in ("traced", "runtime"))  # type: ignore[arg-type]
    assert [run.settings["solver"] for run in found] == ["traced", "runtime"]
    return found[0], found[1]


def differences(wanted: lm.Run, found: lm.Run) -> tuple[float, float]:
    """Largest difference of the instants of events, all of the same kinds and in the same order, and of the states."""
    told = [[(e.name, e.time) for e in run.events if e.name != "repivot"] for run in (wanted, found)]
    assert [name for name, _ in told[0]] == [name for name, _ in told[1]]
    instants = max((abs(a - b) for (_, a), (_, b) in zip(*told, strict=True)), default=0.0)
    names = [s.name for s in (*wanted.system.layout.coordinates, *wanted.system.layout.velocities)]
    same, i, j = np.intersect1d(np.round(wanted.time, 12), np.round(found.time, 12), return_indices=True)
    assert len(same) > 0.8 * len(wanted.time)
    return instants, max(float(np.abs(wanted[name][i] - found[name][j]).max()) for name in names)


def sled(friction: float = 0.3) -> lm.System:
    """A bar of 1 kg in a vertical plane, on two points."""
    law = lm.Unilateral(friction=friction)
    return lm.System(
        "sled",
        bodies=(lm.Frame("carriage"), lm.Frame("lift"), lm.Body("bar", 1.0, inertia=(0.001, 0.02, 0.02))),
        joints=(
            lm.Prismatic(name="forward", parent="world", child="carriage", axis=(1, 0, 0)),
            lm.Prismatic(name="up", parent="carriage", child="lift", axis=(0, 0, 1)),
            lm.Revolute(name="pitch", parent="lift", child="bar", axis=(0, 1, 0)),
        ),
        contacts=tuple(lm.StickingPoint(name, "bar", (x, 0, -0.02), law=law) for name, x in (("front", 0.2), ("rear", -0.2))),
        forces=(lm.Gravity((0, 0, -G)),),
    )


FALLING = {"up": 0.05, "pitch": 0.02, "forward_rate": 0.3}


def assert_the_same_channels(wanted: lm.Run, found: lm.Run, within: float) -> None:
    """All channels, those of open contacts absent in both."""
    assert set(wanted.channels) == set(found.channels)
    for name, values in wanted.channels.items():
        assert (np.isnan(values) == np.isnan(found[name])).all(), name
        assert np.nanmax(np.abs(values - found[name]), initial=0.0) < within, name


def test_a_bar_that_falls_slides_and_rests() -> None:
    """It lands with one end, then with the other, slides and stops; the interpreter calls the readable form."""
    wanted, found = both(sled(), 0.2, start=FALLING, step=0.005, target="interpreter")
    assert [e.name for e in found.events].count("front sticks") == 1 and found.status.ok
    instants, states = differences(wanted, found)
    assert instants < 1e-9 and states < 1e-9
    assert_the_same_channels(wanted, found, 1e-8)


def test_velocities_stay_allowed_whatever_the_step() -> None:
    """A bar that swings about the end it stands on: after each step nothing is left along the rows that are held."""
    up = 0.2 * np.sin(0.6) + 0.02 * np.cos(0.6)
    run = lm.simulate(sled(5.0), 0.1, start={"up": up, "pitch": 0.6}, step=0.02, target="interpreter", solver="runtime")
    assert run["front_closed"].all() and abs(run["pitch_rate"][-1]) > 1.0
    assert max(np.abs(run[f"front_{axis}_slip"]).max() for axis in "xz") < 1e-12


@pytest.mark.slow
def test_a_box_that_slides_and_rests() -> None:
    """The forces of four feet are not determined: the smallest are taken by both."""
    wanted, found = both(box(), 0.4, start={"z": 0.09, "speed": 0.8}, step=0.002)
    assert len(found.events) >= 12 and found.status.ok
    instants, states = differences(wanted, found)
    assert instants < 1e-9 and states < 1e-9
    assert_the_same_channels(wanted, found, 1e-8)


@pytest.mark.slow
def test_a_box_that_tumbles() -> None:
    """It strikes with edges and corners, slips and tips. Where a corner begins to slip, the direction of its slip turns within
    a step or two, and velocities differ by what that is worth in the error of the steps, which the motion soon forgets."""
    start = {"z": 0.25, "roll": 0.3, "pitch": 0.2, "speed": 0.6, "pitch_rate": 3.0}
    wanted, found = both(box(), 0.7, start=start, step=2.5e-4)
    assert len(found.events) >= 12 and found.status.ok
    instants, states = differences(wanted, found)
    assert instants < 1e-9 and states < 1e-8
    last = [np.array([run[s.name][-1] for s in run.system.layout.coordinates]) for run in (wanted, found)]
    assert np.abs(last[0] - last[1]).max() < 1e-9


@pytest.mark.slow
def test_a_chain_that_falls_on_the_ground() -> None:
    wanted, found = both(chain(4), 0.25, start={"z": 0.02, "pitch": -0.1, "speed": 0.5}, step=2.5e-4)
    assert len(found.events) > 30 and found.status.ok
    instants, states = differences(wanted, found)
    assert instants < 1e-9 and states < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dry_snake", "strandbeest", "soft_snake"])
def test_systems_of_the_catalogue(name: str) -> None:
    """With loops and an imposed crank, soft bodies on keels, and modules that slide."""
    start = {"dry_snake": {"speed": 0.4, "sway_speed": 0.1, "yaw_rate": 0.5}}
    wanted, found = both(getattr(lm.catalogue, name)(), 0.15, start=start.get(name), step=5e-4)
    assert found.status.ok
    instants, states = differences(wanted, found)
    # Steps differ to the order of the method, more where soft bodies swing fast: 4e-8 at twice the step.
    assert instants < 1e-9 and states < (1e-8 if name == "soft_snake" else 1e-9)


# -- one kernel -----------------------------------------------------------------------------------------------------------


def test_every_mode_shares_the_compiled_model() -> None:
    """In flight, on one end and on both, that slip and stick: four modes, and one model."""
    run = lm.simulate(sled(), 0.2, start=FALLING, step=0.005, target="interpreter", solver="runtime")
    modes = modes_of(run.system, None, "interpreter", solver="runtime")
    made = list(modes._known.values())
    assert len(made) >= 4 and len(modes._held) == 1
    assert len({id(mode.compiled) for mode in made}) == 1 and len({id(mode.events) for mode in made}) == 1


def test_what_only_rows_of_open_contacts_need_is_left_out() -> None:
    """Of a strip on its foot a seventh of a right-hand side is for tips that are in the air: it waits for their being held."""
    mode = modes_of(lm.catalogue.jumping_elastica(), None, "interpreter", solver="runtime").mode(frozenset({"foot"}))
    assert isinstance(mode.kernels, HeldKernels)
    held = mode.kernels.held
    assert held.dynamics.rolled is not None
    tape = held.dynamics.rolled.whole.tape
    places = [held.free_parameters.index(held_name(f"{half}_tip")) for half in ("right", "left")]
    inputs = [(k, line.args) for k, line in enumerate(tape.instructions) if line.op == "input"]
    tips = {k for k, (port, place) in inputs if port == 3 and place in places}
    masks = {k for k, line in enumerate(tape.instructions) if line.op == "lt" and tips.intersection(line.args)}
    waiting = [line for line, (mask, true) in sides(tape).items() if mask in masks and true]
    assert len(masks) == 2 and len(waiting) > tape.operations / 8


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("modules", [25, 100])
def test_hundreds_of_contacts_slide_and_stop_together(modules: int) -> None:
    """Feet of modules in a row that slide alike stop after v / (mu g), and the ground bears their weight, of 400 too."""
    still = {f"joint_{k}_rate": 0.0 for k in range(1, modules)} | dict.fromkeys(("sway_speed", "yaw_rate"), 0.0)
    run = lm.simulate(snake(modules), 0.1, start={"z": 0.02, "speed": 0.3, **still}, step=2e-3)
    assert run.settings["solver"] == "runtime" and run.status.ok
    stops = [e.time for e in run.events if e.name.endswith("sticks")]
    assert len(stops) == 4 * modules and np.abs(np.array(stops) - 0.3 / (0.4 * G)).max() < 1e-9
    weight = sum(run[f"foot_{k}_{i}_normal_force"] for k in range(modules) for i in range(4))
    assert np.abs(weight - modules * 0.2 * G).max() < 1e-8


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("modules", [25, 100])
def test_a_chain_that_lies_on_hundreds_of_feet_stays(modules: int) -> None:
    """Hinged about horizontal axes, so that every module could rise: each bears its own weight, and nothing happens."""
    run = lm.simulate(snake(modules, axis=(0, 1, 0)), 0.05, start={"z": 0.02}, step=5e-3)
    assert run.settings["solver"] == "runtime" and run.status.ok and not len(run.events)
    for symbol in run.system.layout.coordinates:
        assert np.abs(run[symbol.name] - run[symbol.name][0]).max() < 1e-15, symbol.name
    for k in range(modules):
        borne = sum(run[f"foot_{k}_{i}_normal_force"] for i in range(4))
        assert borne == pytest.approx(np.full(len(run.time), 0.2 * G), rel=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("turning", [0.0, 0.5])
def test_many_events_in_one_step_are_those_located_one_by_one(turning: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of twelve feet that stop together one is located; where modules turn, they stop one after the other."""
    start = {"z": 0.02, "speed": 0.3, "sway_speed": 0.0, "yaw_rate": turning, "joint_1_rate": -turning, "joint_2_rate": 0.0}
    located: list[object] = []
    length_to = search.length_to
    monkeypatch.setattr(search, "length_to", lambda *given: located.append(given[0]) or length_to(*given))
    runs, counts = [], []
    for many in (search.MANY, 1_000):
        monkeypatch.setattr(search, "MANY", many)
        located.clear()
        runs.append(lm.simulate(snake(3), 0.1, start=start, step=2e-3, target="interpreter"))
        counts.append(sum(isinstance(trigger, SlipEnds) for trigger in located))
    assert [event.name for event in runs[0].events] == [event.name for event in runs[1].events]
    assert [e.time for e in runs[0].events] == pytest.approx([e.time for e in runs[1].events], abs=1e-11)
    assert len(runs[0].events) >= 12
    assert turning or counts == [1, 12]


@pytest.mark.slow
def test_a_start_of_many_contacts_is_that_of_few() -> None:
    """Three modules on twelve feet: those behind the first, which slides, turn their joints so that more feet stick."""
    modes = modes_of(snake(3), None, "interpreter", solver="runtime")
    start = {"z": 0.02, "speed": 0.3}
    closed, holds = frozenset(modes.names), Footholds(())
    _, many, _ = landed_on_rows(modes, closed, holds, start, 0.0, "loops")
    _, few = _sliding(Landing(modes, closed, holds, None, 0.0, "loops"), start, closed)
    assert np.abs(many - few).max() < 1e-9


@pytest.mark.parametrize("make", [sled, lambda: chain(2)])
def test_slopes_are_derivatives_of_the_rate(make: Callable[[], lm.System], rng: np.random.Generator) -> None:
    """Central differences, with a contact that sticks and one that slips: implicit steps need them."""
    modes = modes_of(make(), None, "interpreter", solver="runtime")
    slips = modes.names[1]
    mode = modes.mode(frozenset(modes.names), stances={slips: Slips()})
    held, manifold = mode.compiled.traced, mode.compiled.traced.manifold
    p = modes.parameters_on(mode, Footholds(()).slipping({slips: (1.0, 0.2, 0.0)}))
    x = np.concatenate([modes.system.nominal_pose(), np.zeros(len(held.reduction.free))])
    n, t, u = manifold.tangent_size, np.zeros(1), np.zeros(0)
    x = manifold.retract(x[None], 0.3 * rng.normal(size=(1, n)))[0]
    slopes = slopes_of(held.dynamics, manifold)
    found = slopes.matrices(lambda along: slopes.function(t, x, u, p, along)[0][None], n)[0]
    h, near = 1e-5, lambda change: held.dynamics(t, manifold.retract(x[None], change[None])[0], u, p)[0]
    wanted = np.array([(near(h * e) - near(-h * e)) / (2.0 * h) for e in np.eye(n)]).T
    assert np.abs(found - wanted).max() < 1e-6 * np.abs(wanted).max()


@pytest.mark.slow
def test_implicit_steps_of_a_soft_snake() -> None:
    """By the midpoint rule both converge to one motion with the square of the step."""
    found = []
    for step in (1e-3, 5e-4):
        instants, states = differences(*both(lm.catalogue.soft_snake(), 0.05, step=step, stepper="midpoint"))
        assert instants < 1e-9
        found.append(states)
    assert found[0] < 1e-4 and 3.0 < found[0] / found[1] < 5.0


def test_the_solver_is_chosen_by_the_number_of_contacts_and_refused_by_name() -> None:
    assert modes_of(box(), None, "auto", solver="auto").shares_a_model
    assert not modes_of(sled(), None, "auto", solver="auto").shares_a_model
    assert modes_of(lm.catalogue.soft_snake(), None, "auto", solver="auto").shares_a_model
    for system, why in (
        (lm.catalogue.euler_disc(), "the wheel .* may come to lie flat"),
        (box().replace(grounds=(lm.Terrain.plane(),)), ".*terrain"),
    ):
        with pytest.raises(ContactLawError, match=f"solver='runtime' is not for {why}"):
            lm.simulate(system, 0.1, solver="runtime")
    with pytest.raises(StepperError, match="solver is 'bits'"):
        lm.simulate(sled(), 0.1, solver="bits")
