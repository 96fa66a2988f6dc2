"""MuJoCo Warp begins with the states that ours begins with."""

import sys
from pathlib import Path

import numpy as np
import pytest

# The benchmarks are a folder of scripts.
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

import peer_warp

import locomotor as lm
from oracles.robots import random_state

ROBOT = """
<mujoco><worldbody><body name="trunk" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3" mass="2"/>
<body name="arm" pos=".1 .2 .3"><joint name="elbow" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 .4" size=".05" mass="1"/>
</body></body></worldbody></mujoco>
"""


def test_states_become_those_of_mujoco(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is a peer of the benchmarks")
    path = tmp_path / "robot.xml"
    path.write_text(ROBOT)
    ours = random_state(lm.load(str(path), contacts=False), 3)
    model = mujoco.MjModel.from_xml_path(str(path))
    q, v = peer_warp.as_mujoco(np.concatenate([ours.q, ours.v])[None], model.nq)
    data, mass = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    data.qpos[:], data.qvel[:] = q[0], v[0]
    mujoco.mj_forward(model, data)
    mujoco.mj_fullM(model, data, mass)
    # Round-off: both are exact; a base's velocity in other axes changes the energy by a tenth.
    assert v[0] @ mass @ v[0] == pytest.approx(ours.v @ ours.mass @ ours.v, rel=1e-12)
    assert not np.allclose(v[0], ours.v, atol=0.1)


def test_where_it_is_not_installed_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco_warp", None)
    with pytest.raises(peer_warp.UnavailableError, match="MuJoCo Warp"):
        peer_warp.modules()
