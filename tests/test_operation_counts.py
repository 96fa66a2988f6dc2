"""Operation counts of the compiled functions may not grow unnoticed: each is compared with the committed baseline."""

import sys
import warnings
from pathlib import Path

import pytest

# The counting belongs to the benchmarks, a folder of scripts.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import operations
from systems import chain

BICYCLE_LIMIT = 2200
"""Of the first issue: what a prototype of this design needed for the right-hand side, rounded up."""


LONG = {"wheeled_snake/100", "wheeled_snake/100_all_imposed", "chair", "euler_disc", "segmented_flyer", "soft_manipulator"}
"""Those that take several seconds to count."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in operations.systems()]
)
def test_no_count_grows(name: str) -> None:
    committed = operations.baseline().get(name)
    assert committed is not None, f"{name} has no baseline; count it with: {operations.COMMAND}"
    changes = list(operations.differences(name, operations.count(operations.systems()[name]()), committed))
    grown = [sentence for change, sentence in changes if change > 0]
    assert not grown, (
        "\n".join(grown) + f"\nIf what is gained is worth it, say so and update the baseline with: {operations.COMMAND}"
    )
    for _, sentence in changes:
        warnings.warn(f"{sentence}: well done; keep the gain with: {operations.COMMAND}", stacklevel=1)


def test_the_baseline_holds_nothing_else() -> None:
    assert set(operations.baseline()) <= set(operations.systems()), f"update it with: {operations.COMMAND}"


def test_the_bicycle_stays_below_the_promised_count() -> None:
    bicycles = {name: counts for name, counts in operations.baseline().items() if name.startswith("bicycle/")}
    assert bicycles
    assert all(counts["dynamics"] <= BICYCLE_LIMIT for counts in bicycles.values())
    assert operations.count(operations.systems()["bicycle/meijaard2007"]())["dynamics"] <= BICYCLE_LIMIT


@pytest.mark.parametrize("drives", ["", "_all_imposed"])
def test_the_counts_of_a_snake_grow_linearly(drives: str) -> None:
    """Whether its neck leads or every joint is imposed, a module more costs the same at 30 modules as at 100."""
    counts = operations.baseline()
    for function in ("dynamics", "observation", "projection"):
        small, middle, large = (counts[f"wheeled_snake/{n}{drives}"][function] for n in (8, 30, 100))
        assert (large - middle) / 70 <= 1.05 * (middle - small) / 22 + 1


def test_the_comparison_sees_growth_loss_and_new_functions() -> None:
    found = operations.count(chain(1))
    grown = {**found, "dynamics": found["dynamics"] - 3}
    assert [change for change, _ in operations.differences("chain", found, found)] == []
    ((change, sentence),) = operations.differences("chain", found, grown)
    assert change == 3 and "3 more than" in sentence
    ((change, sentence),) = operations.differences("chain", {"dynamics": 5}, {"dynamics": 9})
    assert change == -4 and "4 fewer than 9" in sentence
    assert [change for change, _ in operations.differences("chain", {"dynamics": 5}, {})] == [5]
