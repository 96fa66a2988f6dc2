"""Finds a C compiler, learns what it can do here, and runs it.

The compiler is the first of these that works: `$LOCOMOTOR_CC` (and then no other is tried: an empty value or a missing
program means "no compiler"), `$CC`, `cc`, `gcc`, `clang`. A value may carry arguments, as in `ccache gcc`.
`$LOCOMOTOR_OPTIMISE` is the level of optimisation, 0 to 3: at 1 code is ready in a third of the time and half as fast,
which suits the work on a model, and tests.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from locomotor.dataclass import dataclass
from locomotor.errors import CompileError

BASE_FLAGS = ("-std=gnu11", "-shared", "-fPIC", "-fno-math-errno", "-fno-trapping-math", "-Wno-psabi")
"""No -ffast-math: results must not depend on what a compiler makes of NaN, infinities and associativity."""

REPRODUCIBLE_FLAGS = ("-ffp-contract=off", "-fno-tree-vectorize", "-fno-tree-slp-vectorize")
"""GCC 12's vectoriser fuses alternating a b + c, a b - c (vfmaddsub) even where contraction is off."""

LEVELS = ("0", "1", "2", "3")
"""Of optimisation, as compilers name them."""

NATIVE_FLAGS = (("-march=native",), ("-mcpu=native",), ())
"""Tried in this order: not every compiler knows its own machine."""


def wanted_level() -> int:
    """The level of optimisation that the environment asks for: 3 where it says nothing, or is empty."""
    wanted = os.environ.get("LOCOMOTOR_OPTIMISE") or "3"
    if wanted not in LEVELS:
        raise CompileError(f"LOCOMOTOR_OPTIMISE={wanted!r} is no level of optimisation; give one of {', '.join(LEVELS)}")
    return int(wanted)


@dataclass(frozen=True)
class Toolchain:
    """A compiler that works: its command, the flags for this machine, and a digest of all it predefines.

    The digest (version of the compiler, instruction sets of the machine) is part of the key of every cached build.
    """

    command: tuple[str, ...]
    native: tuple[str, ...]
    version: str
    lanes: int
    digest: str

    def flags(self, reproducible: bool = False, level: int = 3) -> tuple[str, ...]:
        """Flags of a build; `reproducible` forbids the contraction of a b + c into one rounding."""
        contraction = REPRODUCIBLE_FLAGS if reproducible else ("-ffp-contract=fast",)
        return (f"-O{level}", *self.native, *BASE_FLAGS, *contraction)

    def build(self, source: Path, target: Path, flags: tuple[str, ...]) -> None:
        """Compile one C file to a shared library; a failure carries the compiler's own words."""
        command = [*self.command, *flags, "-o", str(target), str(source), "-lm"]
        try:
            result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        except OSError as error:
            raise CompileError(f"{shlex.join(self.command)} could not be run: {error}") from error
        if result.returncode != 0 or not target.exists():
            words = (result.stderr or result.stdout).strip() or "(it printed nothing)"
            raise CompileError(
                f"{shlex.join(command)}\nfailed with exit status {result.returncode}; the compiler says:\n"
                + "\n".join(words.splitlines()[:40])
            )


def find_toolchain() -> Toolchain | None:
    """The compiler to use, or None; looked for once per setting of the environment."""
    wanted = os.environ.get("LOCOMOTOR_CC")
    return _find(wanted, os.environ.get("CC", ""), os.environ.get("PATH", ""))


def missing_compiler_notice() -> str:
    """What to tell a user whose machine has no compiler."""
    wanted = os.environ.get("LOCOMOTOR_CC")
    why = "no C compiler was found" if wanted is None else f"LOCOMOTOR_CC={wanted!r} is not a working C compiler"
    return (
        f"{why}: functions are interpreted with numpy, ten to a hundred times slower. Install one (Debian, Ubuntu: "
        "`apt install gcc`; Fedora: `dnf install gcc`; macOS: `xcode-select --install`; conda: `conda install gcc`) "
        "or name yours in the environment variable LOCOMOTOR_CC."
    )


@cache
def _find(wanted: str | None, cc: str, path: str) -> Toolchain | None:
    candidates = [wanted] if wanted is not None else [cc, "cc", "gcc", "clang"]
    for candidate in candidates:
        try:
            command = tuple(shlex.split(candidate))
        except ValueError:  # a quote that is not closed
            continue
        if command and shutil.which(command[0], path=path) is not None:
            found = _probe(command)
            # One that tells nothing of itself may still compile (a wrapper that knows no -E). If it is the only one allowed
            # its first build decides, and its words are shown; else it has to show that it works.
            if found is None and (wanted is not None or _builds(command)):
                found = Toolchain(command, (), "unknown", 2, hashlib.sha256("\n".join(command).encode()).hexdigest())
            if found is not None:
                return found
    return None


def _probe(command: tuple[str, ...]) -> Toolchain | None:
    """Ask a compiler for its predefined macros, which tell its version and the instruction sets it will use."""
    for native in NATIVE_FLAGS:
        macros = _output([*command, *native, "-O3", "-dM", "-E", "-x", "c", os.devnull])
        if macros is not None and "#define __STDC__" in macros:
            version = next((m.split('"')[1] for m in macros.splitlines() if " __VERSION__ " in m), "unknown")
            digest = hashlib.sha256("\n".join((*command, *sorted(macros.splitlines()))).encode()).hexdigest()
            return Toolchain(command, native, version, _lanes(macros), digest)
    return None


def _builds(command: tuple[str, ...]) -> bool:
    """Whether a compiler makes a library of the shortest source."""
    with tempfile.TemporaryDirectory(prefix="locomotor-") as folder:
        source, target = Path(folder, "a.c"), Path(folder, "a.so")
        source.write_text("int answer(void) { return 42; }\n", encoding="ascii")
        return _output([*command, *BASE_FLAGS, "-o", str(target), str(source)]) is not None and target.exists()


def _output(command: list[str]) -> str | None:
    """What a command prints; None if it fails."""
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, timeout=60, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout if result.returncode == 0 else None


def _lanes(macros: str) -> int:
    """Float64 lanes of the widest vector registers."""
    if "__AVX512F__" in macros:
        return 8
    return 4 if "__AVX2__" in macros or "__AVX__" in macros else 2
