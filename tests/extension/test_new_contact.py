"""A kind of contact and a contact law that the library does not know, defined here alone, work everywhere.

The kind is an ellipsoid that rolls without slipping (nothing of the library's own `RollingEllipsoid` is used); the law a bounce
that gets harder to give back the faster it is. Both are the worked example of docs/architecture.md ("A contact", "A contact
law"): whoever changes one changes the other.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis.cycles import poincare_map
from locomotor.errors import ContactKindError, ContactLawError
from locomotor.geometry import Ball, Shape, shape_of
from locomotor.lie import ops
from locomotor.mechanics.constraints import Touch, contacts_at, supported, touch
from locomotor.mechanics.tree import Instant, Kinematics, forward
from locomotor.model import Contact, ContactLaw, evaluate
from locomotor.model.contacts import EVERY_DIRECTION, Rail, Support
from locomotor.model.expressions import Quantity, QuantityLike, VectorLike, as_quantity
from locomotor.typing import Array
from locomotor.viewing.scene.scene import scene_of

# -- the kind: its declaration, where it touches, its shape -------------------------------------------------


@dataclass(frozen=True)
class RollingShell(Contact):
    """An ellipsoid that rolls without slipping: `centre` (m), and `half` (m), its semi-axes along the axes of the body."""

    centre: VectorLike
    half: VectorLike
    BLOCKS: ClassVar[tuple[str, ...]] = EVERY_DIRECTION

    def _read(self) -> None:
        self._read_vector("centre")
        self._read_vector("half")


@touch.register
def _(contact: RollingShell, normal: Any, omega: Any, values: Mapping[str, Any]) -> Touch:
    """The point with the outward normal -n: rho = -D² n/|D n|, D = diag(half); in body axes n turns at -W x n."""
    centre, half = evaluate(contact.centre, values), evaluate(contact.half, values)
    square = half * half
    turning = -ops.cross(omega, normal)
    length = ops.sqrt(ops.dot(normal, square * normal))
    rho = (-1.0 / length) * (square * normal)
    moving = (-1.0 / length) * (square * turning) - (ops.dot(normal, square * turning) / (length * length)) * rho
    return Touch(centre + rho, ops.cross(omega, centre + rho) + moving, None)


@dataclass(frozen=True, eq=False)
class Ellipsoid(Shape):
    """An ellipsoid with the semi-axes `half` along the axes of its body."""

    half: Any

    @property
    def size(self) -> float:
        """The largest semi-axis."""
        return float(self.half.max())

    def support(self, direction: Any) -> Any:
        """From the centre to the point farthest along the unit `direction`."""
        return self.half**2 * direction / np.linalg.norm(self.half * direction)


@shape_of.register
def _(contact: RollingShell, values: Mapping[str, float] | None = None) -> Shape:
    centre, half = (np.asarray(evaluate(part, values or {}), dtype=float) for part in (contact.centre, contact.half))
    return Ellipsoid(centre, half)


# -- the law ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SlowBounce(ContactLaw):
    """It only pushes, and gives back less the faster it is hit: e = u0/(u0 + u), for an approach u and the `speed` u0 (m/s)."""

    speed: QuantityLike
    ACTS: ClassVar[str] = "pushes"

    def __post_init__(self) -> None:
        self._store(speed=as_quantity(self.speed, "SlowBounce: speed"))

    @property
    def fixed_coefficients(self) -> tuple[Quantity, Quantity] | None:
        """None: the approach enters."""
        return None

    def bounce(self, values: Mapping[str, Any], approach: Any) -> tuple[Any, Any]:
        """Normal coefficient; tangential velocity is kept."""
        speed = evaluate(self.speed, values)
        return speed / (speed + ops.fmax(approach, 0.0)), -1.0

    @property
    def words(self) -> str:
        """How it acts, in a few words."""
        return f"only pushes, restitution u0/(u0 + u) with u0 = {self.speed} m/s"


# -- systems ------------------------------------------------------------------------------------------------

G, MASS, INERTIA, U0 = 9.81, 2.0, (0.01, 0.03, 0.035), 1.5
HALF = np.array([0.2, 0.15, 0.1])


@cache
def egg(law: ContactLaw = lm.Persistent(), speed: float = U0) -> lm.System:  # noqa: B008  # laws are frozen
    """An ellipsoid on level ground; its semi-axis along z and the speed of its law are parameters."""
    return lm.System(
        "egg",
        bodies=(lm.Body("egg", MASS, inertia=INERTIA),),
        joints=(lm.Free(name="base", parent="world", child="egg"),),
        contacts=(RollingShell("shell", "egg", (0.0, 0.0, 0.0), (0.2, 0.15, "short"), law=law),),
        forces=(lm.Gravity((0.0, 0.0, -G)),),
        parameters=(lm.Parameter("short", 0.1, "m"), lm.Parameter("u0", speed, "m/s")),
        nominal={"z": "short"},
    )


BOUNCING = SlowBounce("u0")


def height(pitch: Any) -> Any:
    """Of the centre of a rocking ellipse above the ground: |D n|."""
    return np.hypot(HALF[0] * np.sin(pitch), HALF[2] * np.cos(pitch))


def radius(pitch: Any) -> Any:
    """From the centre to the point that touches: |D² n|/|D n|."""
    return np.hypot(HALF[0] ** 2 * np.sin(pitch), HALF[2] ** 2 * np.cos(pitch)) / height(pitch)


@cache
def rocking() -> lm.Run:
    start = {"pitch": 0.9, "z": float(height(0.9))}
    return lm.simulate(egg(), 0.6, start=start, step=0.001)


@cache
def bouncing() -> lm.Run:
    return lm.simulate(egg(BOUNCING), 0.9, start={"z": 0.1 + 0.3}, step=0.005)


def impacts(drop: float, until: float) -> tuple[list[float], list[float]]:
    """Instants of the impacts of a body dropped so high, and its speeds after them: 1/u' = 1/u + 1/u0 at each."""
    speed = math.sqrt(2.0 * G * drop)
    time, times, speeds = speed / G, [], []
    while time < until:
        speed = 1.0 / (1.0 / speed + 1.0 / U0)
        times.append(time)
        speeds.append(speed)
        time += 2.0 * speed / G
    return times, speeds


# -- smooth runs --------------------------------------------------------------------------------------------


def test_rows_are_those_of_finite_differences(rng: np.random.Generator) -> None:
    """The material point under the contact rests, so that the contact point moves by its drift alone: h small steps of it."""
    system, h = egg(), 1e-6
    contact = system.contacts[0]
    q = np.array([*rng.normal(size=3), *(x := rng.normal(size=4)) / np.linalg.norm(x)])
    v = rng.normal(size=6)
    here = forward(Instant(system, q, v)).poses[0]
    normal = here.rotation.T @ np.array([0.0, 0.0, 1.0])
    found = touch(contact, normal, v[3:], dict(system.parameters.values))
    points = []
    for step in (-h, h):
        moved = here @ type(here).exp(step * v)
        there = touch(contact, moved.rotation.T @ np.array([0.0, 0.0, 1.0]), v[3:], dict(system.parameters.values))
        points.append(moved.rotation @ there.point)
    rate = here.rotation.T @ (points[1] - points[0]) / (2.0 * h)  # of the point relative to the origin of the body
    assert rate == pytest.approx(found.drift, abs=1e-8)  # differences of h = 1e-6: h² and round-off/h


def test_a_rocking_ellipsoid_keeps_its_energy_in_closed_form() -> None:
    run = rocking()
    pitch, rate = run["pitch"], run["pitch_rate"]
    # It turns about the point that touches: (I + m r²) w²/2 + m g h is constant.
    kinetic = 0.5 * (INERTIA[1] + MASS * radius(pitch) ** 2) * rate**2
    assert kinetic + MASS * G * height(pitch) == pytest.approx(MASS * G * height(0.9), rel=1e-9)  # rk4 with 1 ms
    assert run["z"] == pytest.approx(height(pitch), abs=1e-9)
    assert abs(pitch).max() == pytest.approx(0.9) and pitch.min() < -0.89  # it has rocked to the other side


def test_it_rolls_by_the_arc_of_the_ellipse() -> None:
    from scipy.special import ellipeinc

    run = rocking()
    k = int(np.argmax(run["pitch"] < 0.0))
    pitch = np.array([run["pitch"][0], run["pitch"][k]])
    # The point at the pitch p is (a sin s, c cos s) of the ellipse with tan s = (a/c) tan p; arc lengths from the short axis.
    a, c = HALF[0], HALF[2]
    s = np.arctan2(a * np.sin(pitch), c * np.cos(pitch))
    arc = a * ellipeinc(s, 1.0 - (c / a) ** 2)
    travelled = run["shell_point_x"][k] - run["shell_point_x"][0]
    assert abs(travelled) == pytest.approx(arc[0] - arc[1], rel=1e-9)


def test_the_audit_and_the_channels_know_it() -> None:
    audit = rocking().audit()
    assert audit["energy_balance"] < 1e-9 and audit["largest_gap"] < 1e-9 and audit["largest_slip"] < 1e-12
    for name in ("shell_x_multiplier", "shell_y_slip", "shell_gap", "shell_force_z", "shell_point_x"):
        assert name in rocking()
    assert rocking()["shell_force_z"][0] > 0.0


# -- event-driven runs --------------------------------------------------------------------------------------


def test_bounces_follow_the_law_of_the_approach() -> None:
    run = bouncing()
    times, speeds = impacts(0.3, 0.9)
    found = run.events.of(kind="impact")
    assert [event.time for event in found] == pytest.approx(times, abs=1e-12) and len(times) >= 3
    after = [run["heave_speed"][np.searchsorted(run.time, event.time, side="right") - 1] for event in found]
    assert after == pytest.approx(speeds, rel=1e-10)
    assert run.status.ok and not run.audit().residuals["largest_pull"]
    assert run.audit()["largest_penetration"] < 1e-12 and run.audit()["energy_balance"] < 1e-12


def test_a_plastic_limit_lies_down_and_rolls_away() -> None:
    """With a small u0 nearly nothing is given back: it comes to rest on the ground and then rocks on it."""
    start = {"pitch": 0.5, "z": float(height(0.5)) + 1e-3}
    run = lm.simulate(egg(BOUNCING, 1e-9), 0.3, start=start, step=0.001)
    assert run["shell_closed"][-1] and run.status.ok
    energy = 0.5 * (INERTIA[1] + MASS * radius(run["pitch"]) ** 2) * run["pitch_rate"] ** 2 + MASS * G * height(run["pitch"])
    rolling = run.time > run.events[-1].time
    assert energy[rolling] == pytest.approx(energy[-1], rel=1e-8)


def test_a_return_map_has_the_derivative_of_the_law() -> None:
    """From apex to apex above its rest: h' = u'²/(2 g) with u' = u u0/(u0 + u), hence dh'/dh = (u0/(u0 + u))³."""
    lift = egg(BOUNCING).replace(joints=(lm.Prismatic(name="z", parent="world", child="egg", axis=(0.0, 0.0, 1.0)),))
    drop = 0.3
    here = poincare_map(lift, {"z": 0.1 + drop}, section="z_rate falling", step=0.01)
    returned = here(np.array([[0.1 + drop]]), here.parameters[None])
    share = U0 / (U0 + math.sqrt(2.0 * G * drop))
    assert here.names == ("z",) and returned.jacobian is not None
    assert returned.values[0, 0] == pytest.approx(0.1 + drop * share**2, abs=1e-9)
    assert returned.jacobian[0, 0, 0] == pytest.approx(share**3, rel=1e-6)  # the impact by central differences


# -- batches ------------------------------------------------------------------------------------------------


def test_a_batch_of_smooth_motions_is_the_run() -> None:
    compiled = lm.compile(egg())
    state = compiled.start({"pitch": 0.9, "z": float(height(0.9))})
    batch = compiled.rollout([state] * 2, 200, 0.001, save_every=0, channels=("pitch", "pitch_rate"))
    found = np.asarray(batch.final)[0]
    names = list(compiled.state_names)
    assert found[names.index("z")] == pytest.approx(rocking()["z"][200], abs=1e-12)


@pytest.mark.parametrize(("contacts", "tolerance"), [("events", 1e-9), ("time-stepping", 5e-3)])
def test_a_batch_bounces_by_the_law(contacts: str, tolerance: float) -> None:
    """Compiled steps find events on cubics, exact for free flight; time-stepping has them at the nearest step, O(h)."""
    compiled = lm.compile(egg(BOUNCING), contacts=contacts, free=("u0",))
    state = compiled.start({"z": 0.4})
    batch = compiled.rollout([state] * 2, 1200, 0.0005, save_every=0, parameters=[[U0], [1e12]])
    final, names = np.asarray(batch.final), list(compiled.state_names)
    times, speeds = impacts(0.3, 0.6)
    later = 0.6 - times[-1]
    assert final[0, names.index("z")] == pytest.approx(0.1 + speeds[-1] * later - 0.5 * G * later**2, abs=tolerance)
    # With u0 beyond all bounds nothing is lost: the energy is that of the start.
    lossless = 0.5 * final[1, names.index("heave_speed")] ** 2 + G * final[1, names.index("z")]
    assert lossless == pytest.approx(0.4 * G, rel=tolerance)


# -- files, plots, the page ---------------------------------------------------------------------------------


def test_a_saved_run_knows_its_system(tmp_path: Path) -> None:
    run = lm.load(bouncing().save(tmp_path / "run.nc"))
    assert run.system == egg(BOUNCING)
    assert run.audit().residuals == bouncing().audit().residuals


@pytest.mark.parametrize("kind", ["curves", "side", "modes", "events", "forces", "graph", "energy"])
def test_it_is_plotted(kind: str, tmp_path: Path) -> None:
    bouncing().plot(kind=kind, path=tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 1000


def test_it_is_drawn_as_the_ellipsoid_it_is() -> None:
    parts = [part.mesh for part in scene_of(egg()).bodies[0].parts if part.role in ("tyre", "rim")]
    volume = 0.0
    for mesh in parts:
        a, b, c = np.moveaxis(mesh.vertices[mesh.triangles].astype(float), 1, 0)
        volume += float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0
    # A surface of triangles inside the ellipsoid: 12 rings an octant leave out 1.5 % of it.
    assert volume == pytest.approx(4.0 / 3.0 * np.pi * HALF.prod(), rel=0.02)


def test_the_page_plays_it(tmp_path: Path) -> None:
    page = bouncing().to_html(tmp_path / "run.html", channels=("z", "shell_gap"))
    text = page.read_text(encoding="utf-8")
    assert "shell impact" in text and "shell_gap" in text


# -- what is left out is refused ----------------------------------------------------------------------------


def test_a_kind_that_does_not_say_what_it_blocks_is_refused() -> None:
    @dataclass(frozen=True)
    class Vague(Contact):
        pass

    with pytest.raises(ContactKindError, match=r"its kind Vague blocks .*define BLOCKS in it"):
        Vague("vague", "egg")


def test_a_kind_without_geometry_is_refused() -> None:
    @dataclass(frozen=True)
    class Blob(Contact):
        BLOCKS: ClassVar[tuple[str, ...]] = ("normal",)

    system = egg().replace(contacts=(Blob("blob", "egg"),))
    with pytest.raises(ContactKindError, match="nothing says where a Blob touches a plane; register `touch`"):
        lm.simulate(system, 0.1)
    with pytest.raises(ContactKindError, match="nothing says which shape a Blob has; register `shape_of`"):
        scene_of(system)


def test_a_kind_that_blocks_something_else_than_it_declares_is_refused() -> None:
    @dataclass(frozen=True)
    class Liar(RollingShell):
        BLOCKS: ClassVar[tuple[str, ...]] = ("normal",)

    contact = Liar("liar", "egg", (0.0, 0.0, 0.0), (0.2, 0.15, 0.1))
    with pytest.raises(ContactKindError, match=r"declares BLOCKS = \('normal',\), and where it touches \('x', 'y', 'z'\)"):
        lm.simulate(egg().replace(contacts=(contact,)), 0.1)


def test_a_shape_without_closest_points_is_refused_on_a_terrain() -> None:
    system = egg(BOUNCING).replace(grounds=(lm.Terrain.kerb(0.02),))
    with pytest.raises(ContactKindError, match="shape Ellipsoid cannot touch a Terrain"):
        lm.simulate(system, 0.1, start={"z": 0.3})


def test_a_kind_that_nothing_is_known_of_on_edges_is_refused_on_a_terrain() -> None:
    """It would be held on a kerb by directions that it does not block, or end there as singular."""

    @dataclass(frozen=True)
    class Oblique(lm.RollingDisc):
        BLOCKS: ClassVar[tuple[str, ...]] = ("along", "normal")

    @dataclass(frozen=True)
    class Marble(Contact):
        BLOCKS: ClassVar[tuple[str, ...]] = EVERY_DIRECTION

    @shape_of.register
    def _(contact: Marble, values: Mapping[str, float] | None = None) -> Shape:
        return Ball(np.zeros(3), 0.1)

    terrain = {"grounds": (lm.Terrain.kerb(0.02),)}
    oblique = Oblique("rim", "egg", (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.1, law=BOUNCING)
    with pytest.raises(ContactKindError, match=r"Oblique blocks directions of its own \(along, normal\).*give it a Plane"):
        egg(BOUNCING).replace(contacts=(oblique,), **terrain)
    system = egg(BOUNCING).replace(contacts=(Marble("marble", "egg", law=BOUNCING),), **terrain)
    with pytest.raises(ContactKindError, match="how a Marble rests on edges and corners; register `supported`"):
        lm.simulate(system, 0.1, start={"z": 0.3})

    @supported.register
    def _(contact: Marble, support: Support, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
        up = kinematics.poses[body].rotation.T @ np.array([0.0, 0.0, 1.0])
        return up, Touch(-0.1 * up, np.zeros(3), None)

    resists = Marble("marble", "egg", law=lm.Unilateral(friction=0.5, rolling=0.01))
    rail = Rail("ground", point=(0.0, 0.0, 0.0), direction=(0.0, 1.0, 0.0), towards=(0.0, 0.0, -1.0))
    system = egg(BOUNCING).replace(contacts=(resists,), grounds=(rail,))
    still = forward(Instant(system, np.zeros(system.layout.nq), np.zeros(system.layout.nv)))
    with pytest.raises(ContactKindError, match="how the normal turns where a Marble rests on a Rail; give `turning`"):
        contacts_at(still, system.contacts)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "ACTS is ''; it must be 'always', 'pushes' or 'grips'"),
        ({"ACTS": "pushes"}, "nothing says what it does in an impact"),
        ({"ACTS": "pushes", "bounce": lambda self, values, approach: (0.0, 0.0)}, "define `fixed_coefficients` too"),
        ({"ACTS": "grips"}, "nothing says when; define `condition`"),
        ({"ACTS": "always"}, "define `words`"),
        ({"ACTS": "always", "slips": True}, "defines `slips`, `friction_at` and `sticking` together"),
        ({"ACTS": "always", "others": ("a",)}, "defines `others`, `shares` and `alone` together"),
    ],
)
def test_a_law_that_leaves_something_out_is_refused_when_it_is_defined(body: dict[str, Any], words: str) -> None:
    with pytest.raises(ContactLawError, match=f"contact law Partial: .*{words}"):
        type("Partial", (ContactLaw,), body)
