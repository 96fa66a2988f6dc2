"""What may be asked for when a robot is read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError

BASES = ("fixed", "free")
LIMITS = ("told", "stops")


@dataclass(frozen=True)
class Options:
    """How a robot is read; see `import_robot`."""

    base: str | None = None
    contacts: bool | tuple[str, ...] = False
    friction: float | None = None
    limits: str = "told"
    meshes: bool = True
    folders: tuple[Path, ...] = ()
    balance: bool = False
    fixed: tuple[str, ...] = ()
    merge: bool = False
    joint_friction: bool = False

    @classmethod
    def read(
        cls,
        base: str | None,
        contacts: bool | Iterable[str],
        friction: float | None,
        limits: str,
        meshes: bool,
        folders: Iterable[str | Path],
        balance: bool,
        fixed: Iterable[str],
        merge: bool,
        joint_friction: bool,
    ) -> Options:
        """The options, checked."""
        what = "import_robot: "
        places = checks.entries(folders, f"{what}folders", "give a list of folders", ArgumentError)
        return cls(
            base=None if base is None else checks.choice(*BASES)(base, f"{what}base"),
            contacts=contacts if isinstance(contacts, bool) else checks.names(contacts, f"{what}contacts"),
            friction=None if friction is None else checks.number(friction, f"{what}friction", least=0.0),
            limits=checks.choice(*LIMITS)(limits, f"{what}limits"),
            meshes=checks.flag(meshes, f"{what}meshes"),
            folders=tuple(Path(checks.path(place, f"{what}a folder")) for place in places),
            balance=checks.flag(balance, f"{what}balance"),
            fixed=checks.names(fixed, f"{what}fixed"),
            merge=checks.flag(merge, f"{what}merge"),
            joint_friction=checks.flag(joint_friction, f"{what}joint_friction"),
        )
