"""What MJCF cannot say of a system: told by name, or refused, and never dropped without a word."""

from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import RobotFileError
from locomotor.robots import import_robot

pytest.importorskip("mujoco")


def ball(law: lm.Unilateral) -> lm.System:
    return lm.System(
        "ball",
        [lm.Body("a", 1.0, inertia=(0.004,) * 3)],
        [lm.Free(name="root", parent="world", child="a")],
        contacts=[lm.RollingSphere("foot", "a", (0, 0, 0), 0.1, law=law)],
    )


@pytest.mark.parametrize(
    ("law", "text"),
    [
        (lm.Unilateral(friction=0.3, restitution=0.5), "restitution of contacts of foot"),
        (lm.Unilateral(friction=0.3, static=0.5), "static of contacts of foot"),
        (lm.Unilateral(friction=0.3, rolling=0.01), "rolling of contacts of foot"),
        (lm.Unilateral(friction="0.2 + 0.1*exp(-slip/0.05)"), "friction that depends on the slip of foot"),
    ],
)
def test_laws_of_contacts(tmp_path: Path, law: lm.Unilateral, text: str) -> None:
    with pytest.warns(lm.RobotWarning, match=text) as told:
        lm.save(ball(law), tmp_path / "ball.xml")
    assert told[0].filename == __file__  # where it was asked for


def test_plain_friction_has_nothing_to_tell(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    lm.save(ball(lm.Unilateral(friction=0.3, patch=0.01)), tmp_path / "ball.xml")
    assert not recwarn.list


@pytest.mark.parametrize("name", ["soft_manipulator", "flexible_pendulum", "torsion_flyer", "suture_thread"])
def test_soft_bodies_are_refused(tmp_path: Path, name: str) -> None:
    """They were written as rigid ones, with a pose that MuJoCo refuses, or without joints and without a word."""
    with pytest.raises(RobotFileError, match="is soft, and bodies of MJCF are rigid"):
        lm.save(getattr(lm.catalogue, name)(), tmp_path / "soft.xml")
    assert not list(tmp_path.iterdir())


def hung(*moments: float, joint: type = lm.Revolute) -> lm.System:
    """A body with small moments, about axes that are turned, on one that moves."""
    axes, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    inertia = tuple(map(tuple, axes @ np.diag(moments) @ axes.T))
    more = {} if joint is lm.Fixed else {"axis": (0, 1, 0)}
    return lm.System(
        "hung",
        [lm.Body("arm", 1.0, inertia=(0.1,) * 3), lm.Body("mite", 1e-6, inertia=inertia)],
        [
            lm.Revolute((0, 1, 0), name="j", parent="world", child="arm"),
            joint(name="k", parent="arm", child="mite", at=(1, 0, 0), **more),
        ],
    )


def test_very_small_bodies(tmp_path: Path) -> None:
    """MuJoCo takes moments from 1e-15 kg m² on where a body moves, any where it is welded, and more in a full matrix."""
    for number, (system, least) in enumerate(
        [(hung(3e-15, 3e-15, 1.01e-15), 1.01e-15), (hung(1e-3, 1e-3, 1e-18, joint=lm.Fixed), 0.0)]
    ):
        found = import_robot(lm.save(system, tmp_path / f"{number}.xml")).system
        wanted, got = (np.array(s.bodies[1].inertia, dtype=float) for s in (system, found))  # type: ignore[union-attr]
        assert np.abs(wanted - got).max() <= 1e-12 * np.abs(wanted).max() + 1e-27, least
    with pytest.raises(RobotFileError, match=r"Body 'mite' has a mass of 1e-06 kg and a moment of .*e-17 kg m²"):
        lm.save(hung(2e-17, 2e-17, 2e-17), tmp_path / "few.xml")


def test_modes_ends_and_scenery(tmp_path: Path) -> None:
    system = ball(lm.Unilateral(friction=0.3))
    plate = next(s for s in lm.catalogue.elroy_beanie().body("propeller").shapes if type(s).__name__ == "Plate")
    with pytest.warns(lm.RobotWarning) as told:
        lm.save(system.replace(scenery=[plate], ends={"up": "z - 1"}), tmp_path / "ball.xml")
    text = str(told[0].message)
    assert "ends of the system" in text and "scenery of the kind Plate" in text
