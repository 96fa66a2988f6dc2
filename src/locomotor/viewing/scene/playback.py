"""A run made ready for playing: poses of all bodies and the channels, thinned to what a viewer can show.

Samples are taken evenly, often enough to see the fastest body turn, within a budget of bytes; the largest and the
smallest value of every channel are always among them, so that no peak is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from locomotor import codegen
from locomotor.dataclass import dataclass
from locomotor.errors import ViewingError
from locomotor.model import System
from locomotor.simulation import Run
from locomotor.tracing.readings import body_poses
from locomotor.typing import Vector
from locomotor.viewing.scene.scene import Scene, scene_of
from locomotor.viewing.scene.skin import largest_of
from locomotor.viewing.scene.soft import drawn

Single = NDArray[np.float32]
Posing = Callable[[Vector], Vector]

SAMPLES = 2000
"""Samples of a run in which nothing turns fast: more cannot be told apart in a curve."""
TURN = 1.0
"""Largest angle (rad) between two samples of the fastest body, where the budget allows."""
MEGABYTES = 3.0
"""Budget of the samples, before encoding."""
INSTANTS = 400
"""Instants at which it is looked how far a motion extends."""
SCATTERED = 6.0
"""Bodies farther apart than so many times their size at the start have flown apart."""
POSE = 7
"""Position, then the quaternion, scalar first."""


@dataclass(frozen=True, eq=False)
class Extent:
    """Boxes (2, 3), lowest and highest corner, of what is drawn over the whole motion: what a picture of it must hold."""

    around: Vector
    """About the centre of mass, wherever that is: for a camera that goes along."""
    whole: Vector
    """In the world: for a camera that stands still."""


@dataclass(frozen=True, eq=False)
class Playback:
    """What a viewer needs of one run; arrays have the samples in front."""

    run: Run
    system: System
    scene: Scene
    samples: NDArray[np.intp]
    """Which samples of the run were kept."""
    time: Vector
    poses: Single
    """(samples, bodies, 7): position and quaternion of every body."""
    centre: Single
    """(samples, 3): centre of mass of the whole system."""
    channels: dict[str, Single]
    extent: Extent
    strains: tuple[Single, ...]
    """(samples, rings) for each skin of the scene."""

    @property
    def largest_strain(self) -> float:
        """The strain that the last colour stands for."""
        return largest_of(self.strains)

    @property
    def bytes(self) -> int:
        """Size of the samples (bytes)."""
        return self.time.nbytes + self.poses.nbytes + self.centre.nbytes + sum(c.nbytes for c in self.channels.values())


def playback_of(
    run: Run, *, megabytes: float = MEGABYTES, every: float | None = None, posing: Posing | None = None
) -> Playback:
    """Poses and channels of a run, thinned to the budget, or to one sample every so many seconds.

    `posing` computes the rows of `body_poses` from coordinates, for callers that have traced it already.
    """
    if run.system is None:
        raise ViewingError(
            f"the run of {run.name!r} does not know its system, so there is nothing to draw; view a run made by "
            "simulate, or one saved by a version of locomotor that stores the system"
        )
    system = drawn(run.system)
    coordinates = [symbol.name for symbol in system.layout.coordinates]
    if missing := [name for name in coordinates if name not in run]:
        raise ViewingError(f"the run of {run.name!r} lacks the coordinate {missing[0]!r} of its system; save it again")
    picked = pick_samples(run, len(system.bodies), megabytes) if every is None else pick_frames(run, every)
    q = np.stack([run[name][picked] for name in coordinates], axis=-1) if coordinates else np.zeros((len(picked), 0))
    rows = (posing or posing_of(system))(q)
    poses = positions_and_quaternions(rows)
    scene = scene_of(system)
    centre = _centre(scene, poses)
    return Playback(
        run=run,
        system=system,
        scene=scene,
        samples=picked,
        time=run.time[picked],
        poses=poses,
        centre=centre,
        channels={name: _single(values[picked]) for name, values in run.channels.items()},
        extent=_extent(scene, poses, centre),
        strains=tuple(_single(skin.strains(rows)) for skin in scene.skins),
    )


def _single(values: Vector) -> Single:
    """Half the bytes; what a run that blew up leaves too large becomes infinite."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


# -- thinning -----------------------------------------------------------------------------------------


def pick_samples(run: Run, bodies: int, megabytes: float) -> NDArray[np.intp]:
    """Indices of the samples to keep, in order."""
    n = len(run)
    row = 4 * (len(run.channels) + POSE * bodies + 3) + 8
    wanted = max(SAMPLES, int(_turned(run) / TURN))
    affordable = max(2, int(megabytes * 1e6 / row))
    if n <= min(wanted, affordable):
        return np.arange(n)
    extremes = {i for values in run.channels.values() if len(values) for i in _extremes(values)}
    even = np.linspace(0, n - 1, max(2, min(wanted, affordable - len(extremes)))).round().astype(np.intp)
    return np.unique(np.concatenate([even, np.fromiter(extremes, dtype=np.intp, count=len(extremes))]))


def pick_frames(run: Run, every: float) -> NDArray[np.intp]:
    """Indices of the samples nearest to even instants; all samples where they are fewer."""
    frames = int(np.floor(float(run.time[-1] - run.time[0]) / every + 1e-9)) + 1
    picked = np.arange(len(run))
    if frames < len(run):
        wanted = run.time[0] + every * np.arange(frames)
        after = np.clip(np.searchsorted(run.time, wanted), 1, len(run) - 1)
        nearer = np.abs(run.time[after - 1] - wanted) <= np.abs(run.time[after] - wanted)
        picked = np.unique(after - nearer)
    # An impact has two samples at one instant: the later one stays.
    later = np.diff((run.time[picked] - run.time[0]).astype(np.float32)) > 0.0
    return picked[np.append(later, True)]


def _extremes(values: Vector) -> Iterable[int]:
    finite = np.where(np.isfinite(values), values, values[0])
    return int(finite.argmin()), int(finite.argmax())


def _turned(run: Run) -> float:
    """Largest angle that any angular velocity adds up to over the run."""
    if len(run) < 2:
        return 0.0
    speeds = [values for name, values in run.group("velocities").items() if run.about[name].unit == "rad/s"]
    duration = float(run.time[-1] - run.time[0])
    return max((duration * float(np.nanmean(np.abs(values))) for values in speeds), default=0.0)


# -- poses --------------------------------------------------------------------------------------------


def posing_of(system: System) -> Posing:
    """Rows of `body_poses` (samples, bodies, 12) of coordinates (samples, nq), many samples at once."""
    kernel = codegen.compile(body_poses(system), target="interpreter")
    return lambda coordinates: kernel(np.ascontiguousarray(coordinates), np.zeros(0))[0]


def positions_and_quaternions(rows: Vector) -> Single:
    """Positions and quaternions of rotations and positions (samples, bodies, 12)."""
    poses = np.empty((*rows.shape[:2], POSE), dtype=np.float32)
    poses[..., 0:3] = rows[..., 9:12]
    poses[..., 3:7] = quaternions(rows[..., 0:9].reshape(*rows.shape[:2], 3, 3))
    return poses


def quaternions(R: Vector) -> Vector:
    """Unit quaternions (samples, n, 4), scalar first, of rotation matrices; each continues the one before it.

    Of the four forms q_i q_j = (linear in R)/4, that with the largest q_i² is used: no division by a small number.
    """
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    a, b, c = R[..., 2, 1], R[..., 0, 2], R[..., 1, 0]
    d, e, f = R[..., 1, 2], R[..., 2, 0], R[..., 0, 1]
    rows = np.stack(
        [
            np.stack([1 + xx + yy + zz, a - d, b - e, c - f], axis=-1),
            np.stack([a - d, 1 + xx - yy - zz, c + f, b + e], axis=-1),
            np.stack([b - e, c + f, 1 - xx + yy - zz, a + d], axis=-1),
            np.stack([c - f, b + e, a + d, 1 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    best = np.diagonal(rows, axis1=-2, axis2=-1).argmax(axis=-1)
    q = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    # q and -q are one rotation: take the sign that continues the sample before.
    turn = np.sum(q[1:] * q[:-1], axis=-1) < 0.0
    flips = np.concatenate([np.zeros((1, *turn.shape[1:]), dtype=bool), np.logical_xor.accumulate(turn, axis=0)])
    return np.where(flips[..., None], -q, q)


def rotate(q: NDArray[np.floating], v: Vector) -> Vector:
    """v turned by unit quaternions (..., 4), scalar first."""
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, v)
    return np.asarray(v + w * t + np.cross(u, t))


def _centre(scene: Scene, poses: Single) -> Single:
    """Centre of mass of the system at every sample; of the bodies' origins where nothing has mass."""
    masses = np.array([body.mass for body in scene.bodies])
    weights = masses if masses.sum() > 0.0 else np.ones(len(masses))
    points = [poses[:, i, 0:3].astype(float) + rotate(poses[:, i, 3:7], body.com) for i, body in enumerate(scene.bodies)]
    return np.average(points, axis=0, weights=weights).astype(np.float32)


def _extent(scene: Scene, poses: Single, centre: Single) -> Extent:
    """Where the corners of the boxes around all bodies go.

    Instants at which a run has blown up do not count, nor those at which bodies have flown apart (as a slide without a stop
    that nothing holds): a picture that held them would show the whole as a dot.
    """
    picked = np.unique(np.linspace(0, len(poses) - 1, min(len(poses), INSTANTS)).round().astype(np.intp))
    middle = centre[picked].astype(float)
    places = [
        poses[picked, i, 0:3].astype(float) + rotate(poses[picked, i, 3:7].astype(float), np.array([x, y, z]))
        for i, body in enumerate(scene.bodies)
        if body.box is not None
        for x in body.box[:, 0]
        for y in body.box[:, 1]
        for z in body.box[:, 2]
    ]
    points = np.stack(places or [middle], axis=1)
    sound = np.isfinite(points).all(axis=(1, 2)) & np.isfinite(middle).all(axis=1)
    if not sound.any():
        half = 0.5 * scene.size * np.ones(3)
        return Extent(np.stack([-half, half]), np.stack([-half, half]))
    points, middle = points[sound], middle[sound]
    spread = np.linalg.norm(np.ptp(points, axis=1), axis=1)
    together = spread <= SCATTERED * max(float(spread[0]), scene.size)
    points, middle = points[together], middle[together]
    near = points - middle[:, None]
    return Extent(
        np.stack([near.min(axis=(0, 1)), near.max(axis=(0, 1))]), np.stack([points.min(axis=(0, 1)), points.max(axis=(0, 1))])
    )
