"""Wings section by section: against closed integrals, thin-airfoil theory, the second derivation, and a train in the wind."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import (
    AirError,
    AxisError,
    CoefficientError,
    DuplicateNameError,
    ModelError,
    NotFiniteError,
    ParameterScopeError,
    SoftBodyError,
    UnknownNameError,
    WingError,
)
from locomotor.lie.quaternion import to_matrix
from locomotor.mechanics.loads import sections, wrenches
from locomotor.mechanics.tree import Instant, fluid_inertia, forward
from locomotor.model import evaluate

C0, SPAN, RHO = 31.5e-3, 70e-3, 1.2
QUARTER = {"length": SPAN, "chord": f"{C0}*sqrt(1 - (X/{SPAN})**2)", "span": (0, -1, 0), "chord_axis": (0, 0, 1)}
"""The wing of Belkhiri 2013: a quarter of an ellipse that hangs below its leading edge."""
ALL = ("translation", "rotation", "added_mass", "viscous", "spin")


def plate(wing: dict[str, Any], air: lm.Air | None = None, **options: Any) -> lm.System:
    """A free plate with one wing."""
    return lm.System(
        "plate",
        bodies=(lm.Body("plate", mass=3e-4, com=(0.001, -0.03, -0.01), inertia=(1e-7, 1.2e-7, 1.5e-7)),),
        joints=(lm.Free(name="base", parent="world", child="plate"),),
        forces=(air or lm.Air(density=RHO), lm.Wing("wing", "plate", **{**QUARTER, **wing})),
        **options,
    )


def at(system: lm.System, velocity: Any, rate: Any, quaternion: Any = (1, 0, 0, 0), place: Any = (0, 0, 0)) -> Any:
    q = np.array([*place, *quaternion], dtype=float)
    return forward(Instant(system, q, np.array([*velocity, *rate], dtype=float)))


def wing_of(system: lm.System) -> lm.Wing:
    return next(force for force in system.forces if isinstance(force, lm.Wing))


# -- coefficients ------------------------------------------------------------------------------------------------------


def test_coefficients_of_the_source() -> None:
    """Belkhiri 2013, (4.47) and (4.48); the best glide is that of 1.8 sin 2b/(1.92 - 1.55 cos 2b)."""
    wing = lm.Wing("wing", "plate", **QUARTER)
    lift, drag = ((lambda b, law=law: float(evaluate(law, {"alpha": b}))) for law in (wing.lift, wing.drag))
    assert [lift(b) for b in (0.0, math.pi / 4, math.pi / 2)] == pytest.approx([0.0, 1.8, 0.0], abs=1e-15)
    assert [drag(b) for b in (0.0, math.pi / 4, math.pi / 2)] == pytest.approx([0.37, 1.92, 3.47], abs=1e-15)
    angles = np.linspace(0.0, math.pi / 2, 20001)
    glide = np.array([lift(b) / drag(b) for b in angles[::10]])
    # The tangent condition is cos 2b = 1.55/1.92, and the glide there 1.8/sqrt(1.92² - 1.55²).
    assert glide.max() == pytest.approx(1.8 / math.sqrt(1.92**2 - 1.55**2), abs=1e-6) == pytest.approx(1.589, abs=5e-4)
    assert math.degrees(angles[::10][glide.argmax()]) == pytest.approx(18.1, abs=0.05)


def test_dickinson_is_a_mirror_image_on_both_sides() -> None:
    """In degrees, 0.225 + 1.58 sin(2.13 a - 7.2) and 1.92 - 1.55 cos(2.04 a - 9.82) from 0 to 90, and its reflections."""
    lift = lm.parse(lm.COEFFICIENTS["dickinson1999"].lift)
    drag = lm.parse(lm.COEFFICIENTS["dickinson1999"].drag)
    for degrees in (10.0, 45.0, 80.0):
        a = math.radians(degrees)
        cl = 0.225 + 1.58 * math.sin(math.radians(2.13 * degrees - 7.2))
        cd = 1.92 - 1.55 * math.cos(math.radians(2.04 * degrees - 9.82))
        for angle, sign in ((a, 1), (-a, -1), (math.pi - a, -1), (a - math.pi, 1)):
            assert lift.evaluate({"alpha": angle}) == pytest.approx(sign * cl, abs=1e-12)
            assert drag.evaluate({"alpha": angle}) == pytest.approx(cd, abs=1e-12)


def test_a_table_is_a_series() -> None:
    angles = np.linspace(-math.pi, math.pi, 60)
    found = lm.coefficient_table(angles, 0.3 + 1.7 * np.sin(2 * angles) - 0.4 * np.cos(3 * angles), harmonics=4)
    assert found.evaluate({"alpha": 0.7}) == pytest.approx(0.3 + 1.7 * math.sin(1.4) - 0.4 * math.cos(2.1), abs=1e-12)
    with pytest.raises(CoefficientError, match="gap"):
        lm.coefficient_table(angles[:40], angles[:40], harmonics=6)


# -- one section -------------------------------------------------------------------------------------------------------


def test_lift_is_across_and_drag_against_the_velocity(rng: np.random.Generator) -> None:
    system = plate({"mechanisms": "translation", "sections": 3})
    for _ in range(20):
        V, W = rng.normal(size=3), 30.0 * rng.normal(size=3)
        for section in sections(wing_of(system), at(system, V, W)):
            point, push = section.forces["translation"]
            there = V + np.cross(W, point)
            there[1] = 0.0  # along the span nothing acts
            U = np.linalg.norm(there)
            assert push @ there <= 0.0
            assert push @ there == pytest.approx(-section.drag * U, rel=1e-12)
            assert np.linalg.norm(push) == pytest.approx(math.hypot(section.lift, section.drag), rel=1e-12)


def test_left_and_right_are_mirror_images(rng: np.random.Generator) -> None:
    mirror = np.diag([1.0, -1.0, 1.0])
    right, left = plate({"mechanisms": ALL, "axis": 0.3}), plate({"mechanisms": ALL, "axis": 0.3, "span": (0, 1, 0)})
    for _ in range(10):
        V, W = rng.normal(size=3), 30.0 * rng.normal(size=3)
        a = wrenches(wing_of(right), at(right, V, W))
        b = wrenches(wing_of(left), at(left, mirror @ V, -mirror @ W))
        for mechanism, wrench in a.items():
            assert np.allclose(b[mechanism][:3], mirror @ wrench[:3], rtol=1e-12, atol=1e-18)
            assert np.allclose(b[mechanism][3:], -mirror @ wrench[3:], rtol=1e-12, atol=1e-18)


def test_a_leading_edge_that_is_raised_lifts_on_both_sides() -> None:
    """The normal is up for a wing to the right and for one to the left, and `normal` turns it over."""
    for span, normal, sign in (((0, -1, 0), None, 1), ((0, 1, 0), None, 1), ((0, 1, 0), (0, 0, -1), -1)):
        wing = {"chord_axis": (1, 0, 0), "span": span, "normal": normal, "twist": 0.2, "mechanisms": "translation"}
        system = plate(wing)
        assert sign * wrenches(wing_of(system), at(system, (2.0, 0, 0), (0, 0, 0)))["translation"][2] > 0.0


def test_rotation_pushes_along_the_normal_and_damps() -> None:
    """3/4 pi rho c² |V| |Omega| a length (classical thin-airfoil theory, axis at the leading edge), against the pitching."""
    c, length, U, rate = 0.03, 0.07, 2.0, 40.0
    system = plate({"mechanisms": "rotation", "chord": c, "length": length})
    push = wrenches(wing_of(system), at(system, (0, 0, U), (0, -rate, 0)))["rotation"]
    # Span is -y, so that a rate -40 about y is +40 about the span; the velocity at the centre of pressure has a part across.
    speed = math.hypot(U, 0.4 * c * rate)
    size = 0.75 * math.pi * RHO * c**2 * speed * rate * length
    assert push[:3] == pytest.approx([math.copysign(size, push[0]), 0.0, 0.0], rel=1e-12)
    assert push[4] * -rate < 0.0  # the moment about the leading edge works against the pitching


def test_viscous_friction_is_that_of_blasius() -> None:
    c, length, U, mu = 0.03, 0.07, 2.0, 1.8e-5
    system = plate({"mechanisms": "viscous", "chord": c, "length": length}, lm.Air(density=RHO, viscosity=mu))
    push = wrenches(wing_of(system), at(system, (0, 0, U), (0, 0, 0)))["viscous"]
    reynolds = RHO * U * c / mu
    assert push[2] == pytest.approx(-2.0 * 0.5 * RHO * U**2 * c * length * 1.328 / math.sqrt(reynolds), rel=1e-12)


# -- the whole wing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("twist", [0.0, math.pi / 4, -0.3, 1.2])
def test_a_turning_wing_against_the_closed_integral(twist: float) -> None:
    """At the rate w about its chord axis a wing with c = a - b X meets the air at w X, everywhere at one angle: the integral of
    c X² is a l³/3 - b l⁴/4, that of the moment a l⁴/4 - b l⁵/5."""
    a, b, length, w = 0.03, 0.1, 0.07, 130.0
    system = plate(
        {"length": length, "chord": f"{a} - {b}*X", "twist": twist, "centre": 0.4, "axis": 0.4, "mechanisms": "translation"}
    )
    wrench = wrenches(wing_of(system), at(system, (0, 0, 0), (0, 0, w)))["translation"]
    # The section at X along -y moves with w X along +x; the normal at zero twist is chord_axis x span = z x (-y) = +x.
    normal = math.cos(twist) * np.array([1.0, 0.0, 0.0]) - math.sin(twist) * np.array([0.0, 0.0, 1.0])
    ahead = math.cos(twist) * np.array([0.0, 0.0, 1.0]) + math.sin(twist) * np.array([1.0, 0.0, 0.0])
    alpha = math.atan2(-normal[0], ahead[0])
    cl, cd = 1.8 * math.sin(2 * alpha), 1.92 - 1.55 * math.cos(2 * alpha)
    area = a * length**3 / 3 - b * length**4 / 4
    lifted = math.cos(alpha) * normal + math.sin(alpha) * ahead
    expected = 0.5 * RHO * w**2 * area * (cl * lifted - cd * np.array([1.0, 0.0, 0.0]))
    assert np.abs(wrench[:3] - expected).max() <= 1e-10 * np.abs(expected).max()
    moment = 0.5 * RHO * w**2 * (a * length**4 / 4 - b * length**5 / 5) * cd
    assert wrench[5] == pytest.approx(-moment, rel=1e-10)


def test_gauss_points_of_the_source() -> None:
    """Four points: the places, and the integral of c X² of the quarter ellipse, pi/16 C l³, to 0.9 %."""
    system = plate({"sections": 4})
    cut = wing_of(system).stations({})
    assert [1e3 * s.place for s in cut] == pytest.approx([4.860, 23.101, 46.899, 65.140], abs=5e-4)
    assert sum(s.width * s.chord * s.place**2 for s in cut) == pytest.approx(2.1410e-6, rel=5e-5)
    assert math.pi / 16 * C0 * SPAN**3 == pytest.approx(2.12146e-6, rel=5e-6)


def test_added_mass_of_the_source_and_of_a_flat_plate() -> None:
    """pi/4 rho c² a length: 4.364e-5 kg for the wing (Belkhiri 2013, (4.57)); about any axis, Lamb's thin ellipse."""
    system = plate({})
    form = fluid_inertia(wing_of(system), system, {})
    assert form is not None
    assert (
        form.A[0, 0] == pytest.approx(math.pi / 4 * RHO * C0**2 * 2 / 3 * SPAN, rel=1e-12) == pytest.approx(4.364e-5, rel=2e-4)
    )
    c, length, axis = 0.03, 0.07, 0.3
    system = plate({"chord": c, "length": length, "axis": axis})
    form = fluid_inertia(wing_of(system), system, {})
    assert form is not None
    m, d = math.pi / 4 * RHO * c**2 * length, (0.5 - axis) * c
    about_span = math.pi / 128 * RHO * c**4 * length + m * d**2
    assert form.D[1, 1] == pytest.approx(about_span, rel=1e-12)  # the span is -y
    assert abs(form.B[0, 1]) == pytest.approx(m * d, rel=1e-12)
    assert form.D[2, 2] == pytest.approx(m * length**2 / 3, rel=1e-12)
    system = plate({"chord": c, "length": length, "inertia_turns": False, "inertia_centre": 0.4})
    form = fluid_inertia(wing_of(system), system, {})
    assert form is not None
    matrix = np.block([[form.A, form.B], [form.B.T, form.D]])
    assert np.array_equal(matrix, matrix.T) and np.linalg.matrix_rank(matrix, tol=1e-9 * np.abs(matrix).max()) <= 2


# -- wind and vacuum ---------------------------------------------------------------------------------------------------


def classical(system: lm.System, velocity: Any, rate: Any, quaternion: Any) -> tuple[Any, Any]:
    """Acceleration of the origin in body axes and angular acceleration."""
    names = ("speed", "sway_speed", "heave_speed", "roll_rate", "pitch_rate", "yaw_rate")
    state = dict(zip(names, (*velocity, *rate), strict=True)) | dict(zip(("qw", "qx", "qy", "qz"), quaternion, strict=True))
    found = lm.accelerations(system, state)
    change = np.array([float(found[name]) for name in names])
    return change[:3] + np.cross(rate, velocity), change[3:]


def test_a_uniform_wind_is_a_train_that_passes(rng: np.random.Generator) -> None:
    quaternion = rng.normal(size=4)
    quaternion /= np.linalg.norm(quaternion)
    R = np.asarray(to_matrix(quaternion))
    V, W, wind = rng.normal(size=3), 20.0 * rng.normal(size=3), np.array([1.5, -0.7, 0.4])
    still = plate({"mechanisms": ALL, "axis": 0.2, "sections": 2})
    blown = plate({"mechanisms": ALL, "axis": 0.2, "sections": 2}, lm.Air(density=RHO, wind=wind))
    a, w_dot = classical(still, V, W, quaternion)
    b, u_dot = classical(blown, V + R.T @ wind, W, quaternion)
    assert np.abs(a - b).max() <= 1e-10 * np.abs(a).max()
    assert np.abs(w_dot - u_dot).max() <= 1e-10 * np.abs(w_dot).max()


def test_a_vacuum_does_nothing(rng: np.random.Generator) -> None:
    system = plate({"mechanisms": ALL}, lm.Air(density=0.0))
    kinematics = at(system, rng.normal(size=3), rng.normal(size=3))
    assert wrenches(wing_of(system), kinematics) == {}
    assert fluid_inertia(wing_of(system), system, {}) is None
    empty = plate({"mechanisms": ALL}, lm.Air(density="rho"), parameters=lm.ParameterSet((lm.Parameter("rho", 0.0),)))
    for wrench in wrenches(wing_of(empty), at(empty, rng.normal(size=3), rng.normal(size=3))).values():
        assert np.abs(wrench).max() <= 1e-14


def test_a_wing_at_rest_has_derivatives() -> None:
    traced = lm.trace(plate({"mechanisms": ALL, "lift": "dickinson1999", "drag": "dickinson1999", "sections": 1}))
    slope = traced.dynamics.function.jacobian()
    rest = [0.0, np.array([0, 0, 0, 1.0, *[0] * 9]), np.zeros(0), np.zeros(0)]
    outputs = slope(*rest, *(np.zeros(size) for size in map(traced.dynamics.function.size1_out, range(2))))
    assert all(np.isfinite(np.asarray(part)).all() for part in outputs)


@pytest.mark.slow
def test_the_second_derivation_agrees() -> None:
    wing = {"mechanisms": ALL, "axis": 0.3, "centre": "0.25 + 0.1*cos(2*alpha)", "twist": "0.3*X", "sections": 2}
    found = lm.certify(plate({**wing, "lift": "dickinson1999"}), states=10)
    assert found.agreed, str(found)
    gust = lm.Air(wind=("0.3*z + sin(t)", "0.1*x*y", 0.2))
    found = lm.certify(plate({**wing, "mechanisms": ("translation", "rotation", "viscous")}, gust), states=10)
    assert found.agreed, str(found)


# -- what cannot be ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wing", "error", "words"),
    [
        ({"chord": 0.0}, WingError, "chord is 0.0"),
        ({"chord": -0.02}, WingError, r"chord is -0\.02"),
        ({"chord": "0.03 - X"}, WingError, "at X"),
        ({"chord": "sqrt(0.05 - X)"}, WingError, "chord is nan"),
        ({"length": -0.1}, WingError, "length is -0.1"),
        ({"sections": 0}, WingError, "sections is 0"),
        ({"report": (6,)}, WingError, "outside the wing"),
        ({"lift": "1/alpha"}, CoefficientError, "lift is"),
        ({"lift": "sqrt(0.05 - X)*sin(2*alpha)"}, CoefficientError, "lift is nan.* at X = 0"),
        ({"drag": "log(X - 0.01)"}, CoefficientError, "drag is"),
        ({"twist": "sqrt(0.05 - X)"}, CoefficientError, "twist is nan.* at X = 0"),
        ({"drag": lambda alpha: math.sin(alpha)}, CoefficientError, "fails on the expression"),
        ({"lift": float("nan")}, NotFiniteError, "lift"),
        ({"lift": "1.8*sin(2*beta)"}, UnknownNameError, "beta"),
        ({"mechanisms": ("wake",)}, WingError, "wake"),
        ({"chord_axis": (0, 0.6, 0.8)}, AxisError, "right angles"),
        ({"air": "water"}, AirError, "water"),
        ({"axis": 1.5}, WingError, "axis is 1.5"),
    ],
)
def test_impossible_wings_are_refused(wing: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        plate(wing)


@pytest.mark.parametrize("kind", ["rod", "flexible"])
@pytest.mark.parametrize("more", [{"length": 0.5}, {"length": 0.2, "root": (-0.1, 0.0, 0.0)}, {"length": "2*l"}])
def test_sections_beyond_the_ends_of_a_soft_body_are_refused(kind: str, more: dict[str, Any]) -> None:
    """A shape has no values beyond its ends; what it would say there is nothing."""
    section = lm.CrossSection(mass=0.8, EIy=3.0, EIz=4.0, GJ=2.0, second=(0.002, 0.003, 0.0))
    soft = {
        "rod": lambda: lm.Rod("blade", section=section, length="l", strains={"bend_y": 1}),
        "flexible": lambda: lm.FlexibleBody("blade", "l", section, torsion=1),
    }[kind]()

    def system(given: dict[str, Any]) -> lm.System:
        wing = lm.Wing("sheet", "blade", chord=0.1, span=(1, 0, 0), chord_axis=(0, 1, 0), **given)
        return lm.System(
            "bench", [soft], [lm.Fixed(name="mount", parent="world", child="blade")], forces=[lm.Air(), wing],
            parameters=lm.ParameterSet([lm.Parameter("l", 0.3)]),
        )  # fmt: skip

    assert system({"length": 0.3}).bodies
    with pytest.raises(
        SoftBodyError, match=r"a section of Wing 'sheet' is at x = .* goes from 0 to 0\.3 m along x; put it within"
    ):
        system(more)


def test_a_function_of_alpha_is_an_expression() -> None:
    wing = lm.Wing("wing", "plate", **{**QUARTER, "lift": lambda alpha: 1.8 * lm.model.apply("sin", 2 * alpha)})
    assert evaluate(wing.lift, {"alpha": math.pi / 4}) == pytest.approx(1.8)


def test_names_with_a_meaning_of_their_own_are_taken() -> None:
    with pytest.raises(DuplicateNameError, match="meaning of its own"):
        plate({}, parameters=lm.ParameterSet((lm.Parameter("alpha", 0.1),)))
    with pytest.raises(AirError, match=r"density is -1\.2"):
        lm.Air(density=-1.2)
    with pytest.raises(AirError, match=r"viscosity is -1\.0; give zero \(no friction\)"):
        lm.Air(viscosity=-1.0)


@pytest.mark.parametrize(("name", "what"), [("heave_speed", "a velocity"), ("qw", "a coordinate")])
def test_a_wind_is_no_matter_of_the_state(name: str, what: str) -> None:
    """The air that is carried along feels the rate of the wind, which would hold accelerations: they were left out."""
    with pytest.raises(
        ParameterScopeError, match=f"depends on '{name}', {what}.*; it may depend on x, y, z, t, parameters and in"
    ):
        plate({}, lm.Air(wind=(0, 0, f"0.5*{name}")))


@pytest.mark.parametrize("make", [lm.catalogue.swimmer, lm.catalogue.falling_plate])
def test_added_mass_is_refused_in_maximal_coordinates(make: Any) -> None:
    """There every body has its own inertia and no more; it would be left out without a word."""
    with pytest.raises(ModelError, match=r"the added mass of .* has no form in maximal coordinates"):
        lm.simulate(make(), 0.01, coordinates="maximal")
