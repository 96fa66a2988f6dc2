"""Tests of what may not be read or written, which the administrator may: they run as an ordinary user even so."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534


@contextmanager
def ordinary_user() -> Iterator[Path]:
    """A folder of a user without privileges, who this process is meanwhile; the user it is anyway, where that is no root."""
    # Not pytest's own folder: that is closed to others.
    folder = Path(tempfile.mkdtemp(prefix="locomotor-test-"))
    root = os.geteuid() == 0
    try:
        if root:
            os.chown(folder, NOBODY, NOBODY)
            try:
                os.seteuid(NOBODY)
            except PermissionError:
                pytest.skip("this administrator may not become an ordinary user")
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)
    finally:
        for inner in folder.rglob("*"):
            inner.chmod(0o700)
        folder.chmod(0o700)
        shutil.rmtree(folder)
