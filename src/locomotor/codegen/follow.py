"""Runs with events followed in machine code: `runtime/follow*.h`, built once for every system, and their structures.

`simulation/events/follow.py` fills them; the compiled functions of each mode are called by their addresses.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from numpy.typing import NDArray

from locomotor.codegen._compile import LONG, build, choose
from locomotor.codegen.bound_rollout import BoundRollout
from locomotor.codegen.driver import Job
from locomotor.codegen.emit_c import SCALAR, prologue, runtime
from locomotor.codegen.kernel import Compiled, Kernel, address
from locomotor.errors import CompileError

MOST_CONTACTS = 64
"""LM_MOST_CONTACTS of the header: sets of contacts are bits of one number."""
MOST_ENDS = 16
"""LM_MOST_ENDS of the header."""
MOST_RESTS = 64
"""LM_MOST_RESTS of the header."""
HEADERS = ("solve", "friction", "answers", "least")
PARTS = ("pace", "search", "modes", "cones", "change", "impact", "guide", "instant", "loop")

_pointer, _whole, _number, _short = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_int32


def _fields(**kinds: str) -> Any:
    """Fields of a structure, by their kinds."""
    by_kind = {"pointers": _pointer, "wholes": _whole, "numbers": _number, "shorts": _short}
    return [(name, by_kind[kind.rstrip("_")]) for kind, names in kinds.items() for name in names.split()]


class Way(ctypes.Structure):
    """`lm_way`: the compiled functions of a mode, and how each contact is held."""

    _fields_ = _fields(
        pointers="roll job state final parameters start_time dt rate watched status completed events snapshot ends",
        pointers_="inputs coordinates free holds place",
        wholes="nx np pivots monitors ended moved frees own handful usual",
    )


class Source(ctypes.Structure):
    """`lm_source`: where the rows of a contact come from."""

    _fields_ = _fields(pointers="frame jacobian", shorts="directions rows")


class Cause(ctypes.Structure):
    """`lm_trigger`: something that happened, and to which contact."""

    _fields_ = _fields(shorts="kind contact")


class Notice(ctypes.Structure):
    """`lm_told`: an event for the record."""

    _fields_ = [
        *_fields(numbers="time before after lost"),
        ("impulse", _number * 3),
        ("world", _number * 3),
        *_fields(shorts="contact held kind turned"),
    ]


class Piece(ctypes.Structure):
    """`lm_piece`: a segment of the record."""

    _fields_ = _fields(wholes="way first triggers told")


class Instant(ctypes.Structure):
    """`lm_now`: all that is known at an instant."""

    _fields_ = [
        *_fields(numbers="t", pointers="x", wholes="way chunk ahead", pointers_="slips guided levels entered rests"),
        *_fields(wholes="resting", numbers="secure_time", pointers="secure"),
        ("struck", _number * 2),
        *_fields(numbers="stilled"),
        ("stilled_ones", ctypes.c_uint64),
        *_fields(
            pointers="numbers vectors pivots rate q v", numbers="energy", pointers_="strengths", shorts="looked known braked"
        ),
    ]


class Following(ctypes.Structure):
    """`lm_run`: a run with its record."""

    _fields_ = [
        *_fields(wholes="contacts nq nv nx ways pieces samples tolds triggers"),
        *_fields(wholes="most_samples most_pieces most_tolds most_triggers most_ways parameters"),
        *_fields(
            pointers="way by_name sliding resting restitution lies",
            numbers="start step until near next_stop end",
            wholes="jumps closes leaps imposed smooth",
        ),
        *_fields(pointers="impact impact_parameters impact_out mass source held"),
        *_fields(wholes="held_count held_contacts held_rows still energies"),
        *_fields(pointers="times states lengths piece piece_parameters told trigger stop"),
        ("now", Instant),
        *_fields(pointers="arena", wholes="arena_size used reason", pointers_="whole_numbers wanted_at", shorts="wants"),
        ("wanted", _short * MOST_CONTACTS),
        *_fields(numbers="wander"),
    ]


def table(kind: type[ctypes.Structure], count: int, *entries: ctypes.Structure) -> Any:
    """So many structures side by side, one at least; the first as given."""
    return (kind * max(count, 1))(*entries)


def addresses(arrays: Iterable[NDArray[Any]]) -> Any:
    """Where arrays lie, side by side."""
    found = [address(array) for array in arrays]
    return (_pointer * max(len(found), 1))(*found)


def place_of(structure: Any) -> int:
    """Where a structure, or a table of them, lies in memory."""
    return ctypes.addressof(structure)


@cache
def _library(defines: tuple[tuple[str, str], ...]) -> Any:
    """The function that follows, or None where there is no compiler."""
    toolchain = choose("auto", None, "follow")
    if toolchain is None:
        return None
    text = "\n".join(f"#define {name} {value}" for name, value in (("LM_CONTACTS", 1), ("LM_AXES", 3), *defines))
    names = [*HEADERS, "follow", *(f"follow_{part}" for part in PARTS)]
    headers = (runtime(f"{name}.h") for name in names)
    try:  # built once for all systems: 1.5 s more than a quick build, for 5 % of a run of 12 legs
        library = build("\n\n".join((prologue(SCALAR), text, *headers)), toolchain, LONG, False)
    except CompileError:
        return None
    library.lm_follow.restype, library.lm_follow.argtypes = None, [_pointer]
    return library.lm_follow


def follow_function(numbers: Mapping[str, float]) -> Any:
    """The compiled function of a `Following`, with numbers that it shares with its readable form; None without a compiler."""
    return _library(tuple((name, repr(value)) for name, value in sorted(numbers.items())))


def function_of(kernel: Kernel) -> int | None:
    """Address of the compiled function for one instance; None of one that is interpreted, or calls for more than itself."""
    single = kernel._single
    return ctypes.cast(single._function, _pointer).value if isinstance(single, Compiled) else None


def step_of(bound: BoundRollout) -> dict[str, int | None]:
    """Addresses of everything that a step of a roll-out reads and writes; nothing of it is saved on the way."""
    job, progress = bound._job, bound._progress
    job.saves, job.steps = 0, 1
    return {
        "roll": ctypes.cast(bound._function, _pointer).value,
        "job": ctypes.addressof(job),
        "state": address(bound._state),
        "final": address(progress.final),
        "parameters": address(bound._kept[1]),
        "start_time": ctypes.addressof(job) + Job.start_time.offset,
        "dt": ctypes.addressof(job) + Job.dt.offset,
        "rate": ctypes.addressof(job) + Job.rate.offset,
        "watched": ctypes.addressof(job) + Job.watched.offset,
        "status": address(progress.status),
        "completed": address(progress.completed),
    }
