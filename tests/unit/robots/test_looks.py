"""What a robot from a file looks like: its fine parts and not the rough ones that touch, and meshes that keep their form."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

import locomotor as lm
from locomotor.robots import import_robot
from locomotor.robots.coarser import coarser

PAIRED = """<mujoco model="paired"><worldbody>
  <geom type="plane" size="1 1 1"/>
  <body name="torso" pos="0 0 1"><freejoint/>
    <geom type="box" size="0.2 0.1 0.1" {rough} mass="1"/>
    {looks}
  </body></worldbody></mujoco>"""
FINE = '<geom type="capsule" fromto="-0.15 0 0 0.15 0 0" size="0.09" contype="0" conaffinity="0" {group} mass="0"/>'
EYE = '<geom type="sphere" pos="0.2 0 0" size="0.02" contype="0" conaffinity="0" {group} mass="0"/>'


@pytest.mark.parametrize(
    ("rough", "looks", "seen"),
    [
        ('group="0"', FINE.format(group='group="1"'), [lm.Capsule]),  # as in robosuite
        ('group="3"', FINE.format(group='group="2"'), [lm.Capsule]),  # as in MuJoCo's Menagerie: the rough one is never seen
        ('group="0"', FINE.format(group='group="0"'), [lm.Box, lm.Capsule]),  # one group: both are meant to be seen
        ('group="0"', EYE.format(group='group="1"'), [lm.Box, lm.Sphere]),  # an eye is not what a torso looks like
        ('group="0"', "", [lm.Box]),
    ],
    ids=["two groups", "hidden group", "one group", "eye", "alone"],
)
def test_the_fine_one_of_a_pair_is_seen_and_the_rough_one_touches(
    tmp_path: Path, rough: str, looks: str, seen: list[type]
) -> None:
    pytest.importorskip("mujoco")
    file = tmp_path / "robot.xml"
    file.write_text(PAIRED.format(rough=rough, looks=looks), encoding="utf-8")
    system = import_robot(file, contacts=True).system
    assert [type(shape) for shape in system.bodies[-1].shapes] == seen
    assert len(system.contacts) >= 1  # what touches is there, seen or not


def test_a_thin_wall_stays_flat_when_its_mesh_gets_coarser() -> None:
    """Both sides of a plate of 4 mm are thinner than the cells that points are gathered in."""
    plate = trimesh.creation.box((1.0, 1.0, 0.004))
    while len(plate.faces) < 20_000:
        plate = plate.subdivide()
    vertices, triangles = coarser(np.array(plate.vertices), np.array(plate.faces))
    assert 500 < len(triangles) <= 6000
    inside = np.abs(vertices[:, :2]).max(axis=1) < 0.45  # the rim has sides of its own
    assert np.abs(np.abs(vertices[inside, 2]) - 0.002).max() < 1e-9
    assert np.ptp(vertices, axis=0) == pytest.approx((1.0, 1.0, 0.004), abs=2e-3)
    assert trimesh.Trimesh(vertices, triangles).area == pytest.approx(plate.area, rel=1e-2)
