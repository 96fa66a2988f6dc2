"""Long chains cut into short ones, so that the constraints of a body speak only of what is near it.

Written over all joints between the root and a contact, the rows of a snake of n modules have n²/2 entries. Instead,
every few links a body is made a reference: its twist becomes an auxiliary unknown, with six rows that tie it to the
reference before it, and the rows of the contacts beyond are written over that twist and the few joints in between.
Elimination then costs a number of operations proportional to n. Short trees have no cuts, and nothing changes for
them.
"""

from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops
from locomotor.mechanics.tree.kinematics import Kinematics
from locomotor.model import System
from locomotor.typing import Array

Row = dict[int, Any]
"""Coefficients by column: a velocity, or beyond those an auxiliary twist component."""

SPAN = 2
"""Joints between a reference and the next one."""
LARGE = 9
"""Velocities from which cuts pay: smaller systems have none, and their rows are all in root axes."""


@dataclass(frozen=True)
class Substructure:
    """Long trees cut into pieces: which bodies are references that rows are written in."""

    cuts: tuple[int, ...]
    """Bodies with an auxiliary twist, outward."""
    reference: tuple[int, ...]
    """For each body the reference its rows are written in: the nearest cut inward, itself included, or its root."""
    nv: int

    @classmethod
    def of(cls, system: System) -> "Substructure":
        """The substructure of a system: found anew each time, as comparing systems would cost more."""
        touching = {contact.body for contact in system.contacts}
        bears = [body.name in touching for body in system.bodies]
        for i in reversed(range(len(bears))):
            if bears[i] and system.parents[i] >= 0:
                bears[system.parents[i]] = True
        reference: list[int] = []
        distance: list[int] = []
        cuts: list[int] = []
        for i, parent in enumerate(system.parents):
            if parent < 0:
                reference.append(i)
                distance.append(0)
            elif system.layout.nv > LARGE and bears[i] and distance[parent] + 1 > SPAN:
                cuts.append(i)
                reference.append(i)
                distance.append(0)
            else:
                reference.append(reference[parent])
                distance.append(distance[parent] + 1)
        return cls(tuple(cuts), tuple(reference), system.layout.nv)

    @property
    def size(self) -> int:
        """Number of columns: velocities and auxiliary components."""
        return self.nv + 6 * len(self.cuts)

    def stages(self, system: System) -> tuple[int, ...]:
        """For each column how far out it is: 0 for the joints before the first cut, k + 1 for those beyond cut k.

        The joint of a cut counts with those before it; the cut's own twist counts as beyond.
        """
        found = [0] * self.size
        for i, (joint, parent) in enumerate(zip(system.joints, system.parents, strict=True)):
            reference = self.reference[parent] if parent >= 0 else i
            stage = self.cuts.index(reference) + 1 if reference in self.cuts else 0
            for owner in (joint.name, system.bodies[i].name if system.bodies[i].coordinates else joint.name):
                part = system.layout.v[owner]
                found[part] = [stage] * (part.stop - part.start)
        for k, cut in enumerate(self.cuts):
            for column in self.auxiliary(cut):
                found[column] = k + 1
        return tuple(found)

    def auxiliary(self, body: int) -> range:
        """Columns of the auxiliary twist of a cut."""
        start = self.nv + 6 * self.cuts.index(body)
        return range(start, start + 6)

    def pose_in_reference(self, kinematics: Kinematics, body: int) -> SE3:
        """Pose of a body in its reference."""
        found = SE3.identity()
        i = body
        while i != self.reference[body]:
            found = kinematics.links[i].pose @ found
            i = kinematics.links[i].parent
        return found

    def point_columns(self, kinematics: Kinematics, body: int, point: Array) -> dict[int, Array]:
        """Velocity of a point of a body per unit of each column it depends on, in the axes of the reference."""
        reference = self.reference[body]
        at = self.pose_in_reference(kinematics, body).act(point)
        found: dict[int, Array] = {}
        for i, g_ref_i in self._inward(kinematics, body):
            if i == reference and reference in self.cuts:
                for k, column in enumerate(self.auxiliary(reference)):
                    unit = np.eye(3)[k % 3]
                    found[column] = unit if k < 3 else ops.cross(unit, at)
                continue
            for part, matrix in kinematics.links[i].columns:
                for k, column in enumerate(range(part.start, part.stop)):
                    linear = g_ref_i.rotation @ matrix[0:3, k]
                    angular = g_ref_i.rotation @ matrix[3:6, k]
                    found[column] = linear + ops.cross(angular, at - g_ref_i.translation)
        return found

    def turning_columns(self, kinematics: Kinematics, body: int) -> dict[int, Array]:
        """Angular velocity of a body per unit of each column it depends on, in the axes of the reference."""
        reference = self.reference[body]
        found: dict[int, Array] = {}
        for i, g_ref_i in self._inward(kinematics, body):
            if i == reference and reference in self.cuts:
                found |= {column: np.eye(3)[k] for k, column in enumerate(self.auxiliary(reference)[3:])}
                continue
            for part, matrix in kinematics.links[i].columns:
                for k, column in enumerate(range(part.start, part.stop)):
                    found[column] = g_ref_i.rotation @ matrix[3:6, k]
        return found

    def defining_rows(self, kinematics: Kinematics) -> list[Row]:
        """Six rows for each cut: its twist minus what the reference before it and the joints in between give."""
        return [row for cut in self.cuts for row in self._defining(kinematics, cut)]

    def _defining(self, kinematics: Kinematics, cut: int) -> list[Row]:
        parent = kinematics.links[cut].parent
        before = self.reference[parent]
        columns: dict[int, Array] = {}
        g_i_cut = SE3.identity()
        i = cut
        while True:
            if i == before and before in self.cuts:
                for k, column in enumerate(self.auxiliary(before)):
                    columns[column] = g_i_cut.twist_to_child(np.eye(6)[:, k])
                break
            for part, matrix in kinematics.links[i].columns:
                for k, column in enumerate(range(part.start, part.stop)):
                    columns[column] = g_i_cut.twist_to_child(matrix[:, k])
            if i == before:
                break
            g_i_cut = kinematics.links[i].pose @ g_i_cut
            i = kinematics.links[i].parent
        own = self.auxiliary(cut)
        rows: list[Row] = []
        for component in range(6):
            row: Row = {column: -values[component] for column, values in columns.items()}
            row[own[component]] = 1.0
            rows.append(row)
        return rows

    def _inward(self, kinematics: Kinematics, body: int) -> list[tuple[int, SE3]]:
        """Bodies from `body` to its reference, with their poses in the reference."""
        chain = [body]
        while chain[-1] != self.reference[body]:
            chain.append(kinematics.links[chain[-1]].parent)
        found = [(chain[-1], SE3.identity())]
        for i in reversed(chain[:-1]):
            found.append((i, found[-1][1] @ kinematics.links[i].pose))
        return list(reversed(found))
