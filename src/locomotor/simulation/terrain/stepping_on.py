"""What a contact stands on when it touches a part of a terrain, by the shape of its body."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from locomotor.errors import ContactKindError
from locomotor.geometry import BOX_EDGES, CAPSULE_SIDE, Ball, Box, Candidate, Capsule, Disc, Shape
from locomotor.lie import SE3, ops
from locomotor.simulation.terrain.chords import end_of_chord
from locomotor.simulation.terrain.footing import ON_RIM, Footing, Rough, rim_tangent
from locomotor.typing import Vector

ALONG = 1e-6
"""Sine of the angle between rim and edge below which a disc rolls along the edge, as on a plane."""

LEANS = 0.5
"""Cosine of the angle between its axis and the normal above which a disc touches an edge with its side."""


def footing(rough: Rough, candidate: Candidate, pose: SE3) -> Footing:
    """What a contact stands on when it touches as a candidate says."""
    if candidate.feature.kind == "face" or rough.is_point(candidate.feature.part):
        return on_tangent_plane(rough, candidate, pose)
    return on_edge_or_corner(rough.shape, rough, candidate, pose)


def on_tangent_plane(rough: Rough, candidate: Candidate, pose: SE3) -> Footing:
    """A contact on the plane that is tangent to whatever it touches."""
    plane = {"point": candidate.foot, "normal": candidate.normal}
    if rough.shape.parts == 1:
        return Footing(rough, candidate.feature, "face", plane)
    return Footing(rough, candidate.feature, "piece on face", {**plane, "at": _centre_of_piece(rough, candidate, pose)})


def _centre_of_piece(rough: Rough, candidate: Candidate, pose: SE3) -> Vector:
    """Where in the body the core is with which it touches."""
    core = candidate.point + rough.shape.margin * candidate.normal
    return np.asarray(np.asarray(pose.rotation).T @ (core - np.asarray(pose.translation)))


# -- edges and corners, by the shape of the body --------------------------------------------------------------


@singledispatch
def on_edge_or_corner(shape: Shape, rough: Rough, candidate: Candidate, pose: SE3) -> Footing:
    """What a contact of that shape stands on when it touches an edge or a corner."""
    raise ContactKindError(
        f"{rough.contact.label}: nothing says how its shape, a {type(shape).__name__}, stands on an edge or a corner of a "
        "Terrain; give it a Plane as its ground, or a contact of another kind"
    )


@on_edge_or_corner.register
def _(shape: Ball, rough: Rough, candidate: Candidate, pose: SE3) -> Footing:
    if candidate.feature.kind == "vertex":
        return _on_corner(rough, candidate, pose)
    return Footing(rough, candidate.feature, "rail", {**_edge(rough, candidate), "towards": -candidate.normal})


@on_edge_or_corner.register
def _(shape: Disc, rough: Rough, candidate: Candidate, pose: SE3) -> Footing:
    feature, R = candidate.feature, np.asarray(pose.rotation)
    if feature.kind == "vertex":
        return _on_corner(rough, candidate, pose)
    at, edge = _point_of_body(candidate, pose), _edge(rough, candidate)
    radial = at + shape.tube * (R.T @ candidate.normal) - shape.centre
    radial = radial - (radial @ shape.axis) * shape.axis
    size = float(np.linalg.norm(radial))
    if size < ON_RIM * shape.radius:  # the flat side of the wheel leans against the edge: with an end of a chord, if it has one
        lower = None if shape.tube else _lower_end(rough, candidate, pose)
        if lower is None:
            return on_point(rough, candidate, pose)
        at = np.asarray(R.T @ (lower - np.asarray(pose.translation)))
        radial, size = at - shape.centre, shape.radius
        edge["point"] = lower
    if shape.tube:
        return Footing(rough, feature, "rail", {**edge, "towards": R @ (radial / size)})
    given = {**edge, "axis": shape.axis, "centre": shape.centre, "at": at}
    across = ops.cross(edge["direction"], R @ rim_tangent(given, 1.0))
    if float(np.linalg.norm(across)) < ALONG:
        # Of a flat side the end of a chord that is all but none, or else the rim, which rolls along the edge.
        on_side = abs(float(candidate.normal @ (R @ shape.axis))) > LEANS
        return (on_point if on_side else on_tangent_plane)(rough, candidate, pose)
    inward = float(np.copysign(1.0, across @ candidate.normal))
    return Footing(rough, feature, "rim", {**given, "tangent": rim_tangent(given, inward)})


def _lower_end(rough: Rough, candidate: Candidate, pose: SE3) -> Vector | None:
    """The end of the chord above an edge that is nearer to it; None where neither is above it."""
    shape, place = rough.shape, (np.asarray(pose.rotation)[None], np.asarray(pose.translation)[None])
    assert isinstance(shape, Disc)
    side = float(np.copysign(1.0, candidate.normal @ (place[0][0] @ shape.axis)))
    both = [end_of_chord(shape, rough.surface, candidate.feature.number, place, end, side) for end in (1.0, -1.0)]
    there = [one for one in both if one.there[0]]
    return min(there, key=lambda one: float(one.gap[0])).foot[0] if there else None


@on_edge_or_corner.register
def _(shape: Capsule, rough: Rough, candidate: Candidate, pose: SE3) -> Footing:
    feature, on_side = candidate.feature, candidate.feature.part == CAPSULE_SIDE
    core = {} if on_side else {"at": _centre_of_piece(rough, candidate, pose)}
    what = "" if on_side else "piece on "
    if feature.kind == "vertex":
        if not rough.contact.slides:
            return on_point(rough, candidate, pose)
        return Footing(rough, feature, f"{what}knob", {"point": candidate.foot, **core})
    rail = {**_edge(rough, candidate), "towards": -candidate.normal}
    return Footing(rough, feature, f"{what}rail", rail | core)


@on_edge_or_corner.register
def _(shape: Box, rough: Rough, candidate: Candidate, pose: SE3) -> Footing:
    feature = candidate.feature
    if feature.kind == "vertex":
        return on_point(rough, candidate, pose)
    edge = _edge(rough, candidate)
    own = shape.rotation[:, (feature.part - BOX_EDGES) // 4]
    # Direction x tangent shall point into the box.
    inward = np.copysign(1.0, candidate.normal @ ops.cross(edge["direction"], np.asarray(pose.rotation) @ own))
    return Footing(rough, feature, "ridge", {**edge, "tangent": inward * own, "at": _point_of_body(candidate, pose)})


def _on_corner(rough: Rough, candidate: Candidate, pose: SE3) -> Footing:
    """What is round slides over a corner, or is pinned to it."""
    if rough.contact.slides:
        return Footing(rough, candidate.feature, "knob", {"point": candidate.foot})
    return on_point(rough, candidate, pose)


def on_point(rough: Rough, candidate: Candidate, pose: SE3) -> Footing:
    """A point of the body that stays on a point of the ground."""
    inward = np.asarray(pose.rotation).T @ candidate.normal
    given = {"point": candidate.foot, "inward": inward, "at": _point_of_body(candidate, pose)}
    return Footing(rough, candidate.feature, "tip", given)


def _point_of_body(candidate: Candidate, pose: SE3) -> Vector:
    """The contact point in body axes."""
    return np.asarray(np.asarray(pose.rotation).T @ (candidate.point - np.asarray(pose.translation)))


def _edge(rough: Rough, candidate: Candidate) -> dict[str, Vector]:
    """Point and direction of the edge that is touched."""
    return {"point": candidate.foot, "direction": rough.surface.edges.direction[candidate.feature.number]}
