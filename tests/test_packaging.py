"""What is published: one wheel for every system, complete, that works without a compiler and without the sources."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_metadata_are_complete() -> None:
    assert PROJECT["license"] == "BSD-3-Clause" and PROJECT["license-files"] == ["LICENSE"]
    assert len(PROJECT["keywords"]) > 5 and len(PROJECT["description"]) < 200 and PROJECT["readme"] == "README.md"
    classifiers = PROJECT["classifiers"]
    assert {"Operating System :: OS Independent", "Typing :: Typed"} <= set(classifiers)
    # Every version that is named is new enough, and the oldest one allowed is named.
    named = [tuple(map(int, m[1].split("."))) for c in classifiers if (m := re.fullmatch(r".*Python :: (3\.\d+)", c))]
    assert min(named) == (3, 11) and PROJECT["requires-python"] == ">=3.11"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with wheel and source archive, made by `python -m build`."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_archives_are_accepted_and_the_wheel_serves_every_system(built: Path) -> None:
    files = sorted(built.iterdir())
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout
    (wheel,) = built.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("locomotor/")}
        metadata = archive.read(next(n for n in archive.namelist() if n.endswith("/METADATA"))).decode()
    source = ROOT / "src" / "locomotor"
    wanted = {f"locomotor/{p.relative_to(source).as_posix()}" for p in source.rglob("*") if p.is_file()}
    assert names == {name for name in wanted if "__pycache__" not in name}
    assert "License-Expression: BSD-3-Clause" in metadata and "Provides-Extra: view" in metadata


ALONE = """
import sys, warnings
import locomotor as lm
assert "site" in lm.__file__, lm.__file__
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    run = lm.simulate(lm.catalogue.bicycle(), 0.05, start={"speed": 4.6, "roll_rate": 0.5}, step=0.01)
said = [str(w.message) for w in told if "no C compiler" in str(w.message)]
print(run.status.ok, len(said), f"{run['roll'][-1]:.9f}")
"""


@pytest.mark.slow
def test_the_wheel_works_without_a_compiler_and_without_the_sources(built: Path, tmp_path: Path) -> None:
    """Interpreted, and says so once; the numbers are those of the compiled code."""
    import locomotor as lm

    (wheel,) = built.glob("*.whl")
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    subprocess.run(pip, check=True, timeout=100, capture_output=True)
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {k: v for k, v in os.environ.items() if k not in ("CC", "LOCOMOTOR_CC")}
    environment |= {"PYTHONPATH": str(site), "PATH": str(empty), "LOCOMOTOR_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", ALONE], capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=200
    )
    assert done.returncode == 0, done.stderr
    ok, said, roll = done.stdout.split()
    start = {"speed": 4.6, "roll_rate": 0.5}
    expected = lm.simulate(lm.catalogue.bicycle(), 0.05, start=start, step=0.01)["roll"][-1]
    assert ok == "True" and said == "1" and float(roll) == pytest.approx(expected, abs=1e-9)


ELSEWHERE = """
import os, sys, types
# What is not ours may ask for the system that it is on.
import asyncio, concurrent.futures.process, multiprocessing, subprocess, tempfile, webbrowser, http.server
import casadi, gymnasium, h5netcdf, numpy, platformdirs, rich.progress, scipy.optimize, xarray
for name in ("fcntl", "resource", "termios", "pwd", "grp", "pty"):
    sys.modules[name] = None
for name in ("geteuid", "getuid", "posix_fallocate", "sched_getaffinity", "fork", "O_NOFOLLOW", "O_NONBLOCK"):
    delattr(os, name)
sys.modules["msvcrt"] = types.SimpleNamespace(locking=lambda *_: print("locked"), LK_NBLCK=2)
sys.platform = "win32"
import locomotor as lm
from locomotor import codegen, sweeps
for name in lm.__all__:
    getattr(lm, name)
run = lm.simulate(lm.catalogue.bouncing_ball(), 0.1, start={"z": 0.3}, step=0.01)
run.save("run.nc")
lm.load("run.nc")
lm.sweep(None, {"a": [1.0, 2.0]}, lambda point: point["a"], executor="threads", out="sweep.nc")
print(run.status.ok, codegen.cache_folder().is_dir(), codegen.find_toolchain())
"""


@pytest.mark.slow
def test_nothing_of_posix_is_needed(tmp_path: Path) -> None:
    """With what Windows lacks taken away, and no compiler: an imitation, for there is no such machine here."""
    import locomotor as lm

    environment = {k: v for k, v in os.environ.items() if k not in ("CC",)}
    environment |= {"PATH": "", "LOCOMOTOR_CC": "", "LOCOMOTOR_CACHE": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = str(Path(lm.__file__).parents[1])
    command = [sys.executable, "-W", "ignore", "-c", ELSEWHERE]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["locked", "True", "True", "None"]


def starts(python: str) -> bool:
    """Whether an interpreter runs: a shim of that name may exist and refuse to start."""
    asked = subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True, check=False)
    return asked.returncode == 0


def other_interpreters() -> dict[str, str]:
    """Pythons of other versions that are allowed, by version: those on the path and those of pyenv."""
    found = {}
    for minor in range(11, 20):
        if minor == sys.version_info[1]:
            continue
        others = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/3.{minor}.*/bin/python")
        for place in (shutil.which(f"python3.{minor}"), *map(str, sorted(others))):
            if place and starts(place):
                found[f"3.{minor}"] = place
    return found


SMOKE = """
import sys
import locomotor as lm
bike = lm.catalogue.bicycle()
run = lm.simulate(bike, 0.5, start={"speed": 4.6, "roll_rate": 0.5})
run.save("run.nc")
assert (lm.load("run.nc")["roll"] == run["roll"]).all() and run.audit().digits is None
bands = lm.eigenvalue_curves(bike, {"speed": [4.0, 5.0, 6.5]}).stable_bands
run.plot("roll", path="roll.png")
print(run.status.ok, *(f"{v:.6f}" for v in bands[0]))
"""


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_other_versions_of_python(version: str, built: Path, tmp_path: Path) -> None:
    """Installed with its dependencies from the index at hand: skipped where interpreter or packages cannot be had."""
    python = other_interpreters().get(version)
    if version == f"3.{sys.version_info[1]}":
        pytest.skip("the version that runs the tests")
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    home = tmp_path / "home"
    subprocess.run([python, "-m", "venv", str(home)], check=True, timeout=100, capture_output=True)
    (wheel,) = built.glob("*.whl")
    done = subprocess.run([home / "bin" / "pip", "install", "-q", str(wheel)], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        pytest.skip(f"the dependencies cannot be had for {version}: {done.stderr.strip().splitlines()[-1]}")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"LOCOMOTOR_CACHE": str(tmp_path / "cache")}
    done = subprocess.run([home / "bin" / "python", "-c", SMOKE], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    ok, low, high = done.stdout.split()
    # Meijaard et al. (2007): 4.292 and 6.024 m/s.
    assert ok == "True" and float(low) == pytest.approx(4.292, abs=5e-4) and float(high) == pytest.approx(6.024, abs=5e-4)
    listed = subprocess.run([home / "bin" / "locomotor", "list", "bicycle"], capture_output=True, text=True, env=environment)
    assert listed.returncode == 0 and "bicycle/E3" in listed.stdout
