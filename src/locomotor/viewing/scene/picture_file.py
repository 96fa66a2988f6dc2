"""The picture of a system as a file."""

from pathlib import Path

from locomotor.files import draft
from locomotor.model import System
from locomotor.viewing.scene.picture import picture


def write_picture(system: System, path: Path, size: tuple[int, int] = (1200, 640)) -> Path:
    """The system in its nominal pose, as a PNG."""
    from matplotlib.image import imsave

    with draft(path) as unfinished:
        imsave(unfinished, picture(system, size=size), format="png")
    return path
