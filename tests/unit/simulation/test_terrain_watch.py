"""The watch of a terrain in machine code (`codegen/runtime/terrain_watch.h`) sees what the readable one does."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.codegen.terrain import TerrainSearch, terrain_library
from locomotor.dataclass import replace
from locomotor.geometry import Found, Hits, Shape, Surface, query, shape_numbers, tables_of
from locomotor.lie import SE3, SO3
from locomotor.model import Contact
from locomotor.simulation.terrain import Footholds, Rough, entries, place_of, rough_contacts, watch
from locomotor.simulation.terrain.watch import Entry
from locomotor.typing import Vector

pytestmark = pytest.mark.skipif(terrain_library() is None, reason="there is no compiler")
X = np.linspace(-2.0, 2.0, 17)
GROUNDS = {
    "rough": lm.Terrain.heightfield(X, X, np.random.default_rng(1).uniform(-0.1, 0.1, (17, 17))),
    "kerb": lm.Terrain.kerb(0.1),
    "valley": replace(lm.Terrain.from_profile([(-2, 1), (0, 0), (2, 1)]), rule="source"),
    "source": replace(lm.Terrain.ramp(slope=-0.1745, drop=0.5), rule="source"),
}
LAW = lm.Unilateral(0.0)
SHAPES: dict[str, Contact] = {
    "point": lm.StickingPoint("tread", "wheel", (0, 0, 0), law=LAW),
    "ball": lm.RollingSphere("tread", "wheel", (0.05, 0, 0), 0.2, law=LAW),
    "disc": lm.RollingDisc("tread", "wheel", (0, 0, 0), (0, 1, 0), 0.3, law=LAW),
    "tyre": lm.RollingTorus("tread", "wheel", (0, 0, 0), (0, 1, 0), 0.25, tube=0.05, law=LAW),
    "box": lm.StickingBox("tread", "wheel", (0.2, 0.1, 0.15), law=LAW),
}
STEP = 1e-3


def rough(shape: str, ground: str) -> Rough:
    system = lm.System(
        "wheel",
        bodies=(lm.Body("wheel", 1.0, inertia=(0.1, 0.1, 0.1)),),
        joints=(lm.Free(name="base", parent="world", child="wheel"),),
        contacts=(SHAPES[shape],),
        grounds=(GROUNDS[ground],),
    )
    return rough_contacts(system, {})[0]


def by_python(own: Rough) -> Rough:
    """The same contact, looked after in the readable way."""
    other = replace(own)
    other.__dict__["search"] = None
    return other


def listed(surface: Surface, shape: Shape, R: Vector, p: Vector, reach: float, rule: str) -> Found:
    """What the search in machine code lists at each pose, which is compared with the readable one in `test_compiled_search`.

    The readable one lists more than is asked for, and says later that a body which has risen has lost its support.
    """
    ask = TerrainSearch(*tables_of(surface, rule), *shape_numbers(shape))
    rows = [ask(*pose, np.inf if rule == "source" else reach, False) for pose in zip(R, p, strict=True)]
    owner = np.repeat(np.arange(len(rows)), [len(row.gap) for row in rows])
    gap, normal, point, foot, kind, number, part = (np.concatenate(column) for column in zip(*rows, strict=True))
    return Found(
        Hits(owner, number.astype(np.int64), gap, normal, point, foot), kind.astype(np.int64), owner, part.astype(np.int64)
    )


def moving(R: Vector, p: Vector, v: Vector, w: Vector, count: int) -> Vector:
    """Samples of a steady screw motion: rotation, position, velocity, angular velocity."""
    rows = []
    for k in range(count):
        turned = SO3.exp(STEP * k * w).matrix @ R
        rows.append(np.concatenate((turned.reshape(-1), p + STEP * k * v, v, w)))
    return np.array(rows)


def told(found: list[Entry]) -> set[tuple[int, object, str]]:
    return {(entry.sample, entry.feature, entry.what) for entry in found}


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_first_events_are_those_of_the_readable_form(
    shape: str, ground: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of bodies that come down, and of those that stand and move on: touches, grazes and ends."""
    monkeypatch.setattr(watch, "search", listed)
    own = rough(shape, ground)
    other, kinds, lengths = by_python(own), set(), np.full(60, STEP)
    for trial in range(16):
        R = SO3.exp(np.array([0.0, 0.0, rng.uniform(-1.0, 1.0)])).matrix
        p = np.array([*rng.uniform(-0.4, 0.4, 2), 1.0])
        for _ in range(4):  # down to the ground, a little above it
            below = query(own.surface, own.shape, SE3(R, p), reach=0.0, rule=own.rule)[0]
            p -= (below.gap - (1e-9 if trial % 2 else 1e-3)) * below.normal
        holds = Footholds((own,))
        v, w = rng.normal(size=3) * (3.0, 3.0, 0.5), rng.normal(size=3)
        if trial % 2:  # it stands on what is nearest, and moves along
            place = place_of(np.concatenate((R.reshape(-1), p, v, w)))
            nearest = holds.candidates(own, place)[0]
            if own.is_point(0) and nearest.feature.kind != "face":
                continue
            holds, _ = holds.take(own, nearest, place)
            v -= (nearest.normal @ v) * nearest.normal
        rows = moving(R, p, v, w, len(lengths) + 1)
        if trial % 3 == 0:  # thrown back between two samples
            rows[:30, 12:15], rows[30:, 12:15] = (0.0, 0.0, -5.0), (0.0, 0.0, 5.0)
        found = told(entries(holds, own, rows, lengths))
        readable = replace(holds, roughs=(other,))
        assert found == told(entries(readable, other, rows, lengths)), trial
        kinds |= {what for _, _, what in found}
    assert kinds


def test_the_edge_that_a_face_ends_at_is_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ball stands over the edge of a kerb, a little too deep: the edge is where it stands already."""
    monkeypatch.setattr(watch, "search", listed)
    own = rough("ball", "kerb")
    other, holds, lengths = by_python(own), Footholds((own,)), np.full(4, STEP)
    edge = own.surface.edges.start[own.surface.edges.normals[:, :, 2].max(axis=1) > 0.5]
    corner = edge[np.argmax(edge[:, 2])]
    depth = np.array([0.0, 0.0, 0.2 - 1e-8])
    rows = moving(np.eye(3), np.array([corner[0], 0.0, corner[2]]) + depth - (0.05, 0.0, 0.0), np.zeros(3), np.zeros(3), 5)
    place = place_of(rows[0])
    faces = [c for c in holds.tracker(own).query(place.pose, distinct=False) if c.feature.kind == "face"]
    holds, _ = holds.take(own, faces[0], place)
    assert {c.feature.kind for c in holds.tracker(own).query(place.pose, distinct=False)} == {"face", "edge"}
    assert entries(holds, own, rows, lengths) == [] == entries(replace(holds, roughs=(other,)), other, rows, lengths)


@pytest.mark.parametrize("high", [True, False])
def test_spans_where_nothing_can_happen_are_not_searched(high: bool) -> None:
    """High above a kerb, or on the face before it, away from its edges: counts, not times."""
    own = rough("disc", "kerb")
    holds, count = Footholds((own,)), 1000
    p = np.array([-30.0, 0.0, 5.0 if high else 0.3])
    rows = moving(np.eye(3), p, np.array([1.0, 0.0, 0.0]), np.array([0.0, 3.0, 0.0]), count + 1)
    if not high:
        place = place_of(rows[0])
        holds, _ = holds.take(own, holds.candidates(own, place)[0], place)
    assert entries(holds, own, rows, np.full(count, STEP)) == []
    looks = watch._watch_of(own)
    assert looks is not None and looks.searches == 0
    near = moving(np.eye(3), np.array([-0.5, 0.0, 0.3]), np.array([1.0, 0.0, 0.0]), np.zeros(3), count + 1)
    first = entries(holds, own, near, np.full(count, STEP))
    assert first and looks.searches <= first[0].sample + 1 + count // 16
