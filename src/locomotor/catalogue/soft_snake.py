"""Snakes without joints: soft rods bent by a wave of muscles, one that slithers on keels and one that winds sideways.

The first moves in a plane. Its weight lies in scutes, plates along the belly that bear themselves each and glide along the
body, while friction resists across it. The second lifts what it moves: waves of bending sideways and of bending up run along
it a quarter of a period apart, so that parts which lie on the ground stay where they are, and the parts between are carried on.
"""

from locomotor import checks
from locomotor.catalogue.drawn_parts import eyes
from locomotor.catalogue.locomotion_parts import FORWARD, LEFT, UP, Row, parameter_set, whole
from locomotor.catalogue.soft_eel import muscles
from locomotor.model import (
    Body,
    Box,
    Contact,
    CrossSection,
    DistributedForce,
    Fixed,
    Frame,
    Gravity,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Rod,
    Skate,
    Sphere,
    StickingPoint,
    System,
    Unilateral,
)

SLITHERING_WAVE = {"body_bend_z_0": -2.0, "body_bend_z_1": -4.0, "body_bend_z_2": 9.0}
WINDING = {"body_bend_z_0": -0.6, "body_bend_z_1": 1.0, "body_bend_z_2": 5.0, "body_bend_z_3": 1.0}
"""Bent poses. A straight snake that sticks with all that touches is held in fewer ways than it has rows."""
HEAD = Frame("head", shapes=[Sphere("0.7*d", colour="#3f9e5f"), *eyes("0.35*d", "0.7*d", "0.4*d", "0.17*d")])
NECK = Fixed(name="nape", parent="body", child="head", rotation=(0.0, 0.0, "pi"))


@checks.door(keels=checks.flag, friction=checks.number)
def soft_snake(scutes: int = 4, *, keels: bool = True, friction: float = 0.5) -> System:
    """A soft snake in the plane, its head at the origin of `body` and its tail at x = l, on so many scutes of equal mass.

    With `keels` a scute glides along the body and rubs across it, otherwise it rubs alike in all directions. Muscles make a
    moment M 4 s (1 - s) sin(2 pi (f t - k s)) inside the body, a wave that runs to the tail.
    """
    scutes = whole(scutes, "soft_snake", "scutes", 2, ", or it turns on the spot")
    law = Unilateral(friction="mu")
    plates: list[Body | Frame] = []
    joints: list[Joint] = [Planar(name="base", parent="world", child="body", at=(0, 0, "d/2")), NECK]
    contacts: list[Contact] = []
    for k in range(scutes):
        name = f"scute_{k + 1}"
        shape = Box((f"0.8*l/{scutes}", "0.9*d", "0.2*d"), at=(0, 0, "-0.4*d"), colour="dark")
        plates.append(Body(name, f"m/{scutes}", inertia=(f"m/{scutes}*d**2/12",) * 3, shapes=[shape]))
        joints.append(
            Prismatic(name=f"rise_{k + 1}", parent="body", child=name, axis=UP, at=(f"{(k + 0.5) / scutes}*l", 0.0, 0.0))
        )
        below = (0.0, 0.0, "-d/2")
        contacts.append(
            Skate(f"keel_{k + 1}", name, at=below, heading=FORWARD, law=law)
            if keels
            else StickingPoint(f"belly_{k + 1}", name, at=below, law=law)
        )
    return System(
        "soft_snake" if keels else "soft_snake_without_keels",
        bodies=(_rod({"bend_z": 3}), HEAD, *plates),
        joints=joints,
        contacts=contacts,
        forces=(Gravity((0, 0, "-g")), DistributedForce("muscles", "body", (0, 0, 0), couple=(0, 0, muscles()), frame="body")),
        parameters=parameter_set(
            *_numbers(friction, EI=0.04, M=0.5, mass=0.3, damping=0.01), ("m", 0.5, "kg", "mass of all scutes")
        ),
        nominal={} if keels else SLITHERING_WAVE,
        description="soft snake in the plane, " + ("on keels" if keels else "rubbing alike in all directions"),
    )


@checks.door(friction=checks.number)
def sidewinder(places: int = 5, *, friction: float = 0.6) -> System:
    """A soft snake in space, its head at the origin of `body` and its tail at x = l, which touches at so many `places`.

    Its head keeps level. Muscles bend it sideways with a moment M and up with a moment `M_up`, as waves that run to the tail,
    the second a quarter of a period ahead: what lies on the ground is where the first wave moves fastest.
    """
    count = whole(places, "sidewinder", "places", 3, ", to stand")
    law = Unilateral(friction="mu")
    couple = (0, muscles("M_up", " + pi/2"), muscles())
    return System(
        "sidewinder",
        bodies=(Frame("trunk"), Frame("neck"), _rod({"bend_y": 3, "bend_z": 4}), HEAD),
        joints=(
            Planar(name="base", parent="world", child="trunk"),
            Prismatic(name="rise", parent="trunk", child="neck", axis=UP, at=(0, 0, "d/2")),
            Revolute(name="pitch", parent="neck", child="body", axis=LEFT),
            NECK,
        ),
        contacts=[StickingPoint(f"belly_{k + 1}", "body", (f"{k / (count - 1)}*l", 0, "-d/2"), law=law) for k in range(count)],
        forces=(Gravity((0, 0, "-g")), DistributedForce("muscles", "body", (0, 0, 0), couple=couple, frame="body")),
        parameters=parameter_set(
            *_numbers(friction, EI=0.3, M=2.0, mass=1.0, damping=0.002),
            ("M_up", 0.5, "N m", "moment of the muscles that bend it up"),
        ),
        nominal=WINDING,
        description="soft snake that winds sideways",
    )


def _rod(strains: dict[str, int]) -> Rod:
    return Rod(
        "body",
        section=CrossSection(mass="rho_A", EIy="EI", EIz="EI", outline=("d*sqrt(1 - 0.6*s**60)",) * 2),
        length="l",
        strains=strains,
        points=6,
        damping="damping",
    )


def _numbers(friction: float, *, EI: float, M: float, mass: float, damping: float) -> tuple[Row, ...]:
    return (
        ("l", 0.6, "m", "length"),
        ("d", 0.03, "m", "thickness"),
        ("rho_A", mass, "kg/m", "mass of the rod per length"),
        ("EI", EI, "N m^2", "stiffness against bending"),
        ("damping", damping, "s", "time of retardation"),
        ("mu", friction, "1", "coefficient of friction"),
        ("g", 9.81, "m/s^2", "gravity"),
        ("M", M, "N m", "moment of the muscles"),
        ("f", 1.0, "Hz", "waves a second"),
        ("k", 1.2, "1", "waves along the body"),
    )
