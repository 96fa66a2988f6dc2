"""Runs of one system with other values of its parameters: what is compiled for one serves the next, where that is the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import InertiaDefinitenessError
from locomotor.lie import ops
from locomotor.model import ContactLaw, System
from locomotor.simulation.events import modes as modes_file
from locomotor.simulation.events import modes_of, simulate_events
from locomotor.simulation.varying import MOST_FORMS, form_of

G = 9.81


def slider(name: str, **changes: Any) -> System:
    """A body that may fly, and slides on a plane on one point; what is compiled for it is known by its name."""
    given: dict[str, Any] = {
        "bodies": (lm.Body("body", "m", inertia=("J", "J", "J")),),
        "contacts": (lm.StickingPoint("foot", "body", at=(0, 0, "l"), law=lm.Unilateral("e", friction="mu")),),
        "forces": (lm.Gravity((0, 0, -G)), lm.BodyForce("wind", "body", (0, 0, 0), ("w", 0.0, 0.0))),
        "parameters": {"m": 2.0, "J": 0.01, "l": 0.0, "mu": 0.5, "e": 0.5, "w": 0.1},
    }
    return lm.System(name, joints=(lm.Free(name="base", parent="world", child="body"),), **{**given, **changes})


def compiled_with_numbers(monkeypatch: pytest.MonkeyPatch, system: System, **options: Any) -> lm.Run:
    """The same run with all parameters as numbers of its own machine code."""
    with monkeypatch.context() as patch:
        patch.setattr(simulate_events, "run_modes", modes_of)
        return lm.simulate(system, **options)


def same(run: lm.Run, other: lm.Run, tolerance: float = 1e-12) -> bool:
    """Whether two runs have the same events at the same instants, and channels that agree to round-off."""
    told = [[(event.kind, event.contact) for event in each.events] for each in (run, other)]
    instants = [np.array([event.time for event in each.events]) for each in (run, other)]
    close = all(
        np.allclose(
            run[name],
            other[name],
            rtol=tolerance,
            atol=tolerance * max(1.0, *np.abs(np.nan_to_num(other[name]))),
            equal_nan=True,
        )
        for name in other.channels
    )
    return told[0] == told[1] and bool(np.allclose(*instants, rtol=0.0, atol=1e-12)) and close


# -- what is compiled -----------------------------------------------------------------------------------------


def test_what_was_seen_to_vary_is_an_argument() -> None:
    system = slider("seen_to_vary")
    first = form_of(system)
    assert first.system == system and first.free == ()
    second = form_of(system.with_parameters(mu=0.7))
    assert second.free == ("mu",)
    assert form_of(system.with_parameters(mu=0.2)) is second
    assert form_of(system) == first  # its numbers are compiled
    both = form_of(system.with_parameters(mu=0.2, w=3.0))
    assert both.free == ("mu", "w")
    assert form_of(system.with_parameters(mu=0.9)) is both
    assert form_of(slider("seen_to_vary_elsewhere").with_parameters(mu=0.7)).free == ()


def test_what_is_zero_is_a_number() -> None:
    system = slider("zero_is_a_number")
    form_of(system)
    assert form_of(system.with_parameters(mu=0.7, e=0.2)).free == ("mu", "e")
    plastic = form_of(system.with_parameters(mu=0.7, e=0.0))
    assert plastic.free == ("mu",) and plastic.system.parameters["e"].value == 0.0
    assert form_of(system.with_parameters(mu=0.3, e=0.0)) is plastic
    less = slider("difference_is_zero", forces=(lm.BodyForce("wind", "body", (0, 0, 0), ("w - m", 0.0, 0.0)),))
    form_of(less)
    assert form_of(less.with_parameters(w=1.0, m=1.5)).free == ("m", "w")
    assert form_of(less.with_parameters(w=1.5, m=1.5)).free == ()


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("l", {}),  # where it touches
        ("w", {"nominal": {"z": "w"}}),
        ("w", {"grounds": (lm.Plane("ground", point=(0, 0, "w")),)}),
        ("w", {"forces": (lm.BodyForce("wind", "body", (0, 0, 0), ("w*sign(t - w)", 0.0, 0.0)),)}),  # when it jumps
    ],
)
def test_what_is_chosen_by_value_is_a_number(name: str, changes: dict[str, Any]) -> None:
    system = slider(f"chosen_by_{name}_{len(changes)}_{'_'.join(changes)}", **changes)
    for value in (0.1, 0.2, 0.3):
        assert form_of(system.with_parameters(**{name: value})).free == ()
    form_of(system.with_parameters(mu=0.6, **{name: 0.3}))
    form = form_of(system.with_parameters(mu=0.8, **{name: 0.3}))
    assert form.free == ("mu",) and form.system.parameters[name].value == 0.3


def test_an_imposed_motion_keeps_its_numbers() -> None:
    joint = lm.Prismatic((0, 0, 1), name="lift", parent="world", child="body", drive=lm.Motion("w*t**2"))
    system = lm.System("imposed_numbers", (lm.Body("body", "m", inertia=(1, 1, 1)),), (joint,), parameters={"m": 1.0, "w": 1.0})
    form_of(system)
    assert form_of(system.with_parameters(m=2.0, w=3.0)).free == ()
    assert form_of(system.with_parameters(m=4.0, w=3.0)).free == ("m",)


def test_laws_of_the_motion_and_of_inputs_have_arguments_too() -> None:
    law = lm.BodyForce("wind", "body", (0, 0, 0), ("w*z + u", 0.0, 0.0))
    system = slider("laws_of_motion", forces=(law,), inputs=(lm.Input("u", "N"),))
    form_of(system)
    assert form_of(system.with_parameters(w=0.3)).free == ("w",)
    assert form_of(system.with_parameters(w=0.0)).free == ()
    assert form_of(system, frozenset("w")).free == form_of(system.with_parameters(w=0.4), frozenset("w")).free == ()


def test_forms_are_bounded() -> None:
    system = slider("bounded", forces=(lm.BodyForce("wind", "body", (0, 0, 0), ("w - mu", 0.0, 0.0)),))
    form_of(system)
    seen = {form_of(system.with_parameters(mu=value, w=value)) for value in np.linspace(0.6, 0.9, 3 * MOST_FORMS)}
    assert len(seen) == 3 * MOST_FORMS  # each with numbers of its own
    last = system.with_parameters(mu=0.9, w=0.9)
    assert form_of(last) is form_of(last)


# -- what comes of it -----------------------------------------------------------------------------------------


def test_nothing_is_made_for_further_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that slides to rest: its way is v²/(2 mu g) whatever mu, and only two values are compiled."""
    made: list[Any] = []
    trace = modes_file.trace
    monkeypatch.setattr(modes_file, "trace", lambda *a, **b: made.append(b["free"]) or trace(*a, **b))
    system = slider("slides_to_rest", forces=(lm.Gravity((0, 0, -G)),))
    counts = []
    for mu in (0.5, 0.4, 0.6, 0.45, 0.7):
        run = lm.simulate(system, 0.4, start={"speed": 1.0}, parameters={"mu": mu}, step=0.01)
        assert run.status.completed and run.parameters["mu"] == mu
        assert run["x"][-1] == pytest.approx(1.0 / (2.0 * mu * G), rel=1e-9)
        assert [event.kind for event in run.events] == ["sticks"]
        counts.append(len(made))
    assert counts[0] > 0 and counts[1] > counts[0] and counts[1] == counts[4]


def test_modes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two are kept of three: flying, slipping and sticking; a run is the same, and the next one too."""
    monkeypatch.setattr(modes_file, "MOST_MODES", 2)
    how: dict[str, Any] = {"duration": 0.4, "start": {"z": 0.05, "speed": 1.0}, "step": 0.01, "target": "interpreter"}
    system = slider("modes_are_bounded", parameters={"m": 2.0, "J": 0.01, "l": 0.0, "mu": 0.5, "e": 0.0, "w": 0.1})
    runs = [lm.simulate(system, **how) for _ in range(2)]
    monkeypatch.undo()
    whole = lm.simulate(slider("modes_are_not_bounded", parameters=system.parameters), **how)
    assert [event.kind for event in whole.events] == ["impact", "slips", "sticks"]
    assert same(runs[0], whole) and same(runs[1], whole)
    assert len(modes_of(system, None, "interpreter", solver="auto")._known) == 2
    assert len(modes_of(whole.system, None, "interpreter", solver="auto")._known) == 3


@pytest.mark.parametrize(
    "values",
    [
        {"mu": 0.31, "e": 0.7},
        {"mu": 0.0, "e": 0.4},  # it slides without friction
        {"mu": 0.8, "e": 0.0},
        {"mu": 0.44, "m": 3.0, "w": -2.0},
        {"mu": 0.44, "J": 0.004, "l": -0.1},  # it turns, and another place is another model
    ],
)
def test_a_run_with_arguments_is_that_with_numbers(values: Mapping[str, float], monkeypatch: pytest.MonkeyPatch) -> None:
    system, how = slider("arguments_and_numbers"), {"duration": 0.5, "step": 0.005}
    start = {"z": 0.15, "speed": 2.0, "pitch": 0.3, "pitch_rate": 1.0}
    for before in ({}, {"mu": 0.9, "e": 0.3}, {"mu": 0.7, "e": 0.2, "m": 1.5, "J": 0.02, "w": 1.0}):
        lm.simulate(system, 0.01, start=start, parameters=before, step=0.005)
    run = lm.simulate(system, start=start, parameters=values, **how)
    assert same(run, compiled_with_numbers(monkeypatch, system, start=start, parameters=values, **how))
    assert len(run.events) > 1


def test_inputs_that_depend_on_parameters_have_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    force = lm.BodyForce("push", "body", (0, 0, 0), ("u + w", 0.0, 0.0))
    system = slider("driven_by_values", forces=(lm.Gravity((0, 0, -G)), force), inputs=(lm.Input("u", "N"),))
    for values in ({}, {"mu": 0.3, "w": 2.0}, {"mu": 0.2, "w": 3.0}, {"mu": 0.25, "w": 4.0}):
        options: dict[str, Any] = {
            "duration": 0.2,
            "step": 0.01,
            "start": {"z": 0.1},
            "inputs": {"u": "10*w*sin(t)"},
            "parameters": values,
        }
        run = lm.simulate(system, **options)
        assert same(run, compiled_with_numbers(monkeypatch, system, **options))
        assert run["speed"][-1] > 0.0


@dataclass(frozen=True)
class Picky(ContactLaw):
    """Its friction compares numbers, which symbols do not let it."""

    ACTS: ClassVar[str] = "pushes"
    words: ClassVar[str] = "only pushes"
    slips: ClassVar[bool] = True
    fixed_coefficients: ClassVar[tuple[float, float]] = (0.0, 0.0)

    def friction_at(self, values: Mapping[str, Any]) -> Any:
        return 0.5 if values["mu"] > 0.4 else 0.1

    def sticking(self) -> ContactLaw:
        return lm.Unilateral()


def test_a_law_that_compares_numbers_gets_them() -> None:
    contact = lm.StickingPoint("foot", "body", at=(0, 0, 0), law=Picky())
    system = slider("compares_numbers", contacts=(contact,), forces=(lm.Gravity((0, 0, "-mu*m*10")),))
    for mu, friction in ((0.5, 0.5), (0.3, 0.1), (0.7, 0.5), (0.35, 0.1)):
        run = lm.simulate(system, 0.1, start={"speed": 1.0}, parameters={"mu": mu}, step=0.01)
        assert run["speed"][-1] == pytest.approx(1.0 - friction * 10.0 * 2.0 * mu * 0.1, rel=1e-9)


def test_a_body_that_loses_its_moments_is_refused_still() -> None:
    turning = lm.System(
        "loses_moments",
        (lm.Body("body", 1.0, inertia=("J", "J", "J")),),
        (lm.Free(name="base", parent="world", child="body"),),
        (lm.StickingPoint("foot", "body", at=(0, 0, 0), law=lm.Unilateral(friction=0.5)),),
        (lm.Gravity((0, 0, -G)),),
        parameters={"J": 1.0},
    )
    for J in (1.0, 2.0, 3.0):
        assert lm.simulate(turning, 0.01, start={"z": 0.1}, parameters={"J": J}).status.completed
    with pytest.raises(InertiaDefinitenessError, match="no inertia resists"):
        lm.simulate(turning, 0.01, start={"z": 0.1}, parameters={"J": 0.0})


def test_symbols_are_what_is_asked_with() -> None:
    """A law that takes numbers alone raises when it is asked with symbols: nothing is wrong without a word."""
    with pytest.raises(Exception, match=r".*"):
        Picky().friction_at({"mu": ops.symbols("mu", 1)})
