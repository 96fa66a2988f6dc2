"""What of a ground a body can touch: faces, convex edges and convex corners, each with the normals it may push along.

A point of the surface is a local nearest point of something at the side N of it if no direction d in which the surface
leaves that point rises along N: N . d <= 0. For the inside of a face N is its normal; for an edge N lies between the
normals of its two faces; for a corner in the cone polar to its edges. Edges between coplanar faces and concave edges
have no such normal and are left out: nothing can touch an edge in the middle of a flat floor.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.geometry.broad_phase import Tree, build_tree
from locomotor.model import Plane, Terrain, evaluate
from locomotor.model.contacts import Triangulation
from locomotor.typing import Flags, Floats, Integers

FLAT = 1e-10
"""Edges that bend by less (rad) count as flat: what they leave open is narrower than `closest.TOUCH`."""


@dataclass(frozen=True, eq=False)
class Faces:
    """Triangles, or one plane without end: x with normal . x = offset and side_j . x >= bound_j."""

    normal: Floats
    offset: Floats
    sides: Floats
    """m x 3 x 3: unit vectors in the face, normal to its edges, to the inside."""
    bounds: Floats
    """m x 3."""
    patch: Integers
    """For each triangle the lowest number among the triangles coplanar with it and joined to it: the same flat piece."""
    corners: Floats
    """m x 3 x 3: the corners; those of a plane are its point."""
    is_seam: Flags
    """m x 3: sides at which the same flat piece goes on in another triangle."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Convex edges, and those where the surface ends."""

    start: Floats
    direction: Floats
    length: Floats
    inward: Floats
    """k x 2 x 3: unit vectors into both faces, normal to the edge; the same one twice where the surface ends."""
    normals: Floats
    """k x 2 x 3: normals of both faces."""
    outward: Floats
    """k x 3: middle of the normals of both faces, for a body whose core is on the edge itself."""
    is_border: Flags
    """Whether the surface ends here."""
    patches: Integers
    """k x 2: the flat pieces on both sides; -1 where the surface ends."""
    chain: Integers
    """The lowest number among the edges that continue this one straight, between the same flat pieces."""


@dataclass(frozen=True, eq=False)
class Vertices:
    """Corners that can be touched."""

    position: Floats
    first: Integers
    count: Integers
    """Directions of the edges of a vertex: `directions[first : first + count]`."""
    directions: Floats
    outward: Floats
    """Normal weighted by angles: its side tells the outside from the inside (Baerentzen and Aanaes 2005)."""
    is_border: Flags


@dataclass(frozen=True, eq=False)
class Surface:
    """A ground made ready for queries."""

    faces: Faces
    edges: Edges
    vertices: Vertices
    triangle_edges: Integers
    """m x 3: edges looked after by each triangle, so that each is met once; -1 for none."""
    triangle_vertices: Integers
    """m x 3: vertices looked after by each triangle; -1 for none."""
    edge_of: Integers
    """m x 3: every edge of each triangle; -1 for those that cannot be touched."""
    vertex_of: Integers
    """m x 3: every corner of each triangle; -1 for those that cannot be touched."""
    tree: Tree


def surface_of(ground: Plane | Terrain, values: Mapping[str, float] | None = None) -> Surface:
    """The surface of a ground; that of a terrain is made once. `values` are those of the parameters of a plane."""
    return _of_terrain(ground) if isinstance(ground, Terrain) else _of_plane(ground, values or {})


def _of_plane(plane: Plane, values: Mapping[str, float]) -> Surface:
    normal = np.asarray(evaluate(plane.normal, values), dtype=float).reshape(1, 3)
    point = np.asarray(evaluate(plane.point, values), dtype=float).reshape(1, 3)
    normal = normal / np.linalg.norm(normal)
    endless = np.full((1, 3), np.inf)
    faces = Faces(
        normal=normal,
        offset=(normal * point).sum(axis=1),
        sides=np.zeros((1, 3, 3)),
        bounds=np.full((1, 3), -np.inf),
        patch=np.zeros(1, dtype=np.int64),
        corners=np.repeat(point[:, None, :], 3, axis=1),
        is_seam=np.zeros((1, 3), dtype=bool),
    )
    none = np.full((1, 3), -1)
    return Surface(faces, _no_edges(), _no_vertices(), none, none, none, none, build_tree(-endless, endless, point))


def _no_edges() -> Edges:
    vectors, pairs, numbers = np.zeros((0, 3)), np.zeros((0, 2, 3)), np.zeros(0, dtype=np.int64)
    patches = np.zeros((0, 2), dtype=np.int64)
    return Edges(vectors, vectors, np.zeros(0), pairs, pairs, vectors, numbers.astype(bool), patches, numbers)


def _no_vertices() -> Vertices:
    nothing, empty = np.zeros((0, 3)), np.zeros(0, dtype=np.int64)
    return Vertices(nothing, empty, empty, nothing, nothing, empty.astype(bool))


@lru_cache(maxsize=32)
def _of_terrain(terrain: Terrain) -> Surface:
    mesh = terrain.triangulation
    normals = mesh.normals
    corners = mesh.points[mesh.corners]
    along = np.roll(corners, -1, axis=1) - corners
    along /= np.linalg.norm(along, axis=2)[:, :, None]
    sides = np.cross(normals[:, None, :], along)
    bends = _bends(mesh, normals, sides)
    patch = _patches(mesh, bends)
    faces = Faces(
        normal=normals,
        offset=(normals * corners[:, 0]).sum(axis=1),
        sides=sides,
        bounds=(sides * corners).sum(axis=2),
        patch=patch,
        corners=corners,
        is_seam=bends.is_flat[mesh.triangle_edges],
    )
    edges, edge_number = _edges(mesh, normals, sides, bends, patch)
    vertices, vertex_number = _vertices(mesh, normals, bends)
    return Surface(
        faces=faces,
        edges=edges,
        vertices=vertices,
        triangle_edges=_looked_after(mesh.triangle_edges, edge_number),
        triangle_vertices=_looked_after(mesh.corners, vertex_number),
        edge_of=edge_number[mesh.triangle_edges],
        vertex_of=vertex_number[mesh.corners],
        tree=build_tree(corners.min(axis=1), corners.max(axis=1), corners[:, 0]),
    )


def _looked_after(table: Integers, number: Integers) -> Integers:
    """Numbers of the features in the table, each only where it stands first."""
    flat = table.reshape(-1)
    first = np.unique(flat, return_index=True)[1]
    kept = np.full(len(flat), -1)
    kept[first] = number[flat[first]]
    return kept.reshape(table.shape)


# --- bends --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Bends:
    """How the surface bends at its edges."""

    is_border: Flags
    is_flat: Flags
    is_convex: Flags
    inward: Floats


def _bends(mesh: Triangulation, normals: Floats, sides: Floats) -> _Bends:
    one, two = mesh.edge_triangles.T
    is_border = two < 0
    k = np.arange(len(one))
    place_one = (mesh.triangle_edges[one] == k[:, None]).argmax(axis=1)
    place_two = (mesh.triangle_edges[two] == k[:, None]).argmax(axis=1)
    t1 = sides[one, place_one]
    t2 = np.where(is_border[:, None], t1, sides[two, place_two])
    rise = (normals[one] * t2).sum(axis=1)  # sine of the bend, positive where concave
    is_flat = ~is_border & (np.abs(rise) <= FLAT) & ((normals[one] * normals[two]).sum(axis=1) > 0.0)
    is_convex = ~is_border & ~is_flat & (rise <= 0.0)
    return _Bends(is_border, is_flat, is_convex, np.stack((t1, t2), axis=1))


def _patches(mesh: Triangulation, bends: _Bends) -> Integers:
    joined = mesh.edge_triangles[bends.is_flat]
    return _lowest_of_component(len(mesh.corners), joined)


def _lowest_of_component(count: int, pairs: Integers) -> Integers:
    """For each of `count` things the lowest number among those joined to it by pairs, directly or not."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(pairs), dtype=np.int8), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    component = connected_components(graph, directed=False)[1]
    lowest = np.unique(component, return_index=True)[1]
    return lowest[component].astype(np.int64)


# --- edges --------------------------------------------------------------------------------------------------


def _edges(mesh: Triangulation, normals: Floats, sides: Floats, bends: _Bends, patch: Integers) -> tuple[Edges, Integers]:
    """The edges that can be touched, and for every edge its number among them or -1."""
    kept = np.flatnonzero(bends.is_border | bends.is_convex)
    number = np.full(len(mesh.edges), -1)
    number[kept] = np.arange(len(kept))
    ends = mesh.edges[kept]
    start = mesh.points[ends[:, 0]]
    span = mesh.points[ends[:, 1]] - start
    length = np.linalg.norm(span, axis=1)
    one, two = mesh.edge_triangles[kept].T
    second = np.where((two < 0)[:, None], normals[one], normals[two])
    both = normals[one] + second
    size = np.linalg.norm(both, axis=1)
    folded = size < FLAT  # a blade: its middle normal is along both faces, away from them
    outward = np.where(folded[:, None], -bends.inward[kept, 0], both / np.where(folded, 1.0, size)[:, None])
    direction = span / length[:, None]
    patches = np.column_stack((patch[one], np.where(two < 0, -1, patch[two])))
    chain = _chains(ends, direction, np.sort(patches, axis=1))
    pair = np.stack((normals[one], second), axis=1)
    return Edges(start, direction, length, bends.inward[kept], pair, outward, two < 0, patches, chain), number


def _chains(ends: Integers, direction: Floats, between: Integers) -> Integers:
    """Edges that follow each other straight between the same two flat pieces are one."""
    k = len(ends)
    if not k:
        return np.zeros(0, dtype=np.int64)
    table = np.column_stack((np.tile(between, (2, 1)), ends.T.reshape(-1)))
    edge = np.tile(np.arange(k), 2)
    order = np.lexsort(table.T)
    meet = np.flatnonzero((table[order[1:]] == table[order[:-1]]).all(axis=1))
    a, b = edge[order[meet]], edge[order[meet + 1]]
    straight = np.linalg.norm(np.cross(direction[a], direction[b]), axis=1) <= FLAT
    return _lowest_of_component(k, np.column_stack((a, b))[straight])


# --- vertices -----------------------------------------------------------------------------------------------


def _vertices(mesh: Triangulation, normals: Floats, bends: _Bends) -> tuple[Vertices, Integers]:
    """The vertices that can be touched, and for every point its number among them or -1.

    The extreme edges of the cone that a touchable vertex makes are convex or on the border, so that inside the surface it
    has three of them. Whether the cone of normals is empty is found when it is asked for.
    """
    n = len(mesh.points)
    useful = bends.is_border | bends.is_convex
    convex_edges = np.bincount(mesh.edges[useful].reshape(-1), minlength=n)
    is_border = np.zeros(n, dtype=bool)
    is_border[mesh.edges[bends.is_border].reshape(-1)] = True
    kept = np.flatnonzero((convex_edges >= 3) | is_border)
    number = np.full(n, -1)
    number[kept] = np.arange(len(kept))

    bent = np.flatnonzero(~bends.is_flat)
    origin = mesh.edges[bent].T.reshape(-1)
    target = mesh.edges[bent][:, ::-1].T.reshape(-1)
    mine = np.flatnonzero(number[origin] >= 0)
    mine = mine[np.argsort(number[origin[mine]], kind="stable")]
    span = mesh.points[target[mine]] - mesh.points[origin[mine]]
    count = np.bincount(number[origin[mine]], minlength=len(kept))
    return (
        Vertices(
            position=mesh.points[kept],
            first=np.concatenate(([0], np.cumsum(count)))[:-1],
            count=count,
            directions=span / np.linalg.norm(span, axis=1)[:, None],
            outward=_angle_weighted(mesh, normals)[kept],
            is_border=is_border[kept],
        ),
        number,
    )


def _angle_weighted(mesh: Triangulation, normals: Floats) -> Floats:
    corners = mesh.points[mesh.corners]
    total = np.zeros((len(mesh.points), 3))
    for i in range(3):
        u, w = (corners[:, (i + j) % 3] - corners[:, i] for j in (1, 2))
        angle = np.arctan2(np.linalg.norm(np.cross(u, w), axis=1), (u * w).sum(axis=1))
        for axis in range(3):
            total[:, axis] += np.bincount(mesh.corners[:, i], angle * normals[:, axis], minlength=len(total))
    size = np.linalg.norm(total, axis=1)
    return total / np.where(size > 0.0, size, 1.0)[:, None]
