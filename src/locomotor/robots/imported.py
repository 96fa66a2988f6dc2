"""A robot that was read: the system, and what its file says beside it."""

from __future__ import annotations

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.model import System
from locomotor.robots.parts import Limit, Note


@checks.doors
@dataclass(frozen=True, eq=False)
class Imported:
    """A robot that was read: the `system`, and what its file says beside it."""

    system: System
    notes: tuple[Note, ...]
    """What is not in the system as it stands in the file."""
    limits: dict[str, Limit]
    """Ranges of joints, by name."""
    poses: dict[str, dict[str, float]]
    """Poses that the file names, as coordinates to start from: `lm.simulate(found.system, 1.0, start=found.poses["home"])`."""
    inputs: dict[str, str]
    """Actuators of the file by name, and the input that each has become."""
    joints: dict[str, str]
    """Joints of the file by name, and the joint of the system that each has become: names there are identifiers."""
    links: dict[str, str]
    """Links of the file by name, and the body or frame that each has become."""

    @property
    def ignored(self) -> tuple[Note, ...]:
        """What the system leaves out."""
        return tuple(note for note in self.notes if note.kind == "ignored")

    def __str__(self) -> str:
        return "\n".join([f"{self.system!r}", *(f"  {note}" for note in self.notes)])
