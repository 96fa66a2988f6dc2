"""Files and folders that appear under their name only when they are complete."""

import errno
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from locomotor.errors import RunFileError


def is_file(path: Path) -> bool:
    """Whether there is a file; a name that no file can have is none, where `Path.is_file` raises."""
    return os.path.isfile(path)


def is_there(path: Path) -> bool:
    """Whether there is anything of that name."""
    return os.path.exists(path)


def is_folder(path: Path) -> bool:
    """Whether there is a folder of that name."""
    return os.path.isdir(path)


@contextmanager
def draft(target: Path) -> Iterator[Path]:
    """A name beside the target to write to; renamed when the block ends well, removed when it does not.

    Only plain files are replaced. A link is followed: what it leads to is written. Each draft has a name of its own, so that
    of several writers to one target the last one wins, whole.
    """
    place = _plain_place(target)
    unfinished = _beside(place)
    try:
        with _told(target):
            yield unfinished
            os.replace(unfinished, place)
    finally:
        # What cannot be removed was never written (its folder is a file, say): the reason told above must not be masked.
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _plain_place(target: Path) -> Path:
    """Where a file of that name is, or will be; anything but a plain file there is refused."""
    try:
        place = Path(os.path.realpath(target))
        kind = place.lstat().st_mode
    except ValueError as error:
        raise RunFileError(f"cannot write {str(target)!r}: no file can have that name; give another one") from error
    except OSError:  # not there yet, or out of reach, which writing will tell
        return place
    if not stat.S_ISREG(kind):
        what = next((words for test, words in _KINDS.items() if test(kind)), "something that is no plain file")
        raise RunFileError(f"cannot write {str(target)!r}: there is {what} of that name; choose another name")
    return place


_KINDS = {
    stat.S_ISDIR: "a folder",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
    stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket",
    stat.S_ISLNK: "a link that leads in a circle",
}


@contextmanager
def draft_folder(target: Path, replaces: str = "") -> Iterator[Path]:
    """A folder beside the target to fill; when the block ends well its files move into place, else nothing is left.

    Files of the target that match the pattern `replaces` are those of an earlier time, and go when the new ones come.
    """
    target = target.absolute()
    unfinished = _beside(target)
    made = [parent for parent in target.parents if not parent.exists()]
    done = False
    try:
        with _told(target):
            unfinished.mkdir(parents=True)
            yield unfinished
            for old in target.glob(replaces) if replaces else ():
                old.unlink()
            _move_into(unfinished, target)
            done = True
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        for parent in [] if done else made:
            # Only what is empty: another program may have come in the meantime.
            if parent.is_dir() and not any(parent.iterdir()):
                parent.rmdir()


def reserve(unfinished: Path, size: int) -> None:
    """Fail now if there is no room for so many bytes: HDF5 does not survive a disk that fills up while it writes."""
    with unfinished.open("wb") as file:
        if sys.platform == "linux":
            os.posix_fallocate(file.fileno(), 0, size)
        elif shutil.disk_usage(unfinished.parent).free < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def write_text(target: Path, text: str) -> Path:
    """Write a text file."""
    with draft(target) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
    return target


def make_folder(target: Path) -> Path:
    """A folder that exists."""
    with _told(target):
        target.mkdir(parents=True, exist_ok=True)
    return target


def _beside(target: Path) -> Path:
    """A hidden name that nobody else uses, short enough wherever the target's is."""
    return target.with_name(f".{target.name[:40]}.{os.getpid()}-{secrets.token_hex(4)}.part")


def _move_into(source: Path, target: Path) -> None:
    """Rename a folder, or its files one by one where the target exists already."""
    if not target.exists():
        os.replace(source, target)
        return
    for file in sorted(path for path in source.rglob("*") if path.is_file()):
        place = target / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(file, place)


@contextmanager
def _told(target: Path) -> Iterator[None]:
    """Say of a failure which file it was, what the operating system said, and the remedy."""
    try:
        yield
    except RunFileError:
        raise
    except OSError as error:
        said = os.strerror(error.errno) if error.errno else str(error)
        raise RunFileError(f"cannot write {str(target)!r}: {said}; choose a folder that is writable and has room") from error
