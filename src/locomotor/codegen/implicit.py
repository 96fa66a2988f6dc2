"""Implicit steps: their coefficients, and the text of what `runtime/implicit.h` needs to know of a system.

A state that moves by y = x exp(d) takes the step

    d = h ((1 - c) r + c f(t + a_f h, x exp(a_f d))),    r' = r + (f - r) / a_m,    c = gamma / a_m,

the generalised alpha method for equations of first order (Jansen, Whiting, Hulbert 2000, doi 10.1016/S0045-7825(00)00203-6),
with the displacement in the Lie algebra (Bruels, Cardona 2010, doi 10.1115/1.4001370); see docs/theory.md. All of it follows
from one number, the factor rho by which the fastest modes shrink in a step; with rho = 1 it is the implicit midpoint rule.
"""

from __future__ import annotations

from collections.abc import Sequence

from locomotor import checks
from locomotor.codegen.emit_c import Dialect, emit_core, runtime
from locomotor.dataclass import dataclass
from locomotor.errors import StepperError
from locomotor.lie import Manifold
from locomotor.tracing.core import Slopes

MIDPOINT, ALPHA = "midpoint", "generalised-alpha"
MOST_PATIENT = 10
"""Rounds of Newton's method, at most, that a step may take with slopes of an earlier one before new ones are made."""


@checks.doors
@dataclass(frozen=True)
class Implicit:
    """An implicit method: `simulate(system, 2.0, stepper=lm.Implicit(rho_infinity=0.5), step=0.01)`.

    `rho_infinity`, from 0 to 1, is what is left after one step of a mode that is far too fast for the step: 1 keeps all of it
    (the midpoint rule, which conserves quadratic energies), 0 nothing. `tolerance` is what Newton's method may leave open, as a
    share of the state.
    """

    rho_infinity: float = 0.8
    tolerance: float = 1e-15

    def __post_init__(self) -> None:
        for name, least, most in (("rho_infinity", 0.0, 1.0), ("tolerance", 1e-16, 1e-3)):
            value = checks.number(getattr(self, name), f"Implicit: {name}", error=StepperError)
            if not least <= value <= most:
                raise StepperError(f"Implicit: {name} is {value!r}; it must be from {least:g} to {most:g}")
            object.__setattr__(self, name, value)

    @property
    def name(self) -> str:
        """Name of the method."""
        return MIDPOINT if self.rho_infinity == 1.0 else ALPHA

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Coefficients a_m, a_f and gamma of the method."""
        rho = self.rho_infinity
        a_m, a_f = 0.5 * (3.0 - rho) / (1.0 + rho), 1.0 / (1.0 + rho)
        return a_m, a_f, 0.5 + a_m - a_f


IMPLICIT = {MIDPOINT: Implicit(1.0), ALPHA: Implicit()}
"""Implicit methods by name."""


def is_implicit(stepper: str | Implicit) -> bool:
    """Whether a stepper is implicit."""
    return isinstance(stepper, Implicit) or (isinstance(stepper, str) and stepper in IMPLICIT)


@dataclass(frozen=True)
class Elimination:
    """Which tangent numbers stay in the dense system of Newton's method, and which follow from them.

    Coordinates follow from velocities: their rates depend on no coordinate, or on few. A number may go whose rate depends on
    no other that goes; a quaternion goes as a whole.
    """

    kept: tuple[int, ...]
    gone: tuple[int, ...]

    @classmethod
    def of(cls, slopes: Slopes, manifold: Manifold) -> Elimination:
        """The elimination of as many unknowns as possible, from the first on."""
        entries = set(zip(slopes.rows, slopes.columns, strict=True))
        groups: list[range] = []
        for turning, _, d in manifold.slices():
            groups += [range(d.start, d.stop)] if turning else [range(k, k + 1) for k in range(d.start, d.stop)]
        gone: list[int] = []
        for group in groups:
            together = [*gone, *group]
            if not any((i, j) in entries or (j, i) in entries for i in group for j in together):
                gone = together
        return cls(tuple(k for k in range(manifold.tangent_size) if k not in set(gone)), tuple(gone))


def work_of(slopes: Slopes, manifold: Manifold) -> int:
    """Numbers that an implicit method keeps for each instance: LM_WORK of `runtime/implicit.h`."""
    return 2 * len(slopes.rows) + 2 * len(Elimination.of(slopes, manifold).kept) ** 2 + 1


def patience_of(slopes: Slopes, operations: int) -> int:
    """Rounds of Newton's method after which new slopes are made for the next step: the more of them, the dearer slopes are."""
    columns = max(slopes.colours, default=0) + 1
    return MOST_PATIENT if not operations else min(MOST_PATIENT, 4 + columns * slopes.function.operations // (8 * operations))


def emit_implicit(slopes: Slopes, manifold: Manifold, patience: int, dialect: Dialect) -> str:
    """Text of an implicit method for a system: slopes, tables of their places, and the method itself."""
    parts = Elimination.of(slopes, manifold)
    kept, gone = ({k: place for place, k in enumerate(side)} for side in (parts.kept, parts.gone))
    entries = list(enumerate(zip(slopes.rows, slopes.columns, strict=True)))
    kk = [(e, kept[i], kept[j]) for e, (i, j) in entries if i in kept and j in kept]
    ke = [(e, kept[i], gone[j]) for e, (i, j) in entries if i in kept and j in gone]
    ek = sorted((gone[i], e, kept[j]) for e, (i, j) in entries if i in gone)
    first = [sum(row < k for row, _, _ in ek) for k in range(len(gone) + 1)]
    turning = {d.start for quaternion, _, d in manifold.slices() if quaternion}
    turns = [(e, j) for e, (_, j) in entries if j in turning]
    places = [k for turning, x, d in manifold.slices() for k in ([-1] * 3 if turning else range(x.start, x.stop))]
    sizes = {"NK": len(kept), "NE": len(gone), "LM_ENTRIES": len(entries), "LM_KK": len(kk), "LM_KE": len(ke)}
    sizes |= {"LM_TURNED": len(turns), "LM_PATIENCE": patience}
    texts = [*(f"#define {name} {value}" for name, value in sizes.items())]
    texts += [_table("lm_kept", parts.kept), _table("lm_gone", parts.gone), _table("lm_place", places)]
    texts += [_rows("lm_kk", kk, 3), _rows("lm_ke", ke, 3), _rows("lm_ek", [row[1:] for row in ek], 2)]
    texts += [_table("lm_ek_first", first), _rows("lm_turns", turns, 2), _SIZE]
    if turning:
        texts.append(runtime("tangent.h"))
    if not slopes.colours:
        texts.append(emit_core(slopes.function, "lm_slopes_at", dialect))
        return "\n".join([*texts, runtime("implicit.h")])
    texts += [emit_core(slopes.function, "lm_along", dialect), f"#define LM_COLOURS {max(slopes.colours) + 1}"]
    texts += [_table("lm_colour", slopes.colours), _rows("lm_entry", [place for _, place in entries], 2), _ALONG]
    return "\n".join([*texts, runtime("implicit.h")])


_SIZE = """
/* How large the number of the state is that tangent number i belongs to. */
LM_INLINE real lm_size_of(const real *x, int i) { return lm_place[i] < 0 ? LM_CONST(1.0) : lm_fabs(x[lm_place[i]]); }
"""

_ALONG = """
/* All entries, column by column; columns of one colour share no row. */
LM_FUNCTION void lm_slopes_at(const real *t, const real *x, const real *u, const real *p, real *slopes) {
    real direction[ND], change[ND];
    LM_ROLLED for (int colour = 0; colour < LM_COLOURS; ++colour) {
        for (int j = 0; j < ND; ++j) direction[j] = LM_CONST(lm_colour[j] == colour ? 1.0 : 0.0);
        lm_along(t, x, u, p, direction, change);
        for (int k = 0; k < LM_ENTRIES; ++k)
            if (lm_colour[lm_entry[k][1]] == colour) slopes[k] = change[lm_entry[k][0]];
    }
}
"""


def _table(name: str, numbers: Sequence[int]) -> str:
    return f"LM_TABLE int {name}[] = {{{', '.join(map(str, numbers)) or '0'}}};"


def _rows(name: str, rows: Sequence[Sequence[int]], width: int) -> str:
    text = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in rows)
    return f"LM_TABLE int {name}[][{width}] = {{{text or '{0}'}}};"
