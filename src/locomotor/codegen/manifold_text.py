"""The maps of a state space in C: how states move, their rates, and whether their quaternions have length one.

`lie.Manifold` defines them; `runtime/manifold.h` holds the parts that do not depend on the space.
"""

from functools import singledispatch

from locomotor.lie import NEARLY, Manifold


@singledispatch
def emit(manifold: Manifold) -> str:
    """The four maps as C functions of this manifold."""
    maps = {
        "lm_retract(const real *x, const real *d, real *y)": (
            "lm_retract_quaternion(x + {x}, d + {d}, y + {x});",
            "for (int i = 0; i < {n}; ++i) y[{x} + i] = x[{x} + i] + d[{d} + i];",
        ),
        "lm_pull_back(const real *d, const real *w, real *k)": (
            "lm_rotation_rate(d + {d}, w + {d}, k + {d});",
            "for (int i = {d}; i < {d} + {n}; ++i) k[i] = w[i];",
        ),
        "lm_ambient_rate(const real *x, const real *w, real *f)": (
            "lm_quaternion_rate(x + {x}, w + {d}, f + {x});",
            "for (int i = 0; i < {n}; ++i) f[{x} + i] = w[{d} + i];",
        ),
        "lm_normalise(real *x)": ("lm_normalise_quaternion(x + {x});", ""),
    }
    texts = []
    for signature, (quaternion, vector) in maps.items():
        lines = []
        for turning, x, d in manifold.slices():
            template = quaternion if turning else vector
            if template and x.stop > x.start:
                lines.append("    " + template.format(x=x.start, d=d.start, n=x.stop - x.start) + "\n")
        texts.append(f"LM_FUNCTION void {signature} {{\n{''.join(lines)}}}")
    return "\n\n".join([*texts, emit_check(manifold)])


def emit_check(manifold: Manifold) -> str:
    """Whether every quaternion of a state has length one, nearly, as a C function."""
    turning = [x.start for quaternion, x, _ in manifold.slices() if quaternion]
    lines = ["    (void)x;"]
    for k in turning:
        lines.append(f"    real n{k} = LM_CONST(0.0);\n    for (int i = {k}; i < {k} + 4; ++i) n{k} = n{k} + x[i] * x[i];")
    near = "".join(f" & (lm_fabs(n{k} - LM_K(1.0)) < LM_CONST({NEARLY}))" for k in turning)
    return "\n".join(["LM_INLINE mask lm_is_state(const real *x) {", *lines, f"    return lm_all_true(){near};", "}"])
