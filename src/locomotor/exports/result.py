"""What an export gives back: where its files are, how to check them, what was renamed and left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from locomotor import checks
from locomotor.dataclass import dataclass


@checks.doors
@dataclass(frozen=True)
class Export:
    """Files of an export.

    `run` is the command that runs the self-check in the folder; `renamed` lists (group, name in the system, name in the file);
    `left_out` says what the equations do not hold; `operations` counts the arithmetic of each function.
    """

    system: str
    target: str
    folder: Path
    files: tuple[Path, ...]
    run: tuple[str, ...]
    renamed: tuple[tuple[str, str, str], ...]
    left_out: tuple[str, ...]
    operations: Mapping[str, int]

    def __str__(self) -> str:
        sizes = ", ".join(f"{file.relative_to(self.folder)} ({file.stat().st_size:,} bytes)" for file in self.files)
        lines = [f"{self.system} as {self.target} in {self.folder}: {sizes}"]
        lines += [f"renamed: {old} of the {group} is called {new}" for group, old, new in self.renamed]
        lines += [f"left out: {line}" for line in self.left_out]
        lines.append(f"self-check: {' '.join(self.run)}")
        return "\n".join(lines)
