"""A checksum at the end of a file: whoever reads the file knows first whether it is what was written.

The seal is a line of text after the content. Readers of HDF5 and of zip archives do not see it, so that a sealed file stays
open to every program; one that another program has changed carries a seal no longer, or a wrong one.
"""

import hashlib
import os
import re
import stat
from pathlib import Path

from locomotor.errors import RunFileError

MARK = b"\nlocomotor sha256 "
SIZE = len(MARK) + 64 + 1
"""Bytes of a seal: the mark, 64 hexadecimal digits, the end of the line."""
PIECE = 1 << 20


def seal(file: Path) -> None:
    """Put the checksum of all that the file holds at its end."""
    digest = _digest(file, file.stat().st_size)
    with file.open("ab") as end:
        end.write(MARK + digest + b"\n")


def broken_seal(file: Path) -> str:
    """What is wrong with the content of a file, in words that follow its name; "" if nothing is."""
    size = file.stat().st_size - SIZE
    with file.open("rb") as content:
        content.seek(max(size, 0))
        found = re.fullmatch(re.escape(MARK) + rb"([0-9a-f]{64})\n", content.read(SIZE))
    if found is None:
        return "has no checksum at its end: it is cut off, was changed by another program, or was not written by locomotor"
    return "" if found[1] == _digest(file, size) else "is damaged: its checksum does not fit what it holds"


def require_file(path: Path, what: str) -> None:
    """Refuse a name under which there is no plain file to read `what` from."""
    try:
        kind = path.stat().st_mode
    except ValueError as error:  # a name that no file can have
        raise RunFileError(f"cannot read {str(path)!r} as {what}: {error}; give the name of a file") from error
    except OSError as error:
        said = "there is no such file" if isinstance(error, FileNotFoundError) else os.strerror(error.errno or 0)
        raise RunFileError(f"cannot read {str(path)!r} as {what}: {said}; give the name of a file") from error
    if not stat.S_ISREG(kind):
        said = "it is a folder" if stat.S_ISDIR(kind) else "it is a device, a pipe or a socket"
        raise RunFileError(f"cannot read {str(path)!r} as {what}: {said}; give the name of a file")


def _digest(file: Path, size: int) -> bytes:
    """Checksum of the first bytes of a file, as text."""
    found = hashlib.sha256()
    with file.open("rb") as content:
        while size > 0 and (piece := content.read(min(size, PIECE))):
            found.update(piece)
            size -= len(piece)
    return found.hexdigest().encode("ascii")
