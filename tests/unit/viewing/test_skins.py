"""Soft bodies in space: skins that follow their pieces and tell how far they are strained, in pictures, pages and glTF."""

import io
from functools import cache

import numpy as np
import pytest
import trimesh

import locomotor as lm
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import Body
from locomotor.viewing.page.payload import payload_of
from locomotor.viewing.scene import drawn, picture
from locomotor.viewing.scene.glb import glb_bytes
from locomotor.viewing.scene.playback import playback_of
from locomotor.viewing.scene.scene import scene_of
from locomotor.viewing.scene.skin import RAMP, coloured, rows_of
from unit.viewing.test_glb import Glb

RADIUS, LENGTH = 0.01, 0.4
ROUND = lm.CrossSection.circle(RADIUS, young=1e6, poisson=0.45, density=1000.0)
RODS = {"stretch": 1, "twist": 1, "bend_y": 2}


def held(*bodies: Body) -> lm.System:
    clamps = [lm.Fixed(name=f"clamp_{b.name}", parent="world", child=b.name, at=(0, k, 0)) for k, b in enumerate(bodies)]
    return lm.System("held", bodies, clamps)


def rod(**more: object) -> lm.Rod:
    return lm.Rod("arm", section=ROUND, length=LENGTH, strains=RODS, **more)  # type: ignore[arg-type]


def seen(system: lm.System, q: list[float]) -> tuple[object, np.ndarray]:
    shown = drawn(system)
    rows = rows_of(forward(Instant(shown, np.array(q), np.zeros(len(q)))).poses)
    return scene_of(shown).skins[0], rows


def test_a_rod_bent_to_an_arc_is_a_piece_of_a_torus() -> None:
    """Constant curvature about y: vertices lie at the radius of the rod from a circle of radius 1/curvature."""
    curvature = 5.0
    skin, rows = seen(held(rod()), [0.0, 0.0, curvature, 0.0])
    mesh = skin.posed(rows)  # type: ignore[attr-defined]
    x, y, z = mesh.vertices.astype(float).T
    # bending about y by a positive curvature turns x towards -z: the centre lies at z = -1/curvature
    from_circle = np.hypot(np.hypot(x, z + 1.0 / curvature) - 1.0 / curvature, y)
    inner = (skin.rings > 0) & (skin.rings < skin.rings.max())  # type: ignore[attr-defined]
    assert from_circle[inner] == pytest.approx(RADIUS, abs=2e-7)
    # the ends are half a piece (8.3 mm) off along its axis, which the arc leaves by 5/m (8.3 mm)²/2, more on its inside
    assert from_circle == pytest.approx(RADIUS, abs=1.9e-4)
    angle = np.arctan2(x, z + 1.0 / curvature)
    assert angle.max() == pytest.approx(curvature * LENGTH, abs=0.01) and angle.min() == pytest.approx(0.0, abs=0.01)
    body = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
    out = np.einsum("ij,ij->i", body.face_normals, mesh.normals[mesh.triangles].mean(axis=1))
    assert out[body.area_faces > 1e-12].min() > 0.5, "triangles look outward"


def test_the_ends_of_a_rod_have_the_outline_of_the_very_ends() -> None:
    """A section that narrows to a point is seen to; half a piece before it, it is not one yet."""
    cone = lm.CrossSection(mass=1.0, EIy=1.0, EIz=1.0, outline=("0.02*sqrt(1 - s)",) * 2)
    skin, rows = seen(held(lm.Rod("arm", section=cone, length=LENGTH, strains={"bend_y": 2})), [0.0] * 2)
    mesh = skin.posed(rows)  # type: ignore[attr-defined]
    last = skin.rings.max()  # type: ignore[attr-defined]
    for ring, half in ((0, 0.01), (last, 0.0)):
        _, y, z = mesh.vertices[skin.rings == ring].astype(float).T  # type: ignore[attr-defined]
        assert np.hypot(y, z) == pytest.approx(half, abs=1e-7)


@pytest.mark.parametrize(
    ("q", "strain"),
    [
        ([0.0, 0.0, 5.0, 0.0], 5.0 * RADIUS),
        ([0.0, 7.0, 0.0, 0.0], 7.0 * RADIUS),
        ([0.03, 0.0, 0.0, 0.0], 0.03),
        ([0.0, 0.0, 0.0, 0.0], 0.0),
    ],
)
def test_strain_of_the_outermost_fibre(q: list[float], strain: float) -> None:
    skin, rows = seen(held(rod()), q)
    assert skin.strains(rows[None])[0] == pytest.approx(strain, abs=1e-9)  # type: ignore[attr-defined]


def test_strain_counts_from_the_shape_without_load_and_follows_the_place() -> None:
    bent = rod(curvature=(0.0, 0.0, 3.0))
    skin, rows = seen(held(bent), [0.0, 0.0, 0.0, 0.0])
    assert skin.strains(rows[None])[0] == pytest.approx(0.0, abs=1e-9)  # type: ignore[attr-defined]
    # the second function of Legendre, 2 s - 1: no curvature in the middle, as much at both ends
    skin, rows = seen(held(rod(points=20)), [0.0, 0.0, 0.0, 4.0])
    found = skin.strains(rows[None])[0]  # type: ignore[attr-defined]
    middle = len(found) // 2
    assert found[middle] < 0.1 * found[0] and found[0] == pytest.approx(4.0 * RADIUS, rel=0.1)
    assert found == pytest.approx(found[::-1], abs=1e-5)


def test_floating_frames_have_skins_too() -> None:
    """Stretch by 2 mm of 0.4 m at its end; a section that is not round has edges."""
    section = lm.CrossSection.rectangle(0.04, 0.01, young=1e6, density=1000.0)
    skin, rows = seen(held(lm.FlexibleBody("beam", LENGTH, section, stretch=1, modes="polynomial")), [0.002])
    assert skin.strains(rows[None])[0].mean() == pytest.approx(0.005, rel=0.02)  # type: ignore[attr-defined]
    corners = np.unique(np.abs(skin.mesh.vertices[:, 1:]).round(6), axis=0)  # type: ignore[attr-defined]
    assert corners == pytest.approx(np.array([[0.02, 0.005]]))


def test_colours_go_from_the_first_to_the_last() -> None:
    ends = coloured(np.array([0.0, 0.5, 1.0, np.nan]), 1.0)
    assert [f"#{''.join(f'{round(255 * x):02x}' for x in end)}" for end in ends] == [RAMP[0], RAMP[2], RAMP[-1], RAMP[0]]


def test_a_thread_is_drawn_thick_enough_to_be_seen() -> None:
    thread = scene_of(drawn(lm.catalogue.suture_thread())).skins[0]
    assert thread.mesh.vertices[:, 1].max() == pytest.approx(0.5 * 0.5 / 160.0)


@pytest.mark.slow
def test_the_picture_shows_strain_in_warm_colours() -> None:
    """The clamped half, which is bent, is warmer than the free one, which is not."""
    bent = lm.Rod("arm", section=ROUND, length=LENGTH, strains=[lm.Strain("bend_z", 2, "piecewise")])
    pixels = picture(held(bent), np.array([5.0, 0.0]), size=(300, 200)).astype(float)
    red = pixels[..., 0] - pixels[..., 2]
    assert (red > 60).sum() > 100 and (red < -30).sum() > 100


@cache
def swinging() -> lm.Run:
    arm = lm.Rod("arm", section=ROUND, length=LENGTH, strains={"bend_y": 2}, points=5)
    system = lm.System(
        "swinging", [arm], [lm.Fixed(name="clamp", parent="world", child="arm")], forces=[lm.Gravity()], description="a rod"
    )
    return lm.simulate(system, 0.05, step=1e-3)


@pytest.mark.slow
def test_glb_bends_the_skin_by_the_nodes_of_its_pieces() -> None:
    """Skinning as the format defines it, node pose times inverse bind matrix, gives the skin of the last instant."""
    data = glb_bytes(swinging())
    glb = Glb(data)
    (skin,) = glb.table["skins"]
    mesh = next(m for m in glb.table["meshes"] if m["name"] == "arm" and "JOINTS_0" in m["primitives"][0]["attributes"])
    attributes = {name: glb.accessor(k) for name, k in mesh["primitives"][0]["attributes"].items()}
    assert len(set(skin["joints"])) == len(skin["joints"])
    inverse = glb.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
    names = [glb.table["nodes"][k]["name"] for k in skin["joints"]]
    matrices = []
    for name, back in zip(names, inverse, strict=True):
        pose = np.eye(4)
        x, y, z, w = glb.track(name, "rotation")[1][-1]
        pose[:3, :3] = trimesh.transformations.quaternion_matrix([w, x, y, z])[:3, :3]
        pose[:3, 3] = glb.track(name, "translation")[1][-1]
        matrices.append(pose @ back)
    joints, weights = attributes["JOINTS_0"].astype(int), attributes["WEIGHTS_0"]
    assert weights.sum(axis=1) == pytest.approx(1.0)
    placed = np.column_stack([attributes["POSITION"], np.ones(len(joints))])
    moved = np.einsum("nij,nj->ni", np.array(matrices)[joints[:, 0]], placed)[:, :3]
    playback = playback_of(swinging(), megabytes=np.inf, every=1.0 / 60.0)
    last = np.array([swinging()[symbol.name][playback.samples[-1]] for symbol in playback.system.layout.coordinates])
    rows = rows_of(forward(Instant(playback.system, last, np.zeros(len(last)))).poses)
    assert moved == pytest.approx(playback.scene.skins[0].posed(rows).vertices, abs=2e-6)
    assert np.ptp(moved[:, 2]) > 2.2 * RADIUS, "it has bent"
    assert len(np.unique(attributes["COLOR_0"].round(4), axis=0)) > 5
    assert trimesh.load(io.BytesIO(data), file_type="glb").geometry


@pytest.mark.slow
def test_the_page_gets_strains_of_every_sample() -> None:
    playback = playback_of(swinging())
    table = payload_of(playback).table["scene"]["skins"]
    (skin,) = table["each"]
    assert skin["strains"][1] == len(playback.time) * len(skin["bodies"])
    # At the clamp the strain grows from nothing; the largest of all is what the last colour stands for.
    assert playback.strains[0][0] == pytest.approx(0.0, abs=1e-7)
    assert table["largest"] == pytest.approx(float(playback.strains[0].max())) and table["largest"] > 1e-3
    assert playback_of(lm.simulate(lm.catalogue.unicycle(), 0.01)).strains == ()
