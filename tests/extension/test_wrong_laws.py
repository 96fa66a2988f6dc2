"""A contact law that is wrong is refused where it is defined, or where a contact with it is built, with the remedy."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactLawError, DescriptionTypeError
from locomotor.model import ContactLaw


@dataclass(frozen=True)
class Told(ContactLaw):
    """A law that answers what it is told to."""

    kept: Any = 0.0
    ACTS: ClassVar[str] = "pushes"
    answers: ClassVar[dict[str, Any]] = {}

    @property
    def fixed_coefficients(self) -> Any:
        return self.answers.get("fixed_coefficients", (0.5, 0.0))

    @property
    def impact_rule(self) -> Any:
        return self.answers.get("impact_rule", "newton")

    @property
    def condition(self) -> Any:
        return self.answers.get("condition", 1.0)

    @property
    def largest_pull(self) -> Any:
        return self.answers.get("largest_pull", 0.0)

    def bounce(self, values: Mapping[str, Any], approach: Any) -> Any:
        return self.answers.get("bounce", (0.5, 0.0))

    @property
    def words(self) -> Any:
        return self.answers.get("words", "as told")


@pytest.fixture(autouse=True)
def nothing_told() -> None:
    Told.answers.clear()


def ball(law: ContactLaw) -> lm.System:
    return lm.System(
        "ball",
        bodies=(lm.Body("ball", 1.0, inertia=(0.1, 0.1, 0.1)),),
        joints=(lm.Prismatic(name="z", parent="world", child="ball", axis=(0.0, 0.0, 1.0)),),
        contacts=(lm.SlidingPoint("south", "ball", at=(0.0, 0.0, 0.0), law=law),),
        forces=(lm.Gravity((0.0, 0.0, -9.81)),),
        parameters=(lm.Parameter("e", 1.5),),
    )


@pytest.mark.parametrize(
    "kept", [[1.0], {"a": 1.0}, {1.0}, np.ones(2), abs, (1.0, [2.0])], ids=lambda kept: type(kept).__name__
)
def test_fields_can_be_compared_and_written(kept: Any) -> None:
    with pytest.raises(
        DescriptionTypeError, match=r"SlidingPoint 'south': its law Told: kept is .* written to files; keep .*tuples"
    ):
        ball(Told(kept))
    ball(Told((1.0, "text", (None, True))))


def test_fields_of_a_contact_too() -> None:
    @dataclass(frozen=True)
    class Odd(lm.SlidingPoint):
        table: Any = None

    with pytest.raises(DescriptionTypeError, match=r"Odd 'odd': table is \[1\], a list"):
        Odd("odd", "ball", at=(0.0, 0.0, 0.0), table=[1])


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"fixed_coefficients": 0.5}, r"fixed_coefficients 0.5; give None where the approach enters, or a pair"),
        ({"fixed_coefficients": (0.5, 0.0, 0.0)}, r"give None where .* a pair"),
        ({"fixed_coefficients": ("e", 0.0)}, r"its normal coefficient is 'e'; give a number or an expression"),
        ({"fixed_coefficients": (1.5, 0.0)}, r"its normal coefficient is 1.5; it must lie between 0 and 1"),
        ({"fixed_coefficients": (math.nan, 0.0)}, r"its normal coefficient is not a number \(NaN\)"),
        ({"fixed_coefficients": (0.5, -2.0)}, r"its tangential coefficient is -2.0; it must lie between -1 and 1"),
        ({"fixed_coefficients": (lm.parse("e"), 0.0)}, r"its normal coefficient is 1.5; it must"),
        ({"impact_rule": "neuton"}, r"the impact_rule 'neuton'; give one of newton, poisson, stronge"),
        ({"condition": "sin(t)"}, r"the condition 'sin\(t\)'; give a number or an expression, a text by lm.parse"),
        ({"condition": None}, r"the condition None; give a number or an expression"),
        ({"largest_pull": -1.0}, r"its largest_pull is -1.0 N; it must be zero or positive"),
        ({"words": 3}, r"the words 3; give a text"),
    ],
)
def test_answers_have_the_form_that_is_needed(answers: dict[str, Any], message: str) -> None:
    Told.answers.update(answers)
    with pytest.raises(ContactLawError, match=f"'south'.*its law Told.*{message}"):
        ball(Told())


@pytest.mark.parametrize(
    ("bounce", "message"),
    [
        ((math.nan, 0.0), r"Told: the normal coefficient of its `bounce` for 4.4\d* m/s is not a number \(NaN\)"),
        ((0.5, math.nan), r"the tangential coefficient of its `bounce`"),
        ((3.0, 0.0), r"is 3.0; it must lie between 0 and 1"),
        (0.5, r"its `bounce` returned 0.5; give a pair"),
    ],
)
def test_a_bounce_is_a_pair_of_coefficients(bounce: Any, message: str) -> None:
    Told.answers.update(bounce=bounce, fixed_coefficients=None)
    with pytest.raises(ContactLawError, match=message):
        lm.simulate(ball(Told()), 1.0, start={"z": 1.0}, step=0.01)


@pytest.mark.parametrize(
    "name", ["words", "fixed_coefficients", "condition", "impact_rule", "largest_pull", "has_one_friction"]
)
def test_answers_that_are_read_without_brackets_are_no_methods(name: str) -> None:
    with pytest.raises(ContactLawError, match=f"contact law Method: `{name}` is a method.*write @property above it"):
        type(
            "Method",
            (Told,),
            {name: lambda self: None, "bounce": Told.bounce, "fixed_coefficients": Told.fixed_coefficients}
            | {name: lambda self: None},
        )


def test_a_forgotten_decorator_is_named() -> None:
    class Forgotten(Told):
        speed: float = 1.0

    with pytest.raises(
        ContactLawError, match=r"contact law Forgotten: nothing reads its field 'speed'; write @dataclass\(frozen=True\)"
    ):
        Forgotten(1.0)


def test_friction_is_for_laws_that_push() -> None:
    """A contact that is always closed sticks whatever its law says of slipping: it never slipped, without a word."""
    friction = {"slips": True, "friction_at": lambda self, values: 0.5, "sticking": lambda self: self}
    assert type("Rough", (Told,), friction)
    with pytest.raises(ContactLawError, match=r"it has friction \(`slips`\), which is for laws that push, and ACTS is 'grips'"):
        type("Creep", (ContactLaw,), {"ACTS": "grips", "condition": 1.0, "words": "creeps", **friction})
    with pytest.raises(ContactLawError, match=r"it says one of `pivots` and `patch_at`; define both"):
        type("Disc", (Told,), {**friction, "pivots": True})


def test_friction_of_the_speed_is_told_from_one_coefficient() -> None:
    """A law with another coefficient at a speed brakes by that in time-stepping too; it used to run there without friction."""
    friction = {"slips": True, "friction_at": lambda self, values: 0.5, "sticking": lambda self: self}
    plain = dataclass(frozen=True)(type("Plain", (Told,), friction))
    fading = dataclass(frozen=True)(
        type("Fading", (Told,), {**friction, "sliding_at": lambda self, values, speed: 0.5 / (1.0 + speed)})
    )
    assert plain().has_one_friction and not fading().has_one_friction
    rubbing = ball(lm.Unilateral()).replace(
        joints=(lm.Translation(name="base", parent="world", child="ball"),),
    )
    time, speeds = 0.1, []
    for law in (plain(), fading()):
        contact = lm.StickingPoint("south", "ball", at=(0.0, 0.0, 0.0), law=law)
        compiled = lm.compile(rubbing.replace(contacts=(contact,)), contacts="time-stepping", target="interpreter")
        final = compiled.rollout(compiled.start({"x_rate": 2.0})[None, :], steps=100, dt=time / 100).final[0]
        speeds.append(final[compiled.state_names.index("x_rate")])
    assert speeds[0] == pytest.approx(2.0 - 0.5 * 9.81 * time, rel=1e-9)
    # v' = -g/(2 (1 + v)): (1 + v)^2 falls by g t.
    assert speeds[1] == pytest.approx(math.sqrt(9.0 - 9.81 * time) - 1.0, abs=1e-6)


def test_a_law_that_pulls_pushes() -> None:
    with pytest.raises(ContactLawError, match=r"it has a `largest_pull`, which is for laws that push, and ACTS is 'always'"):
        type("Glue", (Told,), {"ACTS": "always"})
