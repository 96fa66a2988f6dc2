"""What there is, by name and title, kept on disk: a list must not wait for the libraries of mechanics to load.

The list that comes with the package (`index.json`, written by `python -m locomotor.commands.index`) serves as long as the
sources are those it was made of; else one is made and kept in the folder of compiled code.
"""

import hashlib
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs

from locomotor import __version__
from locomotor.errors import LocomotorError
from locomotor.files import make_folder, write_text

SOURCES = ("catalogue", "scenarios")
"""Folders whose files say what there is; a change in one of them makes the kept list old."""


SHIPPED = Path(__file__).with_name("index.json")


def index() -> dict[str, list[dict[str, Any]]]:
    """Systems and scenarios: the list of the package or the kept one, where it is of these sources, or a new one."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
        if shipped["sources"] == sources():
            return {"systems": shipped["systems"], "scenarios": shipped["scenarios"]}
    place = kept_place()
    with suppress(OSError, ValueError):
        found = json.loads(place.read_text(encoding="utf-8"))
        if isinstance(found, dict) and set(found) == {"systems", "scenarios"}:
            return found
    made = made_index()
    with suppress(OSError, LocomotorError):  # nothing is lost without it but time
        make_folder(place.parent)
        write_text(place, json.dumps(made))
        for old in place.parent.glob("index-*.json"):
            if old != place:
                old.unlink()
    return made


def sources() -> str:
    """A digest of what the files say that the list is made of."""
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256(__version__.encode())
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def ship(target: Path = SHIPPED) -> None:
    """Write the list that comes with the package."""
    write_text(target, json.dumps({"sources": sources(), **made_index()}, indent=1, ensure_ascii=False) + "\n")


def kept_place() -> Path:
    """The file of the list: in the folder of compiled code, its name from the sources it was made of."""
    root = Path(__file__).resolve().parents[1]
    known = [f"{__version__} {sys.version_info[:2]}"]
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*.py")):
            about = path.stat()
            known.append(f"{path} {about.st_size} {about.st_mtime_ns}")
    name = f"index-{hashlib.sha256('|'.join(known).encode()).hexdigest()[:24]}.json"
    named = os.environ.get("LOCOMOTOR_CACHE")
    return (Path(named).expanduser() if named else platformdirs.user_cache_path("locomotor")) / name


def made_index() -> dict[str, list[dict[str, Any]]]:
    """The list from catalogue and scenarios themselves."""
    from locomotor import catalogue
    from locomotor.analysis.cycles import repeating_gaits
    from locomotor.scenarios import Scenario, scenarios

    return {
        "systems": [
            {
                "name": entry.name,
                "title": entry.title,
                "gaits": list(entry.gaits),
                "repeating": repeating_gaits(entry.make(), entry.gaits) if entry.gaits else [],
                "cycle": bool(entry.cycle),
            }
            for entry in (*catalogue.systems(), *catalogue.measured())
        ],
        "scenarios": [
            {
                "name": entry.name,
                "kind": "run" if isinstance(entry, Scenario) else "computation",
                "title": entry.title,
                "numbers": len(entry.numbers),
                "citation": entry.citation,
                "aliases": list(entry.aliases),
            }
            for entry in scenarios()
        ],
    }


if __name__ == "__main__":
    ship()
