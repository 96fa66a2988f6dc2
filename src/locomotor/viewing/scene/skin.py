"""The skin of a soft body: rings around its pieces, each fixed to one of them, so that it bends and twists with the body.

How far a body is strained is told by its colour: a measure of the strain at its surface,

    |(twist x half the thinner side, curvature about y x half the height, about z x half the width)| + |stretch and shear|,

from the twist that leads from one piece to the next, over their distance, less that without load. For a round rod that
bends and stretches it is the strain of the outermost fibre.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from locomotor.dataclass import dataclass
from locomotor.lie import SE3
from locomotor.model import System
from locomotor.typing import Values, Vector
from locomotor.viewing.scene.mesh import Mesh, mesh
from locomotor.viewing.scene.soft import Piece

SIDES = 16
"""Corners of a round section."""
RAMP = ("#3a6ea8", "#5fb0a5", "#f0cf57", "#e8772e", "#c3202f")
"""Colours from no strain to the largest."""
FAINTEST = 1e-5
"""Strains below this are nothing: the largest colour stands for this at least."""


@dataclass(frozen=True, eq=False)
class Skin:
    """Rings one behind the other; vertices are in the axes of the piece that their ring is fixed to."""

    name: str
    """The body."""
    bodies: NDArray[np.intp]
    """The piece of each ring, as a number of the bodies of the scene."""
    rings: NDArray[np.uint32]
    """The ring of each vertex."""
    mesh: Mesh
    half: Vector
    """Lengths (m) by which twist and curvatures between two pieces become strains (pieces - 1, 3)."""
    apart: float
    """Distance of the pieces without load (m)."""
    free: Vector
    """Twists from each piece to the next without load, over that distance (pieces - 1, 6)."""

    @property
    def pieces(self) -> NDArray[np.intp]:
        """Numbers of the pieces, one behind the other: the first and the last bear two rings."""
        return self.bodies[1:-1]

    def strains(self, rows: Vector) -> Vector:
        """Strain at every ring (samples, rings), of rotations and positions of all bodies (samples, bodies, 12)."""
        found = np.abs(_twists(rows[:, self.pieces]) / self.apart - self.free[None])
        between = np.linalg.norm(found[..., 3:6] * self.half, axis=-1) + np.linalg.norm(found[..., 0:3], axis=-1)
        inner = 0.5 * (between[:, 1:] + between[:, :-1])
        return np.concatenate([between[:, :1], between[:, :1], inner, between[:, -1:], between[:, -1:]], axis=1)

    def posed(self, rows: Vector) -> Mesh:
        """The skin in the world, for rotations and positions of all bodies (bodies, 12)."""
        where = rows[self.bodies[self.rings]]
        R = where[:, 0:9].reshape(-1, 3, 3)
        vertices = np.einsum("nij,nj->ni", R, self.mesh.vertices) + where[:, 9:12]
        return mesh(vertices, np.einsum("nij,nj->ni", R, self.mesh.normals), self.mesh.triangles)


def skins_of(system: System, values: Values) -> tuple[Skin, ...]:
    """A skin for each row of pieces."""
    rows: dict[str, list[tuple[int, Piece]]] = {}
    for k, body in enumerate(system.bodies):
        if isinstance(body, Piece):
            rows.setdefault(body.of, []).append((k, body))
    return tuple(
        _skin(name, pieces, rows_of([system.joints[k].placement(values) for k, _ in pieces])) for name, pieces in rows.items()
    )


def rows_of(poses: Sequence[SE3]) -> Vector:
    """Rotations, row by row, and positions (n, 12)."""
    return np.array(
        [np.append(np.asarray(pose.rotation, dtype=float).ravel(), np.asarray(pose.translation, dtype=float)) for pose in poses]
    ).reshape(-1, 12)


def _skin(name: str, pieces: list[tuple[int, Piece]], placed: Vector) -> Skin:
    """The skin over pieces, which are placed so on the body without load."""
    numbers = np.array([k for k, _ in pieces], dtype=np.intp)
    bodies = np.array([numbers[0], *numbers, numbers[-1]], dtype=np.intp)
    each = [pieces[0][1], *(piece for _, piece in pieces), pieces[-1][1]]
    shifts = np.zeros(len(each))
    shifts[0], shifts[-1] = -each[0].half, each[-1].half
    round_one = all(piece.rounded or abs(piece.width - piece.height) <= 1e-9 * piece.width for piece in each)
    corners, normals = _round() if round_one else _square()
    apart = 2.0 * each[0].half
    half = 0.5 * np.array([(min(piece.width, piece.height), piece.height, piece.width) for piece in each[1:-1]])
    vertices, out = [], []
    for k, (piece, shift) in enumerate(zip(each, shifts, strict=True)):
        width, height = piece.outer if k in (0, len(each) - 1) else (piece.width, piece.height)
        across = corners * (0.5 * width, 0.5 * height)
        vertices.append(np.column_stack([np.full(len(across), shift), across]))
        # The normal of an ellipse: that of the circle, less along its longer axis.
        across_out = normals * (piece.height, piece.width)
        across_out = across_out / np.linalg.norm(across_out, axis=1, keepdims=True)
        out.append(np.column_stack([np.zeros(len(normals)), across_out]))
    count, columns = len(each), len(corners)
    triangles = _between(count, columns)
    rings = np.repeat(np.arange(count), columns)
    # Flat ends: the outer rings once more, with normals along the body.
    for ring, sign in ((0, -1.0), (count - 1, 1.0)):
        first = sum(len(some) for some in vertices)
        vertices.append(vertices[ring])
        out.append(np.tile((sign, 0.0, 0.0), (columns, 1)))
        rings = np.concatenate([rings, np.full(columns, ring)])
        fan = [(first, first + k, first + k + 1) for k in range(1, columns - 1)]
        triangles += fan if sign > 0.0 else [(a, c, b) for a, b, c in fan]
    free = _twists(placed[None])[0] / apart
    shape = mesh(np.concatenate(vertices), np.concatenate(out), triangles)
    return Skin(name, bodies, rings.astype(np.uint32), shape, 0.5 * (half[1:] + half[:-1]), apart, free)


def _round() -> tuple[Vector, Vector]:
    """Corners (n, 2) and normals of a circle about x, the first once more at the end."""
    angle = 2.0 * np.pi * np.arange(SIDES + 1) / SIDES
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return circle, circle


def _square() -> tuple[Vector, Vector]:
    """Outline of a square: each corner twice, with the normals of its two sides."""
    sides = ((0, ((1, -1), (1, 1))), (1, ((1, 1), (-1, 1))), (2, ((-1, 1), (-1, -1))), (3, ((-1, -1), (1, -1))))
    normals = ((1, 0), (0, 1), (-1, 0), (0, -1))
    return (
        np.array([corner for _, ends in sides for corner in ends], dtype=float),
        np.array([normals[k] for k, ends in sides for _ in ends], dtype=float),
    )


def _between(count: int, columns: int) -> list[tuple[int, int, int]]:
    """Triangles between rings that follow each other; corners go round from y to z, as seen from the end."""
    found = []
    for ring in range(count - 1):
        for k in range(columns - 1):
            a, b = ring * columns + k, (ring + 1) * columns + k
            found += [(a, b + 1, b), (a, a + 1, b + 1)]
    return found


def _twists(rows: Vector) -> Vector:
    """Twists (samples, n - 1, 6), (V, Omega), that lead from each pose to the next: logarithms of their relative poses."""
    R, p = rows[..., 0:9].reshape(*rows.shape[:-1], 3, 3), rows[..., 9:12]
    relative = np.einsum("...ji,...jk->...ik", R[:, :-1], R[:, 1:])
    shift = np.einsum("...ji,...j->...i", R[:, :-1], p[:, 1:] - p[:, :-1])
    axis = 0.5 * np.stack(
        [
            relative[..., 2, 1] - relative[..., 1, 2],
            relative[..., 0, 2] - relative[..., 2, 0],
            relative[..., 1, 0] - relative[..., 0, 1],
        ],
        axis=-1,
    )
    sine = np.linalg.norm(axis, axis=-1)
    angle = np.arctan2(sine, 0.5 * (np.trace(relative, axis1=-2, axis2=-1) - 1.0))
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    stretch = np.where(small, 1.0 + angle**2 / 6.0, safe / np.where(sine > 0.0, sine, 1.0))
    omega = stretch[..., None] * axis
    # V = (1 - hat/2 + c hat²) p with c = 1/a² - cot(a/2)/(2 a).
    c = np.where(small, 1.0 / 12.0, 1.0 / safe**2 - 0.5 / (safe * np.tan(0.5 * safe)))
    once = np.cross(omega, shift)
    return np.concatenate([shift - 0.5 * once + c[..., None] * np.cross(omega, once), omega], axis=-1)


def coloured(strains: Vector, largest: float) -> Vector:
    """Red, green and blue (..., 3), shares of one, of strains up to the largest."""
    stops = np.array([[int(stop[i : i + 2], 16) / 255.0 for i in (1, 3, 5)] for stop in RAMP])
    place = np.clip(np.nan_to_num(np.asarray(strains, dtype=float) / largest), 0.0, 1.0) * (len(RAMP) - 1)
    low = np.minimum(place.astype(int), len(RAMP) - 2)
    share = (place - low)[..., None]
    return np.asarray((1.0 - share) * stops[low] + share * stops[low + 1])


def largest_of(strains: Sequence[NDArray[np.floating]]) -> float:
    """The strain of the last colour: the largest there is."""
    found = [float(np.max(each[np.isfinite(each)], initial=0.0)) for each in strains]
    return max([FAINTEST, *found])
