"""Imported robots against the programs whose formats they come in: Pinocchio for URDF, MuJoCo for MJCF."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from locomotor.mechanics.loads import applied_forces
from locomotor.mechanics.tree import inverse_dynamics, mass_matrix
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.model import BodyForce, BodyTorque, Free, JointForce, Spherical, System
from locomotor.robots import Imported
from oracles.mechanics import forward_dynamics

Array = Any
AGREED = 1e-9
"""Difference relative to the largest entry."""


def package_file(package: str, path: str) -> Path:
    """A file of a package; the test is left out where the package is not installed."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"{package} is not installed")
    file = Path(next(iter(found.submodule_search_locations))) / path
    if not file.is_file():
        pytest.skip(f"{package} has no {path}")
    return file


def example_robot(path: str) -> Path:
    """A file of example-robot-data."""
    pinocchio = pytest.importorskip("pinocchio", reason="PyPI has no `pin` for this platform")
    folder = next(p for p in Path(pinocchio.__file__).parents if p.name == "cmeel.prefix")
    file = folder / "share" / "example-robot-data" / "robots" / path
    if not file.is_file():
        pytest.skip("example-robot-data is not installed")
    return file


@dataclass
class State:
    """A random state of a system and what our algorithms make of it, on floats."""

    system: System
    q: Array
    v: Array
    inputs: Array

    def __post_init__(self) -> None:
        self.kinematics = forward(Instant(self.system, self.q, self.v, inputs=self.inputs))
        self.applied = applied_forces(self.kinematics)
        self.mass = np.asarray(mass_matrix(self.kinematics), dtype=float)
        self.bias = np.asarray(inverse_dynamics(self.kinematics, None, self.applied.gravity), dtype=float)
        self.forces = np.asarray(self.applied.forces(), dtype=float)
        left = np.asarray(inverse_dynamics(self.kinematics, None, self.applied.gravity, self.applied.wrenches), dtype=float)
        self.acting = self.forces + (self.bias - left)  # and what acts on bodies, on the velocities
        self.acceleration = np.asarray(
            forward_dynamics(self.kinematics, self.forces, self.applied.gravity, self.applied.wrenches), dtype=float
        )


def random_state(system: System, seed: int) -> State:
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1.0, 1.0, system.layout.nq)
    for turning, place, _ in system.layout.manifold.slices():
        if turning:
            q[place] = q[place] / np.linalg.norm(q[place])
    return State(system, q, rng.normal(size=system.layout.nv), rng.normal(size=len(system.inputs)))


def difference(found: Array, wanted: Array) -> float:
    """Relative to the largest entry, at least 1e-6 so that what is nothing but round-off counts as zero."""
    return float(np.abs(found - wanted).max(initial=0.0) / max(np.abs(wanted).max(initial=0.0), 1e-6))


# --- Pinocchio ----------------------------------------------------------------------------------------------------------


def compare_with_pinocchio(found: Imported, path: Path, seed: int) -> dict[str, float]:
    """Largest differences of mass matrix, bias and accelerations at a random state."""
    import pinocchio as pin

    system = found.system
    free = isinstance(system.joints[0], Free)
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()) if free else pin.buildModelFromUrdf(str(path))
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    data = model.createData()
    state = random_state(system, seed)
    q, order = np.zeros(model.nq), np.zeros(model.nv, dtype=int)
    # Pinocchio knows the joints that move by the names of the file; its root joint is ours.
    for i in range(1, model.njoints):
        joint, name = model.joints[i], model.names[i]
        ours = found.joints[name] if not (free and i == 1) else system.joints[0].name
        part = state.q[system.layout.q[ours]]
        place = system.layout.v[ours]
        if joint.nq == 7:
            part = np.concatenate([part[:3], part[4:], part[3:4]])
        elif joint.nq == 2 and joint.nv == 1:
            part = np.array([np.cos(part[0]), np.sin(part[0])])
        q[joint.idx_q : joint.idx_q + joint.nq] = part
        order[joint.idx_v : joint.idx_v + joint.nv] = np.arange(place.start, place.stop)
    assert sorted(order) == list(range(system.layout.nv)), "Pinocchio has other joints"
    v = state.v[order]
    upper = np.triu(pin.crba(model, data, q))
    M = upper + np.triu(upper, 1).T
    h = np.array(pin.nonLinearEffects(model, data, q, v))
    acceleration = np.array(pin.aba(model, data, q, v, state.forces[order]))
    return {
        "mass": difference(state.mass[np.ix_(order, order)], M),
        "bias": difference(state.bias[order], h),
        "acceleration": difference(state.acceleration[order], acceleration),
    }


# --- MuJoCo -------------------------------------------------------------------------------------------------------------


def silence(model: Any, found: Imported) -> None:
    """Take out what the import tells that it ignores."""
    model.opt.density = model.opt.viscosity = 0.0
    model.opt.wind[:] = 0.0
    model.body_gravcomp[:] = 0.0
    read = {force.name for force in found.system.forces}
    driven = [f.name for f in found.system.forces if isinstance(f, JointForce | BodyForce | BodyTorque)]
    for i in range(model.ntendon):
        name = model.tendon(i).name
        along_path = model.wrap_type[model.tendon_adr[i]] != 1
        if along_path and not read & {name, f"{name}_spring"}:
            model.tendon_stiffness[i] = 0.0
        if along_path and not read & {name, f"{name}_damping"}:
            model.tendon_damping[i] = 0.0
    model.tendon_stiffnesspoly[:] = model.tendon_dampingpoly[:] = 0.0
    model.tendon_armature[:] = 0.0
    model.jnt_stiffnesspoly[:] = 0.0
    model.dof_dampingpoly[:] = 0.0
    for a in range(model.nu):
        name = model.actuator(a).name or f"motor_{a}"
        # One that no control moves is a force, and no input.
        if name not in found.inputs and not any(own == name or own.startswith(f"{name}_") for own in driven):
            model.actuator_gainprm[a] = model.actuator_biasprm[a] = 0.0


def compare_with_mujoco(found: Imported, path: Path, seed: int) -> dict[str, float]:
    """Largest differences of mass matrix, bias, joint forces and accelerations at a random state; contacts are left out."""
    import mujoco

    system = found.system
    model = mujoco.MjSpec.from_file(str(path)).compile()
    silence(model, found)
    data = mujoco.MjData(model)
    state = random_state(system, seed)
    joints = [joint for joint in system.joints if joint.nv]
    assert len(joints) == model.njnt, "the joints of the file, in its order"
    T = np.zeros((system.layout.nv, model.nv))  # our velocities from MuJoCo's
    drift = np.zeros(system.layout.nv)
    for j, joint in enumerate(joints):
        q, v = system.layout.q[joint.name], system.layout.v[joint.name]
        place, dof = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
        data.qpos[place : place + joint.nq] = state.q[q]
        T[v, dof : dof + joint.nv] = np.eye(joint.nv)
        if isinstance(joint, Free):
            R = np.asarray(state.kinematics.links[system.joints.index(joint)].pose.rotation, dtype=float)
            T[v.start : v.start + 3, dof : dof + 3] = R.T
            V, W = state.v[v.start : v.start + 3], state.v[v.start + 3 : v.stop]
            drift[v.start : v.start + 3] = -np.cross(W, V)
        else:
            assert isinstance(joint, Spherical) or joint.nv == 1
    data.qvel[:] = np.linalg.solve(T, state.v)
    ours = {symbol.name: state.inputs[i] for i, symbol in enumerate(system.inputs)}
    for a in range(model.nu):
        name = model.actuator(a).name or f"motor_{a}"
        data.ctrl[a] = ours[found.inputs[name]] if name in found.inputs else 0.0
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    forces = data.qfrc_passive + data.qfrc_actuator
    return {
        "mass": difference(T.T @ state.mass @ T, M),
        "bias": difference(T.T @ (state.bias + state.mass @ drift), data.qfrc_bias),
        "forces": difference(T.T @ state.acting, forces),
        "acceleration": difference(state.acceleration, T @ data.qacc_smooth + drift),
    }
