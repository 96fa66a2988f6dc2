"""Exudyn as a peer: the same vehicle in redundant coordinates, its wheels rolling discs held by constraints.

The physical problem is exactly ours: rigid discs that roll without slip. It has no batches; one run after the other.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from peer_mujoco import Floats
from peer_pinocchio import UnavailableError

from locomotor.model import Free, Joint, Revolute, RollingDisc, System, evaluate

UP = [0.0, 0.0, 1.0]


class ExudynVehicle:
    """A system of ours in Exudyn, at a state whose joint angles, but for those of its free base, are zero."""

    def __init__(self, system: System, q: Floats, v: Floats) -> None:
        try:
            import exudyn
            import exudyn.utilities as parts
        except ImportError as error:
            raise UnavailableError("exudyn is not installed") from error
        if np.any(q[7:]) or not np.allclose(q[3:7], (1.0, 0.0, 0.0, 0.0)):
            raise ValueError("only upright starts with all joint angles zero are translated")
        self._exudyn, self._parts, self._system = exudyn, parts, system
        self._rates = dict(zip((symbol.name for symbol in system.layout.velocities), v, strict=True))
        self._start = q, v

    def run(self, steps: int, step: float) -> tuple[Floats, float]:
        """Position of the base after so many steps of Exudyn's generalised-alpha, and the processor time it took."""
        container = self._exudyn.SystemContainer()
        model = container.AddSystem()
        bodies = self._build(model)
        model.Assemble()
        settings = self._exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = steps * step
        settings.timeIntegration.verboseMode = 0
        settings.solution.file.write = False
        begin = time.process_time()
        model.SolveDynamic(settings)
        elapsed = time.process_time() - begin
        base = bodies[self._system.joints[0].child]
        return np.array(model.GetObjectOutputBody(base, self._exudyn.OutputVariableType.Position)), elapsed

    def _build(self, model: Any) -> dict[str, Any]:
        """Bodies, hinges and discs; poses and velocities from the base outwards."""
        system, values = self._system, self._system.parameters.values
        q, v = self._start
        ground = model.CreateGround()
        # Rotation, origin, velocity of the origin and angular velocity of each body, in world axes.
        known: dict[str, tuple[Floats, Floats, Floats, Floats]] = {}
        bodies: dict[str, Any] = {"world": ground}
        for joint in system.joints:
            known[joint.child] = self._motion(joint, known, q, v)
            R, place, velocity, omega = known[joint.child]
            mass, com, inertia = (np.asarray(x, dtype=float) for x in system.body(joint.child).mass_properties(values))
            shift = np.dot(com, com) * np.eye(3) - np.outer(com, com)
            bodies[joint.child] = model.CreateRigidBody(
                inertia=self._parts.RigidBodyInertia(float(mass), inertia + float(mass) * shift, com),
                referencePosition=place,
                referenceRotationMatrix=R,
                initialVelocity=velocity,
                initialAngularVelocity=omega,
                gravity=[0.0, 0.0, -9.81],
            )
            if isinstance(joint, Revolute):
                axis = R @ np.asarray(evaluate(joint.axis, values), dtype=float)
                pair = [bodies[joint.parent], bodies[joint.child]]
                model.CreateRevoluteJoint(bodyNumbers=pair, position=place, axis=axis, useGlobalFrame=True)
        for contact in system.contacts:
            if not isinstance(contact, RollingDisc):
                raise TypeError(f"contact {contact.name!r}: only RollingDisc is translated, not {type(contact).__name__}")
            model.CreateRollingDisc(
                bodyNumbers=[ground, bodies[contact.body]],
                axisPosition=np.asarray(evaluate(contact.centre, values), dtype=float),
                axisVector=np.asarray(evaluate(contact.axis, values), dtype=float),
                discRadius=float(evaluate(contact.radius, values)),
                planeNormal=UP,
            )
        return bodies

    def _motion(self, joint: Joint, known: Any, q: Floats, v: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        if isinstance(joint, Free):
            return np.eye(3), np.array(q[:3]), np.array(v[:3]), np.array(v[3:6])
        if not isinstance(joint, Revolute):
            raise TypeError(f"joint {joint.name!r}: only Free and Revolute are translated, not {type(joint).__name__}")
        values = self._system.parameters.values
        R, place, velocity, omega = known[joint.parent]
        local = joint.placement(values)
        arm = R @ np.asarray(local.translation, dtype=float)
        turned = R @ np.asarray(local.rotation, dtype=float)
        rate = self._rates[f"{joint.name}_rate"]
        spin = turned @ np.asarray(evaluate(joint.axis, values), dtype=float) * rate
        return turned, place + arm, velocity + np.cross(omega, arm), omega + spin
