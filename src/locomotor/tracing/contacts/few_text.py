"""Text of the passes of `codegen/runtime/crowd_few.h` for one tree, for a processor and for a device; the same on numbers."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.tracing.contacts.many_numbers import Tree, Turn, contacts_on_numbers, rows_on_numbers, spread_on_numbers
from locomotor.tracing.contacts.many_text import tables_of
from locomotor.tracing.core import Launch, Stages
from locomotor.typing import Floats

HEADERS = ("crowd.h", "crowd_rows.h", "crowd_solve.h", "crowd_pass.h", "crowd_few.h")
DEVICE_HEADERS = ("crowd.h", "crowd_stages.h", "crowd_share.h")
SHARED = 220_000
"""Bytes that threads of a device share, at most."""
SEEN, WARPS = 8, 8
"""Instances whose axes a block reads at once, and warps of it."""
LANES, SHARE = (32, 16), 4
"""Threads of a warp that solves, in single and in double precision, and how many share an instance (`runtime/stages.h`)."""
EACH, PACES = 1, 4
"""Contacts of a thread that solves (`runtime/crowd_share.h`), and kinds of how long sweeps go on."""
SOLVERS = 20
"""Warps that solve on a multiprocessor in single precision: more of them with fewer registers each take less time in all."""


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
    """How many numbers a pass takes, in its order; see `crowd_few.h`."""

    tree: Tree

    @property
    def ends(self) -> list[int]:
        """The last velocity that moves each contact, -1 where none does."""
        return [max(self.tree.carrying(b), default=-1) for b in self.tree.on]

    @property
    def longest(self) -> int:
        """Entries of the longest path of a contact."""
        return max([1, *(len(self.tree.carrying(b)) for b in self.tree.on)])

    @property
    def sizes(self) -> list[int]:
        """Axes, N, points, turning; directions, friction, which act, and velocities without contacts: of both passes."""
        n, k, m = self.tree.n, self.tree.contacts, self.tree.rows
        return [6 * n, self.tree.along, 3 * k, m, 3 * m, k, k, n]

    @property
    def there(self) -> int:
        """Numbers that are there before the first pass."""
        return sum(self.sizes[:4])

    @property
    def alike(self) -> int:
        """Numbers of the first pass."""
        return sum(self.sizes)

    def takes(self, turn: Turn) -> int:
        """Numbers that a pass takes; the second also impulses, turning and velocities; the last gaps and h."""
        return sum(self.parts(turn))

    def parts(self, turn: Turn) -> list[int]:
        """Sizes of what a pass takes, in order."""
        n, k, m = self.tree.n, self.tree.contacts, self.tree.rows
        return [*self.sizes, *([m, m, n] if turn.known else []), *([k, 1] if turn.last else [])]


def suits(tree: Tree) -> bool:
    """Whether a device has room for its rows."""
    return max(_rows_room(tree), _solve_room(tree, LANES[1])) * 8 <= SHARED


def _rows_room(tree: Tree) -> int:
    """Numbers that a block shares to make rows."""
    entries = _entries(tree)
    return (6 * tree.n + tree.along) * (SEEN + 1) + WARPS * 3 * max(1, 32 // entries) * entries


def _solve_room(tree: Tree, lanes: int) -> int:
    """Numbers that a warp shares to solve: rows, velocities twice, and the order of the kinds; so `crowd_stages.h` has it."""
    teams = lanes // SHARE
    return 4 * (EACH * lanes * _entries(tree) + 4 * teams) + 2 * teams * 4 * ((tree.n + 4) // 4 | 1) + _kinds()


def _kinds() -> int:
    """Lists of instances: by how many contacts act and how long sweeps go on."""
    return (EACH * 8 * SHARE + 1) * PACES + 1


def _entries(tree: Tree) -> int:
    """Entries of a row, in fours."""
    return -(-Layout(tree).longest // 4) * 4


def few_text(tree: Tree, turn: Turn, sweeps: int, kept: int) -> FewText:
    """Text of a pass; `kept` are numbers after those that it takes, which it leaves alone."""
    layout = Layout(tree)
    tables, pointers, shared = tables_of(tree)
    name = f"{shared}_{sweeps}_{kept}_few_{turn.value}"
    n, k, m = tree.n, tree.contacts, tree.rows
    lines = [
        *tables,
        f"LM_NOINLINE void {name}(lm_numbers numbers) {{",
        f"    const int width = LM_CROWD_WIDTH({n});",
        f"    const lm_crowd tree = {{{n}, {tree.bodies}, {k}, {m}, {pointers}, 0, width, LM_TEAM * width}};",
        f"    LM_FEW_PASS({int(turn.known)}, {int(turn.last)}, {sweeps}, {k}, {m}, {n}, {tree.along})",
        "}",
    ]
    stages = _stages(layout, turn, sweeps, f"{shared}_{sweeps}")
    return FewText(name, "\n".join(lines), layout.takes(turn) + kept, m + n + n * turn.last, stages)


_STAGE = (
    "const stored *axes, int64_t axes_count, const stored *factors, int64_t factors_count, const stored *alike, "
    "const stored *own, stored *before, stored *given, stored *records, int32_t *counts, int32_t *lists, "
    "int32_t *chosen, int64_t batch, int64_t pad, int64_t known, int64_t last"
)
_STAGED = (
    "    const lm_stage a = {axes, axes_count, factors, factors_count, alike, own, before, given, records, counts, lists, "
    "chosen, batch, pad, known, last};\n"
)
_EACH = "    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
_TILE = f"threadIdx.x, blockDim.x, (int64_t)blockIdx.x * {SEEN}"


def _stages(layout: Layout, turn: Turn, sweeps: int, name: str) -> Stages:
    """Kernels of a pass: sort and make rows, unless they are there; then solve, and tell what that changes."""
    tree = layout.tree
    n, k, m = tree.n, tree.contacts, tree.rows
    directions, alike, known = layout.there, layout.alike, turn.known
    gaps = alike + (0 if turn is Turn.ONLY else 2 * m + n)
    sizes = {
        "LM_VELOCITIES": n,
        "LM_ENTRIES": tree.along,
        "LM_CONTACTS": k,
        "LM_CROWD_ROWS": m,
        "LM_LONGEST": layout.longest,
        "LM_POINTS": 6 * n,
        "LM_TURNING": 6 * n + 3 * k,
        "LM_SET": directions + 3 * m + k,
        "LM_FREE": directions + 3 * m + 2 * k,
        "LM_TURNING_AGAIN": alike + m,
        "LM_FREE_AGAIN": alike + 2 * m,
        "LM_GAPS": gaps,
        "LM_LENGTH": gaps + k,
        "LM_SWEEPS": sweeps,
        "LM_RECORD": 4 * k * (1 + _entries(tree)),
        "LM_EACH": EACH,
        "LM_PACES": PACES,
        "LM_SEEN": SEEN,
    }
    paths = [tree.carrying(body) for body in tree.on]
    starts = [0, *accumulate(map(len, tree.paths))]
    tables = {
        "lm_start_of": [starts[end] if end >= 0 else 0 for end in layout.ends],
        "lm_path_of": [len(path) for path in paths],
        "lm_path": [j for path in tree.paths for j in path],
        "lm_base": [starts[j] for path in tree.paths for j in path],
        "lm_rows_of": tree.begin,
    }
    head = [f"#define {label} {value}" for label, value in sizes.items()]
    head += [f"LM_TABLE int32_t {label}[] = {{{', '.join(map(str, values))}}};" for label, values in tables.items()]
    kernels, launches = [], []

    def kernel(label: str, threads: tuple[int, int], instances: int, text: str, room: tuple[int, int] = (0, 0)) -> None:
        """A kernel whose blocks share so many numbers in each precision; the second pass has those of the first."""
        if not known:
            together = f", sizeof(stored) == 4 ? {SOLVERS} : 1" if label == "solve" else ""
            bounds = f"__launch_bounds__({max(threads)}{together})"
            kernels.append(f'extern "C" __global__ void {bounds} {name}_{label}({_STAGE}) {{\n{_STAGED}{text}}}')
        launches.append(Launch(f"{name}_{label}", threads, instances, 1, (4 * room[0], 8 * room[1])))

    near = "    LM_SHARED stored lm_near[];\n"
    wide = (32 * WARPS, 32 * WARPS)
    if not known:
        clear = "    for (int i = threadIdx.x; i < 3 * LM_BINS; i += blockDim.x) a.counts[i] = 0;\n"
        kernel("clear", (64, 64), -1, clear)
        kernel("rank", (256, 256), 256, _EACH + "    if (first < batch) lm_stage_rank(a, first);\n")
        kernel("rows", wide, SEEN, f"{near}    lm_stage_rows(a, lm_near, {_TILE});\n", (_rows_room(tree),) * 2)
    rooms = (_solve_room(tree, LANES[0]), _solve_room(tree, LANES[1]))
    kernel("solve", LANES, 0, f"{near}    lm_stage_solve_all(a, lm_near, threadIdx.x);\n", rooms)
    fresh = alike + m if known else layout.there
    tables_once = "" if known else "\n".join(head)
    fixed = () if known else (("lm_directions", directions, 3 * m), ("lm_rubs", directions + 3 * m, k))
    return Stages(
        tables_once,
        DEVICE_HEADERS,
        "\n\n".join(kernels),
        fresh,
        tuple(launches),
        sizes["LM_RECORD"],
        _kinds(),
        k,
        fixed=fixed,
    )


def few_numbers(tree: Tree, numbers: Floats, turn: Turn, sweeps: int) -> Floats:
    """A pass on numbers."""
    layout, n, k, m = Layout(tree), tree.n, tree.contacts, tree.rows
    known, taken = turn.known, layout.takes(turn)
    if not np.isfinite(numbers[:taken]).all():
        return np.full(m + n + n * turn.last, np.nan)
    parts = np.split(numbers[:taken], np.cumsum(layout.parts(turn))[:-1])
    axes, points, directions, mu, acts = (
        parts[0].reshape(n, 6),
        parts[2].reshape(k, 3),
        parts[4].reshape(m, 3),
        parts[5],
        parts[6],
    )
    turning, free = (parts[9], parts[10]) if known else (parts[3], parts[7])
    chosen = [c for c in range(k) if acts[c] > 0.5]
    impulses, pushed, closing = np.zeros(m), np.zeros(n), np.zeros(n)
    if chosen:
        rows = [list(range(tree.begin[c], tree.begin[c + 1])) for c in chosen]
        at = [i for own in rows for i in own]
        Z = rows_on_numbers(tree, axes, points, directions)[at] @ spread_on_numbers(tree, parts[1])
        missing = -(Z @ free + turning[at])
        begin = np.cumsum([0, *map(len, rows)]).tolist()
        missing[begin[:-1]] -= np.maximum(acts[chosen] - 1.0, 0.0)
        guess = parts[8][at] if known else np.zeros(len(at))
        gaps, h = (parts[-2][chosen], float(parts[-1][0])) if turn.last else (None, 0.0)
        impulses[at], pushed, closing = contacts_on_numbers(Z, missing, begin, mu[chosen], guess, sweeps, acts[chosen], gaps, h)
    return np.concatenate([impulses, pushed, closing] if turn.last else [impulses, pushed])
