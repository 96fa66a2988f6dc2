"""Text of the passes of `codegen/runtime/crowd_few.h` for one tree, for a processor and for a device; the same on numbers."""

from __future__ import annotations

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.tracing.contacts.many_numbers import CLOSED, NEAR, STEADY, Tree, impulses_on_numbers, sweep_on_numbers
from locomotor.tracing.contacts.many_text import tables_of
from locomotor.tracing.core import Launch, Stages
from locomotor.typing import Floats

HEADERS = ("crowd.h", "crowd_rows.h", "crowd_solve.h", "crowd_pass.h", "crowd_few.h")
DEVICE_HEADERS = ("crowd.h", "crowd_stages.h")
SHARED = 220_000
"""Bytes that threads of a device share, at most."""
RANGES = ((13, 16), (11, 12), (9, 10), (7, 8), (5, 6), (1, 4))
"""Numbers of contacts that act for which a kernel is launched, those with most to do first."""
FEW = 16
"""Contacts that are solved by straight code."""
SEEN, WARPS = 8, 8
"""Instances whose motions a block reads at once, and warps of it."""
LANES = (32, 16)
"""Threads of a warp that solves, in single and in double precision (`runtime/stages.h`): they share what it has room for."""


@dataclass(frozen=True)
class FewText:
    """Text of a pass, the name of its function, how many numbers it takes and gives, and what a device does in its place."""

    name: str
    text: str
    takes: int
    gives: int
    stages: Stages


@dataclass(frozen=True)
class Layout:
    """Where the numbers of a pass begin, in its order; see `crowd_few.h`."""

    tree: Tree

    @property
    def ends(self) -> list[int]:
        """The last velocity that moves each contact, -1 where none does."""
        return [max(self.tree.carrying(b), default=-1) for b in self.tree.on]

    @property
    def moving(self) -> list[int]:
        """Velocities that are the last to move a contact."""
        return sorted(set(self.ends) - {-1})

    @property
    def places(self) -> dict[int, int]:
        """Where the motion of what each of these moves begins."""
        found, at = {-1: -1}, 0
        for k in self.moving:
            found[k] = at
            at += 6 * len(self.tree.paths[k])
        return found

    @property
    def motions(self) -> int:
        """Numbers of all motions."""
        return sum(6 * len(self.tree.paths[k]) for k in self.moving)

    @property
    def longest(self) -> int:
        """Entries of the longest path."""
        return max((len(self.tree.paths[k]) for k in self.moving), default=1)

    @property
    def alike(self) -> int:
        """Numbers that both passes take."""
        return self.motions + 5 * self.tree.contacts + 3 * self.tree.rows

    def takes(self, known: bool) -> int:
        """Numbers that a pass takes."""
        tree = self.tree
        return self.alike + (2 * tree.rows + tree.contacts + 1 if known else tree.rows)


def suits(tree: Tree) -> bool:
    """Whether a device has room for its rows."""
    return _rows_room(tree) * 8 <= SHARED


def _rows_room(tree: Tree) -> int:
    """Numbers that a block shares to make rows."""
    layout = Layout(tree)
    return (layout.motions * (SEEN + 1) + 3) // 4 * 4 + WARPS * FEW * (3 * layout.longest | 1)


def _seat(contacts: int) -> int:
    """Numbers that a thread has near by to solve so many contacts."""
    quads, singles = contacts * (contacts + 3), contacts * (contacts + 3) // 2 + 9 * contacts
    return 4 * quads + singles


def few_text(tree: Tree, known: bool, sweeps: int, kept: int) -> FewText:
    """Text of a pass; `kept` are numbers after those that it takes, which it leaves alone."""
    layout = Layout(tree)
    tables, pointers, shared = tables_of(tree)
    places = [layout.places[end] for end in layout.ends]
    name = f"{shared}_{sweeps}_{kept}_few_{'second' if known else 'first'}"
    n, k, m = tree.n, tree.contacts, tree.rows
    lines = [
        *tables,
        f"LM_TABLE int32_t {name}_at[] = {{{', '.join(map(str, places))}}};",
        f"LM_NOINLINE void {name}(lm_numbers numbers) {{",
        f"    const int width = LM_CROWD_WIDTH({n});",
        f"    const lm_crowd tree = {{{n}, {tree.bodies}, {k}, {m}, {pointers}, 0, width, LM_TEAM * width}};",
        f"    const lm_few few = {{{layout.motions}, {name}_at}};",
        f"    LM_FEW_PASS({int(known)}, {sweeps}, {k}, {m}, {n})",
        "}",
    ]
    return FewText(
        name, "\n".join(lines), layout.takes(known) + kept, m + k * known, _stages(layout, known, sweeps, f"{shared}_{sweeps}")
    )


_STAGE = (
    "const stored *motions, const stored *alike, const stored *own, const stored *before, stored *given, stored *records, "
    "int32_t *counts, int32_t *lists, int32_t *chosen, int64_t batch, int64_t pad, int64_t known"
)
_STAGED = "    const lm_stage a = {motions, alike, own, before, given, records, counts, lists, chosen, batch, pad, known};\n"
_EACH = "    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;\n"


def _stages(layout: Layout, known: bool, sweeps: int, name: str) -> Stages:
    """Kernels of a pass: sort and make rows, unless they are there; then solve."""
    tree = layout.tree
    k, m = tree.contacts, tree.rows
    points = layout.motions
    sizes = {
        "LM_CONTACTS": k,
        "LM_CROWD_ROWS": m,
        "LM_LONGEST": layout.longest,
        "LM_MOTIONS": points,
        "LM_POINTS": points,
        "LM_DIRECTIONS": points + 3 * k,
        "LM_RUBS": points + 3 * k + 3 * m,
        "LM_SET": points + 4 * k + 3 * m,
        "LM_FIRST_MISSING": layout.alike,
        "LM_MISSING_AGAIN": layout.alike + m,
        "LM_GAPS": layout.alike + 2 * m,
        "LM_LENGTH": layout.alike + 2 * m + k,
        "LM_SWEEPS": sweeps,
        "LM_RECORD": -(-9 * k * (k + 1) // 8) * 4 + (-(-k * (3 * layout.longest | 1) // 4) * 4 if k > FEW else 0),
        "LM_FEW": FEW,
        "LM_SEEN": SEEN,
    }
    paths = [tree.carrying(body) for body in tree.on]
    tables = {
        "lm_motion_of": [layout.places[end] for end in layout.ends],
        "lm_path_of": [len(path) for path in paths],
        "lm_rows_of": tree.begin,
        "lm_shared_path": [sum(x == y for x, y in zip(a, b, strict=False)) for a in paths for b in paths],
    }
    head = [f"#define {label} {value}" for label, value in sizes.items()]
    head += [f"LM_TABLE int32_t {label}[] = {{{', '.join(map(str, values))}}};" for label, values in tables.items()]
    kernels, launches = [], []

    def kernel(label: str, threads: tuple[int, int], instances: int, text: str, times: int = 1, room: int = 0) -> None:
        """A kernel whose threads have so much room, or (one that makes rows) whose block has."""
        apart = label.startswith("solve")
        if not (known and apart):
            bounds = f"__launch_bounds__({max(threads)})"
            kernels.append(f'extern "C" __global__ void {bounds} {name}_{label}({_STAGE}) {{\n{_STAGED}{text}}}')
        shared = (4 * room * threads[0], 8 * room * threads[1]) if apart else (4 * room, 8 * room)
        launches.append(Launch(f"{name}_{label}", threads, instances, times, shared, apart))

    near = "    LM_SHARED stored lm_near[];\n"
    if known:
        clear = "    if (first < batch)\n        for (int i = 0; i < LM_CROWD_ROWS + LM_CONTACTS; ++i) "
        clear += "a.given[i * pad + first] = LM_K(0.0);\n"
        kernel("empty", (256, 256), 256, _EACH + clear)
    else:
        kernel("clear", (64, 64), -1, "    if (threadIdx.x < 3 * LM_BINS) a.counts[threadIdx.x] = 0;\n")
        kernel("rank", (256, 256), 256, _EACH + "    if (first < batch) lm_stage_rank(a, first);\n")
        rows = f"    lm_stage_rows(a, lm_near, threadIdx.x, blockDim.x, (int64_t)blockIdx.x * {SEEN});\n"
        kernel("rows", (32 * WARPS, 32 * WARPS), SEEN, near + rows, room=_rows_room(tree))
    if k > FEW:
        kernel("solve_more", LANES, 0, "    lm_stage_solve<0>(a, known, 0, threadIdx.x);\n")
    for low, high in RANGES:
        top = min(high, k)
        if low > top:
            continue
        cases = "".join(
            f"        case {top - n}: lm_stage_solve<{n}>(a, known, lm_near, threadIdx.x); break;\n"
            for n in range(top, low - 1, -1)
        )
        text = f"{near}    switch (blockIdx.y) {{\n{cases}    }}\n"
        kernel(f"solve_{top}", LANES, 0, text, top - low + 1, _seat(top))
    fresh = layout.alike + m if known else layout.motions
    tables_once = "" if known else "\n".join(head)
    return Stages(tables_once, DEVICE_HEADERS, "\n\n".join(kernels), fresh, tuple(launches), sizes["LM_RECORD"], FEW + 2, k)


def few_numbers(tree: Tree, numbers: Floats, known: bool, sweeps: int) -> Floats:
    """A pass on numbers."""
    layout, k, m = Layout(tree), tree.contacts, tree.rows
    sizes = [layout.motions, 3 * k, 3 * m, k, k, *([m, m, k, 1] if known else [m])]
    parts = np.split(numbers[: layout.takes(known)], np.cumsum(sizes)[:-1])
    points, directions, mu, acts = parts[1].reshape(k, 3), parts[2].reshape(m, 3), parts[3], parts[4]
    chosen = [c for c in range(k) if acts[c] > 0.5]
    impulses, lifts = np.zeros(m), np.zeros(k)
    if not np.isfinite(numbers[: layout.takes(known)]).all():
        return np.full(m + k * known, np.nan)
    if chosen:
        Z = np.zeros((m, tree.n))
        for c in chosen:
            end = layout.ends[c]
            if end >= 0:
                begins, path = layout.places[end], tree.paths[end]
                moves = parts[0][begins : begins + 6 * len(path)].reshape(-1, 6)
                velocity = moves[:, :3] + np.cross(moves[:, 3:], points[c])
                Z[tree.begin[c] : tree.begin[c + 1], path] = directions[tree.begin[c] : tree.begin[c + 1]] @ velocity.T
        rows = [list(range(tree.begin[c], tree.begin[c + 1])) for c in chosen]
        at = [i for own in rows for i in own]
        begin = np.cumsum([0, *map(len, rows)]).tolist()
        guess, missing = (parts[5][at], parts[6][at]) if known else (np.zeros(len(at)), parts[5][at])
        L, moved = impulses_on_numbers(Z[at], missing, begin, mu[chosen], guess, sweeps, STEADY if known else NEAR)
        impulses[at] = L
        if known:
            first, normals = begin[:-1], [own[0] for own in rows]
            h, held = float(parts[8][0]), acts[chosen]
            lift = -(parts[7][chosen] + 0.5 * h * (Z[normals] @ moved - missing[first] - np.maximum(held - 1.0, 0.0)))
            late = np.repeat(4.0 * np.maximum(1.0 - held, 0.0), list(map(len, rows))) * L
            lift += 0.5 * h * (Z[normals] @ (Z[at].T @ late))
            stands = np.full(len(chosen), -1.0)
            count = len(chosen)
            lifts[chosen] = sweep_on_numbers(Z[normals], lift, list(range(count + 1)), stands, np.zeros(count), sweeps, CLOSED)[
                0
            ]
    return np.concatenate([impulses, lifts]) if known else impulses
