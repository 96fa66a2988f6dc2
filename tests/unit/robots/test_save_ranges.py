"""End stops are written to MJCF as ranges, and a ball joint may stand before the slides of one body."""

import warnings
from pathlib import Path

import pytest

import locomotor as lm
from locomotor.errors import RobotFileError
from locomotor.robots import import_robot
from oracles.robots import compare_with_mujoco, difference, random_state

mujoco = pytest.importorskip("mujoco")
BODY = {"mass": 1.2, "com": (0.1, 0.05, -0.2), "inertia": (0.2, 0.3, 0.25)}
STOP = lm.Unilateral()


def leg(*stops: lm.Coupling) -> lm.System:
    return lm.System(
        "leg",
        [lm.Body(name, **BODY) for name in ("thigh", "shank", "foot")],
        [
            lm.Revolute((0, 1, 0), name="hip", parent="world", child="thigh"),
            lm.Revolute((0, 1, 0), name="knee", parent="thigh", child="shank", at=(0, 0, -0.4)),
            lm.Prismatic((0, 0, 1), name="toe", parent="shank", child="foot", at=(0, 0, -0.4)),
        ],
        constraints=stops,
        forces=[lm.Gravity()],
        parameters=[lm.Parameter("most", 1.2)],
    )


def written(system: lm.System, folder: Path) -> tuple[object, str]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        path = lm.save(system, folder / "leg.xml")
    return mujoco.MjModel.from_xml_path(str(path)), "\n".join(str(warning.message) for warning in said)


def test_stops_are_ranges_of_joints_and_of_sums(tmp_path: Path) -> None:
    """By whatever factor they are written, and the narrower of two; they were left out, as "a polynomial"."""
    system = leg(
        lm.Coupling("hip_low", "2*hip + 0.8", law=STOP),
        lm.Coupling("hip_high", "most - hip", law=STOP),
        lm.Coupling("hip_wall", "3 - hip", law=STOP),
        lm.Coupling("cord_low", "0.5*knee - toe + 0.3", law=STOP),
        lm.Coupling("cord_high", "2 - knee + 2*toe", law=STOP),
    )
    model, said = written(system, tmp_path)
    assert not said
    assert list(model.jnt_limited) == [1, 0, 0] and model.jnt_range[0] == pytest.approx([-0.4, 1.2])
    assert model.tendon_range[model.tendon("cord").id] == pytest.approx([-0.6, 2.0])
    assert list(model.wrap_prm) == pytest.approx([1.0, -2.0])
    data = mujoco.MjData(model)
    for hip, toe, pushed in ((-0.5, 0.0, 1), (1.3, 0.0, 1), (0.5, 0.0, 0), (0.0, 0.4, 1), (0.0, -1.2, 1), (-0.5, -1.2, 2)):
        data.qpos[:] = hip, 0.0, toe
        mujoco.mj_forward(model, data)
        assert data.nefc == pushed
    back = import_robot(tmp_path / "leg.xml", limits="stops").system
    assert [stop.name for stop in back.constraints] == ["hip_low", "hip_high", "cord_low", "cord_high"]


def test_stops_that_have_no_range_are_told(tmp_path: Path) -> None:
    system = leg(
        lm.Coupling("floor", "toe + 0.1", law=STOP),
        lm.Coupling("bent", "1 - knee**2", law=STOP),
        lm.Coupling("hip_low", "hip + 1", law=lm.Unilateral(0.5)),
        lm.Coupling("hip_high", "1 - hip", law=STOP),
    )
    model, said = written(system, tmp_path)
    assert list(model.jnt_limited) == [1, 0, 0]
    assert "end stops of floor, bent: MJCF has ranges with two ends" in said
    assert "restitution of stops of hip_low" in said and "polynomial" not in said


@pytest.mark.parametrize("turned", [0.0, 0.4])
def test_a_ball_joint_may_stand_before_a_slide(tmp_path: Path, turned: float) -> None:
    """Refused, for a frame without mass, although MuJoCo has it; turned against it the ball has other coordinates there."""
    system = lm.System(
        "leg",
        [lm.Frame("socket"), lm.Body("shin", **BODY)],
        [
            lm.Spherical(name="hip", parent="world", child="socket", at=(0.1, 0.2, 0.3), rotation=(0.3, -0.2, 0.5)),
            lm.Prismatic((0, 0.6, 0.8), name="reach", parent="socket", child="shin", at=(0, 0, -0.4), rotation=(turned, 0, 0)),
        ],
        forces=[lm.Gravity()],
    )
    if turned:
        with pytest.raises(RobotFileError, match="ball joints whose frame is not turned"):
            lm.save(system, tmp_path / "leg.xml")
        return
    found = import_robot(lm.save(system, tmp_path / "leg.xml"))
    for seed in range(3):
        assert max(compare_with_mujoco(found, tmp_path / "leg.xml", seed).values()) < 1e-12
        one, other = random_state(system, seed), random_state(found.system, seed)
        for what in ("mass", "bias", "acceleration"):
            assert difference(getattr(other, what), getattr(one, what)) < 1e-12, what
