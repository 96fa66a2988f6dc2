"""Calls doors, one numbered call after the other, in a process of its own, inside an empty folder: `child.py FIRST COUNT SEED`.

Every call follows from the seed and its number alone, so that one can be repeated: `python child.py 1234 1 0`. Lines of JSON
on standard output tell of exceptions that are not ours, the last line of what was done. The file `now` holds the number of the
call under way, for whoever finds the process dead.
"""

import json
import random
import resource
import signal
import sys
import time
import traceback
import warnings
import webbrowser
from collections import Counter
from pathlib import Path
from typing import Any

import control  # noqa: F401 - a call that is late must not leave it half loaded

from fuzz.surface import Door, doors
from fuzz.values import hostile, legal, made
from locomotor.errors import LocomotorError

SECONDS = 5
"""Time that one call may take; most need a millisecond."""
BYTES = 12 * 2**30
"""Memory that the process may have: whoever asks for more is told so, and the machine stays alive."""
RARE = {
    "Basin.share": 0.1, "Cycle.check": 0.02, "Cycle.plot": 0.02, "Family.plot": 0.02, "Family.of": 0.1, "Run.plot": 0.05,
    "Run.to_glb": 0.05, "Run.to_html": 0.05, "Run.save": 0.2, "Run.audit": 0.2, "basin": 0.05, "batched_eigenvalues": 0.1,
    "classify": 0.2, "compile": 0.2, "connection": 0.2, "continue_cycle": 0.05, "eigenvalue_curves": 0.1,
    "find_cycle": 0.1, "find_cycles": 0.05, "linearise": 0.3, "sweep": 0.1, "sweep_cycles": 0.05, "trim": 0.05,
    "trim_family": 0.05, "average_cycle": 0.1,
    "learning.Engine": 0.05,
    "load": 0.05, "Run.load": 0.05, "learning.make_vec": 0.05, "learning.register": 0.2,
    "CompiledSystem.jacobians": 0.2, "SteppedSystem.jacobians": 0.05,
    "SteppedSystem.rollout": 0.1, "SteppedSystem.start": 0.2, "SteppedSystem.random_states": 0.1, "accelerations": 0.3,
    "observe": 0.3,
}  # fmt: skip
"""Doors behind which much is computed are opened less often; all others count 1."""
OFTEN = {"simulate": 10.0, "CompiledSystem.rollout": 6.0, "System": 6.0, "trace": 2.0, "Terrain": 2.0}
"""Doors with many arguments are opened more often."""

HANDED_ON = (
    "nothing", "title", "levels", "by_contact", "every", "size", "rate", "speed", "time", "view", "megabytes", "halve",
    "ground", "trails", "channels", "low", "high", "input", "output", "away", "passages", "inputs", "parameters",
    "save_every", "stepper", "threads", "with_respect_to", "start_time", "measures", "ends", "about", "closed", "duration",
    "step", "base", "contacts",
)  # fmt: skip
"""Keywords that doors hand on to a function behind them; what that does not know must be refused too."""


class LateError(BaseException):
    """A call that takes too long; no `except Exception` may swallow it."""


def late(*_: Any) -> None:
    raise LateError


def arguments(door: Door, chance: random.Random) -> tuple[list[Any], dict[str, Any]]:
    """Legal arguments, of which mostly one is wrong."""
    parameters = door.parameters
    kind = chance.random()
    wrong = set() if kind < 0.1 or not parameters else {chance.randrange(len(parameters))}
    if kind > 0.85:
        wrong |= {i for i in range(len(parameters)) if chance.random() < 0.3}
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for i, parameter in enumerate(parameters):
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += [hostile(chance)] if i in wrong else []
        elif i in wrong or parameter.default is parameter.empty or chance.random() < 0.3:
            value = hostile(chance) if i in wrong else legal(door, parameter)
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[parameter.name] = value
    if door.hands_on and chance.random() < 0.5:
        named[chance.choice(HANDED_ON)] = hostile(chance)
    return positional, named


def told(value: Any) -> str:
    """A value as a report shows it."""
    try:
        return repr(value)[:100]
    except Exception:
        return f"<{type(value).__name__}>"


def call(number: int, seed: int, all_doors: list[Door], weights: list[float]) -> dict[str, Any]:
    """Make one call and tell how it ended: "ok", "refused" (one of our errors), "late", or "raw" with what was raised."""
    chance = random.Random(f"{seed}/{number}")
    door = chance.choices(all_doors, weights)[0]
    positional, named = arguments(door, chance)
    report = {"number": number, "door": door.name}
    if door.owner:
        owner = made(door.owner)
        if owner is None:
            return report | {"ended": "no object"}
        positional = [owner, *positional]
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        door.call(*positional, **named)
        return report | {"ended": "ok"}
    except LocomotorError:
        return report | {"ended": "refused"}
    except LateError:
        return report | {"ended": "late"}
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "locomotor" in frame.filename] or frames
        shown = ", ".join([told(v) for v in positional[bool(door.owner) :]] + [f"{k}={told(v)}" for k, v in named.items()])
        where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
        raised = f"{type(error).__name__}: {error}"[:200]
        return report | {"ended": "raw", "raised": raised, "where": where, "call": f"{door.name}({shown})"[:600]}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def main(first: int, count: int, seed: int) -> None:
    """Make the calls."""
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    webbrowser.open = lambda *_, **__: True  # type: ignore[assignment]
    signal.signal(signal.SIGALRM, late)
    all_doors = doors()
    weights = [(RARE | OFTEN).get(door.name, 1.0) * (1.0 if door.parameters else 0.1) for door in all_doors]
    for kind in sorted({door.owner for door in all_doors if door.owner}):
        made(kind)
    ended, spent = Counter[str](), Counter[str]()
    for number in range(first, first + count):
        Path("now").write_text(str(number))
        before = time.perf_counter()
        found = call(number, seed, all_doors, weights)
        ended[found["ended"]] += 1
        spent[found["door"]] += time.perf_counter() - before
        if found["ended"] in ("raw", "late"):
            tell(found)
    slowest = {name: round(seconds, 1) for name, seconds in spent.most_common(8)}
    tell({"done": count, **ended, "slowest": slowest})


def tell(found: dict[str, Any]) -> None:
    """One line of JSON."""
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:4]))
