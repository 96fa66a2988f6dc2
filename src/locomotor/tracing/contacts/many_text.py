"""Text of the passes of `codegen/runtime/crowd.h` for one tree: its tables, and how much room they take."""

from __future__ import annotations

import hashlib
from itertools import accumulate

from locomotor.dataclass import dataclass
from locomotor.tracing.contacts.many_numbers import Tree, Turn
from locomotor.tracing.core import Team

HEADERS = ("crowd.h", "crowd_rows.h", "crowd_solve.h", "crowd_pass.h")
KEPT = (20, 32)
"""Numbers kept of a contact, in single and in double precision (`runtime/crowd.h`)."""
THREADS, SEATS = 8, 12
"""Threads of a team, and contacts for whose rows it has room near by."""


@dataclass(frozen=True)
class CallText:
    """Text of a pass, the name of its function, and what a team takes for it."""

    name: str
    text: str
    team: Team


def call_text(tree: Tree, turn: Turn, sweeps: int) -> CallText:
    """Text of a pass."""
    tables, pointers, shared = tables_of(tree)
    name = f"{shared}_{sweeps}_{turn.value}"
    n, b, k, m, along = tree.n, tree.bodies, tree.contacts, tree.rows, tree.along
    size = max(tree.takes(turn.known), tree.gives(turn))
    room, work = 3 * n + 2 * m + 3 * k + along, along + 16 * b + 3 * n
    lines = [
        *tables,
        f"LM_NOINLINE void {name}(lm_numbers numbers) {{",
        f"    const int width = LM_CROWD_WIDTH({n});",
        f"    const lm_crowd tree = {{{n}, {b}, {k}, {m}, {pointers}, {int(tree.whole)}, width, LM_TEAM * width}};",
        f"    LM_CROWD_PASS({int(turn.known)}, {int(turn.last)}, {sweeps}, {size}, {room}, {work}, {k}, {n})",
        "}",
    ]
    stride = -(-n // (4 * THREADS)) * 4 * THREADS
    near = tuple((SEATS * (3 * stride + kept) + 31) // 32 * 32 + THREADS for kept in KEPT)
    team = Team(THREADS, SEATS, size + room + k + 1, -(-k * (3 * stride + KEPT[1]) // 4) * 4, (near[0], near[1]))
    return CallText(name, "\n".join(lines), team)


def tables_of(tree: Tree) -> tuple[list[str], str, str]:
    """Text of the tables of a tree, once in a text; pointers to them in order; and what their names begin with."""
    paths = tree.paths
    last = [tree.n - 1] if tree.whole else [max(tree.carrying(b), default=-1) for b in range(tree.bodies)]
    starts = list(accumulate(map(len, paths), initial=0))
    tables = {
        "parent": tree.parent,
        "first": tree.first,
        "last": last,
        "start": starts,
        "path": [j for path in paths for j in path],
        "base": [starts[j] for path in paths for j in path],
        "on": tree.on,
        "begin": tree.begin,
    }
    shared = "lm_crowd_" + hashlib.sha256(repr((tables, tree.whole)).encode()).hexdigest()[:16]
    lines = [f"#ifndef {shared}", f"#define {shared}"]
    lines += [f"LM_TABLE int32_t {shared}_{label}[] = {{{', '.join(map(str, values))}}};" for label, values in tables.items()]
    return [*lines, "#endif"], ", ".join(f"{shared}_{label}" for label in tables), shared
