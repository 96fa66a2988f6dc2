"""What a bicycle looks like: tubes from hub to hub that follow its wheelbase, rake and trail; and a rider who sits on it.

Points of the rear frame are from the rear hub, those of the fork from the steer axis at the height of the front hub, with z
along that axis. Heights that no parameter tells are shares of the wheelbase or of the front wheel.
"""

from dataclasses import replace
from typing import Any

from locomotor.model import Capsule, Cylinder, Ellipsoid, Shape, Sphere, Tube, parse

Point = tuple[str | float, ...]


def rear_frame_shapes(
    axis: str, height: str, tilt: str, wheel: str, base: str, *, hub: tuple[str, str] = ("0", "0"), rider: bool = False
) -> tuple[Shape, ...]:
    """Frame, saddle and cranks. The steer axis meets `height` above the rear hub at `axis` before it, tilted back by `tilt`.

    `hub` is where the rear hub lies along x and z of the body.
    """
    shapes = _frame(axis, height, tilt, wheel, base) + (_rider(axis, height, tilt, wheel, base) if rider else ())
    return shapes if hub == ("0", "0") else tuple(_moved(shape, *hub) for shape in shapes)


def _moved(shape: Shape, x: str, z: str) -> Shape:
    """The same shape elsewhere."""

    def there(point: Any) -> tuple[Any, ...]:
        return (point[0] + parse(x), point[1], point[2] + parse(z))

    if isinstance(shape, Tube):
        return replace(shape, points=tuple(there(point) for point in shape.points))
    if isinstance(shape, Cylinder | Capsule):
        return replace(shape, start=there(shape.start), end=there(shape.end))
    return replace(shape, at=there(shape.at))  # type: ignore[attr-defined, call-arg]


def _frame(axis: str, height: str, tilt: str, wheel: str, base: str) -> tuple[Shape, ...]:

    def head(share: float) -> Point:
        """A point of the steer axis, so many radii of the front wheel up along it."""
        along = f"{share}*({wheel})"
        return (f"({axis}) - {along}*sin({tilt})", 0.0, f"({height}) + {along}*cos({tilt})")

    bracket: Point = (f"0.43*({base})", 0.0, -0.04)
    seat: Point = (f"0.28*({base})", 0.0, f"0.46*({base})")
    saddle: Point = (f"0.245*({base})", 0.0, f"0.57*({base})")
    stays = [Tube([(0.0, side, 0.0), (x, 0.4 * side, z)], 0.008) for side in (-0.06, 0.06) for x, _, z in (bracket, seat)]
    shapes: tuple[Shape, ...] = (
        Tube([bracket, seat, saddle], (0.017, 0.016, 0.013)),
        Tube([seat, head(1.42)], 0.016),
        Tube([bracket, head(1.2)], 0.02),
        Tube([head(1.12), head(1.5)], 0.022),
        *stays,
        Ellipsoid((0.13, 0.055, 0.03), at=(f"0.245*({base}) - 0.02", 0.0, f"0.57*({base}) + 0.02"), colour="dark"),
        Ellipsoid((0.07, 0.085, 0.028), at=(f"0.245*({base}) - 0.1", 0.0, f"0.57*({base}) + 0.025"), colour="dark"),
        Cylinder((bracket[0], -0.052, -0.04), (bracket[0], -0.046, -0.04), 0.09, colour="metal"),
        Cylinder((bracket[0], -0.06, -0.04), (bracket[0], 0.06, -0.04), 0.02, colour="metal"),
    )
    for side, angle in ((-1.0, 0.12), (1.0, -0.12)):
        pedal = (f"0.43*({base}) + {angle}", 0.075 * side, -0.04 - 0.9 * abs(angle) * side)
        shapes += (
            Tube([(bracket[0], 0.07 * side, -0.04), pedal], 0.011, colour="metal"),
            Capsule((pedal[0], 0.085 * side, pedal[2]), (pedal[0], 0.17 * side, pedal[2]), 0.016, colour="dark"),
        )
    return shapes


def fork_shapes(forward: str, down: str, wheel: str) -> tuple[Shape, ...]:
    """Blades to the front hub, which is `forward` of the steer axis and `down` along it; stem, handlebar and grips."""
    crown = f"1.1*({wheel})"
    return (
        *(
            Tube([(0.0, 0.2 * side, crown), (0.0, side, crown), (0.0, side, f"0.6*({wheel})"), (forward, side, down)], 0.011)
            for side in (-0.055, 0.055)
        ),
        *stem_shapes(wheel),
        Cylinder((forward, -0.07, down), (forward, 0.07, down), 0.012, colour="metal"),
    )


def stem_shapes(wheel: str) -> tuple[Shape, ...]:
    """Stem, handlebar and grips of a fork, above its crown."""
    bar, crown = f"1.72*({wheel})", f"1.1*({wheel})"
    ends = [[(-0.13, 0.3 * side, bar), (-0.05, 0.3 * side, bar)] for side in (-1.0, 1.0)]
    return (
        Tube([(0.0, 0.0, crown), (0.0, 0.0, f"1.66*({wheel})")], 0.014),
        Tube([(0.0, 0.0, f"1.63*({wheel})"), (0.07, 0.0, bar)], 0.014),
        Tube(
            [(-0.06, -0.3, bar), (0.04, -0.24, bar), (0.07, 0.0, bar), (0.04, 0.24, bar), (-0.06, 0.3, bar)], 0.011, smooth=True
        ),
        *(Tube(points, 0.016, colour="dark") for points in ends),
    )


def mass_on_skate_shapes(centre: Point, edge: Point) -> tuple[Shape, ...]:
    """A point mass carried over a knife edge: a ball, a rod down to the edge, and the blade."""
    x, y, z = edge
    return (
        Sphere(0.07, at=centre, colour="dark"),
        Tube([centre, edge], 0.012),
        Tube([(f"{x} - 0.12", y, z), (f"{x} + 0.12", y, z)], 0.008, colour="metal"),
    )


def _rider(axis: str, height: str, tilt: str, wheel: str, base: str) -> tuple[Shape, ...]:
    """A rider who holds still, as the rigid rider of the model does: torso, head, arms to the bar, legs to the pedals."""
    hip = (f"0.245*({base})", 0.0, f"0.57*({base}) + 0.08")
    shoulder = (f"0.245*({base}) + 0.2", 0.0, f"0.57*({base}) + 0.56")
    along = f"1.72*({wheel})"
    hand_x = f"({axis}) - {along}*sin({tilt}) - 0.08*cos({tilt})"
    hand_z = f"({height}) + {along}*cos({tilt})"
    limbs: list[Shape] = []
    for side, angle in ((-1.0, 0.12), (1.0, -0.12)):
        foot = (f"0.43*({base}) + {angle}", 0.12 * side, 0.02 - 0.9 * abs(angle) * side)
        knee = (f"0.5*({base}) + {0.5 * angle}", 0.12 * side, f"0.31*({base}) + {-0.5 * side * abs(angle)}")
        limbs += [
            Tube([(hip[0], 0.09 * side, hip[2]), knee, foot], (0.085, 0.055, 0.04), colour="cloth"),
            Ellipsoid((0.12, 0.045, 0.04), at=(f"0.43*({base}) + {angle + 0.04}", 0.12 * side, foot[2]), colour="dark"),
            Tube(
                [
                    (shoulder[0], 0.18 * side, f"0.57*({base}) + 0.53"),
                    (
                        f"0.5*(0.245*({base}) + 0.2 + {hand_x}) - 0.03",
                        0.3 * side,
                        f"0.5*(0.57*({base}) + 0.5 + {hand_z}) - 0.06",
                    ),
                    (hand_x, 0.3 * side, hand_z),
                ],
                (0.055, 0.042, 0.035),
                colour="skin",
            ),
        ]
    return (
        Tube(
            [hip, (f"0.245*({base}) + 0.09", 0.0, f"0.57*({base}) + 0.3"), shoulder],
            (0.14, 0.145, 0.15),
            smooth=True,
            colour="accent",
        ),
        Sphere(0.105, at=(f"0.245*({base}) + 0.3", 0.0, f"0.57*({base}) + 0.83"), colour="skin"),
        Ellipsoid((0.125, 0.105, 0.09), at=(f"0.245*({base}) + 0.28", 0.0, f"0.57*({base}) + 0.88"), colour="light"),
        *limbs,
    )
