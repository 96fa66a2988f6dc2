"""Finished chunks on disk, and the one file made of them.

A chunk is written under another name, flushed to the disk and renamed: it is there whole, or not at all, whenever the
process is killed. Chunks stand in a folder beside the result, `sweep.nc.parts`, with the settings that they belong to.
"""

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from locomotor.errors import RunFileError, SweepError
from locomotor.files import draft, make_folder
from locomotor.seal import broken_seal, seal
from locomotor.sweeps.job import Job
from locomotor.sweeps.outcome import Measured

SETTINGS = "settings.json"


class Store:
    """Chunks of one sweep in a folder."""

    def __init__(self, job: Job, folder: Path) -> None:
        self.job = job
        self.folder = folder

    @contextmanager
    def opened(self) -> Iterator["Store"]:
        """The folder, for this process alone; made, or found with equal settings."""
        make_folder(self.folder)
        with _locked(self.folder):
            self._claim()
            yield self

    def _claim(self) -> None:
        file = self.folder / SETTINGS
        for rest in self.folder.glob(".*.part"):
            rest.unlink()  # what a killed process was writing
        if not file.exists():
            durable(file, json.dumps(self.job.settings, indent=1).encode())
            return
        try:
            before = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise SweepError(f"cannot read {str(file)!r}: {error}; remove the folder to begin again") from error
        changed = differences(before, self.job.settings)
        if changed:
            raise SweepError(
                f"{str(self.folder)!r} holds an unfinished sweep with other settings ({'; '.join(changed)}); give the same "
                "settings to go on, or remove the folder or choose another out to begin again"
            )

    # -- chunks -----------------------------------------------------------------------------------------

    def done(self) -> set[int]:
        """Numbers of the chunks that are complete on disk."""
        found = set()
        for path in self.folder.glob("*.npz"):
            if path.stem.isdigit() and self._whole(path):
                found.add(int(path.stem))
        return found

    def _whole(self, path: Path) -> bool:
        """Whether a file holds what was written; one that a failing disk has spoilt is made again."""
        try:
            return not broken_seal(path)
        except OSError:
            return False

    def write(self, index: int, found: Measured) -> None:
        """Write a chunk; it appears only when it is complete."""
        with _durably(self._path(index)) as unfinished:
            with unfinished.open("wb") as file:
                np.savez(file, **found.arrays())
            seal(unfinished)

    def read(self, index: int) -> Measured:
        """Read a chunk that was written before."""
        with np.load(self._path(index), allow_pickle=False) as arrays:
            return Measured.from_arrays({name: arrays[name] for name in arrays.files})

    def _path(self, index: int) -> Path:
        return self.folder / f"{index:08d}.npz"

    def remove(self) -> None:
        """Nothing of it is needed any more."""
        shutil.rmtree(self.folder, ignore_errors=True)


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between two settings, in words."""
    found = []
    for name in dict.fromkeys([*now, *before]):
        a, b = before.get(name), now.get(name)
        if a == b:
            continue
        if isinstance(a, Mapping) and isinstance(b, Mapping) and name != "system":
            keys = [key for key in dict.fromkeys([*a, *b]) if a.get(key) != b.get(key)]
            found.append(f"{name}: {', '.join(map(str, keys))}")
        elif name == "system":
            found.append("another system")
        else:
            found.append(f"{name} was {a!r}, is {b!r}")
    return found


# -- files --------------------------------------------------------------------------------------------


@contextmanager
def _durably(target: Path) -> Iterator[Path]:
    """`draft`, with what was written on the disk before it gets its name, and the name on the disk before it returns."""
    with draft(target) as unfinished:
        yield unfinished
        _flush(unfinished)
    _flush(target.parent)


def durable(target: Path, content: bytes) -> None:
    """A file that is there whole or not at all."""
    with _durably(target) as unfinished:
        unfinished.write_bytes(content)


def write_dataset(dataset: Any, target: Path) -> None:
    """A netCDF file with a checksum that is there whole or not at all."""
    with _durably(target) as unfinished:
        dataset.to_netcdf(unfinished, engine="h5netcdf")
        seal(unfinished)


def _flush(path: Path) -> None:
    if sys.platform == "win32":  # a folder cannot be opened there, and a file only for writing
        if path.is_dir():
            return
        handle = os.open(path, os.O_RDWR)
    else:
        handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def lock_file(file: IO[bytes]) -> None:
        """Lock a file for this process, or raise an OSError."""
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def lock_file(file: IO[bytes]) -> None:
        """Lock a file for this process, or raise an OSError."""
        # A record lock belongs to this process; one by flock would live on in workers forked from it.
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """No other process works in the folder; the system forgets the lock of a process that dies."""
    try:
        file = (folder / ".lock").open("wb")
    except OSError as error:
        said = os.strerror(error.errno or 0)
        raise RunFileError(f"cannot write in {str(folder)!r}: {said}; choose a folder that is writable") from error
    with file:
        try:
            lock_file(file)
        except OSError as error:
            raise SweepError(
                f"{str(folder)!r} is in use by another sweep; wait for it to finish, or choose another out"
            ) from error
        yield
