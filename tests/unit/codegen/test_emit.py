"""Generated C: documents itself, keeps constants, splits long tapes."""

import math
import re

import casadi
import numpy as np
import pytest

from backends.problems import every_operation, needs_compiler, numbered, pendulum, random_expression
from locomotor.codegen import compile, emit_c
from locomotor.codegen.cuda.text import DOUBLE
from locomotor.codegen.emit_c import SCALAR, emit_kernel, literal, simd
from locomotor.codegen.partition import split
from locomotor.codegen.schedule import COLUMNS, by_columns
from locomotor.tracing.core.signature import Field, Port
from locomotor.tracing.core.traced import Traced


def test_file_opens_with_name_version_tables_and_count() -> None:
    traced = pendulum()
    head = emit_kernel(traced, SCALAR).split("*/")[0]
    assert head.startswith("/* locomotor ")
    for words in ("pendulum: test problem", "state (2,)", "parameters_0", f"{traced.operations} arithmetic operations"):
        assert words in head


def test_comments_cannot_be_broken_out_of() -> None:
    x = casadi.SX.sym("x", 1)
    port = Port("x", (Field("a", "m", "", "evil */ int main() { /*"),))
    text = emit_kernel(Traced.build("f", [(port, x)], [(Port.of("y */ {}", "b*/{c}"), x)]), SCALAR)
    assert "evil */" not in text and "b*/" not in text and "y */" not in text


@pytest.mark.parametrize(
    "name",
    [
        "*\\\n/ int evil(void); /\\\n*",  # C joins lines after a backslash before it looks for the end of a comment
        "*??/\n/ int evil(void); /??/\n*",  # and trigraphs before that
        "*\r/ int evil(void); /*",
        "*\u2028/ int evil(void); /*",
    ],
)
@pytest.mark.parametrize("dialect", [SCALAR, DOUBLE])
def test_names_are_inert_in_comments(name: str, dialect: emit_c.Dialect) -> None:
    """The compiler's own first phases, done here: trigraphs, joined lines, then comments; nothing of the name is left."""
    x = casadi.SX.sym("x", 1)
    traced = Traced.build("f", [(Port("x", (Field("a", name, name, name),)), x)], [(Port.of(name, name), x)], name)
    text = emit_kernel(traced, dialect)
    for before, after in (("??/", "\\"), ("\r\n", "\n"), ("\r", "\n"), ("\u2028", "\n"), ("\\\n", "")):
        text = text.replace(before, after)
    code = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    assert "evil(void)" not in code


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-300, 5e-324, 9.81, -2.5, 1e22, math.pi, 1e6, 123456.015625])
def test_literals_are_exact(value: float) -> None:
    text = literal(value)
    assert (float.fromhex(text) if "0x" in text else float(text)) == value


def test_small_constants_do_not_vanish_in_single_precision() -> None:
    """C has both: the least number that single precision holds in full, 2^-126, and the number itself."""
    assert emit_c.constant(0.25) == literal(0.25)
    single, double = emit_c.constant(-1e-100).strip("()").removeprefix("sizeof(stored) == 4 ? ").split(" : ")
    assert (float.fromhex(single), float.fromhex(double)) == (-(2.0**-126), -1e-100)


def test_dialects_share_the_core() -> None:
    """Scalar and SIMD files differ in their headers only: one emitter, one text for the tape."""
    core = emit_c.emit_core(every_operation(), "lm_core", SCALAR)
    for dialect in (SCALAR, simd(4)):
        assert core in emit_kernel(every_operation(), dialect)


def test_width_must_exist() -> None:
    with pytest.raises(ValueError, match="lanes must be 2, 4, 8 or 16, not 3"):
        simd(3)
    with pytest.raises(ValueError, match="lanes"):
        compile(pendulum(), "c", lanes=5)


def test_parts_cover_the_tape_and_reuse_slots() -> None:
    tape = random_expression(np.random.default_rng(3), 2000).tape
    parts, work = split(tape, 100)
    assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
    assert parts[0].start == 0 and parts[-1].stop == len(tape.instructions)
    stored = sum(len(part.stores) for part in parts)
    assert 0 < work < stored, "a slot is used again once its value is no longer needed"
    assert split(tape, 10**6)[1] == 0


@needs_compiler
@pytest.mark.parametrize("target", ["c", "simd"])
def test_split_functions_give_the_same_result(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    traced = random_expression(np.random.default_rng(4), 500)
    x = np.random.default_rng(5).normal(size=(11, 5))
    monkeypatch.setattr(emit_c, "PART_LIMIT", 37)
    kernel = compile(traced, target)
    assert kernel.source.count("LM_PART void lm_core_") > 10
    expected = np.array([traced(row)[0] for row in x])
    np.testing.assert_allclose(kernel(x)[0], expected, rtol=1e-13, atol=1e-13)


@needs_compiler
@pytest.mark.slow
def test_long_tape_compiles_in_parts(rng: np.random.Generator) -> None:
    """Some 20,000 operations: as one function gcc takes long, in parts a second or two."""
    x = casadi.SX.sym("x", 20)
    values = [x[i] for i in range(20)]
    for _ in range(6000):
        i, j, k = (int(n) for n in rng.integers(len(values) - 20, len(values), 3))
        values.append(values[i] * 0.7 - values[j] * values[k] * 0.2 + 0.1)
    traced = Traced.build("long", [(numbered("x", 20), x)], [(numbered("y", 20), casadi.vertcat(*values[-20:]))])
    assert traced.operations > 15000
    point = rng.uniform(-1, 1, 20)
    np.testing.assert_allclose(compile(traced, "c")(point)[0], traced(point)[0], rtol=1e-12)


def test_a_long_name_is_repeated_in_part() -> None:
    """Descriptions may be pages long; a file that is compiled and cached repeats their beginning."""
    x = casadi.SX.sym("x", 1)
    port = Port("x", (Field("a", "", "", "q" * 5000),))
    text = emit_kernel(Traced.build("f", [(port, x)], [(Port.of("y", "p" * 5000), 2.0 * x)]), SCALAR)
    for letter in "pq":
        assert 100 < max(map(len, re.findall(f"{letter}+", text))) <= 160


@needs_compiler
@pytest.mark.parametrize(("target", "lanes"), [("c", None), ("simd", 2), ("simd", 4), ("simd", 8), ("simd", 16)])
def test_matrices_by_columns_with_entries_that_never_change(
    target: str, lanes: int | None, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    """Results of 7 x 9: more than the registers hold at once, and no multiple of any width; a batch ends within a width too."""
    monkeypatch.setattr(emit_c, "BY_COLUMNS", 0)
    traced = matrix_function()
    x = rng.normal(size=(37, 3))
    found = compile(traced, target, lanes)(x)[0]
    wanted = np.array([traced(row)[0] for row in x])
    np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-13)


def matrix_function() -> Traced:
    """7 x 9 entries, each column by a recursion of its own, every third row constant."""
    x, rows = casadi.SX.sym("x", 3), []
    step = [casadi.sin(x[0] + k) for k in range(9)]
    for row in range(7):
        step = [x[1] * value + x[2] * row for value in step]
        rows.append([float(row * k) for k in range(9)] if row % 3 == 0 else step)
    port = Port("m", tuple(Field(f"m_{i}_{j}") for i in range(7) for j in range(9)), (7, 9))
    return Traced.build("matrix", [(numbered("x", 3), x)], [(port, casadi.vertcat(*(casadi.horzcat(*row) for row in rows)))])


def test_a_matrix_is_computed_a_few_columns_at_a_time() -> None:
    traced = matrix_function()
    tape = by_columns(traced.tape, [port.shape for port in traced.outputs])
    assert sorted(i.op for i in tape.instructions) == sorted(i.op for i in traced.tape.instructions)
    last = [max(tape.outputs[0][row * 9 + column] for row in (1, 2, 4, 5)) for column in range(9)]
    first = [tape.outputs[0][9 + column] for column in range(9)]
    assert max(last[:COLUMNS]) < min(first[COLUMNS:]) and max(last[COLUMNS : 2 * COLUMNS]) < first[8]
    assert tape.outputs != traced.tape.outputs
    vectors = random_expression(np.random.default_rng(4), 500)
    assert by_columns(vectors.tape, [port.shape for port in vectors.outputs]) is vectors.tape, "no matrix, no other order"
