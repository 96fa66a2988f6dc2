"""Pinocchio as a peer: the same tree, called from Python and from a C++ loop against the library that PyPI ships."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from measure import ROUND_SECONDS, Sampler, sampler
from numpy.typing import NDArray

from locomotor.model import Free, Gravity, Revolute, System, evaluate

Floats = NDArray[np.float64]

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build" / "benchmarks"
DEFINITIONS = (
    "BOOST_MPL_LIMIT_LIST_SIZE=30",
    "BOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "BOOST_FUSION_INVOKE_MAX_ARITY=12",
    "PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION",
    "NDEBUG",
)
"""Those that Pinocchio's own build files hand to a program linked with it."""


class UnavailableError(Exception):
    """A peer that cannot be measured here, and why."""


def rows(system: System) -> Iterator[tuple[str, int, list[Floats]]]:
    """For every joint: kind, parent and numbers (axis, rotation, translation, mass, centre of mass, inertia)."""
    values = system.parameters.values
    for joint, parent in zip(system.joints, system.parents, strict=True):
        if not isinstance(joint, Free | Revolute):
            raise TypeError(f"joint {joint.name!r}: only Free and Revolute are translated, not {type(joint).__name__}")
        axis = evaluate(joint.axis, values) if isinstance(joint, Revolute) else np.zeros(3)
        place = joint.placement(values)
        numbers = (axis, place.rotation, place.translation, *system.body(joint.child).mass_properties(values))
        kind = "free" if isinstance(joint, Free) else "revolute"
        yield kind, parent + 1, [np.asarray(x, dtype=float) for x in numbers]


def gravity(system: System) -> Floats:
    """Sum of the gravity fields."""
    fields = [evaluate(f.acceleration, system.parameters.values) for f in system.forces if isinstance(f, Gravity)]
    return np.sum([np.asarray(field, dtype=float) for field in fields], axis=0)


def coordinates(q: Floats) -> Floats:
    """Our coordinates in Pinocchio's order: the quaternion of the free base has its scalar last."""
    return np.concatenate([q[:, :3], q[:, 4:7], q[:, 3:4], q[:, 7:]], axis=1)


# --- from Python -----------------------------------------------------------------------------------------------------


def python_sampler(system: System, q: Floats, v: Floats) -> Sampler:
    """One `pinocchio.aba` from Python, with its arguments made beforehand."""
    try:
        import pinocchio as pin
    except ImportError as error:
        raise UnavailableError("pinocchio is not installed") from error
    model = pin.Model()
    model.gravity.linear = gravity(system)
    for index, (kind, parent, (axis, rotation, translation, mass, com, inertia)) in enumerate(rows(system)):
        joint: Any = pin.JointModelFreeFlyer() if kind == "free" else pin.JointModelRevoluteUnaligned(axis)
        for unit, aligned in zip(np.eye(3), (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ), strict=True):
            if kind != "free" and np.array_equal(axis, unit):
                joint = aligned()
        placement = pin.SE3(rotation, translation)
        added = model.addJoint(parent, joint, placement, f"joint_{index}")
        model.appendBodyToJoint(added, pin.Inertia(float(mass), com, inertia), pin.SE3.Identity())
    data, at, tau = model.createData(), coordinates(q)[0], np.zeros(model.nv)
    return sampler(lambda: pin.aba(model, data, at, v[0], tau))


# --- from C++ --------------------------------------------------------------------------------------------------------


class Loop:
    """The running C++ program with one tree and its states."""

    def __init__(self, process: subprocess.Popen[str], states: int, nv: int) -> None:
        self._process = process
        self._states = states
        self.accelerations = np.array([self._answer() for _ in range(states)]).reshape(states, nv)

    def _answer(self) -> list[float]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise UnavailableError(f"the C++ loop ended with exit status {self._process.wait()}")
        return [float(word) for word in line.split()]

    def sampler(self, frames: str) -> Sampler:
        """Seconds of one call, computing in "local" or "world" frames."""
        passes = max(1, round(ROUND_SECONDS / (self._ask(frames, 1) * self._states)))
        return lambda: self._ask(frames, passes)

    def _ask(self, frames: str, passes: int) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{frames} {passes}\n")
        self._process.stdin.flush()
        return self._answer()[0]


@contextmanager
def cpp_loop(system: System, q: Floats, v: Floats) -> Iterator[Loop]:
    """Start the C++ program on a system at given states."""
    lines = [str(len(system.joints)), _text(gravity(system))]
    lines += [f"{kind} {parent} " + " ".join(_text(x) for x in numbers) for kind, parent, numbers in rows(system)]
    lines += [str(len(q)), *(f"{_text(a)} {_text(b)}" for a, b in zip(coordinates(q), v, strict=True))]
    process = subprocess.Popen([str(program())], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    try:
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        yield Loop(process, len(q), v.shape[1])
    finally:
        process.stdin.close()
        process.wait()


def _text(numbers: Floats) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(numbers))


@cache
def program() -> Path:
    """The C++ program, built once and kept in build/ until its source, its flags or Pinocchio change."""
    compiler = next((c for c in (os.environ.get("CXX"), "c++", "g++", "clang++") if c and shutil.which(c)), None)
    if compiler is None:
        raise UnavailableError("there is no C++ compiler")
    prefix = _prefix()
    eigen = [path for path in (prefix / "include/eigen3", Path("/usr/include/eigen3")) if path.is_dir()]
    source = HERE / "pinocchio_aba.cpp"
    flags = ["-std=c++17", "-O3", *(f"-D{name}" for name in DEFINITIONS)]
    flags += [f"-I{path}" for path in (prefix / "include", *eigen)]
    libraries = [f"-L{prefix / 'lib'}", "-lpinocchio_default", f"-Wl,-rpath,{prefix / 'lib'}"]
    text = source.read_text(encoding="utf-8")
    key = "\n".join((compiler, *flags, *libraries, importlib.metadata.version("libpinocchio"), text))
    target = BUILD / f"pinocchio_aba-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if not target.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        fresh = target.with_suffix(".new")
        command = [compiler, *flags, str(source), "-o", str(fresh), *libraries]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            words = [line.split("error: ", 1)[1] for line in done.stderr.splitlines() if "error: " in line]
            raise UnavailableError(f"the C++ loop cannot be built ({words[0] if words else 'without a word'})")
        fresh.replace(target)
    return target


def _prefix() -> Path:
    """Folder with Pinocchio's `include` and `lib`."""
    try:
        files = importlib.metadata.files("libpinocchio") or ()
    except importlib.metadata.PackageNotFoundError as error:
        raise UnavailableError("pinocchio is not installed from PyPI, so its headers are not known") from error
    for file in files:
        if file.name == "aba.hpp":
            return Path(str(file.locate())).resolve().parents[3]
    raise UnavailableError("the installed pinocchio has no C++ headers")
