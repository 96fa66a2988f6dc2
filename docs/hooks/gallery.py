"""The gallery: a picture of every system of the catalogue, drawn when the site is built and kept in build/gallery.

A picture is drawn again only when the system or the code that draws it has changed. `LOCOMOTOR_GALLERY=4` shows the first four
systems alone, for a look at the other pages.
"""

import hashlib
import io
import json
import os
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from matplotlib.image import imsave
from mkdocs.structure.files import File

from locomotor import catalogue, viewing
from locomotor.analysis.cycles.sections import drive_period
from locomotor.mechanics.chart.poses import assembled
from locomotor.model import Motion, System
from locomotor.model.serialise import to_data
from locomotor.scenarios import Scenario, scenarios
from locomotor.viewing.scene.picture import picture

PAGE = "gallery.md"
PLACE = "<!-- gallery -->"
SIZE = (520, 330)
INSTANT = 1.0
"""Time (s) of a gait at which a system that has one is drawn."""


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the pictures to the site."""
    kept = Path(config["config_file_path"]).parent / "build" / "gallery"
    kept.mkdir(parents=True, exist_ok=True)
    for ready in shown():
        files.append(File.generated(config, address(ready.name), content=drawn(ready, kept)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fill the page."""
    if page.file.src_uri != PAGE:
        return markdown
    return markdown.replace(PLACE, '<div class="gallery">\n' + "\n".join(card(r) for r in shown()) + "\n</div>")


def shown() -> list[catalogue.Ready]:
    """The systems of the gallery."""
    return list(catalogue.systems())[: int(os.environ.get("LOCOMOTOR_GALLERY", "1000"))]


def address(name: str) -> str:
    """Where the picture of a system is."""
    return f"gallery/{name.replace('/', '-')}.png"


def drawn(ready: catalogue.Ready, kept: Path) -> bytes:
    """The picture, from the last time if nothing has changed."""
    system = ready.make()
    q = coordinates(system, ready)
    code = b"".join(file.read_bytes() for file in sorted(Path(viewing.__file__).parent.rglob("*.py")))
    key = hashlib.sha256(json.dumps([to_data(system), list(q), SIZE], sort_keys=True).encode() + code).hexdigest()[:24]
    file = kept / f"{key}.png"
    if not file.exists():
        stream = io.BytesIO()
        imsave(stream, picture(system, q, size=SIZE), format="png")
        file.write_bytes(stream.getvalue())
    return file.read_bytes()


def coordinates(system: System, ready: catalogue.Ready) -> Any:
    """The nominal pose; joints that a gait drives are where it has them after a second, and what they close stays closed."""
    q = system.nominal_pose()
    names = [symbol.name for symbol in system.layout.coordinates]
    driven = []
    for joint, law in next(iter(ready.gaits.values()), {}).items():
        if joint in names:
            position = Motion(law).position
            q[names.index(joint)] = float(position.evaluate({**system.parameters.values, "t": INSTANT}))
            driven.append(system.layout.v[joint].start)
    for name, value in ready.pose.items():
        q[names.index(name)] = value
    # Loops are closed from their rough poses; what may leave the ground stays where it is.
    return assembled(system.replace(contacts=()), q, tuple(driven)) if system.loops else q


def card(ready: catalogue.Ready) -> str:
    """One system: picture, what it is, and how to run it."""
    name = ready.make().name
    runs = [run for run, system in systems_of_scenarios().items() if system == name][:3]
    commands = [f"locomotor view {ready.name}"]
    commands += [f"locomotor run {quoted(run)}" for run in runs]
    if ready.cycle or drive_period(ready.make(), ready.make().parameters.values):
        commands.append(f"locomotor cycle {ready.name}")
    told = "".join(f"<code>{escape(command)}</code><br>" for command in commands)
    told += f"gaits: {', '.join(ready.gaits)}" if ready.gaits else ""
    return (
        f'<figure id="{escape(ready.name)}"><img alt="{escape(ready.title)}" src="{address(ready.name)}">'
        f"<figcaption><strong>{escape(ready.name)}</strong><br>{escape(ready.title)}<br>{told}</figcaption></figure>"
    )


@cache
def systems_of_scenarios() -> dict[str, str]:
    """Scenario to the system it runs; to make them all takes a second."""
    return {entry.name: entry.system().name for entry in scenarios() if isinstance(entry, Scenario)}


def quoted(name: str) -> str:
    """A name as a shell takes it."""
    return f"'{name}'" if " " in name else name
