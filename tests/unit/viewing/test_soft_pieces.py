"""Soft bodies are seen as pieces that follow their deformation; everything that draws sees the same."""

from dataclasses import replace

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import SoftBodyError
from locomotor.mechanics.tree import Instant, forward
from locomotor.viewing.plots.outline import outline, placed
from locomotor.viewing.scene import drawn, picture
from locomotor.viewing.scene.skin import SIDES, skins_of

SECTION = lm.CrossSection.rectangle((0.04, 0.02), 0.02, young=2e7, density=1000.0)
BEAM = lm.FlexibleBody("beam", 1.0, SECTION, bending_z=1)


def held(*shapes: lm.Sphere) -> lm.System:
    return lm.System(
        "held",
        [replace(BEAM, shapes=shapes)],
        [lm.Fixed(name="clamp", parent="world", child="beam")],
        contacts=[lm.RollingSphere("ball", "beam", centre=(1.0, 0.0, 0.0), radius=0.1, law=lm.Unilateral(0.0))],
    )


def test_pieces_follow_the_shape() -> None:
    """Their middles lie on the first clamped-free shape, and they are as thick as the section there."""
    system = held()
    seen = drawn(system)
    assert [c.name for c in seen.layout.coordinates] == [c.name for c in system.layout.coordinates]
    poses = forward(Instant(seen, np.array([0.2]), np.zeros(1))).poses
    places = {body.name: pose.translation for body, pose in zip(seen.bodies, poses, strict=True)}
    pieces = [name for name in places if "_piece_" in name]
    assert len(pieces) >= 10
    x = np.array([places[name][0] for name in pieces])
    b, c = 1.8751040687119611, 0.7340955137589128
    wanted = 0.1 * (np.cosh(b * x) - np.cos(b * x) - c * (np.sinh(b * x) - np.sin(b * x)))
    assert np.array([places[name][2] for name in pieces]) == pytest.approx(wanted, abs=1e-9)
    first = seen.body(pieces[0]).shapes[0]  # type: ignore[index]
    assert first.size[1] == pytest.approx(0.04 - 0.02 * x[0])


def test_lines_of_a_figure_follow_too() -> None:
    seen = drawn(held())
    poses = forward(Instant(seen, np.array([0.2]), np.zeros(1))).poses
    where = [(np.asarray(pose.rotation), np.asarray(pose.translation)) for pose in poses]
    links = [points for kind, points in placed(outline(seen), where) if kind == "link" and len(points) == 2]
    ends = np.concatenate(links)
    assert ends[:, 2].max() == pytest.approx(0.2, abs=0.01) and ends[:, 0].max() == pytest.approx(1.0, abs=0.02)


@pytest.mark.slow
def test_bending_is_in_the_picture() -> None:
    straight, bent = picture(held(), np.zeros(1), size=(200, 120)), picture(held(), np.array([0.3]), size=(200, 120))
    assert np.abs(straight.astype(int) - bent.astype(int)).sum() > 1000


def test_shapes_of_the_user_stay_as_they_are() -> None:
    system = held(lm.Sphere(0.1))
    assert drawn(system) is system
    assert drawn(lm.catalogue.unicycle()).bodies == lm.catalogue.unicycle().bodies


def test_a_rounded_section_is_an_ellipse() -> None:
    """Vertices of its skin lie on the ellipse, with its normals; drawn narrower at the end it is no less uniform."""
    section = lm.CrossSection(1.0, EIy=1.0, outline=("0.2*(1 - s/2)", "0.1*(1 - s/2)"), rounded=True)
    assert section.is_uniform
    body = lm.FlexibleBody("fish", 1.0, section, bending_z=1)
    (skin,) = skins_of(drawn(lm.System("fish", [body], [lm.Fixed(name="clamp", parent="world", child="fish")])), {})
    ring = np.flatnonzero(skin.rings == 3)[: SIDES + 1]
    y, z = skin.mesh.vertices[ring, 1:].T
    a, b = y.max(), z.max()
    assert a == pytest.approx(2.0 * b) and (y / a) ** 2 + (z / b) ** 2 == pytest.approx(np.ones(len(ring)))
    slope = np.stack([y / a**2, z / b**2], axis=-1)
    assert skin.mesh.normals[ring, 1:] == pytest.approx(slope / np.linalg.norm(slope, axis=1, keepdims=True), abs=1e-6)
    with pytest.raises(SoftBodyError, match="rounded"):
        lm.CrossSection(1.0, rounded="yes")  # type: ignore[arg-type]
