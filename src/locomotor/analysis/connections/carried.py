"""Passive joints that couplings and loops carry along: where they are for a given shape, and how they move with it."""

import math
from functools import cached_property

import numpy as np

from locomotor import codegen
from locomotor.codegen import Kernel
from locomotor.errors import NoConnectionError
from locomotor.mechanics import sample_poses
from locomotor.tracing.core import Traced
from locomotor.tracing.readings import ShapeFunctions
from locomotor.typing import Floats

STEPS = 30
TOLERANCE = 1e-12
STRIDE = 0.2
"""The most that an active joint moves before what follows is closed again (rad, m): so that loops stay on their branch."""
INDEPENDENT = 1e-7
"""Share of a column that those before it do not make up, so that it can close something by itself."""


class Carried:
    """What must stay closed, solved for passive coordinates; everything works on batches (..., coordinates).

    As many velocities follow as there are independent conditions among those that passive joints can close: those of joints
    before those of soft bodies, which bend only where no joint gives way.
    """

    def __init__(self, functions: ShapeFunctions) -> None:
        """Take the functions of a system whose active joints are imposed."""
        self._functions = functions
        system = functions.system
        layout = system.layout
        self._active = [functions.reduction.imposed[k] for k in functions.active]
        self._places = [layout.q[system.imposed[k].name].start for k in functions.active]
        self._following, self._rows = self._chosen()

    @property
    def following(self) -> tuple[int, ...]:
        """Places of the coordinates that follow."""
        layout, owners = self._functions.system.layout, self._owners
        return tuple(k for name in owners for k in range(layout.q[name].start, layout.q[name].stop))

    @property
    def _owners(self) -> list[str]:
        """Joints and soft bodies that have a velocity which follows, in order."""
        layout = self._functions.system.layout
        return [name for name, own in layout.v.items() if any(own.start <= k < own.stop for k in self._following)]

    @cached_property
    def _closings(self) -> Kernel:
        return codegen.compile(self._traced)

    @cached_property
    def _traced(self) -> Traced:
        return self._functions.closings()

    @cached_property
    def _rates(self) -> Kernel:
        return codegen.compile(self._functions.coordinate_rates())

    def _chosen(self) -> tuple[list[int], list[int]]:
        """Velocities that follow, and the conditions that they close."""
        system = self._functions.system
        if not (system.contacts or system.constraints or system.loops) or not self._traced.outputs[0].size:
            return [], []
        layout, base = system.layout, self._functions.base
        taken = {*range(base.start, base.stop), *self._functions.reduction.imposed}
        soft = {
            k for body in system.bodies if body.coordinates for k in range(layout.v[body.name].start, layout.v[body.name].stop)
        }
        columns = sorted((k for k in range(layout.nv) if k not in taken), key=lambda k: k in soft)
        seen = [self._traced(pose)[1] for pose in sample_poses(system, None, self._functions.reduction.imposed)]
        # What the base takes part in is not closed by the shape: where the base is, the pose around which r varies says.
        outer = np.max([np.abs(N[:, base]).max(axis=1, initial=0.0) for N in seen], axis=0) > INDEPENDENT
        seen = [np.where(outer[:, None], 0.0, N) for N in seen]
        best: list[int] = []
        for N in seen:
            found: list[int] = []
            for k in columns:
                if _adds(N[:, found], N[:, k]):
                    found.append(k)
            best = max(best, found, key=len)
        moved = np.max([np.abs(N[:, best]).max(axis=1, initial=0.0) for N in seen], axis=0)
        return best, np.flatnonzero(moved > INDEPENDENT).tolist()

    def _look(self, q: Floats) -> tuple[Floats, Floats]:
        """Gaps (samples, conditions) and their rates by all velocities at poses (samples, coordinates)."""
        gaps, rows = self._closings(q)
        return np.asarray(gaps)[..., self._rows], np.asarray(rows)[..., self._rows, :]

    def settle(self, q: Floats) -> Floats:
        """The coordinates with those that follow moved to where everything is closed, by Newton's method."""
        if not self._following:
            return q
        shape, flat = q.shape, q.reshape(-1, q.shape[-1]).copy()
        wanted = flat[:, self._places]
        here = np.broadcast_to(self._functions.system.nominal_pose()[self._places], wanted.shape)
        strides = max(1, math.ceil(float(np.abs(wanted - here).max(initial=0.0)) / STRIDE))
        for stride in range(1, strides + 1):
            flat[:, self._places] = here + (wanted - here) * (stride / strides)
            flat = self._closed(flat)
        flat[:, self._places] = wanted
        return flat.reshape(shape)

    def _closed(self, q: Floats) -> Floats:
        for _ in range(STEPS):
            gaps, rows = self._look(q)
            if np.abs(gaps).max(initial=0.0) <= TOLERANCE:
                return q
            if not np.isfinite(gaps).all():
                break
            v = np.zeros((len(q), self._functions.system.layout.nv))
            v[:, self._following] = -np.einsum("nij,nj->ni", np.linalg.pinv(rows[..., self._following]), gaps)
            q = self._functions.system.layout.manifold.normalise(q + self._rates(q, v)[0])
        raise NoConnectionError(
            f"{self._functions.system.name}: no position of {', '.join(self._owners)} satisfies the couplings and loops for "
            "this shape; choose another shape"
        )

    def tangent(self, q: Floats) -> Floats:
        """dq/dr, (..., coordinates, active): one for the active joints, and what couplings and loops give others."""
        flat = q.reshape(-1, q.shape[-1])
        result = np.zeros((*flat.shape, len(self._active)))
        follow = np.zeros((len(flat), 0, len(self._active)))
        if self._following:
            rows = self._look(flat)[1]
            follow = -np.linalg.pinv(rows[..., self._following]) @ rows[..., self._active]
        for k, column in enumerate(self._active):
            v = np.zeros((len(flat), self._functions.system.layout.nv))
            v[:, column] = 1.0
            v[:, self._following] = follow[..., k]
            result[..., k] = self._rates(flat, v)[0]
        return result.reshape(*q.shape, len(self._active))


def _adds(columns: Floats, column: Floats) -> bool:
    """Whether a column is no combination of others."""
    size = float(np.linalg.norm(column))
    if size <= INDEPENDENT:
        return False
    if not columns.shape[1]:
        return True
    left = column - columns @ np.linalg.lstsq(columns, column, rcond=None)[0]
    return bool(np.linalg.norm(left) > INDEPENDENT * max(1.0, size))
