"""CUDA text of a roll-out by several threads an instance, a limb each; see `codegen/division.py` and `runtime/limbs.h`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from locomotor.codegen.cuda.text import dialect_of
from locomotor.codegen.division import Division, Role, divide
from locomotor.codegen.emit_c import PART_LIMIT, Dialect, TapeWriter, opening, prologue, runtime
from locomotor.codegen.manifold_text import emit
from locomotor.codegen.partition import split
from locomotor.codegen.passes import share_reciprocals
from locomotor.codegen.program import Program
from locomotor.codegen.schedule import in_stages, schedule
from locomotor.dataclass import dataclass
from locomotor.lie import LEFT
from locomotor.tracing.core import Field, Port

THREADS = {"float64": 256, "float32": 512}
"""Threads a block, one block a multiprocessor: they share its registers, 255 and 128 each. Measured on an H200 with a tree of
four limbs, in billions of steps a second: 256, 384 and 512 threads make 0.13, 0.10 and 0.08 in double precision, 384, 512 and
640 make 0.21, 0.30 and 0.25 in single."""
WARP = 32


@dataclass(frozen=True)
class LimbText:
    """A text, its limbs, and how it is launched: threads of a block, instances of a block, and bytes that they share."""

    text: str
    limbs: int
    launch: tuple[int, int, int]


def limb_text(program: Program, precision: str) -> LimbText | None:
    """Complete text of a roll-out divided among limbs; None where one thread an instance is better or needed."""
    division = division_of(program)
    if division is None:
        return None
    limbs, width = len(division.roles), program.dynamics.inputs[1].size
    groups = THREADS[precision] // (WARP * limbs)
    trunk = len(division.roles[0].trunk)
    row = (division.shared + trunk + limbs) | 1  # odd
    sizes = {"LM_LIMBS": limbs, "LM_GROUPS": groups, "LM_ROW": row, "LM_TRUNK": division.shared, "LM_WIDTH": width}
    sizes |= {"LM_WORDS": division.shared + trunk}
    dialect = dialect_of(precision)
    texts = [opening(program.dynamics, dialect), _defined(sizes), prologue(dialect, "manifold.h", "reduce.h")]
    texts += ["#define LM_BREAKS"] if program.breaks else []
    texts += [runtime("span.h"), runtime("limbs.h")]
    texts += [_role(program, role, limb, division.meetings, dialect) for limb, role in enumerate(division.roles)]
    texts.append(f"#define LM_ROLL_OUTS {' '.join(f'LM_ROLL_OUT({limb})' for limb in range(limbs))}")
    text = "\n\n".join([*texts, runtime("rollout_cuda.h")])
    instances = WARP * groups
    return LimbText(text, limbs, (limbs * instances, instances, instances * row * np.dtype(precision).itemsize))


def division_of(program: Program) -> Division | None:
    """How the limbs of a program share its work, where they can: one that takes plain steps and keeps states alone."""
    others = (program.project, program.observe, program.measure, program.sense, program.slopes)
    if not program.limbs or program.is_map or program.dynamics.rolled is not None or any(x is not None for x in others):
        return None
    return divide(share_reciprocals(program.dynamics.tape), program.manifold, program.limbs)


def _role(program: Program, role: Role, limb: int, meetings: int, dialect: Dialect) -> str:
    """Everything of one limb, in a namespace of its own: sizes, tables, dynamics, and the roll-out around them."""
    _, _, inputs, parameters = (port.size for port in program.dynamics.inputs)
    sizes = {"NX": role.manifold.size, "ND": role.manifold.tangent_size, "NU": inputs, "NP": parameters}
    sizes |= {"NM": program.monitors, "NW": program.pivots, "NS": role.manifold.size, "NR": 0}
    mine = set(range(len(role.state))) - (set(role.trunk) if limb else set())
    hooks = {
        "lm_place(i)": "lm_places[i]",
        "lm_writes(i)": "lm_mine[i]",
        "lm_agreed(m)": f"lm_all_agree({limb}, m)",
        "LM_PIVOT_LEFT": str(LEFT),
        "lm_settle(x)": f"lm_one_trunk({limb}, {len(role.trunk)}, lm_trunk, x)",
    }
    texts = [
        f"namespace lm_limb_{limb} {{",
        _defined(sizes),
        _defined(hooks),
        _table("lm_places", role.state),
        _table("lm_mine", [int(i in mine) for i in range(len(role.state))]),
        _table("lm_trunk", role.trunk or (0,)),
        _dynamics(role, meetings),
        emit(role.manifold),
        program.observation(dialect),
        program.measures(dialect),
        runtime("rollout.h"),
        "\n".join(f"#undef {name.partition('(')[0]}" for name in (*sizes, *hooks)),
        "}",
    ]
    return "\n\n".join(texts)


def _defined(values: Mapping[str, object]) -> str:
    return "\n".join(f"#define {name} {value}" for name, value in values.items())


def _table(name: str, numbers: Sequence[int]) -> str:
    return f"LM_TABLE int32_t {name}[] = {{{', '.join(map(str, numbers))}}};"


def _dynamics(role: Role, meetings: int) -> str:
    """The right-hand side of one limb: parts of its tape, and meetings between them."""
    inputs, names = ["t", "x", "u", "p"], ["rate", "monitor", "laid"]
    tape, breaks = in_stages(schedule(role.tape), len(inputs), meetings)
    parts, work = split(tape, PART_LIMIT, breaks)
    outputs = [names[0], *([names[1]] if len(tape.outputs) == 3 else []), names[2]]
    ports = [_numbered(name, len(lines)) for name, lines in zip(outputs, tape.outputs, strict=True)]
    writer = TapeWriter(ports, tape, [*inputs, *["row"] * meetings], outputs)
    arguments = [f"const real *{name}" for name in (*inputs, "row")] + [f"real *{name}" for name in (*names, "work")]
    passed = ", ".join([*inputs, "row", *names, "work"])
    texts, calls, met = [], "", 0
    for index, part in enumerate(parts):
        while met < len(breaks) and breaks[met] <= part.start:
            calls, met = f"{calls}    lm_meet();\n", met + 1
        texts.append(f"LM_PART void lm_dynamics_{index}({', '.join(arguments)}) {{\n{writer.part(part)}}}")
        calls += f"    lm_dynamics_{index}({passed});\n"
    calls += "    lm_meet();\n" * (len(breaks) - met + 1)  # what was laid out has been read when the next begins
    head = "LM_INLINE void lm_dynamics(const real *t, const real *x, const real *u, const real *p, real *rate, real *monitor) {"
    texts.append(f"{head}\n    real work[{max(work, 1)}];\n    real *row = lm_row(), *laid = row + {role.begin};\n{calls}}}")
    return "\n\n".join(texts)


def _numbered(name: str, count: int) -> Port:
    return Port(name, tuple(Field(f"{name} {i}", "", "", "") for i in range(count)))
