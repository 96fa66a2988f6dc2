"""What a system refuses when it is built: one class of error each, with name, value and remedy."""

import inspect

import pytest

from locomotor import errors
from locomotor.errors import (
    AxisError,
    DescriptionTypeError,
    DuplicateNameError,
    InertiaTriangleError,
    InvalidNameError,
    MasslessBranchError,
    ModelError,
    MotionLawError,
    NegativeLengthError,
    NonPositiveMassError,
    NonPositiveRadiusError,
    NotFiniteError,
    ParameterScopeError,
    RestrictedForceError,
    RotationError,
    TreeCycleError,
    TwoParentsError,
    UncarriedBodyError,
    UnknownBodyError,
    UnknownChildError,
    UnknownGroundError,
    UnknownJointError,
    UnknownNameError,
    UnknownParentError,
)
from locomotor.model import (
    Body,
    BodyForce,
    BodyTorque,
    Fixed,
    Frame,
    Free,
    Gravity,
    Input,
    JointDamper,
    JointForce,
    JointSpring,
    Motion,
    Plane,
    PointDamper,
    PointSpring,
    Revolute,
    RollingDisc,
    RollingSphere,
    StickingPoint,
    System,
    Torque,
)

ORIGIN, Y = (0, 0, 0), (0, 1, 0)
BASE = Free(name="base", parent="world", child="chassis")


def body(name, mass=1.0, inertia=(1, 1, 1)):
    return Body(name, mass, inertia=inertia)


def hinge(name="arm", parent="chassis", child="tip", **own):
    return Revolute(own.pop("axis", Y), name=name, parent=parent, child=child, **own)


def build(**changes):
    """A floating chassis with one arm, changed in one respect."""
    parts = {
        "name": "robot",
        "bodies": [body("chassis"), body("tip")],
        "joints": [BASE, hinge()],
        "parameters": {"mass": 2.0, "length": 0.5, "angle": 0.3},
        "inputs": [Input("effort", "N m")],
    }
    return System(**{**parts, **changes})


def fails(error, message, **changes):
    with pytest.raises(error) as info:
        build(**changes)
    assert type(info.value) is error
    assert isinstance(info.value, ModelError)
    assert message in str(info.value)


def test_the_unchanged_system_is_accepted():
    assert build().layout.nv == 7


# --- tree ---------------------------------------------------------------------------------------------------


def test_unknown_parent():
    fails(
        UnknownParentError,
        "Revolute 'arm': its parent 'chasis' is no body of the system: did you mean 'chassis'?",
        joints=[BASE, hinge(parent="chasis")],
    )
    fails(UnknownParentError, "did you mean 'world'?", joints=[BASE, hinge(parent="World")])


def test_unknown_child():
    fails(
        UnknownChildError,
        "Revolute 'arm': its child 'tipp' is no body of the system: did you mean 'tip'?",
        joints=[BASE, hinge(child="tipp")],
    )
    fails(
        UnknownChildError,
        "the world cannot be a child; swap parent and child",
        joints=[BASE, hinge(child="world")],
    )


def test_two_parents():
    fails(
        TwoParentsError,
        "the body 'tip' has two parents: 'chassis' by Revolute 'arm' and 'world' by Revolute 'leg'; a tree gives each",
        joints=[BASE, hinge(), hinge("leg", "world")],
    )


def test_cycle():
    fails(
        TreeCycleError,
        "following parents goes round: tip -> hand -> tip (joints arm, wrist); hang one of these bodies on the world",
        bodies=[body("chassis"), body("tip"), body("hand")],
        joints=[BASE, hinge(parent="hand"), hinge("wrist", "tip", "hand")],
    )
    fails(
        TreeCycleError,
        "following parents goes round: tip -> tip (joints arm)",
        joints=[BASE, hinge(parent="tip")],
    )


def test_cycle_found_from_a_body_that_hangs_on_it():
    fails(
        TreeCycleError,
        "goes round: a -> b -> a",
        bodies=[body("tail"), body("a"), body("b")],
        joints=[hinge("j1", "a", "tail"), hinge("j2", "b", "a"), hinge("j3", "a", "b")],
    )


def test_uncarried_body():
    fails(
        UncarriedBodyError,
        "no joint carries the body 'tip'; join it to a parent, or let it move freely with "
        "Free(name=..., parent='world', child='tip')",
        joints=[BASE],
    )


def test_massless_branch():
    frames = [body("chassis"), Frame("tip")]
    fails(MasslessBranchError, "Revolute 'arm' moves 'tip', and nothing beyond it has mass", bodies=frames)
    build(bodies=frames, joints=[BASE, hinge(drive=Motion("sin(t)"))])
    build(bodies=frames, joints=[BASE, Fixed(name="arm", parent="chassis", child="tip")])
    build(bodies=frames, contacts=[StickingPoint("foot", "tip", ORIGIN)])
    build(bodies=[*frames, body("hand")], joints=[BASE, hinge(), hinge("wrist", "tip", "hand")])


# --- names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"bodies": [body("chassis"), body("tip"), body("tip")]},
            "'tip' is taken twice, by a body and by a body",
        ),
        ({"joints": [BASE, hinge("base")]}, "'base' is taken twice, by a joint and by a joint"),
        ({"joints": [BASE, hinge("tip")]}, "'tip' is taken twice, by a body and by a joint"),
        (
            {"contacts": [StickingPoint("tip", "tip", ORIGIN)]},
            "'tip' is taken twice, by a body and by a contact",
        ),
        (
            {"contacts": [StickingPoint("foot", "tip", ORIGIN)] * 2},
            "'foot' is taken twice, by a contact and by a contact",
        ),
        ({"parameters": {"arm": 1}}, "'arm' is taken twice, by a joint and by a parameter"),
        ({"inputs": [Input("arm")]}, "'arm' is taken twice, by a joint and by an input"),
        ({"inputs": [Input("a"), Input("a")]}, "'a' is taken twice, by an input and by an input"),
        ({"inputs": [Input("mass")]}, "'mass' is taken twice, by an input and by a parameter"),
        ({"forces": [Gravity(), Gravity()]}, "'gravity' is taken twice, by a force and by a force"),
        ({"grounds": [Plane(), Plane()]}, "'ground' is taken twice, by a ground and by a ground"),
        ({"parameters": {"arm_rate": 1}}, "'arm_rate' is taken twice, by a parameter and by a velocity"),
        ({"parameters": {"speed": 1}}, "'speed' is taken twice, by a parameter and by a velocity"),
        ({"joints": [BASE, hinge("x")]}, "'x' is taken twice, by a joint and by a coordinate"),
        (
            {"contacts": [StickingPoint("qw", "tip", ORIGIN)]},
            "'qw' is taken twice, by a contact and by a coordinate",
        ),
    ],
)
def test_duplicate_name(changes, message):
    fails(DuplicateNameError, f"system 'robot': the name {message}", **changes)
    with pytest.raises(DuplicateNameError, match="rename one of them"):
        build(**changes)


def test_names_of_systems():
    assert build(name="robot of 2024").name == "robot of 2024"
    for name in ("", "a\nb", 3):
        fails(InvalidNameError, "the name of a system is", name=name)


def test_things_of_the_wrong_kind():
    fails(DescriptionTypeError, "system 'robot': contacts holds", contacts=[hinge()])
    fails(DescriptionTypeError, "each must be a Body or Frame", bodies=["chassis"])


# --- references ---------------------------------------------------------------------------------------------


def test_unknown_body_of_a_contact():
    fails(
        UnknownBodyError,
        "StickingPoint 'foot': its body 'tipp' is no body of the system: did you mean 'tip'?",
        contacts=[StickingPoint("foot", "tipp", ORIGIN)],
    )


def test_unknown_ground():
    fails(
        UnknownGroundError,
        "StickingPoint 'foot': its ground 'wall' is no ground of the system: known names: ground",
        contacts=[StickingPoint("foot", "tip", ORIGIN, ground="wall")],
    )


@pytest.mark.parametrize(
    ("force", "field"),
    [
        (BodyForce("f", "tipp", ORIGIN, ORIGIN), "body"),
        (BodyTorque("f", "tipp", ORIGIN), "body"),
        (PointSpring("f", "tipp", ORIGIN, "world", ORIGIN, 1), "body_a"),
        (PointDamper("f", "world", ORIGIN, "tipp", ORIGIN, 1), "body_b"),
    ],
)
def test_unknown_body_of_a_force(force, field):
    message = f"'f': its {field} 'tipp' is no body of the system: did you mean 'tip'?"
    fails(UnknownBodyError, message, forces=[force])


def test_only_point_forces_may_name_the_world():
    build(forces=[PointSpring("f", "tip", ORIGIN, "world", ORIGIN, 1)])
    fails(UnknownBodyError, "its body 'world' is no body", forces=[BodyForce("f", "world", ORIGIN, ORIGIN)])


@pytest.mark.parametrize("kind", [JointSpring, JointDamper, JointForce])
def test_joint_of_a_force(kind):
    build(forces=[kind("f", "arm", 1.0)])
    fails(
        UnknownJointError,
        "'f': its joint 'amr' is no joint of the system: did you mean 'arm'?",
        forces=[kind("f", "amr", 1)],
    )
    fails(
        RestrictedForceError,
        f"{kind.__name__} 'f': Free 'base' has 6 degrees of freedom; a joint force needs one",
        forces=[kind("f", "base", 1.0)],
    )


def test_independent_velocities():
    assert build(independent="speed").independent == ("speed",)
    fails(UnknownNameError, "no velocity is named 'arm_rat': did you mean 'arm_rate'?", independent=["arm_rat"])
    fails(DuplicateNameError, "the independent velocity 'speed' is listed twice", independent=["speed", "speed"])


def test_nominal_pose():
    fails(UnknownNameError, "no coordinate is named 'arn': did you mean 'arm'?", nominal={"arn": 0.1})
    fails(
        UnknownNameError,
        "nominal 'arm' '2*anlge': the name 'anlge' is unknown: did you mean 'angle'?",
        nominal={"arm": "2*anlge"},
    )
    fails(NotFiniteError, "nominal 'arm' is nan", nominal={"arm": float("nan")})
    fails(DuplicateNameError, "the nominal pose gives 'arm' twice", nominal=[("arm", 1), ("arm", 2)])


# --- scopes of expressions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"bodies": [body("chassis", "2*mas"), body("tip")]},
            "Body 'chassis': mass '2*mas': the name 'mas' is unknown: did you mean 'mass'?",
        ),
        (
            {"joints": [BASE, hinge(at=("lenght", 0, 0))]},
            "Revolute 'arm': at 'lenght': the name 'lenght' is unknown: did you mean 'length'?",
        ),
        (
            {"contacts": [RollingSphere("c", "tip", ORIGIN, "lengt")]},
            "RollingSphere 'c': radius 'lengt': the name 'lengt' is unknown",
        ),
        (
            {"forces": [Gravity((0, 0, "-grav"))]},
            "Gravity 'gravity': acceleration '-grav': the name 'grav' is unknown",
        ),
        (
            {"grounds": [Plane(normal=("sin(angl)", 0, "cos(angl)"))]},
            "Plane 'ground': normal 'sin(angl)': the name 'angl' is unknown: did you mean 'angle'?",
        ),
        (
            {"joints": [BASE, hinge(drive=Torque("-k*arm"))]},
            "Revolute 'arm': Torque '-k*arm': the name 'k' is unknown",
        ),
        (
            {"joints": [BASE, hinge(drive=Torque("-mass*am"))]},
            "the name 'am' is unknown: did you mean 'arm'?",
        ),
        (
            {"joints": [BASE, hinge(drive=Motion("sin(angel*t)"))]},
            "Revolute 'arm': Motion 'sin(angel*t)': the name 'angel' is unknown: did you mean 'angle'?",
        ),
        (
            {"forces": [JointForce("f", "arm", "efort")]},
            "JointForce 'f': law 'efort': the name 'efort' is unknown: did you mean 'effort'?",
        ),
        (
            {"forces": [BodyForce("f", "tip", ORIGIN, (0, 0, "sped"))]},
            "BodyForce 'f': components 'sped': the name 'sped' is unknown: did you mean 'speed'?",
        ),
    ],
)
def test_unknown_name_in_an_expression(changes, message):
    fails(UnknownNameError, message, **changes)


def test_laws_may_use_time_state_inputs_and_parameters():
    law = "mass*t + arm + arm_rate + speed + qw + effort"
    build(
        joints=[BASE, hinge(drive=Torque(law))],
        forces=[
            JointForce("f", "arm", law),
            BodyForce("g", "tip", ORIGIN, (law, 0, 0)),
            BodyTorque("h", "tip", (0, law, 0)),
        ],
    )


@pytest.mark.parametrize(
    ("name", "what"),
    [("t", "the time"), ("arm", "a coordinate"), ("speed", "a velocity"), ("effort", "an input")],
)
def test_values_may_use_parameters_only(name, what):
    message = f"'2*{name}' depends on '{name}', {what}; only parameters may enter here"
    fails(ParameterScopeError, f"Body 'tip': mass {message}", bodies=[body("chassis"), body("tip", f"2*{name}")])
    fails(
        ParameterScopeError,
        f"BodyForce 'f': at {message}",
        forces=[BodyForce("f", "tip", (f"2*{name}", 0, 0), ORIGIN)],
    )


@pytest.mark.parametrize(
    ("name", "what"),
    [("arm", "a coordinate"), ("x", "a coordinate"), ("arm_rate", "a velocity"), ("effort", "an input")],
)
def test_imposed_motion_may_use_time_and_parameters_only(name, what):
    build(joints=[BASE, hinge(drive=Motion("angle*sin(mass*t)"))])
    fails(
        MotionLawError,
        f"Revolute 'arm': Motion '2*{name} + t' depends on '{name}', {what}; an imposed motion may depend on "
        "t and parameters only. Use a Torque for feedback",
        joints=[BASE, hinge(drive=Motion(f"2*{name} + t"))],
    )


# --- values by default --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "message", "changes"),
    [
        (
            NonPositiveMassError,
            "Body 'tip': mass is -1.0 kg (from 'mass - 3'); it must be positive",
            {"bodies": [body("chassis"), body("tip", "mass - 3")]},
        ),
        (
            InertiaTriangleError,
            "Body 'tip': no body has the principal moments (1.0, 1.0, 4.0)",
            {"bodies": [body("chassis"), body("tip", 1, (1, 1, "2*mass"))]},
        ),
        (
            AxisError,
            "Revolute 'arm': axis = (0.0, 2.0, 0.0) has norm 2.0",
            {"joints": [BASE, hinge(axis=(0, "mass", 0))]},
        ),
        (
            RotationError,
            "Revolute 'arm': rotation is not orthogonal",
            {"joints": [BASE, hinge(rotation=(("mass", 0, 0), (0, 1, 0), (0, 0, 1)))]},
        ),
        (
            NonPositiveRadiusError,
            "RollingDisc 'c': radius is -0.5 m (from '-length')",
            {"contacts": [RollingDisc("c", "tip", ORIGIN, Y, "-length")]},
        ),
        (AxisError, "Plane 'ground': normal", {"grounds": [Plane(normal=("sin(angle)", 0, 1))]}),
        (
            NegativeLengthError,
            "the free length is -0.5 m (from '-length')",
            {"forces": [PointSpring("f", "tip", ORIGIN, "world", ORIGIN, 1, "-length")]},
        ),
        (
            NotFiniteError,
            "Revolute 'arm': at is nan (from 'log(-length)'); give a finite number",
            {"joints": [BASE, hinge(at=("log(-length)", 0, 0))]},
        ),
        (
            NotFiniteError,
            "Revolute 'arm': at: '1/(mass - 2)' has no finite value",
            {"joints": [BASE, hinge(at=("1/(mass - 2)", 0, 0))]},
        ),
        (
            NotFiniteError,
            "Gravity 'gravity': acceleration is inf",
            {"forces": [Gravity((0, 0, "exp(1000*mass)"))]},
        ),
        (NotFiniteError, "nominal 'arm' is nan (from 'sqrt(-mass)')", {"nominal": {"arm": "sqrt(-mass)"}}),
    ],
)
@pytest.mark.filterwarnings("error")
def test_expressions_are_checked_with_the_default_parameters(error, message, changes):
    fails(error, message, **changes)


def test_other_parameter_values_are_checked_again():
    system = build(bodies=[body("chassis"), body("tip", "mass")])
    with pytest.raises(NonPositiveMassError, match=r"Body 'tip': mass is -1.0 kg \(from 'mass'\)"):
        system.with_parameters(mass=-1.0)


def test_tilted_ground_and_axis_by_parameter_pass():
    build(
        grounds=[Plane(normal=("sin(angle)", 0, "cos(angle)"))],
        joints=[BASE, hinge(axis=("sin(angle)", 0, "cos(angle)"), rotation=(0, "angle", 0))],
    )


# --- the tree of errors -------------------------------------------------------------------------------------


def test_every_error_of_a_model_is_a_value_error_and_documented():
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    assert all(issubclass(kind, errors.LocomotorError) for kind in kinds)
    assert all(issubclass(kind, ValueError) for kind in kinds if issubclass(kind, ModelError))
    assert all(kind.__doc__ for kind in kinds)


def test_unknown_names_print_their_plain_message_though_they_are_key_errors():
    error = UnknownNameError("no 'a'")
    assert isinstance(error, KeyError)
    assert str(error) == "no 'a'"
