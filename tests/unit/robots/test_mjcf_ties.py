"""Tendons that are held (`<equality><tendon>`), both ways: rods and sums of joints, beside MuJoCo itself."""

from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.mechanics.chart import gaps
from locomotor.robots import Imported, import_robot
from oracles.robots import difference, random_state

mujoco = pytest.importorskip("mujoco")
BODY = {"mass": 1.2, "com": (0.1, 0.05, -0.2), "inertia": ((0.2, 0.01, 0.0), (0.01, 0.3, 0.02), (0.0, 0.02, 0.25))}
BAR = '<inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.2 0.3"/>'

LIMBS = f"""<mujoco><compiler angle="radian"/><worldbody>
    <site name="hook" pos="0.1 0.2 1"/><site name="eye" pos="0.3 -0.1 1.2"/>
    <body name="thigh" pos="0 0 0.1">{BAR}<joint name="hip" axis="0 1 0" ref="0.2"/><site name="high" pos="0.1 0 0.05"/>
      <body name="shank" pos="0.4 0 0">{BAR}<joint name="knee" axis="0 1 0" ref="-0.1" pos="0.02 0 0.01"/>
        <site name="low" pos="0.1 0.1 0.05"/>
        <body name="foot" pos="0.5 0 0">{BAR}<joint name="toe" type="slide" axis="1 0 0"/><site name="nail" pos="0.2 0 0"/>
    </body></body></body></worldbody>
  <tendon>
    <spatial name="rod"><site site="hook"/><site site="nail"/></spatial>
    <spatial name="led"><site site="eye"/><site site="hook"/><site site="low"/></spatial>
    <spatial name="bent"><site site="hook"/><site site="low"/><site site="high"/></spatial>
    <spatial name="still"><site site="hook"/><site site="eye"/></spatial>
    <fixed name="sum"><joint joint="hip" coef="0.5"/><joint joint="knee" coef="-1.5"/></fixed>
    <fixed name="all"><joint joint="hip" coef="1"/><joint joint="knee" coef="1"/><joint joint="toe" coef="2"/></fixed>
    <fixed name="none"><joint joint="hip" coef="0"/></fixed>
    <fixed name="one"><joint joint="toe" coef="3"/></fixed>
  </tendon><equality>{{}}</equality></mujoco>"""


def read(folder: Path, equality: str, **options) -> tuple[Imported, Path]:  # type: ignore[no-untyped-def]
    path = folder / "limbs.xml"
    path.write_text(LIMBS.format(equality), encoding="utf-8")
    return import_robot(path, **options), path


def rows_of_mujoco(path: Path, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residuals of all equalities at a pose, and their derivatives by the velocities."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    jacobian = np.zeros((data.nefc, model.nv))
    if mujoco.mj_isSparse(model):
        mujoco.mju_sparse2dense(jacobian, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    else:
        jacobian = np.array(data.efc_J).reshape(data.nefc, model.nv)
    return np.array(data.efc_pos)[rows], jacobian[rows]


def same_rows(system: lm.System, path: Path, scale: float | None = None) -> None:
    """At random poses; `scale` is how many times ours are larger, which does not matter for a row that is zero."""
    rng = np.random.default_rng(5)
    for _ in range(5):
        q = rng.uniform(-1, 1, system.layout.nq)
        ours, theirs = gaps(system, q), rows_of_mujoco(path, q)
        if scale is None:
            scale = float(np.linalg.norm(ours[1]) / np.linalg.norm(theirs[1]))
        for one, other in zip(ours, theirs, strict=True):
            assert one == pytest.approx(scale * other, abs=1e-12 * max(1.0, scale))


@pytest.mark.parametrize(
    "equality",
    [
        '<tendon tendon1="rod"/>',
        '<tendon tendon1="rod" polycoef="0.3 0 0 0 0"/>',
        '<tendon tendon1="rod" tendon2="all" polycoef="-0.2 0 0 0 0"/>',
        '<tendon tendon1="led" polycoef="-0.1 0 0 0 0"/>',
        '<tendon tendon1="sum" polycoef="0.3 0 0 0 0"/>',
        '<tendon tendon1="all"/>',
        '<tendon tendon1="one" polycoef="0.2 0 0 0 0"/>',
        '<tendon tendon1="sum" tendon2="all"/>',
        '<tendon tendon1="all" tendon2="sum" polycoef="0.1 -2 0.5 0.25 -0.125"/>',
        '<tendon tendon1="none" tendon2="sum" polycoef="0.1 -2 0.5 0 0"/>',
        '<tendon tendon1="all" tendon2="none" polycoef="0.1 -2 0.5 0 0"/>',
    ],
)
def test_tendons_that_are_held_are_rods_and_sums(tmp_path: Path, equality: str) -> None:
    """Lengths count from those in the pose of the file, where joints have the values of their `ref`."""
    found, path = read(tmp_path, equality)
    assert len(found.system.constraints) + len(found.system.loops) == 1
    assert "<equality>" not in "\n".join(map(str, found.notes))
    same_rows(found.system, path, 1.0)


@pytest.mark.parametrize(
    ("equality", "told"),
    [
        ('<tendon tendon1="bent"/>', "several pieces"),
        ('<tendon tendon1="still"/>', "keep their distance"),
        ('<tendon tendon1="rod" polycoef="-5 0 0 0 0"/>', "<connect> holds points together"),
        ('<tendon tendon1="rod" tendon2="led"/>', "those are read that are sums of joints"),
        ('<tendon tendon1="sum" tendon2="led"/>', "those are read that are sums of joints"),
        ('<tendon tendon1="none"/>', "no joint has a share"),
        ('<tendon tendon1="rod" active="false"/>', "it is not active"),
    ],
)
def test_tendons_that_are_held_otherwise_are_told_by_name(tmp_path: Path, equality: str, told: str) -> None:
    found, _ = read(tmp_path, equality.replace("<tendon ", '<tendon name="tie" '))
    assert not found.system.constraints and not found.system.loops
    assert any(told in str(note) and "of tie" in str(note) for note in found.ignored), found.notes


def test_a_joint_that_is_fixed_takes_no_part(tmp_path: Path) -> None:
    """It stays at the zero of its coordinate; a sum of which nothing is left is told."""
    both = '<tendon name="tie" tendon1="all" tendon2="sum"/><tendon name="alone" tendon1="one"/>'
    found, path = read(tmp_path, both, fixed=["toe"])
    (tie,) = found.system.constraints
    assert any("'alone'" in str(note) for note in found.ignored)
    wanted = rows_of_mujoco(path, np.array([0.4, 0.7, 0.0]))[0][0]
    assert tie.position.evaluate({"hip": 0.4, "knee": 0.7}) == pytest.approx(wanted, abs=1e-14)  # type: ignore[attr-defined]


def mechanism() -> lm.System:
    """Rods between bodies, one of them free, and the world; sums of joints that are held or follow others."""
    bodies = [lm.Body(name, **BODY) for name in ("base", "a", "b", "c")]
    place = {"at": (0.1, 0.2, 0.3), "rotation": (0.3, -0.2, 0.5)}
    return lm.System(
        "mechanism",
        bodies,
        [
            lm.Free(name="root", parent="world", child="base"),
            lm.Revolute((0, 1, 0), name="ja", parent="base", child="a", **place),
            lm.Revolute((1, 0, 0), name="jb", parent="a", child="b", **place),
            lm.Prismatic((0, 0, 1), name="jc", parent="b", child="c", **place),
        ],
        loops=[
            lm.RodClosure("rod", "base", "c", at_a=(0.3, 0, 0), at_b=(0.1, "far", 0), length="2*far"),
            lm.RodClosure("stay", "world", "b", at_a=(0, 0, 2), length=1.4),
        ],
        constraints=[
            lm.Coupling("held", "2*ja - jb + far*jc - 0.3"),
            lm.Coupling("follows", "ja + 2*jb - 0.5*(jc + 0.25)**3"),
            lm.Coupling("gear", "2*ja - 3*jb"),
        ],
        forces=[lm.Gravity()],
        parameters={"far": 0.8},
        nominal={"x": 1.0, "z": 2.0, "qw": 0.8, "qy": 0.6, "ja": 0.4},
    )


def test_rods_and_sums_of_joints_are_written_and_come_back(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """They were told as left out. The rows of MuJoCo are ours, and so are those that come back."""
    system = mechanism()
    path = lm.save(system, tmp_path / "mechanism.xml")
    assert not [str(w.message) for w in recwarn if issubclass(w.category, lm.RobotWarning)]
    back = import_robot(path).system
    assert [(type(loop).__name__, loop.name) for loop in back.loops] == [("RodClosure", "rod"), ("RodClosure", "stay")]
    assert [loop.length for loop in back.loops] == pytest.approx([1.6, 1.4], abs=1e-14)  # type: ignore[attr-defined]
    assert sorted(c.name for c in back.constraints) == ["follows", "gear", "held"]
    for seed in range(3):
        one, other = random_state(system, seed), random_state(back, seed)
        for what in ("mass", "bias", "acceleration"):
            assert difference(getattr(other, what), getattr(one, what)) < 1e-12, what
        (found, jacobian), (wanted, rows) = gaps(back, one.q), gaps(system, one.q)
        theirs, derivatives = rows_of_mujoco(path, one.q)
        # MuJoCo moves a free body along the axes of the world; both have six velocities of it.
        R = np.asarray(one.kinematics.links[0].pose.rotation, dtype=float)
        derivatives[:, :3] = derivatives[:, :3] @ R
        order = [index(loop, theirs, derivatives) for loop in zip(wanted, rows, strict=True)]
        assert sorted(order) == list(range(5))
        order = [index(loop, found, jacobian) for loop in zip(wanted, rows, strict=True)]
        assert sorted(order) == list(range(5))


def index(row: tuple[float, np.ndarray], values: np.ndarray, derivatives: np.ndarray) -> int:
    """The one among rows that says the same, whatever its factor."""
    value, slopes = row
    for k, (other, theirs) in enumerate(zip(values, derivatives, strict=True)):
        factor = (slopes @ theirs) / (theirs @ theirs)
        if factor and np.abs(slopes - factor * theirs).max() < 1e-11 and abs(value - factor * other) < 1e-11:
            return k
    raise AssertionError(f"no row is {row}")


@pytest.mark.parametrize(
    ("law", "loop", "text"),
    [
        ("ja + jb + sin(jc)", None, "constraints of tie: MJCF has joints, or sums of them"),
        ("ja + jb*jc", None, "constraints of tie"),
        ("ja + jb - jc**5", None, "constraints of tie"),
        ("ja**2 + jb**2 - jc - 1", None, "constraints of tie"),
        (
            "ja + jb + 2*jc",
            lm.RodClosure("rod", "base", "c", length="1 + 0.1*sin(t)"),
            "loops of rod: MJCF has no RodClosure",
        ),
    ],
)
def test_what_no_tendon_says_is_told(tmp_path: Path, law: str, loop: lm.RodClosure | None, text: str) -> None:
    system = mechanism().replace(constraints=[lm.Coupling("tie", law)], loops=[loop] if loop else [])
    with pytest.warns(lm.RobotWarning, match=text):
        path = lm.save(system, tmp_path / "mechanism.xml")
    assert ("<tendon" in path.read_text()) == (loop is not None)


def test_a_stop_does_not_take_the_name_of_a_spring(tmp_path: Path) -> None:
    """Of a spring between points and a range of joints that are named alike the range was lost."""
    stop = lm.Unilateral()
    system = mechanism().replace(
        constraints=[lm.Coupling("cord_low", "ja + jb + 1", law=stop), lm.Coupling("cord_high", "1 - ja - jb", law=stop)],
        loops=[],
        forces=[lm.PointSpring("cord", "world", (0, 0, 0), "c", (0, 0, 0), 5.0, 0.1)],
    )
    back = import_robot(lm.save(system, tmp_path / "mechanism.xml"), limits="stops").system
    assert len(back.constraints) == 2 and [type(force).__name__ for force in back.forces] == ["PointSpring"]
