"""Where compiled code is kept, and whom it is taken from: loading a library runs it, so that it must be this user's own.

The folder is `$LOCOMOTOR_CACHE`, else the user's folder for caches (`$XDG_CACHE_HOME/locomotor` or `~/.cache/locomotor` on
Linux). It is used only if it belongs to this user, nobody else may write in it, and it can be written; else a private
temporary folder that lives as long as the process takes its place, which is said once.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

import platformdirs

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class CacheWarning(UserWarning):
    """Compiled code is kept for this process only."""


def cache_folder() -> Path:
    """Folder of the cache, created when it is missing and can be."""
    try:
        folder = _wanted()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        reason = _distrust(folder)
        if not reason:
            with tempfile.TemporaryFile(dir=folder):
                return folder
    except RuntimeError as error:  # the home of a user that does not exist
        reason = f"LOCOMOTOR_CACHE={os.environ.get('LOCOMOTOR_CACHE')!r} names no folder ({error})"
    except OSError as error:
        reason = f"{str(folder)!r} cannot be used ({os.strerror(error.errno or 0)})"
    _tell(reason)
    return private_folder()


def read_own(path: Path) -> bytes:
    """What a file holds, if it is a plain file of this user that nobody else may change; an OSError otherwise."""
    if sys.platform == "win32":  # who may change a file is told by access lists there, those of the user's own profile
        return path.read_bytes()
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & OTHERS_WRITE:
            raise PermissionError(f"{path} is not a file of this user alone")
        return file.read()


@cache
def private_folder() -> Path:
    """Temporary folder only this user can read, removed when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="locomotor-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _wanted() -> Path:
    named = os.environ.get("LOCOMOTOR_CACHE")
    if named:
        return Path(named).expanduser().absolute()
    folder = platformdirs.user_cache_path("locomotor")
    return folder if folder.is_absolute() else private_folder()  # a user without a home


def _distrust(folder: Path) -> str:
    """Why libraries in a folder may be somebody else's; "" if they cannot."""
    if sys.platform == "win32":
        return ""
    about = folder.stat()
    if about.st_uid != os.geteuid():
        return f"{str(folder)!r} belongs to another user"
    if about.st_mode & OTHERS_WRITE:
        return f"others may write in {str(folder)!r}"
    for above in folder.resolve().parents:
        mode = above.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:  # whoever may write there can put another folder in its place
            return f"everybody may write in {str(above)!r}, above the folder of the cache"
    return ""


_told: set[str] = set()


def _tell(reason: str) -> None:
    if reason not in _told:
        _told.add(reason)
        warnings.warn(
            f"{reason}: compiled code is kept for this process only and made again by the next. Make the folder your own "
            "(chmod go-w), or name another one in the environment variable LOCOMOTOR_CACHE.",
            CacheWarning,
            stacklevel=5,
        )
