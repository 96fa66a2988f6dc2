"""Bricard's mechanism: six bars, each at right angles to the next, hinged in a ring; over-constrained, and yet it moves.

The bars are six edges of a cube that turn by a right angle at each corner; each hinge is normal to the two bars that it
joins. By the count of freedoms it is rigid (five moving bars and six hinges of five conditions), but the conditions are
dependent and leave one freedom (Bricard 1927). A benchmark of the IFToMM library of multibody problems, with bars of 1 m and
1 kg.
"""

import numpy as np

from locomotor import checks
from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.model import Body, Capsule, Cylinder, Gravity, Revolute, RevoluteClosure, System

CORNERS = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1))
"""The ring, in units of a bar; the bar from the last corner to the first is the ground."""
COLOURS = ("accent", "metal", "wood", "#3f7fbf", "#3f9e5f")


@checks.fitting
def bricard() -> System:
    """Frames of all bars are parallel to the world in the nominal pose; `hinge_1` to `hinge_5` are angles, the sixth closes."""
    corners = [np.array(corner, dtype=float) for corner in CORNERS]
    bars = [corners[(k + 1) % 6] - corners[k] for k in range(6)]
    axes = [np.cross(bars[k - 1], bars[k]) for k in range(6)]

    def stretched(direction: np.ndarray, share: float = 1.0) -> tuple[str, ...]:  # type: ignore[type-arg]
        return tuple(f"{share * float(x)}*l" for x in direction)

    return System(
        "bricard",
        bodies=tuple(
            Body(
                f"bar_{k + 1}",
                mass="m",
                com=stretched(bar, 0.5),
                inertia=tuple(f"m*l**2/12*{1.0 - abs(float(x))} + 1e-6*m*l**2" for x in bar),
                shapes=[
                    Capsule((0.0, 0.0, 0.0), stretched(bar), "0.03*l", colour=COLOURS[k]),
                    Cylinder(stretched(axes[k], -0.09), stretched(axes[k], 0.09), "0.045*l", colour="dark"),
                ],
            )
            for k, bar in enumerate(bars[:5])
        ),
        joints=tuple(
            Revolute(
                name=f"hinge_{k + 1}",
                parent=f"bar_{k}" if k else "world",
                child=f"bar_{k + 1}",
                at=stretched(bars[k - 1]) if k else (0.0, 0.0, 0.0),
                axis=tuple(axes[k].tolist()),
            )
            for k in range(5)
        ),
        loops=(RevoluteClosure("last", "bar_5", "world", stretched(bars[4]), (0.0, 0.0, "l"), axis_a=tuple(axes[5].tolist())),),
        forces=(Gravity((0.0, "-g", 0.0)),),
        parameters=parameter_set(
            ("l", 1.0, "m", "length of a bar"),
            ("m", 1.0, "kg", "mass of a bar"),
            ("g", 9.81, "m/s^2", "gravity, along -y"),
            source="IFToMM library of computational benchmark problems, Bricard's mechanism",
        ),
        independent=("hinge_1_rate",),
        scenery=[
            Capsule((0.0, 0.0, "l"), (0.0, 0.0, 0.0), "0.03*l", colour="dark"),
            Cylinder(stretched(corners[5] - 0.09 * axes[5]), stretched(corners[5] + 0.09 * axes[5]), "0.045*l", colour="dark"),
        ],
        grounds=(),
        description="Bricard's mechanism: six bars in a ring, over-constrained",
    )
