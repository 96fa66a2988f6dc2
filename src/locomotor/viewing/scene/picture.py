"""A still picture of a system, drawn with numpy alone: for the gallery, figures and notebooks, where there is no browser.

The same meshes as on the page (`scene.py`), in parallel projection, with a depth buffer: `raster.py` tells which pixels
triangles cover, and the nearest sample of a pixel wins.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from locomotor.dataclass import dataclass
from locomotor.lie import SE3
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import System
from locomotor.typing import Flags, Vector
from locomotor.viewing.scene import raster
from locomotor.viewing.scene.drawing import Surface
from locomotor.viewing.scene.laid import grid_lines, shadowed
from locomotor.viewing.scene.materials import MATERIALS, colours
from locomotor.viewing.scene.mesh import Mesh, facets, frame_about, mesh, moved
from locomotor.viewing.scene.scene import HIDDEN, Scene, scene_of
from locomotor.viewing.scene.skin import coloured, largest_of, rows_of
from locomotor.viewing.scene.soft import drawn as with_pieces

Pixels = NDArray[np.uint8]
Lines = Sequence[tuple[Vector, str]]
Shades = NDArray[np.float32]

SUPERSAMPLING = 2
LIGHT = np.array([-0.35, 0.45, 0.85])
"""Towards the light, along (right of the picture, towards the viewer, up)."""
AMBIENT = 0.45
DARKEST = 0.1
"""Least share of a colour: a black body would be an outline."""
GROUND, GRID, SHADOW = 0.955, 0.78, 0.85
BRICK, MORTAR = np.array([0.86, 0.74, 0.68]), np.array([0.95, 0.93, 0.91])
SLOPE, RIM, EDGES = 0.45, 0.55, 0.25
"""How much darker the steepest parts of a terrain are; brightness of the walls under its rim and of its edges."""
FADE = 3.2
"""Distance from the middle, in units of the picture's half height, at which the ground has become white."""
MARGIN = 1.12
NEAR = 0.15
"""Scenery within this share of the size of the bodies is in the picture; it may go on beyond."""
NEUTRAL = "#8b95a1"
"""Colour of scenery that has none of its own."""
THINNEST_LINE = 0.75
"""Half the width of a line of the grid, in pixels of the canvas, at least."""
LINE = 1.6
"""Half the width of a line drawn over the picture, pixels."""


@dataclass(frozen=True)
class View:
    """Where one looks from: angles (rad) from the right side towards the front, and above level."""

    azimuth: float = 0.75
    elevation: float = 0.32

    def axes(self, up: Vector) -> Vector:
        """Rows: right of the picture, up in the picture, away from the viewer; x is forward."""
        ahead = np.array([1.0, 0.0, 0.0]) - up * up[0]
        if np.linalg.norm(ahead) < 1e-6:
            ahead = np.array([0.0, 1.0, 0.0]) - up * up[1]
        ahead /= np.linalg.norm(ahead)
        side = np.cross(ahead, up)
        level = np.cos(self.azimuth) * side + np.sin(self.azimuth) * ahead
        towards = np.cos(self.elevation) * level + np.sin(self.elevation) * up
        right = np.cross(up, level)
        return np.array([right, np.cross(towards, right), -towards])


FLAT, STEEP = 0.3, 0.75
"""What is lower than this share of its extent over the ground is seen from further above, up to this angle (rad)."""
TOP = View(0.0, 0.5 * np.pi - 1e-3)
"""From above, x to the right."""
FRONT = View(1.25, 0.22)


def usual_view(low: Vector, high: Vector, up: Vector) -> View:
    """How a system is seen where nobody says how, by the corners of a box around it: a flat one from further above.

    From the side a mechanism that lies in a level plane is a bundle of lines.
    """
    across = high - low
    tall = float(across @ np.abs(up))
    level = max(float(across @ across) - tall**2, 0.0) ** 0.5
    flatness = float(np.clip(1.0 - tall / (FLAT * max(level, 1e-12)), 0.0, 1.0))
    usual = View()
    return View(usual.azimuth, usual.elevation + flatness * (STEEP - usual.elevation))


def picture(
    system: System,
    coordinates: Vector | None = None,
    *,
    view: View | None = None,
    size: tuple[int, int] = (960, 600),
    ground: bool = True,
    lines: Lines = (),
    zoom: float = 1.0,
) -> Pixels:
    """The system at its coordinates (nominal ones by default) as rows of red, green and blue, 0 to 255.

    `lines` are drawn over it: points (n, 3) in the world and a colour, such as "#c8501e", or "#c8501e--" for a dashed one.
    """
    system = with_pieces(system)
    values = system.parameters.values
    q = system.nominal_pose() if coordinates is None else np.asarray(coordinates, dtype=float)
    poses = forward(Instant(system, q, np.zeros(system.layout.nv), parameters=dict(values))).poses
    return painted(scene_of(system), poses, view=view, size=size, ground=ground, lines=lines, zoom=zoom)


def painted(
    scene: Scene,
    poses: Sequence[SE3],
    *,
    view: View | None = None,
    size: tuple[int, int] = (960, 600),
    ground: bool = True,
    lines: Lines = (),
    zoom: float = 1.0,
    sides: tuple[Vector, Vector] | None = None,
    strain: float | None = None,
) -> Pixels:
    """A scene with its bodies at these poses; the picture holds all of it, or what lies between `sides` in its own axes.

    `strain` is that of the last colour of soft bodies; by default the largest that is seen.
    """
    shapes = _shapes(scene, poses, strain)
    bodies = np.concatenate([shape.vertices for shape, _, _ in shapes[: len(shapes) - len(scene.world)] or shapes])
    axes = (view or usual_view(bodies.min(axis=0), bodies.max(axis=0), scene.up)).axes(scene.up)
    width, height = (SUPERSAMPLING * n for n in size)
    solid = [shape for shape, _, opacity in shapes if opacity == 1.0] or [shape for shape, _, _ in shapes]
    low, high = _frame(shapes, len(scene.world), axes) if sides is None else sides
    span = np.maximum(high - low, 1e-9)
    scale = zoom * min(width / (MARGIN * span[0]), height / (MARGIN * span[1]))
    canvas = _Canvas(axes, 0.5 * (low + high), scale, width, height, scene.up)
    canvas.add([(shape, colour) for shape, colour, opacity in shapes if opacity == 1.0])
    if ground:
        for surface in scene.grounds:
            canvas.lay(surface, scene, solid)
    for shape, colour, opacity in shapes:
        if opacity < 1.0:
            canvas.glaze(shape, colour, opacity)
    image = canvas.image()
    for points, look in lines:
        canvas.stroke(image, points, look)
    step = range(SUPERSAMPLING)
    summed = sum(image[i::SUPERSAMPLING, j::SUPERSAMPLING] for i in step for j in step)
    return np.clip(np.round(summed * np.float32(255.0 / SUPERSAMPLING**2)), 0, 255).astype(np.uint8)


def _frame(shapes: Sequence[tuple[Mesh, Vector, float]], scenery: int, axes: Vector) -> tuple[Vector, Vector]:
    """Corners, in the axes of the picture, of what it must hold: the bodies, and of the scenery what is near them."""
    bodies = shapes[: len(shapes) - scenery] or shapes
    cloud = np.concatenate([shape.vertices for shape, _, _ in bodies]) @ axes.T
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    room = NEAR * float(np.linalg.norm(high - low))
    around = [np.clip(shape.vertices @ axes.T, low - room, high + room) for shape, _, _ in shapes[len(bodies) :]]
    cloud = np.concatenate([np.stack([low, high]), *around])
    return cloud.min(axis=0), cloud.max(axis=0)


def _shapes(scene: Scene, poses: Sequence[SE3], strain: float | None = None) -> list[tuple[Mesh, Vector, float]]:
    """Meshes in the world, with colour (one, or one a vertex) and opacity."""
    found: list[tuple[Mesh, Vector, float]] = []
    for body, tint, pose in zip(scene.bodies, colours(scene), poses, strict=True):
        R, p = np.asarray(pose.rotation, dtype=float), np.asarray(pose.translation, dtype=float)
        for part in body.parts:
            look = MATERIALS[part.role]
            if part.role not in HIDDEN or (part.role != "solid" and not scene.shaped):
                colour = part.colour or (tint if look.colour == "body" else look.colour)
                found.append((moved(part.mesh, R, p), rgb(colour), look.opacity))
    for strut in scene.struts:
        if strut.mesh is not None:
            a, b = (_point(poses, index, at) for index, at in ((strut.body_a, strut.at_a), (strut.body_b, strut.at_b)))
            length = max(float(np.linalg.norm(b - a)), 1e-9)
            stretched = mesh(strut.mesh.vertices * (1.0, 1.0, length / strut.length), strut.mesh.normals, strut.mesh.triangles)
            found.append((moved(stretched, frame_about(b - a), a), rgb(MATERIALS[strut.role].colour), 1.0))
    rows = rows_of(poses)
    strains = [skin.strains(rows[None])[0] for skin in scene.skins]
    for skin, strained in zip(scene.skins, strains, strict=True):
        found.append((skin.posed(rows), coloured(strained, strain or largest_of(strains))[skin.rings], 1.0))
    for part in scene.world:
        look = MATERIALS[part.role]
        found.append((part.mesh, rgb(part.colour or (NEUTRAL if look.colour == "body" else look.colour)), look.opacity))
    return found


def _point(poses: Sequence[SE3], index: int, at: Vector) -> Vector:
    """A point of a body (index -1: the world) in the world."""
    return at if index < 0 else np.asarray(poses[index].rotation @ at + poses[index].translation, dtype=float)


def rgb(colour: str) -> Vector:
    """Shares of red, green and blue of a colour written #rrggbb."""
    return np.array([int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)])


class _Canvas:
    """Colour and depth of every pixel."""

    def __init__(self, axes: Vector, middle: Vector, scale: float, width: int, height: int, up: Vector) -> None:
        self.axes, self.middle, self.scale, self.up = axes, middle, scale, up
        self.width, self.height = width, height
        self.colour = np.ones((height * width, 3), dtype=np.float32)
        self.depth = np.full(height * width, np.inf)
        side, towards = axes[0], -axes[2]
        level = towards - up * float(towards @ up)
        level = level / max(float(np.linalg.norm(level)), 1e-9)
        self.light = LIGHT[0] * side + LIGHT[1] * level + LIGHT[2] * up
        self.light /= np.linalg.norm(self.light)

    def place(self, points: NDArray[np.floating]) -> Vector:
        """Pixel coordinates (x to the right, y down) and depth (m) of points of the world."""
        seen = np.asarray(points, dtype=float) @ self.axes.T - self.middle
        return np.stack(
            [0.5 * self.width + self.scale * seen[..., 0], 0.5 * self.height - self.scale * seen[..., 1], seen[..., 2]], axis=-1
        )

    def shade(self, normals: NDArray[np.floating], colour: Vector) -> Vector:
        """Colours of vertices: ambient light, and a lamp from above; both sides are lit."""
        n = np.asarray(normals, dtype=float)
        facing = np.where((n @ self.axes[2])[..., None] > 0.0, -n, n)
        lamp = np.clip(facing @ self.light, 0.0, 1.0)[..., None]
        return np.clip(np.maximum(colour, DARKEST) * (AMBIENT + (1.05 - AMBIENT) * lamp) + 0.12 * lamp**24, 0.0, 1.0)

    def add(self, shapes: Sequence[tuple[Mesh, Vector]], closed: bool = True) -> None:
        """Draw meshes, each with its colour (one, or one a vertex); of closed ones the far side is never seen."""
        samples, colour = self.front(shapes, closed)
        self.depth[samples.pixel], self.colour[samples.pixel] = samples.depth, colour

    def glaze(self, shape: Mesh, colour: Vector, opacity: float) -> None:
        """Draw a mesh that one sees through, over what lies behind it."""
        samples, layer = self.front([(shape, colour)], closed=True)
        self.colour[samples.pixel] += np.float32(opacity) * (layer - self.colour[samples.pixel])

    def front(self, shapes: Sequence[tuple[Mesh, Vector]], closed: bool) -> tuple[raster.Covered, Shades]:
        """The nearest samples of meshes that nothing drawn before hides, and their colours."""
        corners = self.corners([shape for shape, _ in shapes])
        chosen = raster.fronts(corners) if closed else None
        samples = raster.cover(corners, chosen, self.width, self.height, back=1.0 / self.scale)
        seen = samples.depth < self.depth[samples.pixel]
        nearest = np.full(len(self.depth), np.inf)
        np.minimum.at(nearest, samples.pixel[seen], samples.depth[seen])
        seen &= samples.depth == nearest[samples.pixel]
        samples = raster.Covered(samples.pixel[seen], samples.depth[seen], samples.triangle[seen])
        shades = [self.shade(shape.normals, colour)[shape.triangles] for shape, colour in shapes]
        lit = np.concatenate([np.zeros((0, 3, 3)), *shades]).astype(np.float32)
        parts = raster.shares(corners, samples, self.width).astype(np.float32)
        return samples, np.einsum("ni,nij->nj", parts, lit[samples.triangle])

    def corners(self, shapes: Sequence[Mesh]) -> Vector:
        """Corners of the triangles of all meshes, as pixel coordinates and depth."""
        return np.concatenate([np.zeros((0, 3, 3)), *(self.place(shape.vertices)[shape.triangles] for shape in shapes)])

    # -- ground -------------------------------------------------------------------------------------------------------

    def lay(self, surface: Surface, scene: Scene, shapes: Sequence[Mesh]) -> None:
        """A plane with a grid and shadows, fading out; a terrain as its triangles."""
        if surface.mesh is not None:
            self.relief(surface, scene, shapes)
            return
        normal = surface.normal / np.linalg.norm(surface.normal)
        towards = float(self.axes[2] @ normal)
        if abs(towards) < 1e-6:
            return
        along = np.cross(scene.up, normal) if surface.wall else np.array([1.0, 0.0, 0.0]) - normal * normal[0]
        along = along / np.linalg.norm(along) if np.linalg.norm(along) > 1e-6 else np.array([0.0, 1.0, 0.0])
        spacing = _spacing(scene.size)
        # Depth and place in the plane are linear over the picture: three pixels tell them for all.
        pixels = np.array([[0.5, 0.5], [1.5, 0.5], [0.5, 1.5]])
        seen = (pixels - (0.5 * self.width, 0.5 * self.height)) * (1.0, -1.0) / self.scale + self.middle[:2]
        flat = seen @ self.axes[:2]
        depths = (float(surface.point @ normal) - flat @ normal) / towards
        points = flat + depths[:, None] * self.axes[2]
        cells = (points - surface.point) @ np.stack([along, np.cross(normal, along)], axis=1) / spacing
        # Half the width of a line along either axis, at least a pixel of the picture: a plane seen flat would have dotted ones.
        slopes = np.hypot(cells[1] - cells[0], cells[2] - cells[0])
        thin = np.maximum(1.1 / (spacing * self.scale), THINNEST_LINE * slopes)
        # Whole cells do not matter, and short numbers tell small ones apart.
        cells = cells - 2.0 * np.floor(0.5 * cells[0])
        across, upward = (self._spread(cells[:, k]) for k in range(2))
        if surface.wall:  # courses of bricks, half as high as wide, every other one shifted
            upward = np.float32(2.0) * upward
            across = across + np.float32(0.5) * (np.floor(upward) % np.float32(2.0))
            thin, slopes = thin * (2.0, 4.0), slopes * (1.0, 2.0)
        on = np.zeros((self.height, self.width), dtype=np.float32)
        for place, half, slope in zip((across, upward), thin, slopes, strict=True):
            share = np.abs(place - np.rint(place), out=place)
            np.subtract(0.5 + half / max(slope, 1e-12), share / max(slope, 1e-12), out=share)
            np.maximum(on, np.clip(share, 0.0, 1.0, out=share), out=on)
        lines, field = (MORTAR, BRICK) if surface.wall else (np.full(1, GRID), np.full(1, GROUND))
        on = on.reshape(-1, 1)
        tone = field.astype(np.float32) + on * (lines - field).astype(np.float32)
        tone[self._shadow(surface.point, normal, shapes)] *= np.float32(SHADOW)
        tone += (1.0 - tone) * self._faded()
        # What lies in the plane (a foot, a blade) is seen.
        depth = self._spread(depths - self.middle[2]).ravel()
        behind = depth + np.float32(2e-3 * scene.size) < self.depth
        self.depth[behind] = depth[behind]
        self.colour[behind] = tone[behind]

    def _faded(self) -> Shades:
        """How much of the ground has become white, for every pixel."""
        x, y = (np.arange(n, dtype=np.float32) + np.float32(0.5 - 0.5 * n) for n in (self.width, self.height))
        away = np.sqrt(x[None] ** 2 + y[:, None] ** 2).reshape(-1, 1) / np.float32(0.5 * self.height)
        return np.clip((away - np.float32(0.9)) / np.float32(FADE - 0.9), 0.0, 1.0)

    def relief(self, surface: Surface, scene: Scene, shapes: Sequence[Mesh]) -> None:
        """A terrain: darker where it is steep, with a grid and shadows, walls under its rim and lines along its edges."""
        assert surface.mesh is not None
        faces = facets(surface.mesh)
        level = np.abs(faces.normals[::3] @ surface.normal)
        shades = np.round(GROUND * (1.0 - SLOPE * np.sqrt(np.maximum(1.0 - level**2, 0.0))), 2)
        samples, colour = self.front([(faces, np.repeat(shades, 3)[:, None] * np.ones(3))], closed=False)
        points, pixel = self.points(samples), 1.0 / self.scale
        normals = np.asarray(faces.normals[::3], dtype=float)[samples.triangle]
        on = grid_lines(points, normals, self.axes, surface.normal, pixel, _spacing(scene.size), THINNEST_LINE)
        dark = shadowed(points, self.light, shapes, pixel, 2e-3 * scene.size)
        tone = (1.0 + on * (GRID / GROUND - 1.0)) * np.where(dark, SHADOW, 1.0)
        self.depth[samples.pixel], self.colour[samples.pixel] = samples.depth, colour * tone.astype(np.float32)[:, None]
        drawn = [(part, np.full(3, tone)) for part, tone in ((surface.rim, RIM), (surface.edges, EDGES)) if part is not None]
        self.add(drawn, closed=False)

    def points(self, samples: raster.Covered) -> Vector:
        """Where samples are in the world."""
        row = samples.pixel // self.width
        x, y = samples.pixel - row * self.width + 0.5 - 0.5 * self.width, 0.5 * self.height - row - 0.5
        return (np.stack([x / self.scale, y / self.scale, samples.depth], axis=-1) + self.middle) @ self.axes

    def _spread(self, three: Vector) -> Shades:
        """A linear function over the picture, from its values at the first pixel, the one beside and the one below."""
        start, beside, below = three
        along, down = (beside - start) * np.arange(self.width), start + (below - start) * np.arange(self.height)
        return np.add(along.astype(np.float32)[None], down.astype(np.float32)[:, None])

    def _shadow(self, point: Vector, normal: Vector, shapes: Sequence[Mesh]) -> Flags:
        """Pixels of the plane that a body keeps the lamp from."""
        dark = np.zeros(self.height * self.width, dtype=bool)
        slant = float(self.light @ normal)
        if slant >= 0.1:
            lit = [np.einsum("ti,i->t", shape.normals[shape.triangles].sum(axis=1), self.light) > 0.0 for shape in shapes]
            fallen = [
                mesh(
                    shape.vertices - (np.maximum((shape.vertices - point) @ normal, 0.0) / slant)[:, None] * self.light,
                    shape.normals,
                    shape.triangles[on],
                )
                for shape, on in zip(shapes, lit, strict=True)
            ]
            dark[raster.cover(self.corners(fallen), None, self.width, self.height).pixel] = True
        return dark

    # -- the image ----------------------------------------------------------------------------------------------------

    def image(self) -> Shades:
        """The picture: rows of pixels, each three numbers."""
        return self.colour.reshape(self.height, self.width, 3)

    def stroke(self, image: Shades, points: Vector, colour: str) -> None:
        """A line through points, over everything."""
        at = self.place(points)[:, :2]
        dashed = colour.endswith("--")
        shade, half = rgb(colour), LINE * SUPERSAMPLING
        travelled = 0.0
        for a, b in pairwise(at):
            length = float(np.linalg.norm(b - a))
            for share in np.linspace(0.0, 1.0, max(2, int(2.0 * length))):
                if dashed and ((travelled + share * length) // (7.0 * SUPERSAMPLING)) % 2:
                    continue
                x, y = a + share * (b - a)
                rows, columns = (slice(max(0, int(v - half)), max(0, int(v + half))) for v in (y, x))
                image[rows, columns] = shade
            travelled += length


def _spacing(size: float) -> float:
    """1, 2 or 5 times a power of ten, about a quarter of the system's size."""
    wish = 0.25 * size
    power = 10.0 ** np.floor(np.log10(wish))
    return float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda k: abs(k * power - wish)))
