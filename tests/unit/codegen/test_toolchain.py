"""Compilers found, missing and broken."""

import os
import stat
import warnings
from pathlib import Path

import numpy as np
import pytest

from backends.problems import RIGID_BODY, needs_compiler, pendulum, rigid_body
from locomotor.codegen import InterpretedWarning, _compile, compile, compile_rollout, rollout, toolchain
from locomotor.codegen.toolchain import find_toolchain
from locomotor.errors import CompileError

ARGUMENTS = (np.zeros(1), np.array([0.3, -0.2]), np.array([0.1]), np.array([9.81]))


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache of its own, and a process that was not told anything yet."""
    monkeypatch.setenv("LOCOMOTOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(_compile, "_told", set())


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize("value", ["/nonexistent/cc", "", "  "])
def test_missing_compiler_gives_one_notice_and_works(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCOMOTOR_CC", value)
    with pytest.warns(InterpretedWarning, match="LOCOMOTOR_CC.*Install one") as seen:
        kernel = compile(pendulum())
        roller = compile_rollout(rigid_body(), RIGID_BODY)
    assert len(seen) == 1, "one notice a process"
    assert kernel.target == roller.target == "interpreter"
    np.testing.assert_allclose(kernel(*ARGUMENTS)[0], [-0.2, -9.81 * np.sin(0.3) + 0.1], rtol=1e-14)


def test_empty_path_means_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LOCOMOTOR_CC", raising=False)
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_toolchain() is None
    with pytest.warns(InterpretedWarning, match="no C compiler was found.*apt install gcc"):
        assert compile(pendulum()).target == "interpreter"
    with pytest.raises(CompileError, match="target 'c' needs a compiler"):
        compile(pendulum(), "c")
    with pytest.raises(CompileError, match="target 'simd' needs a compiler"):
        compile_rollout(rigid_body(), RIGID_BODY, target="simd")


def test_interpreter_on_request_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCOMOTOR_CC", "/nonexistent/cc")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compile(pendulum(), "interpreter").target == "interpreter"


def test_failing_compiler_is_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = script(tmp_path / "cc", 'case "$*" in *-dM*) exit 0;; esac\necho "fatal: the moon is full" >&2\nexit 3')
    monkeypatch.setenv("LOCOMOTOR_CC", str(fake))
    with pytest.raises(CompileError, match=r"exit status 3(?s:.)*the moon is full"):
        compile(pendulum(), "c")
    with pytest.warns(InterpretedWarning, match="the moon is full"):
        kernel = compile(pendulum())
    assert kernel.target == "interpreter"
    with pytest.warns(InterpretedWarning, match="the moon is full"):
        assert compile_rollout(rigid_body(), RIGID_BODY).target == "interpreter"


def test_compiler_that_writes_nothing_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOCOMOTOR_CC", str(script(tmp_path / "cc", "exit 0")))
    with pytest.raises(CompileError, match="it printed nothing"):
        compile(pendulum(), "c")


def test_compiler_that_writes_rubbish_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The file it leaves is sound for the cache, yet no library: the error says so, "auto" goes on without."""
    fake = script(tmp_path / "cc", 'while [ "$1" != "-o" ]; do shift || exit 0; done\necho rubbish > "$2"')
    monkeypatch.setenv("LOCOMOTOR_CC", str(fake))
    with pytest.raises(CompileError, match="could not be stored and loaded again"):
        compile(pendulum(), "c")


@needs_compiler
def test_native_flag_is_dropped_when_rejected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = find_toolchain()
    assert real is not None
    command = " ".join(real.command)
    fake = script(tmp_path / "cc", f'for a in "$@"; do case "$a" in -march=*|-mcpu=*) exit 1;; esac; done\nexec {command} "$@"')
    monkeypatch.setenv("LOCOMOTOR_CC", str(fake))
    found = find_toolchain()
    assert found is not None and found.native == ()
    kernel = compile(pendulum(), "simd")
    np.testing.assert_allclose(kernel(*ARGUMENTS)[0], [-0.2, -9.81 * np.sin(0.3) + 0.1], rtol=1e-14)


@needs_compiler
def test_compiler_that_fails_to_optimise_is_asked_for_less(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = find_toolchain()
    assert real is not None
    fake = script(
        tmp_path / "cc",
        'for a in "$@"; do if [ "$a" = -dM ]; then exec ' + " ".join(real.command) + ' "$@"; fi; done\n'
        'for a in "$@"; do if [ "$a" = -O3 ]; then echo internal error >&2; exit 4; fi; done\n'
        "exec " + " ".join(real.command) + ' "$@"',
    )
    monkeypatch.setenv("LOCOMOTOR_CC", str(fake))
    kernel = compile(pendulum(), "simd")
    np.testing.assert_allclose(kernel(*ARGUMENTS)[0], [-0.2, -9.81 * np.sin(0.3) + 0.1], rtol=1e-14)


@needs_compiler
def test_simd_falls_back_to_scalar_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A compiler without vector extensions still serves "auto"."""
    real = find_toolchain()
    assert real is not None
    command = " ".join(real.command)
    fake = script(
        tmp_path / "cc",
        f'for a in "$@"; do if [ -f "$a" ] && grep -q "define LANES [248]" "$a"; then echo no vectors >&2; exit 1; fi; '
        f'done\nexec {command} "$@"',
    )
    monkeypatch.setenv("LOCOMOTOR_CC", str(fake))
    monkeypatch.setattr(_compile, "WORTH_SIMD", 0)
    monkeypatch.setattr(rollout, "WORTH_SIMD", 0)
    kernel = compile(pendulum())
    x = np.linspace(-1, 1, 64).reshape(32, 2)
    with pytest.warns(InterpretedWarning, match="no vectors"):
        rates = kernel(ARGUMENTS[0], x, *ARGUMENTS[2:])[0]
    np.testing.assert_allclose(rates[:, 1], -9.81 * np.sin(x[:, 0]) + 0.1, rtol=1e-14)
    roller = compile_rollout(rigid_body(), RIGID_BODY)
    with pytest.warns(InterpretedWarning, match="no vectors"):
        assert roller.run(np.full((32, 7), 0.5), 1, 0.1, parameters=np.ones(3)).status.tolist() == [0] * 32


@needs_compiler
def test_command_may_carry_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    real = find_toolchain()
    assert real is not None
    monkeypatch.setenv("LOCOMOTOR_CC", " ".join((*real.command, "-DEXTRA=1")))
    found = find_toolchain()
    assert found is not None and found.command[-1] == "-DEXTRA=1"
    assert compile(pendulum(), "c").target == "c"


@needs_compiler
def test_flags_forbid_careless_arithmetic() -> None:
    real = find_toolchain()
    assert real is not None
    assert "-ffast-math" not in real.flags() and "-ffp-contract=fast" in real.flags()
    assert "-ffp-contract=off" in real.flags(reproducible=True)
    assert real.lanes in (2, 4, 8)


@needs_compiler
def test_the_environment_may_ask_for_code_that_is_ready_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    load = _compile.load_library
    monkeypatch.setattr(_compile, "load_library", lambda *given: (asked.append(given[2][0]), load(*given))[1])
    for level in ("0", "1", "2", "3", ""):
        monkeypatch.setenv("LOCOMOTOR_OPTIMISE", level)
        compile(pendulum(), "c")
    assert asked == ["-O0", "-O1", "-O2", "-O3", "-O3"]  # an empty one says nothing
    monkeypatch.setenv("LOCOMOTOR_OPTIMISE", "fast")
    with pytest.raises(CompileError, match="LOCOMOTOR_OPTIMISE='fast' is no level of optimisation; give one of 0, 1, 2, 3"):
        compile(pendulum(), "c")


@pytest.mark.parametrize(
    ("macros", "lanes"), [("#define __AVX512F__ 1", 8), ("#define __AVX2__ 1", 4), ("#define __SSE2__ 1", 2), ("", 2)]
)
def test_lanes_follow_the_machine(macros: str, lanes: int) -> None:
    assert toolchain._lanes(macros) == lanes


def test_environment_is_what_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCOMOTOR_CC", "/nonexistent/cc")
    assert find_toolchain() is None
    monkeypatch.delenv("LOCOMOTOR_CC")
    monkeypatch.setenv("CC", "/nonexistent/cc")  # $CC is a hint: the usual names are tried after it
    monkeypatch.setenv("PATH", os.environ.get("PATH", ""))
    assert (find_toolchain() is None) == (toolchain._find(None, "", os.environ["PATH"]) is None)


@needs_compiler
@pytest.mark.parametrize("value", ["false", "true", "'gcc", '"', "/dev/null", "   "])
def test_a_hint_that_does_not_work_is_passed_over(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`false` fails, `true` succeeds and makes nothing, an open quote is no command: the next compiler is taken."""
    monkeypatch.delenv("LOCOMOTOR_CC", raising=False)
    monkeypatch.setenv("CC", value)
    found = find_toolchain()
    assert found is not None and found.command[0] in ("cc", "gcc", "clang") and found.version != "unknown"


@needs_compiler
def test_a_hint_that_tells_nothing_of_itself_is_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = find_toolchain()
    assert real is not None
    fake = script(tmp_path / "cc", 'case "$*" in *-dM*) exit 1;; esac\nexec ' + " ".join(real.command) + ' "$@"')
    monkeypatch.delenv("LOCOMOTOR_CC", raising=False)
    monkeypatch.setenv("CC", str(fake))
    found = find_toolchain()
    assert found is not None and found.command == (str(fake),) and found.version == "unknown"
    assert compile(pendulum(), "c").target == "c"


def test_a_named_compiler_with_an_open_quote_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCOMOTOR_CC", "'gcc")
    assert find_toolchain() is None
