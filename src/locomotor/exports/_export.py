"""The verb `export`: a system in, source files of its equations in another language out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from locomotor import checks
from locomotor.errors import UnknownNameError
from locomotor.exports.build import build_model
from locomotor.exports.cases import draw_cases
from locomotor.exports.result import Export
from locomotor.exports.target import TARGETS, Target
from locomotor.files import draft_folder
from locomotor.model import System, a_system
from locomotor.names import suggestion

CASES = 20
"""Cases of a self-check, unless asked for more."""


def a_target(value: Any, what: str) -> Target:
    """A target by its name."""
    name = checks.text(value, what).lower()
    if name not in TARGETS:
        raise UnknownNameError(
            f"{what} is {checks.shown(value)}, which no target is named: {suggestion(name, sorted(TARGETS))}"
        )
    return TARGETS[name]


@checks.door(
    system=a_system,
    to=a_target,
    path=checks.path,
    parameters=checks.optional(checks.names),
    outputs=checks.optional(checks.names),
    closed=checks.optional(checks.names),
    start=checks.optional(checks.numbers_by_name),
    jacobians=checks.flag,
    cases=partial(checks.whole, least=1, most=1_000_000),
    seed=checks.whole,
)
def export(
    system: System,
    to: Any,
    path: str | os.PathLike[str],
    *,
    parameters: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    closed: Sequence[str] | None = None,
    start: Mapping[str, float] | None = None,
    jacobians: bool = False,
    cases: int = CASES,
    seed: int = 0,
) -> Export:
    """Write the equations of motion of a system in another language, with a program that checks them there.

    Args:
        system: what moves.
        to: the target, a name of `lm.exports.TARGETS`: "c", "python", "javascript", ...
        path: the folder to write into; it is made where it is missing.
        parameters: names that stay arguments; all of them unless said. The others become constants.
        outputs: channels that `outputs` gives, by name; all of a run unless said.
        closed: contacts that are closed, where some can open and close: an export holds one set of them.
        start: values by name of the starting state that the files carry.
        jacobians: whether the derivatives of the rate by state, inputs and parameters are written too.
        cases: random states of the self-check.
        seed: of these.
    """
    model = build_model(
        system, parameters=parameters, outputs=outputs, closed=closed, start=start, jacobians=jacobians or to.jacobians
    )
    files = to.files(model, draw_cases(model, cases, seed))
    folder = Path(path)
    with draft_folder(folder) as unfinished:
        for name, content in files.contents.items():
            place = unfinished / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return Export(
        system.name,
        to.name,
        folder,
        tuple(folder / name for name in files.contents),
        files.run,
        files.renamed,
        (*model.left_out, *files.left_out),
        {function.name: function.traced.operations for function in model.functions},
    )
