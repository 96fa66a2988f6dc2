"""Shared libraries built from C text, kept in a content-addressed cache.

An entry is found by the SHA-256 of everything its content depends on: source, flags, compiler and machine. Three files:
`<key>.sum` names the checksum of the library, `<key>-<checksum>.so` is the library, `<key>.c` its source, for readers.
All are written under a temporary name and moved into place, the `.sum` last; two processes may write the same entry at
once. A library is loaded only if it and its folder are this user's own (`cache_place.py`) and its bytes match the checksum:
truncated, altered or foreign files are rebuilt.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
import weakref
from pathlib import Path

from locomotor.codegen.busy import told
from locomotor.codegen.cache_place import cache_folder, private_folder, read_own
from locomotor.codegen.toolchain import Toolchain
from locomotor.errors import CompileError


def load_library(source: str, toolchain: Toolchain, flags: tuple[str, ...]) -> ctypes.CDLL:
    """The library built from `source`, from the cache when it holds a sound copy."""
    key = hashlib.sha256("\0".join((toolchain.digest, *flags, source)).encode()).hexdigest()
    reason = ""
    for place in (cache_folder, private_folder):
        folder = place()
        try:
            library = _load_checked(folder, key)
        except OSError:  # sound, yet not for this machine
            library = None
        try:
            if library is None:
                _build(folder, key, source, toolchain, flags)
                library = _load_checked(folder, key)
        except OSError as error:  # disk full, folder gone, mounted without permission to execute: once more elsewhere
            reason = str(error)
        if library is not None:
            return library
    raise CompileError(
        f"a library built in {cache_folder()} could not be stored and loaded again: {reason}; name a folder on a disk "
        "with free space, mounted with permission to execute, in the environment variable LOCOMOTOR_CACHE"
    )


def _load_checked(folder: Path, key: str) -> ctypes.CDLL | None:
    """Load an entry if it is there and its bytes are those that were built; None otherwise."""
    try:
        checksum = read_own(folder / f"{key}.sum").decode("ascii").strip()
        path = folder / f"{key}-{checksum[:16]}.so"
        if hashlib.sha256(read_own(path)).hexdigest() != checksum:
            return None
    except (OSError, UnicodeDecodeError):
        return None
    return _opened(path)


def _opened(path: Path) -> ctypes.CDLL:
    """A library that is let go when nobody has it or one of its functions any more.

    Each takes some maps of memory, of which a process has 65,530: thousands of systems would use them up. Functions keep their
    library; who keeps an address alone must keep what it is of.
    """
    library = ctypes.CDLL(str(path))
    closing = weakref.finalize(library, _close, library._handle)
    closing.atexit = False  # threads may still run when a process ends
    return library


def _close(handle: int) -> None:
    """Let go of a library by its handle; where the system has no such function it stays."""
    close = getattr(ctypes.CDLL(None), "dlclose", None) if os.name == "posix" else None
    if close is not None:
        close.argtypes, close.restype = [ctypes.c_void_p], ctypes.c_int
        close(handle)


def _build(folder: Path, key: str, source: str, toolchain: Toolchain, flags: tuple[str, ...]) -> None:
    """Compile into the cache."""
    with tempfile.TemporaryDirectory(dir=folder, prefix="build-") as scratch:
        text, library = Path(scratch, "kernel.c"), Path(scratch, "kernel.so")
        text.write_text(source, encoding="utf-8")
        with told(source):
            toolchain.build(text, library, flags)
        checksum = hashlib.sha256(library.read_bytes()).hexdigest()
        summary = Path(scratch, "kernel.sum")
        summary.write_text(checksum + "\n", encoding="ascii")
        for file in (text, library, summary):
            file.chmod(0o700)  # whatever the user's mask: others may not change what is run
        os.replace(text, folder / f"{key}.c")
        os.replace(library, folder / f"{key}-{checksum[:16]}.so")
        os.replace(summary, folder / f"{key}.sum")
