"""The contact sheet: one picture of every system of the catalogue, kept in out/ to be looked at, and shown as the gallery."""

import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imsave
from scipy.ndimage import binary_dilation, label

from locomotor import catalogue
from locomotor.catalogue import Ready
from locomotor.mechanics.chart.poses import gaps
from locomotor.viewing.scene.picture import picture
from locomotor.viewing.scene.scene import scene_of
from locomotor.viewing.scene.soft import drawn

ROOT = Path(__file__).resolve().parents[2]
TILE, COLUMNS = (360, 240), 5
FAMILIES = list({ready.name.split("/")[0]: ready for ready in reversed(catalogue.systems())}.values())[::-1]
"""One of each kind: parameter sets look alike."""


@pytest.fixture(scope="module")
def gallery():  # type: ignore[no-untyped-def]
    sys.path.insert(0, str(ROOT / "docs" / "hooks"))
    import gallery

    yield gallery
    sys.path.remove(str(ROOT / "docs" / "hooks"))


def tile(gallery, ready: Ready, size: tuple[int, int] = TILE):  # type: ignore[no-untyped-def]
    system = ready.make()
    return picture(system, gallery.coordinates(system, ready), size=size)


def painted(image) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Pixels that are no grey ground: with a colour of their own, or dark."""
    values = image.astype(float)
    return (np.ptp(values, axis=2) > 40) | (values.max(axis=2) < 130)


@pytest.mark.parametrize("ready", catalogue.systems(), ids=lambda ready: ready.name)
def test_every_ready_system_has_looks_of_its_own(ready: Ready) -> None:
    """Shapes on what has mass, unless its contact is what it looks like; and no balloon of inertia in the picture."""
    system = drawn(ready.make())
    scene = scene_of(system)
    for body, seen in zip(system.bodies, scene.bodies, strict=True):
        roles = {part.role for part in seen.parts}
        if body.mass_properties(system.parameters.values)[0] > 0.0:
            assert body.shapes or roles & {"tyre", "rim"}, f"{body.name} is drawn as sticks"
        assert "link" not in roles and "hinge" not in roles, f"{body.name} has rods or sleeves"


LOOPED = [ready for ready in catalogue.systems() if ready.make().loops]


@pytest.mark.parametrize("ready", LOOPED, ids=lambda ready: ready.name)
def test_a_linkage_is_drawn_closed(gallery, ready: Ready) -> None:  # type: ignore[no-untyped-def]
    """Also where a gait has moved the joints that drive it: no leg of a platform ends in the air."""
    system = ready.make()
    left, _ = gaps(system.replace(contacts=()), gallery.coordinates(system, ready))
    assert np.abs(left).max() < 1e-9


@pytest.mark.slow
def test_contact_sheet(gallery) -> None:  # type: ignore[no-untyped-def]
    """Every system fills its picture and none looks like another; the sheet is left in out/contact_sheet.png."""
    tiles = [tile(gallery, ready) for ready in FAMILIES]
    rows = -(-len(tiles) // COLUMNS)
    sheet = np.full((rows * TILE[1], COLUMNS * TILE[0], 3), 255, dtype=np.uint8)
    for k, image in enumerate(tiles):
        i, j = divmod(k, COLUMNS)
        sheet[i * TILE[1] : (i + 1) * TILE[1], j * TILE[0] : (j + 1) * TILE[0]] = image
    (ROOT / "out").mkdir(exist_ok=True)
    imsave(ROOT / "out" / "contact_sheet.png", sheet)
    for ready, image in zip(FAMILIES, tiles, strict=True):
        on = painted(image)
        rows_on, columns_on = np.flatnonzero(on.any(axis=1)), np.flatnonzero(on.any(axis=0))
        filled = max(np.ptp(rows_on) / TILE[1], np.ptp(columns_on) / TILE[0])
        assert filled > 0.6, f"{ready.name} is tiny"
        assert on.mean() > 0.015, f"{ready.name} is hardly to be seen"
        parts, _ = label(binary_dilation(on, iterations=5))
        assert np.bincount(parts[on]).max() > 0.5 * on.sum(), f"{ready.name} is drawn in pieces that hang in the air"
    small = [image.reshape(TILE[1] // 12, 12, TILE[0] // 12, 12, 3).mean(axis=(1, 3)) for image in tiles]
    for i, a in enumerate(small):
        for j in range(i):
            assert np.abs(a - small[j]).mean() > 2.0, f"{FAMILIES[i].name} looks like {FAMILIES[j].name}"


@pytest.mark.slow
def test_a_picture_follows_the_parameters(gallery) -> None:  # type: ignore[no-untyped-def]
    """More trail, another picture: the fork reaches farther back to its wheel."""
    bike = catalogue.bicycle()
    before, after = (picture(system, size=(240, 160)) for system in (bike, bike.with_parameters(c=0.3)))
    assert (np.abs(before.astype(int) - after.astype(int)).max(axis=2) > 60).mean() > 0.01
