"""What must hold of every case: one function a check, each tolerance with its reason."""

from __future__ import annotations

import dataclasses
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import locomotor as lm
from combinations import parts, soft
from combinations.build import STEP, STEPS, Case, with_law
from combinations.features import STICKS
from combinations.saddle import saddle
from locomotor import codegen
from locomotor.analysis.stability import chart_model
from locomotor.simulation.steppers import FIXED
from oracles.segments import following

Vector = np.ndarray

BALANCE = 1e-9
"""Share of the energy: steps of 1 ms of motions that take tenths of a second leave 1e-10 with rk4; the power is integrated
from the samples, and `quadrature_error` says how well that can be done."""
ADAMS = 1e-7
"""The same with the multistep methods, which start with larger errors and lose more at kinks."""
IMPLICIT = 1e-4
"""The same with the implicit ones, of order 2."""
SOFT_SHARE = 3e-3
"""The same with soft bodies, where the order of the method is asked for as well."""
GAP = 1e-7
"""Metres: gaps are integrated, 32 steps with errors of 1e-10 at most; events are located to round-off."""
IMPLICIT_GAP = 1e-4
"""The same with the implicit steppers, of order 2, whose closed contacts drift either way."""
SLIP = 1e-9
"""Blocked velocities (m/s) vanish by elimination: round-off times the condition of the rows."""
PULL = 1e-6
"""Newtons, of forces of some tens: a lift-off is located to round-off on the normal force."""
FORMS = 1e-8
"""Of accelerations relative to the largest: round-off times the condition of the mass matrix, 1e4 for light frames."""
SAME_STEPS = 1e-9
"""Between two ways of making the same steps: round-off, which 32 steps near contacts that amplify may multiply by 1e4."""
LOCATED = 1e-5
"""Events inside a compiled step are located on Hermite's cubic, to O(h^4) of velocities of 1 m/s (m, m/s)."""
SEGMENTS = 1e-6
"""Below this share of the largest acceleration a chain is its rod: the frames at its places have masses of 1e-9 kg."""
FEW = 3
"""Events in a step that a roll-out is compiled to see; each makes its step longer by a half."""
SMALL = 1e-6
"""Step of central differences."""
SLOPES = 1e-5
"""Central differences with steps of 1e-6 of numbers of order one: 1e-12 of curvature, 1e-10 of round-off over the step."""
DIGITS = 1e-13
"""Round-off of accelerations, relative to the largest, with the condition of the mass matrix."""


@dataclass(frozen=True, eq=False)
class Done:
    """A case and what came of it, made when first asked for."""

    case: Case

    @cached_property
    def run(self) -> lm.Run:
        """The event-driven or smooth run."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lm.RunWarning)
            return self.case.run()

    @cached_property
    def plain(self) -> lm.Run:
        """The run without controller and with a stepper of roll-outs, which have neither controllers nor error control."""
        choice = self.case.choice
        if choice["controller"] == "none" and self.stepper(STEP).name == choice["stepper"]:
            return self.run
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lm.RunWarning)
            return self.case.run(controller=None, stepper=self.stepper(STEP))

    @property
    def stepper(self) -> Any:
        """The same for roll-outs, of which those that hold contacts or joints have one way of stepping."""
        return lm.rk4 if self.scheme else FIXED.get(self.case.choice["stepper"], lm.rk4)

    @property
    def rolls(self) -> bool:
        """Whether roll-outs can make the motion of a run."""
        choice = self.case.choice
        return choice["ground"] != "terrain" and choice["law"] not in ("friction", "resisting", "poisson", "stronge")

    @property
    def smooth(self) -> bool:
        """Whether contacts stay as they are."""
        return not self.case.switches

    @property
    def jumps(self) -> bool:
        """Whether something opens and closes, or sticks and slides."""
        return self.case.switches or self.case.choice["medium"] in STICKS

    @property
    def is_batch(self) -> bool:
        """Whether the case is a roll-out."""
        return self.case.choice["runs"] == "batch"

    @cached_property
    def scheme(self) -> str | None:
        """Kind of steps of a roll-out: both kinds of those with contacts, by turns."""
        if self.case.choice["medium"] in STICKS:
            return "time-stepping"
        if self.smooth:
            return None
        if self.case.choice["ground"] == "terrain":
            return "events"
        return "time-stepping" if self.case.choice["law"] in ("friction", "resisting") or self.case.seed % 2 else "events"

    @cached_property
    def compiled(self) -> Any:
        """The system of a roll-out."""
        return self.case.compiled(self.scheme)

    @cached_property
    def batch(self) -> Any:
        """A roll-out of three instances, of which the first is the case and the others are pushed."""
        return self.roll()

    @property
    def crowd(self) -> int:
        """How many events fall into one step of the run."""
        times = np.asarray(self.plain.events.times)
        return max((int(((times >= t) & (times < t + STEP)).sum()) for t in times), default=0)

    def seeing_all(self) -> Any:
        """The roll-out of the case alone in steps that see as many events as fall into one."""
        compiled = self.case.compiled(self.scheme, settings=lm.EventSettings(events=self.crowd))
        return compiled.rollout(self.case.state(compiled)[None], STEPS, STEP)

    def finer(self, times: int) -> tuple[lm.Run, Any]:
        """The run without controller and the roll-out of the case alone, with steps so many times shorter."""
        run = self.case.run(controller=None, stepper=self.stepper(STEP / times))
        return run, self.compiled.rollout(self.case.state(self.compiled)[None], times * STEPS, STEP / times)

    def roll(self) -> Any:
        """Make the roll-out."""
        x = self.case.state(self.compiled)
        states = np.array([x, x, x])
        states[1:, _velocity_columns(self.compiled)] += np.array([[1e-2], [-1e-2]])
        choice = self.case.choice
        # What cannot be, dop853 or another stepper for contacts, is asked for as it stands where the case is a roll-out.
        asked = choice["stepper"] if self.is_batch and choice["stepper"] != "midpoint" else None
        stepper = asked or self.stepper().name
        return self.compiled.rollout(states, STEPS, STEP, stepper=stepper, ends=parts.ENDS[choice["ends"]])


Check = Callable[[Done], None]


def _velocity_columns(compiled: Any) -> list[int]:
    names = compiled.traced.reduction.names
    return [compiled.state_names.index(name) for name in names]


def _most(values: Vector) -> float:
    values = np.asarray(values, dtype=float)
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


# -- one run -------------------------------------------------------------------------------------------------


def energy_balances(done: Done) -> None:
    """Energy changes by the work of inputs, drives, springs, imposed motions and impacts, and by nothing else."""
    audit = done.run.audit()
    stepper = done.case.choice["stepper"]
    floor = BALANCE if stepper in ("rk4", "dop853") else IMPLICIT if stepper in codegen.IMPLICIT else ADAMS
    # The coarser integral uses every second sample and errs 16 times more; at a kink between samples, as much.
    allowed = floor + 3.0 * audit["quadrature_error"]
    fixed = FIXED.get(stepper)
    if fixed is not None and done.case.is_soft and done.smooth and allowed < audit["energy_balance"] < SOFT_SHARE:
        # Soft bodies swing in some ten or twenty steps: what is missing is no constant, and falls with the order of the method.
        method = fixed(STEP / 2)
        finer = done.case.run(stepper=method, sample=STEP / 2).audit()
        least = 0.7 * 2.0 ** min(method.order, 4) if stepper not in codegen.IMPLICIT else 3.0
        left = max(audit["energy_balance"] / least, 3.0 * finer["quadrature_error"])
        assert finer["energy_balance"] <= left, f"the energy does not converge: {finer['energy_balance']:.1e} at half the step"
        return
    limit = SOFT_SHARE if done.case.is_soft else 10.0 * allowed  # what swings in some ten steps turns as quickly
    if done.case.choice["law"] == "resisting" and allowed < audit["energy_balance"] < limit:
        # A contact that slips is taken to turn as well, at once; where its rolling is only held, directions are those of the
        # end of the first step, and the energy converges with the second order. How much of a step that first one is differs:
        # two halvings tell better than one.
        finer = done.case.run(stepper=lm.rk4(STEP / 4), sample=STEP / 4).audit()
        assert finer["energy_balance"] <= audit["energy_balance"] / 9.0, "the energy does not converge"
        return
    assert audit["energy_balance"] <= allowed, f"energy and work differ by {audit['energy_balance']:.1e}, allowed {allowed:.1e}"
    if "impact_energy" in audit:
        assert audit["impact_energy"] <= allowed, f"records of impacts differ from jumps by {audit['impact_energy']:.1e}"


def contacts_hold(done: Done) -> None:
    """Gaps stay, blocked velocities vanish; what opens and closes neither sinks nor pulls; quaternions stay unit."""
    run, audit = done.run, done.run.audit()
    gap = IMPLICIT_GAP if done.case.choice["stepper"] in codegen.IMPLICIT else GAP
    limits = {"gap_drift": gap, "largest_slip": SLIP, "largest_penetration": gap, "quaternion_norm_error": SLIP}
    for name, allowed in limits.items():
        assert audit.residuals.get(name, 0.0) <= allowed, f"{name} is {audit[name]:.1e}, allowed {allowed:.1e}"
    # A contact that is let go at an instant has a sample there, before it opens: forces of no duration are none.
    lasting = np.ones(len(run), dtype=bool)
    for event in run.events:
        lasting &= np.abs(run.time - event.time) > 1e-12
    pulled = PULL + (parts.CLING if done.case.choice["law"] == "adhesive" else 0.0)
    for name, force in run.group("normal_forces").items():
        if done.case.choice["law"] != "grip":
            assert (force[lasting] >= -pulled).all(), f"{name} pulls with {-force[lasting].min():.1e} N"


def values_are_finite(done: Done) -> None:
    """Coordinates, velocities and energies are numbers at every sample, and a status tells an early end."""
    run = done.run
    for group in ("coordinates", "velocities", "energies"):
        for name, values in run.group(group).items():
            assert np.isfinite(values).all(), f"{name} is not finite"
    if run.status.ok:
        assert abs(run.time[-1] - STEPS * STEP) < 1e-12, f"completed at {run.time[-1]} s"
    else:
        assert run.status.detail, f"ended early without words: {run.status}"


def again_gives_equal_bits(done: Done) -> None:
    """The same call gives the same numbers, to the last bit."""
    if done.is_batch:
        again = done.roll()
        assert np.array_equal(again.states, done.batch.states, equal_nan=True), "a repeated roll-out differs"
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lm.RunWarning)
        again = done.case.run()
    _equal(again, done.run)


def files_keep_everything(done: Done) -> None:
    """A run that is saved and loaded has equal data: times, channels, events, status, settings, system."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = lm.load(done.run.save(Path(folder) / "run.nc"))
    _equal(loaded, done.run)
    assert loaded.system == done.run.system, "the system differs"
    assert dict(loaded.parameters) == dict(done.run.parameters)
    assert dict(loaded.settings) == dict(done.run.settings), "the settings differ"
    assert dict(loaded.about) == dict(done.run.about), "units or words differ"


def _equal(one: lm.Run, other: lm.Run) -> None:
    assert np.array_equal(one.time, other.time), "times differ"
    assert list(one.channels) == list(other.channels), "channels differ"
    for name, values in one.channels.items():
        assert np.array_equal(values, other.channels[name], equal_nan=True), f"{name} differs"
    assert one.status == other.status, "the status differs"
    assert [dataclasses.astuple(e) for e in one.events] == [dataclasses.astuple(e) for e in other.events], "events differ"


# -- two ways to the same numbers ----------------------------------------------------------------------------


def reduced_is_multiplier_form(done: Done) -> None:
    """Accelerations of the reduced form and of the multiplier form agree at samples of the run."""
    if done.case.choice["ground"] == "terrain":
        return
    run = done.run
    for k in sorted({1, len(run) // 2, len(run) - 2}) if len(run) > 2 else ():
        held, q, v, time, u = _held(done, k)
        traced = lm.trace(held, about=q)
        state = np.concatenate([q[list(traced.coordinate_indices)], v[list(traced.reduction.free)]])
        (found,) = traced.accelerations(np.array([time]), state, u, traced.default_parameters)
        wanted = saddle(held, q, v, time, u)
        error = _most(found - wanted) / max(1.0, _most(wanted))
        assert error <= FORMS, f"accelerations differ by {error:.1e} of the largest at {time:g} s"


def _held(done: Done, k: int) -> tuple[lm.System, Vector, Vector, float, Vector]:
    """The system with what is closed at a sample held, and coordinates, velocities, time and inputs there."""
    run, layout = done.run, done.case.system.layout
    closed = {name.removesuffix("_closed") for name, values in run.group("modes").items() if values[k] > 0.0}
    # Velocities of one that slips are not those of a held one.
    closed = {name for name in closed if f"{name}_slip_speed" not in run or not run[f"{name}_slip_speed"][k] > 0.0}
    held = with_law(done.case.system, lm.Persistent(), closed if done.case.switches else None)
    # Friction that follows a load needs the forces of joints, which the multiplier form does not ask for.
    held = held.replace(forces=[f for f in held.forces if not (isinstance(f, lm.JointFriction) and f.follows_load)])
    q, v, u = (np.array([run[s.name][k] for s in group]) for group in (layout.coordinates, layout.velocities, layout.inputs))
    return held, q, v, float(run.time[k]), u


def soft_bodies_are_chains(done: Done) -> None:
    """Accelerations of a system with soft bodies are where those with rigid segments go, as the square of their length."""
    if done.case.choice["ground"] == "terrain" or len(done.run) < 3:
        return
    held, q, v, time, u = _held(done, len(done.run) // 2)
    along = (soft.FLAG.name, "sheet")  # forces of air all along a body
    bare = held.replace(forces=tuple(force for force in held.forces if force.name not in along))
    for name in SOFT:
        body = next((each for each in bare.bodies if each.name == name), None)
        if isinstance(body, lm.Rod | lm.FlexibleBody):
            _is_chain(*_straight(bare, body, q, v), name, time, u)


SOFT = ("spine", "toe", "leaf", "blade")
"""Bodies that are soft in some of the cases."""


def _straight(system: lm.System, body: Any, q: Vector, v: Vector) -> tuple[lm.System, Vector, Vector]:
    """A floating frame where its field is exact: straight, at rest and without damping; what is a rod is so everywhere."""
    if isinstance(body, lm.Rod):
        return system, q, v
    q, v = q.copy(), v.copy()
    q[system.layout.q[body.name]], v[system.layout.v[body.name]] = 0.0, 0.0
    bodies = tuple(dataclasses.replace(each, damping=None) if each.name == body.name else each for each in system.bodies)
    return system.replace(bodies=bodies), q, v


def _is_chain(system: lm.System, q: Vector, v: Vector, name: str, time: float, u: Vector) -> None:
    wanted = saddle(system, q, v, time, u)
    errors: list[float] = []
    for count in (8, 16, 32):
        chain, coordinates, velocities = following(system, name, count)
        found = saddle(chain, coordinates @ q, velocities @ v, time, u, velocities)
        errors.append(_most(found - wanted) / max(1.0, _most(wanted)))
        # Four in the limit; chains that bend by tenths of a radian in a segment are near it, at the latest with 32.
        if len(errors) > 1 and errors[-1] <= max(errors[-2] / 3.2, SEGMENTS):
            return
    raise AssertionError(f"chains of 8, 16, 32 segments for the {name} are {', '.join(f'{e:.1e}' for e in errors)} off")


def batch_is_single(done: Done) -> None:
    """A roll-out makes the motion of a run: the same steps where nothing opens, to the order of location where it does."""
    if not done.rolls or not done.plain.status.ok or done.scheme == "time-stepping":
        return
    batch = done.batch
    assert (batch.status == 0).all() or not done.smooth, f"instances ended: {batch.reasons}"
    assert batch.status[0] == 0, f"the run completes, its roll-out ends: {batch.reasons[0]}"
    # An input that jumps inside a step is a law of time in the roll-out and an instant of the run: h/2 of a jump of 1 N m on
    # 0.1 kg m² there.
    loose = 0.0
    if (np.diff(done.plain.events.times) < STEP).any():
        loose += 1e-2  # one event in a step: the next happens late, by a step at most, at accelerations of 10 m/s²
    allowed = loose + (SAME_STEPS if done.smooth else LOCATED)
    error, name = _apart(done.plain, batch, done)
    late = bool(loose) and not done.smooth and allowed < error <= 10.0 * allowed  # strains accelerate by more than that
    if late and done.crowd <= FEW:  # then steps that see every event must find what the run finds
        allowed = LOCATED
        error, name = _apart(done.plain, done.seeing_all(), done)
    elif late:  # bounces without end: a step leaves most of its own out, and errs in proportion to its length
        allowed = 0.4 * error
        error, name = _apart(*done.finer(4), done)
    elif not done.smooth and LOCATED < error <= 10.0 * LOCATED:  # quick modes of a spine: the order of location tells
        allowed = loose + error / 4.0
        error, name = _apart(*done.finer(2), done)
    assert error <= allowed, f"{name} differs by {error:.1e} from that of a run, allowed {allowed:.1e}"


def _apart(run: lm.Run, batch: Any, done: Done) -> tuple[float, str]:
    """Largest difference at the end between a run and the first instance of a roll-out, and of what."""
    found = {}
    for name in done.compiled.state_names:
        if name in run:
            wanted = float(run[name][-1])
            found[name] = abs(float(batch[name][0, -1]) - wanted) / max(1.0, abs(wanted))
    return max(((error, name) for name, error in found.items()), default=(0.0, ""))


def steps_converge_to_events(done: Done) -> None:
    """Time-stepping comes nearer to the event-driven run as its steps shrink.

    An impact may happen to fall on a step, and two impacts in one: where the error has not fallen yet, steps shrink once more.
    """
    case = done.case
    if not done.jumps or not done.rolls or not done.plain.status.ok:
        return
    compiled = case.compiled("time-stepping", target="interpreter")
    x = case.state(compiled)
    errors = []
    for finer in (1, 4, 16):
        batch = compiled.rollout(x, finer * STEPS, STEP / finer, save_every=0)
        assert batch.status == 0, f"time-stepping ended: {batch.reasons}"
        names = [s.name for s in case.system.layout.coordinates if s.name in compiled.state_names]
        last = dict(zip(compiled.state_names, batch.final.tolist(), strict=True))
        errors.append(max(abs(last[name] - float(done.plain[name][-1])) for name in names))
        # First order: an impact happens up to a step early or late, at velocities that change by about 1 m/s or 3 rad/s.
        # A small wheel turns faster than that: where the first error is larger, the order itself is looked at.
        # An error that is small by chance is no measure of the next.
        worst = max(errors[:-1], default=errors[0])
        allowed = max((0.5 if worst <= 1e-2 else 0.125) * worst, 2e-4)
        if finer > 1 and errors[-1] <= allowed:
            break
    assert errors[-1] <= allowed, f"errors {', '.join(f'{error:.1e}' for error in errors)} at h, h/4, h/16"
    assert errors[0] <= 5e-2, f"time-stepping is {errors[0]:.1e} off at h = {STEP} s"


def derivatives_are_differences(done: Done) -> None:
    """Derivatives of a step by forward mode are central differences of steps."""
    case = done.case
    if done.jumps:
        return
    compiled = case.compiled(target="interpreter")
    x = case.state(compiled)
    names = compiled.traced.reduction.names
    if not names:
        return
    plain = [name for name in compiled.state_names if name in {*names, "rotor", "joint", "leg", "forward"}]
    found = compiled.jacobians(x, 2, STEP, with_respect_to=plain)
    columns = [compiled.state_names.index(name) for name in plain]
    moved = np.array([x + side * SMALL * np.eye(len(x))[c] for c in columns for side in (1.0, -1.0)])
    final = compiled.rollout(moved, 2, STEP, save_every=0).final
    slopes = (final[0::2] - final[1::2]) / (2.0 * SMALL)
    for i, row in enumerate(found.row_names):
        if row in compiled.state_names:
            wanted = slopes[:, compiled.state_names.index(row)]
            error = _most(found.matrix[i] - wanted) / max(1.0, _most(wanted))
            assert error <= SLOPES, f"derivative of {row} differs by {error:.1e} from differences"


def linearisation_is_slope(done: Done) -> None:
    """The exact derivatives behind a linearisation are differences of accelerations, which another function computes."""
    case = done.case
    # What depends on time has no linearisation, and what jumps with a rate none at rest.
    if done.jumps or case.choice["contact"] == "moving":
        return
    model = chart_model(case.system)
    names, imposed = model.traced.reduction.names, {joint.name for joint in case.system.imposed}
    if not names:
        return
    chart, velocity = model.state(case.start)
    inputs = {"u": 0.6, "w": 0.1}
    values = {n: float(x) for n, x in zip(model.chart_names, chart, strict=True) if n not in imposed}
    values |= {n: float(x) for n, x in zip(names, velocity, strict=True)}
    rng = np.random.default_rng(case.seed)
    for kind, pool in (("velocity", names), ("chart", [n for n in model.chart_names if n not in imposed])):
        if not pool:
            continue
        name = str(rng.choice(pool))
        column = (names if kind == "velocity" else model.chart_names).index(name)
        found = model.slope("acceleration", kind, chart, velocity, np.array([inputs[n] for n in model.input_names]))[:, column]
        sides = [
            lm.accelerations(case.system, {**values, name: values[name] + side * SMALL}, inputs, assemble=False)
            for side in (1.0, -1.0)
        ]
        wanted = np.array([(sides[0][n] - sides[1][n]) / (2.0 * SMALL) for n in names])
        error = _most(found - wanted) / max(1.0, _most(wanted))
        # A spine that bends makes accelerations of thousands: their last digits, over the step, are seen too.
        allowed = SLOPES + DIGITS * _most(np.array([sides[0][n] for n in names])) / SMALL
        assert error <= allowed, f"the derivative by {name} differs by {error:.1e} from differences"


CHECKS: tuple[Check, ...] = (
    values_are_finite,
    energy_balances,
    contacts_hold,
    again_gives_equal_bits,
    files_keep_everything,
    reduced_is_multiplier_form,
    soft_bodies_are_chains,
    batch_is_single,
    steps_converge_to_events,
    derivatives_are_differences,
    linearisation_is_slope,
)
