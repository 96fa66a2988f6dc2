"""Systems as MJCF: MuJoCo moves what was written as we do, and what it says comes back."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import RobotFileError
from locomotor.model import Contact
from locomotor.robots import Imported, import_robot
from oracles.robots import compare_with_mujoco, difference, package_file, random_state

pytest.importorskip("mujoco")
BODY = {"mass": 1.2, "com": (0.1, 0.05, -0.2), "inertia": ((0.2, 0.01, 0.0), (0.01, 0.3, 0.02), (0.0, 0.02, 0.25))}


def arm() -> lm.System:
    """Every kind of joint that MJCF has, a massless frame between two of them, springs, rotors, servos, parameters."""
    place = {"at": (0.1, 0.2, 0.3), "rotation": (0.3, -0.2, 0.5)}
    bodies = [lm.Body(name, **BODY) for name in ("base", "upper", "lower", "hand", "tool", "cart")]
    return lm.System(
        "arm",
        [*bodies, lm.Frame("between"), lm.Frame("tip")],
        [
            lm.Free(name="root", parent="world", child="base"),
            lm.Revolute((0, 0.6, 0.8), name="pan", parent="base", child="between", **place, rotor="4*J"),
            lm.Revolute((1, 0, 0), name="lift", parent="between", child="upper", **place, drive=lm.Torque("2*u - 3*lift")),
            lm.Prismatic((0, 0, 1), name="reach", parent="upper", child="lower", **place),
            lm.Spherical(name="wrist", parent="lower", child="hand", **place),
            lm.Universal(((1, 0, 0), (0, 1, 0)), name="joint", parent="hand", child="tool", **place),
            lm.Fixed(name="weld", parent="tool", child="tip", **place),
            lm.Translation(name="shift", parent="world", child="cart", **place),
        ],
        forces=[
            lm.Gravity(),
            lm.JointSpring("spring", "reach", "k", 0.1),
            lm.JointDamper("damper", "pan", 0.4),
            lm.PointSpring("elastic", "base", (0.1, -0.2, 0.3), "tool", (0.2, 0.1, "J"), "2*k", 0.3),
            lm.PointSpring("tether", "world", (0, 0, 3), "hand", (0.1, 0, 0), 20.0),
            lm.PointDamper("oil", "tip", (0.1, 0, 0), "cart", (0, 0.1, 0), 7.0),
            lm.JointForce("servo", "pan", "min(max(5*min(max(w, -0.3), 0.4) - 2*pan_rate + 1, -2), 2)"),
        ],
        parameters={"J": 0.01, "k": 30.0},
        inputs=[lm.Input("u"), lm.Input("w")],
        nominal={"x": 1.0, "z": 2.0, "pan": 0.3, "reach": 0.2},
    )


def saved(system: lm.System, folder: Path) -> Imported:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lm.RobotWarning)
        return import_robot(lm.save(system, folder / "robot.xml"))


def test_mujoco_moves_it_as_we_do(tmp_path: Path) -> None:
    found = saved(arm(), tmp_path)
    for seed in range(4):
        again = compare_with_mujoco(found, tmp_path / "robot.xml", seed)
        assert max(again.values()) < 1e-12, again
        one, other = random_state(arm(), seed), random_state(found.system, seed)
        for what in ("mass", "bias", "acting", "acceleration"):
            assert difference(getattr(other, what), getattr(one, what)) < 1e-12, what
    assert np.allclose(list(found.poses["nominal"].values()), arm().nominal_pose())
    assert found.inputs == {"u": "u", "w": "w"}
    names = [force.name for force in found.system.forces if isinstance(force, lm.PointSpring | lm.PointDamper)]
    assert names == ["elastic", "tether", "oil"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ant", "humanoid", "half_cheetah", "pusher_v5"])
def test_public_robots_come_back(tmp_path: Path, name: str) -> None:
    first = import_robot(package_file("gymnasium", f"envs/mujoco/assets/{name}.xml"), contacts=True)
    again = saved(first.system, tmp_path)
    one, other = random_state(first.system, 1), random_state(again.system, 1)
    for what in ("mass", "bias", "acting", "acceleration"):
        assert difference(getattr(other, what), getattr(one, what)) < 1e-9, what
    assert max(compare_with_mujoco(again, tmp_path / "robot.xml", 2).values()) < 1e-9
    back = import_robot(tmp_path / "robot.xml", contacts=True).system
    kinds = {c.body: c.law for c in back.contacts}
    assert kinds == {c.body: c.law for c in first.system.contacts}


def test_loops_couplings_and_contacts_come_back(tmp_path: Path) -> None:
    y = (0.0, 1.0, 0.0)
    system = lm.System(
        "held",
        [lm.Body(name, **BODY) for name in ("a", "b", "c")],
        [lm.Revolute(y, name=f"j{k}", parent="world", child=name, at=(k, 0, 1)) for k, name in enumerate("abc")],
        contacts=[
            lm.RollingSphere("ball", "a", (0.1, 0, -0.9), 0.1, law=lm.Unilateral(friction=0.4)),
            lm.StickingPoint("foot", "b", (0, 0, -1), law=lm.Unilateral()),
            lm.StickingPoint("pin", "c", (0, 0, -1)),
        ],
        constraints=[lm.Coupling("gear", "2*j0 + j1 - 0.3*j1**3 + 0.1"), lm.Coupling("odd", "sin(j0) + sin(j1)")],
        loops=[
            lm.SphericalClosure("meet", "a", "b", at_a=(0.3, 0, 0), at_b=(-0.7, 0, 0)),
            lm.FixedClosure("held", "b", "c", at_a=(1, 0, 0), across_a=(0, 0, 1), across_b=(0, 0, 1)),
            lm.PointOnPlane("plate", "a", "c", axis_a=(0, 0, 1)),
        ],
        forces=[lm.Gravity((0, 0, -1.6)), lm.BodyForce("pull", "a", (0, 0, 0), (0, 0, "5*cos(t)"))],
    )
    with pytest.warns(lm.RobotWarning) as told:
        path = lm.save(system, tmp_path / "robot.xml")
    text = str(told[0].message)
    for part in ("PointOnPlane", "BodyForce", "constraints of odd", "Persistent", "contacts that stick of foot"):
        assert part in text, part
    back = import_robot(path, contacts=True).system
    assert [type(loop).__name__ for loop in back.loops] == ["SphericalClosure", "FixedClosure"]
    assert np.allclose(back.loops[0].at_b, (-0.7, 0, 0)) and np.allclose(back.loops[1].axis_a, (1, 0, 0))  # type: ignore[attr-defined]
    (gear,) = back.constraints
    law = gear.position  # type: ignore[attr-defined]
    for j1 in (-0.7, 0.2, 0.9):
        assert law.evaluate({"j0": -0.5 * (j1 - 0.3 * j1**3 + 0.1), "j1": j1}) == pytest.approx(0.0, abs=1e-14)
    assert {c.body: c.law.friction for c in back.contacts} == {"a": 0.4, "b": 10.0}  # type: ignore[attr-defined]
    assert np.allclose(back.forces[0].acceleration, (0, 0, -1.6))  # type: ignore[attr-defined]


def test_what_mjcf_cannot_say_is_refused(tmp_path: Path) -> None:
    screw = lm.System("s", [lm.Body("a", **BODY)], [lm.Helical((0, 0, 1), 0.1, name="j", parent="world", child="a")])
    with pytest.raises(RobotFileError, match="it has no joint like Helical 'j'"):
        lm.save(screw, tmp_path / "s.xml")
    point = lm.System(
        "p", [lm.Body("a", 1.0, inertia=(0, 0, 0))], [lm.Prismatic((0, 0, 1), name="j", parent="world", child="a")]
    )
    with pytest.raises(RobotFileError, match="no inertia about some axis"):
        lm.save(point, tmp_path / "p.xml")
    assert not list(tmp_path.iterdir())


def test_thin_rods_are_taken_by_mujoco(tmp_path: Path) -> None:
    """The largest moment of a plate is the sum of the others, and by rounding more than that, which MuJoCo refuses."""
    rng = np.random.default_rng(3)
    bodies, joints = [], []
    for k in range(40):
        a, b = 10.0 ** rng.uniform(-6, 0, size=2)
        axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        inertia = axes @ np.diag([a, b, a + b]) @ axes.T
        bodies.append(lm.Body(f"b{k}", 1.0, inertia=tuple(map(tuple, 0.5 * (inertia + inertia.T)))))
        joints.append(lm.Revolute((0, 1, 0), name=f"j{k}", parent="world", child=f"b{k}"))
    found = saved(lm.System("plates", bodies, joints), tmp_path)
    for one, other in zip(bodies, found.system.bodies, strict=True):
        assert difference(np.array(other.inertia), np.array(one.inertia)) < 1e-12  # type: ignore[union-attr]


def test_the_nominal_pose_comes_back(tmp_path: Path) -> None:
    """Without it a linkage that is open at zero cannot be assembled."""
    linkage = lm.catalogue.four_bar()
    found = saved(linkage, tmp_path).system
    assert np.allclose(found.nominal_pose(), linkage.nominal_pose())
    start = {"crank_rate": 2.0}
    one, other = (lm.simulate(system, 0.1, start=start, step=0.002) for system in (linkage, found))
    assert np.abs(one["rocker"] - other["rocker"]).max() < 1e-11


def test_contacts_touch_their_ground_and_not_each_other(tmp_path: Path) -> None:
    """Two balls at one place, one of which glides: MuJoCo finds each on the floor, and neither on the other."""
    import mujoco

    balls = [lm.Body(name, 1.0, inertia=(0.004,) * 3) for name in "ab"]
    system = lm.System(
        "balls",
        balls,
        [lm.Free(name=f"{ball.name}_root", parent="world", child=ball.name) for ball in balls],
        contacts=[
            lm.SlidingSphere("one", "a", (0, 0, 0), 0.1, law=lm.Unilateral()),
            lm.RollingSphere("two", "b", (0, 0, 0), 0.1, law=lm.Unilateral(friction=0.3)),
        ],
        nominal={"z": 0.099, "b_root_z": 0.099, "b_root_x": 0.05},
    )
    path = lm.save(system, tmp_path / "balls.xml")
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert sorted({model.geom(i).name for i in contact.geom} - {"ground"} for contact in data.contact) == [{"one"}, {"two"}]
    assert [contact.dim for contact in data.contact] == [1, 3]
    back = import_robot(path, contacts=True).system
    assert {c.body: c.law.friction for c in back.contacts} == {"a": 0.0, "b": 0.3}  # type: ignore[attr-defined]


def test_damping_of_ball_joints_comes_back(tmp_path: Path) -> None:
    system = lm.System(
        "ball",
        [lm.Body("a", **BODY)],
        [lm.Spherical(name="j", parent="world", child="a")],
        forces=[lm.Gravity(), lm.JointDamper("brake", "j", 0.4), lm.JointFriction("rub", "j", 0.1)],
    )
    with pytest.warns(lm.RobotWarning, match="forces of rub: MJCF has no JointFriction"):
        lm.save(system, tmp_path / "robot.xml")
    found = import_robot(tmp_path / "robot.xml")
    assert max(compare_with_mujoco(found, tmp_path / "robot.xml", 1).values()) < 1e-12
    assert [f.damping for f in found.system.forces if isinstance(f, lm.JointDamper)] == [0.4]


def summed() -> lm.System:
    """Three joints with springs, dampers and motors along sums of them, written in several ways."""
    joints = ("hip", "knee", "toe")
    sum_, rate = "(0.5*hip - 1.5*knee)", "(0.5*hip_rate - 1.5*knee_rate)"
    slack, pull = (
        f"(max({sum_} - 0.3, 0) + min({sum_} + 0.1, 0))",
        "min(max(9*min(max(u, -0.2), 0.3) - 2*(knee + 3*toe), -4), 1)",
    )
    laws = {
        "ham_spring_hip": ("hip", f"-0.5*k*{slack} - {rate}"),
        "ham_spring_knee": ("knee", f"1.5*k*{slack} + 3*{rate}"),
        "minus_one_hip": ("hip", "-7*(hip + toe + 1)"),  # a length that means something else to MuJoCo
        "minus_one_toe": ("toe", "-7*(hip + toe + 1)"),
        "brake": ("toe", "-4*toe_rate"),
        "pull_knee": ("knee", pull),
        "pull_toe": ("toe", f"3*({pull})"),
        "swing_hip": ("hip", "-2*w"),
        "swing_knee": ("knee", "w"),
    }
    return lm.System(
        "summed",
        [lm.Body(f"{joint}_bone", **BODY) for joint in joints],
        [
            lm.Revolute((0, 1, 0), name=name, parent=parent, child=f"{name}_bone", at=(0.3, 0, 0))
            for name, parent in zip(joints, ("world", "hip_bone", "knee_bone"), strict=True)
        ],
        forces=[lm.Gravity(), *(lm.JointForce(name, joint, law) for name, (joint, law) in laws.items())],
        inputs=[lm.Input("u"), lm.Input("w")],
        parameters={"k": 30.0},
    )


def test_forces_along_sums_of_joints_are_tendons(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """MuJoCo pulls as the laws say, by one control for each input; nothing is left to tell."""
    path = lm.save(summed(), tmp_path / "robot.xml")
    assert not [str(w.message) for w in recwarn if issubclass(w.category, lm.RobotWarning)]
    found = import_robot(path)
    assert found.inputs == {"u": "u", "w": "w"}
    for seed in range(12):
        assert max(compare_with_mujoco(found, path, seed).values()) < 1e-9
        one, other = random_state(summed(), seed), random_state(found.system, seed)
        for what in ("mass", "bias", "acting", "acceleration"):
            assert difference(getattr(other, what), getattr(one, what)) < 1e-9, what


@pytest.mark.parametrize(
    ("laws", "text"),
    [
        ({"hip": "-3*(hip + 2*knee)", "knee": "-3*(hip + 2*knee)"}, "laws of torques of f_hip, f_knee"),  # no potential
        ({"hip": "-3*hip**3"}, "laws of torques of f_hip"),
        ({"hip": "5 + 3*knee"}, "laws of torques of f_hip"),
        ({"hip": "-3*max(hip - 1, 0)"}, "laws of torques of f_hip"),
        ({"hip": "-3*max(min(hip**2, 0.5), -0.5)"}, "laws of torques of f_hip"),
        ({"hip": "min(-3*hip, 5*sin(knee))"}, "laws of torques of f_hip"),
        ({"hip": "1/hip"}, "laws of torques of f_hip"),
        ({"hip": "sqrt(hip) + log(hip)"}, "laws of torques of f_hip"),
        ({"hip": "-exp(hip)"}, "laws of torques of f_hip"),
        ({"hip": "u/hip"}, "laws of torques of f_hip"),
        ({"hip": "-3*sin(t)*hip"}, "laws of torques of f_hip"),
        ({"hip": "2*u - hip", "knee": "3*u - knee"}, "input 'u': MuJoCo has one for each of f_hip, f_knee"),
        ({"hip": "2*u", "knee": "3*min(max(u, -1), 1)"}, "input 'u': MuJoCo has one for each of f_hip, f_knee"),
    ],
)
def test_forces_along_no_sum_of_joints_are_told(tmp_path: Path, laws: dict[str, str], text: str) -> None:
    system = summed().replace(
        forces=[lm.JointForce(f"f_{joint}", joint, law) for joint, law in laws.items()], inputs=[lm.Input("u")], parameters={}
    )
    with pytest.warns(lm.RobotWarning, match=text):
        path = lm.save(system, tmp_path / "robot.xml")
    assert "<fixed" not in path.read_text()


def test_tendons_have_names_of_their_own_and_laws_that_can_be_said_are_said(tmp_path: Path) -> None:
    """A spring that is named like the sum of an input stays, and so does a law beside one of two inputs."""
    import mujoco

    ends = ("world", (0, 0, 1), "toe_bone", (0, 0, 0))
    laws = {"f": ("hip", "u"), "g": ("knee", "2*u"), "h": ("hip", "v + w"), "i": ("knee", "3*v")}
    forces = [lm.PointSpring("u_sum", *ends, 5.0), *(lm.JointForce(name, *law) for name, law in laws.items())]
    system = summed().replace(forces=forces, inputs=[lm.Input(name) for name in "uvw"], parameters={})
    with pytest.warns(lm.RobotWarning, match="laws of torques of h: MJCF"):
        path = lm.save(system, tmp_path / "robot.xml")
    model = mujoco.MjModel.from_xml_path(str(path))
    assert sorted(model.tendon(i).name for i in range(model.ntendon)) == ["u_sum", "u_sum_"]
    assert [model.actuator(i).name for i in range(model.nu)] == ["u", "i"]


@pytest.mark.parametrize(
    "contact",
    [
        lm.StickingPoint("tip", "leg", at=(0.1, 0, -0.2), law=lm.Unilateral(friction=0.5)),
        lm.RollingDisc("rim", "leg", centre=(0, 0, 0.3), axis=(0.6, 0, 0.8), radius=0.5 / 0.6, law=lm.Unilateral()),
    ],
    ids=["point", "rim"],
)
def test_points_and_rims_touch_in_mujoco_where_they_touch_here(tmp_path: Path, contact: Contact) -> None:
    """They were a millimetre lower there: balls and cylinders of that size stood for them. Both are 0.2 m below the origin,
    for the lowest point of a disc is the radius times the sine of its tilt, 0.6, below its centre."""
    import mujoco

    leg = lm.System("leg", [lm.Body("leg", **BODY)], [lm.Free(name="root", parent="world", child="leg")], contacts=[contact])
    saved(leg, tmp_path)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    data = mujoco.MjData(model)
    data.qpos[:7] = 0, 0, 0.2 - 1e-4, 1, 0, 0, 0
    mujoco.mj_forward(model, data)
    assert min(touch.dist for touch in data.contact) == pytest.approx(-1e-4, abs=2e-6)
