"""The hand-written elementary functions, alone, against the C library in extended precision."""

import ctypes

import numpy as np
import pytest

from backends.problems import needs_compiler
from locomotor.codegen.cache import load_library
from locomotor.codegen.emit_c import SCALAR, prologue, simd
from locomotor.codegen.toolchain import find_toolchain

pytestmark = [
    needs_compiler,
    pytest.mark.skipif(
        bool(np.finfo(np.longdouble).eps > 1e-18), reason="needs a long double wider than double as the reference"
    ),
]

N = 1 << 16
REFERENCE = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan}
REFERENCE |= {name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "log")}
# Largest error allowed, in units in the last place; the header states those found.
ULPS = {"sin": 1.0, "cos": 1.0, "tan": 2.5, "exp": 1.0, "log": 1.0, "asin": 3.0, "acos": 3.0, "atan": 3.0, "atan2": 3.0}


def build(dialect) -> ctypes.CDLL:
    loop = "for (int64_t i = 0; i < n; i += LANES)"
    text = [prologue(dialect)]
    text += [
        f"void test_{name}(const double *a, double *b, int64_t n) {{ {loop} {{ real v; memcpy(&v, a + i, sizeof v); "
        f"v = lm_{name}(v); memcpy(b + i, &v, sizeof v); }} }}"
        for name in REFERENCE
    ]
    text.append(
        f"void test_atan2(const double *a, const double *c, double *b, int64_t n) {{ {loop} {{ real v, w; "
        "memcpy(&v, a + i, sizeof v); memcpy(&w, c + i, sizeof w); v = lm_atan2(v, w); memcpy(b + i, &v, sizeof v); } }"
    )
    toolchain = find_toolchain()
    assert toolchain is not None
    return load_library("\n".join(text), toolchain, toolchain.flags())


@pytest.fixture(scope="module", params=[SCALAR, simd(2), simd(8)], ids=["scalar", "simd2", "simd8"])
def library(request: pytest.FixtureRequest) -> ctypes.CDLL:
    return build(request.param)


def call(library: ctypes.CDLL, name: str, *arguments: np.ndarray) -> np.ndarray:
    result = np.empty_like(arguments[0])
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (*arguments, result)]
    getattr(library, f"test_{name}")(*pointers, ctypes.c_int64(len(result)))
    return result


def worst(found: np.ndarray, exact: np.ndarray) -> float:
    """Largest error in units in the last place of the exact value."""
    unit = np.spacing(np.abs(exact.astype(np.float64))).astype(np.longdouble)
    return float(np.max(np.abs(found.astype(np.longdouble) - exact) / unit))


def samples(name: str, rng: np.random.Generator) -> list[np.ndarray]:
    if name in ("sin", "cos", "tan"):
        near_multiples = np.round(rng.uniform(-6e5, 6e5, N)) * (np.pi / 2)
        wide = [rng.uniform(-10, 10, N), rng.uniform(-1e5, 1e5, N), rng.uniform(-2e6, 2e6, N), near_multiples]
        return [*wide, 10 ** rng.uniform(-300, 15, N)]
    if name == "exp":
        return [rng.uniform(-745, 709.7, N), rng.uniform(-1, 1, N), rng.uniform(-1e-4, 1e-4, N)]
    if name == "log":
        return [10 ** rng.uniform(-320, 308, N), rng.uniform(0.5, 2, N), 1 + 1e-5 * rng.normal(size=N)]
    if name == "atan":
        return [3 * rng.normal(size=N), 10 ** rng.uniform(-300, 300, N)]
    return [rng.uniform(-1, 1, N), 1 - 10 ** rng.uniform(-16, 0, N), 10 ** rng.uniform(-300, 0, N)]


@pytest.mark.parametrize("name", REFERENCE)
def test_error_is_a_few_units_in_the_last_place(library, name: str, rng: np.random.Generator) -> None:
    for values in samples(name, rng):
        exact = REFERENCE[name](values.astype(np.longdouble))
        assert worst(call(library, name, values), exact) <= ULPS[name]


def test_error_of_atan2(library, rng: np.random.Generator) -> None:
    for spread in (0.5, 3.0, 30.0):
        y, x = (10 ** rng.uniform(-spread, spread, N) * rng.choice([-1.0, 1.0], N) for _ in range(2))
        exact = np.arctan2(y.astype(np.longdouble), x.astype(np.longdouble))
        assert worst(call(library, "atan2", y, x), exact) <= ULPS["atan2"]


SPECIAL = np.array(
    [0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-310, -1e-310, 1e308, -1e308, 800.0, -800.0, 2.0, -2.0, 0.5, 3.0]
)


@pytest.mark.parametrize("name", REFERENCE)
def test_special_values(library, name: str) -> None:
    with np.errstate(all="ignore"):
        expected = REFERENCE[name](SPECIAL)
    np.testing.assert_allclose(call(library, name, SPECIAL), expected, rtol=1e-15)


def test_special_values_of_atan2(library) -> None:
    values = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-310])
    y, x = (grid.ravel().copy() for grid in np.meshgrid(values, values))
    np.testing.assert_allclose(call(library, "atan2", y, x), np.arctan2(y, x), rtol=1e-15)
