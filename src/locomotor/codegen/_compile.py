"""The verb `compile`: traced function -> kernel."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Sequence

from locomotor.codegen.cache import load_library
from locomotor.codegen.data import attach
from locomotor.codegen.emit_c import SCALAR, Dialect, emit_kernel, simd
from locomotor.codegen.interpret import Interpreter
from locomotor.codegen.kernel import Compiled, Evaluator, Kernel
from locomotor.codegen.toolchain import Toolchain, find_toolchain, missing_compiler_notice, wanted_level
from locomotor.errors import ArgumentError, CompileError
from locomotor.tracing.core import Traced
from locomotor.typing import Floats

TARGETS = ("auto", "c", "simd", "interpreter")

LONG = 200_000
"""Operations past which the compiler optimises less (-O1: two thirds of the compile time, a quarter slower code)."""


WORTH_SIMD = 1e7
"""Operations (some milliseconds of scalar code) above which "auto" runs a batch through SIMD code, which may have to be
compiled first. It depends on one call only, never on earlier ones, so that equal calls give equal bits."""


class InterpretedWarning(UserWarning):
    """Functions are interpreted because they could not be compiled."""


def compile(traced: Traced, target: str = "auto", lanes: int | None = None, reproducible: bool = False) -> Kernel:
    """Machine code for a traced function.

    `target`: "c" (one instance at a time), "simd" (`lanes` instances side by side: 2, 4, 8 or 16, by default the width
    of the machine), "interpreter" (numpy, needs no compiler), or "auto": C for single calls and small batches, SIMD
    (built at the first such call) for large ones, and the interpreter, with one notice, where no compiler works.

    `reproducible` forbids fused multiply-adds, so that C and SIMD of any width give the same bits.

    Raises `CompileError` with the compiler's words when a target asked for by name cannot be had. The environment
    variable LOCOMOTOR_CC names the compiler and LOCOMOTOR_OPTIMISE how hard it works (see `locomotor.codegen.toolchain`),
    LOCOMOTOR_CACHE the folder where compiled code is kept (see `locomotor.codegen.cache`).
    """
    toolchain = choose(target, lanes, traced.name)
    if toolchain is not None:
        try:
            return _compiled(traced, target, toolchain, lanes, reproducible)
        except CompileError as error:
            if target != "auto":
                raise
            warn_failed(traced.name, error)
    interpreter = Interpreter(traced)
    return Kernel(traced, "interpreter", "", interpreter, interpreter)


def choose(target: str, lanes: int | None, name: str) -> Toolchain | None:
    """Toolchain for a target, None to interpret; warns once a process when "auto" finds no compiler."""
    if target not in TARGETS:
        raise ArgumentError(f"target must be one of {', '.join(TARGETS)}, not {target!r}")
    if lanes is not None:
        simd(lanes)  # refuses a width that does not exist, whatever the target
    if target == "interpreter":
        return None
    toolchain = find_toolchain()
    if toolchain is None:
        if target != "auto":
            raise CompileError(f"{name}: target {target!r} needs a compiler, but {missing_compiler_notice()}")
        _warn_once(missing_compiler_notice())
    return toolchain


def warn_failed(name: str, error: CompileError) -> None:
    """Tell that a compile failed and what happens instead."""
    warnings.warn(f"{name} is interpreted with numpy instead of compiled: {error}", InterpretedWarning, stacklevel=3)


def build(text: str, toolchain: Toolchain, operations: int, reproducible: bool) -> ctypes.CDLL:
    """Library of a generated file; a compiler that fails (gcc 12 does, on SSE2) gets a second chance at -O1."""
    level = wanted_level()
    if operations <= LONG and level > 1:
        try:
            return load_library(text, toolchain, toolchain.flags(reproducible, level))
        except CompileError as error:
            try:
                return load_library(text, toolchain, toolchain.flags(reproducible, 1))
            except CompileError:
                raise error from None
    return load_library(text, toolchain, toolchain.flags(reproducible, min(level, 1)))


def _compiled(traced: Traced, target: str, toolchain: Toolchain, lanes: int | None, reproducible: bool) -> Kernel:
    def make(dialect: Dialect) -> tuple[str, Compiled]:
        text = emit_kernel(traced, dialect)
        library = build(text, toolchain, traced.operations, reproducible)
        attach(library, [traced])
        return text, Compiled(library, traced)

    wide = simd(lanes or toolchain.lanes)
    if target == "simd":
        source, evaluator = make(wide)
        return Kernel(traced, "simd", source, evaluator, evaluator)
    source, evaluator = make(SCALAR)
    if target == "c":
        return Kernel(traced, "c", source, evaluator, evaluator)
    least = max(wide.lanes, int(WORTH_SIMD / max(traced.operations, 1)))
    return Kernel(traced, "c", source, evaluator, _Wide(evaluator, lambda: make(wide)[1], least))


class _Wide:
    """Evaluator of batches for "auto": scalar code for few instances, SIMD code, built when first needed, for many."""

    def __init__(self, scalar: Evaluator, make: Callable[[], Evaluator], least: int) -> None:
        self._scalar = scalar
        self._make = make
        self._least = least
        self._simd: Evaluator | None = None

    def __call__(self, inputs: Sequence[Floats], batch: int) -> tuple[Floats, ...]:
        if batch < self._least:
            return self._scalar(inputs, batch)
        if self._simd is None:
            try:
                self._simd = self._make()
            except CompileError as error:  # a compiler without vector extensions: scalar code does the work
                warnings.warn(f"SIMD code could not be built, scalar code is used: {error}", InterpretedWarning, 3)
                self._simd = self._scalar
        return self._simd(inputs, batch)


_told: set[str] = set()


def _warn_once(notice: str) -> None:
    if not _told:
        _told.add(notice)
        warnings.warn(notice, InterpretedWarning, stacklevel=4)
