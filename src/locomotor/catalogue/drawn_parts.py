"""What several systems of the catalogue are drawn with: small wheels, eyes, modules of snakes, people."""

from locomotor.model import Box, Capsule, Cylinder, Ellipsoid, QuantityLike, Shape, Sphere, Tube

Length = QuantityLike


def small_wheels(radius: Length, track: Length, *, at: tuple[Length, Length] = (0.0, 0.0), width: float = 0.012) -> list[Shape]:
    """Two wheels on one axle along y, `track` apart, with their centre at x and z `at`."""
    x, z = at
    shapes: list[Shape] = [Capsule((x, f"-({track})/2", z), (x, f"({track})/2", z), f"({radius})/5", colour="metal")]
    for side in ("-", ""):
        middle = f"{side}({track})/2"
        shapes.append(Cylinder((x, f"{middle} - {width}", z), (x, f"{middle} + {width}", z), radius, colour="rubber"))
        shapes.append(
            Cylinder(
                (x, f"{middle} - {1.1 * width}", z), (x, f"{middle} + {1.1 * width}", z), f"0.45*({radius})", colour="light"
            )
        )
    return shapes


def eyes(x: Length, apart: Length, z: Length, radius: Length) -> list[Shape]:
    """Two eyes that look forward."""
    found: list[Shape] = []
    for side in ("-", ""):
        y = f"{side}({apart})/2"
        found.append(Sphere(radius, at=(x, y, z), colour="light"))
        found.append(Sphere(f"0.6*({radius})", at=(f"({x}) + 0.55*({radius})", y, z), colour="dark"))
    return found


SKIN = ("#3f9e5f", "#2f7a49")
"""Modules of a snake in turn."""


def snake_module(k: int, modules: int, low: str) -> list[Shape]:
    """Module k of a snake above the height `low`, `L` long and `w` wide, with the hinge to the one before it.

    The first, whose origin is its centre, has eyes and a tongue; the last tapers.
    """
    centre, front = ("0", "L/2") if k == 0 else ("-L/2", "0")
    z, skin = f"{low} + w/3", SKIN[k % 2]
    hinge = Cylinder((0, 0, f"{z} - 0.3*w"), (0, 0, f"{z} + 0.3*w"), "0.14*L", colour="metal")
    if k == modules - 1:
        tail = [("-0.12*L", 0, z), ("-0.6*L", 0, z), ("-1.5*L", 0, f"{low} + w/8")]
        return [hinge, Tube(tail, ("0.45*w", "0.42*w", "0.05*w"), smooth=True, colour=skin)]
    shell = Box(("0.76*L", "0.9*w", "0.75*w"), at=(centre, 0, z), colour=skin)
    if k > 0:
        return [shell, hinge]
    nose = [("0.3*L", 0, z), (front, 0, z), (f"{front} + 0.22*L", 0, f"{z} - 0.06*w")]
    tongue = [(f"{front} + 0.25*L", 0, z), (f"{front} + 0.6*L", 0, f"{z} - 0.05*w")]
    return [
        shell,
        Tube(nose, ("0.48*w", "0.47*w", "0.25*w"), smooth=True, colour=skin),
        *eyes(f"{front} + 0.06*L", "0.5*w", f"{z} + 0.35*w", "0.11*w"),
        Tube(tongue, "0.035*w", colour="accent"),
    ]


def standing_rider(x: Length, hands: tuple[Length, Length, Length], feet: Length) -> list[Shape]:
    """Somebody who stands at x, hips at z = 0, feet so far below them, with both hands before the body."""
    reach, apart, height = hands
    found: list[Shape] = [
        Tube([(x, 0.0, 0.0), (x, 0.0, 0.28), (f"({x}) + 0.04", 0.0, 0.5)], (0.13, 0.135, 0.14), smooth=True, colour="accent"),
        Sphere(0.1, at=(f"({x}) + 0.08", 0.0, 0.75), colour="skin"),
        Ellipsoid((0.115, 0.105, 0.075), at=(f"({x}) + 0.06", 0.0, 0.8), colour="dark"),
    ]
    for side in (-1.0, 1.0):
        elbow = (f"(({x}) + ({reach}))/2", f"{1.25 * side}*({apart})/2", f"(0.4 + ({height}))/2")
        knee, foot = (f"({x}) + 0.07", 0.13 * side, f"-0.45*({feet})"), (x, 0.15 * side, f"-({feet})")
        shoulder, hand = (f"({x}) + 0.04", 0.17 * side, 0.47), (reach, f"{side}*({apart})/2", height)
        found += [
            Tube([(x, 0.08 * side, 0.0), knee, foot], (0.085, 0.06, 0.045), colour="cloth"),
            Ellipsoid((0.13, 0.05, 0.04), at=(f"({x}) + 0.05", 0.15 * side, f"-({feet})"), colour="dark"),
            Tube([shoulder, elbow, hand], (0.05, 0.04, 0.032), colour="skin"),
        ]
    return found
