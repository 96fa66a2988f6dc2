"""The real program, in a process of its own."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import locomotor
from locomotor.cli import main

# The very package that is tested, wherever it is run from.
HOME = {"PYTHONPATH": os.pathsep.join([str(Path(locomotor.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])}

Done = subprocess.CompletedProcess[str]
Program = Callable[..., Done]


def _small_files(size: int) -> None:
    """No file may grow beyond a size: what a full disk does, without one."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """`program("run", "bicycle/E3")` runs it in an empty folder; keywords change the environment.

    `code` is what it must exit with, `largest_file` limits what it may write.
    """

    def run(*arguments: str, code: int = 0, largest_file: int | None = None, **environment: str) -> Done:
        folder = tmp_path / "work"
        folder.mkdir(exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-m", "locomotor", *arguments],
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            cwd=folder,
            env={**os.environ, **HOME, "NO_COLOR": "1", "COLUMNS": "120", **environment},
            preexec_fn=None if largest_file is None else lambda: _small_files(largest_file),
        )
        assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Program:
    """The same without a process of its own: for the many ways to be wrong."""

    def run(*arguments: str, code: int = 0, folder: Path = tmp_path) -> Done:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["locomotor", *arguments])
        monkeypatch.setattr("warnings.showwarning", None)  # put back afterwards: the program sets its own
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        assert ended.value.code == code, f"exit code {ended.value.code}\n{out}\n{err}"
        return subprocess.CompletedProcess(arguments, code, out, err)

    return run


@pytest.fixture
def home() -> dict[str, str]:
    """Environment in which a new interpreter finds the package."""
    return {**os.environ, **HOME}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder in which the program runs."""
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def one_paragraph() -> Callable[..., str]:
    """The error of a program: one line, no traceback, nothing on the standard output unless numbers came before it."""

    def read(done: Done, numbers: bool = False) -> str:
        assert bool(done.stdout) == numbers
        (line,) = done.stderr.strip().splitlines()
        assert line.startswith("locomotor: ") and "Traceback" not in line
        return line

    return read
