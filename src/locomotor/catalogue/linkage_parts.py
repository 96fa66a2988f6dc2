"""What linkages are made of: homogeneous bars with a hole at each end."""

from locomotor.model import Body, Capsule, Cylinder, QuantityLike

THICK = 0.03
"""Diameter of a drawn bar, as a share of a metre of it; thin enough not to count for the inertia but about its own axis."""


def bar(name: str, length: QuantityLike, density: QuantityLike, *, layer: int = 0, colour: str = "metal") -> Body:
    """A slender bar along x from the origin of its frame, of a mass per length; `layer` moves what is drawn of it aside."""
    mass = f"({density})*({length})"
    across = f"{mass}*({length})**2/12"
    y = 0.035 * layer
    return Body(
        name,
        mass=mass,
        com=(f"({length})/2", 0.0, 0.0),
        inertia=(f"{mass}*{THICK}**2/8", across, across),
        shapes=[
            Capsule((0.0, y, 0.0), (length, y, 0.0), 0.5 * THICK, colour=colour),
            *(Cylinder((x, y - 0.03, 0.0), (x, y + 0.03, 0.0), 0.4 * THICK, colour="dark") for x in (0.0, length)),
        ],
    )
