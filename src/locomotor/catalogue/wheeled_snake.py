"""Hirose's wheeled snake ACM-III: modules in a row, each on an axle that does not slip sideways (Belkhiri 2013, section 2.3).

Every module has one axle under its centre; n modules give n constraints for 3 + (n - 1) velocities, so that two of them are
left whatever n is: over-constrained once more than three modules have their joints imposed, and the rest follows the leader.
At constant curvature (all joints equal, the straight snake included) the constraints of the base lose a rank.
"""

from locomotor.catalogue.drawn_parts import small_wheels, snake_module
from locomotor.catalogue.locomotion_parts import FORWARD, LEFT, box, disc, driven, hinge, parameter_set, torque_input, whole
from locomotor.checks import door, flag
from locomotor.model import Body, Contact, Joint, Planar, RollingDisc, Shape, Skate, System

WHEELED_SNAKE_GAITS = {
    "steer": {"joint_1": "0.5 - 0.6*smooth_step(t, 0, 2) + 0.6*smooth_step(t, 3, 5)"},
    "crawl": {"joint_1": "0.5 + 0.2*sin(2*t)", "joint_2": "-0.2 + 0.2*cos(2*t)"},
}
"""The neck steers a snake that coasts (start it with a speed) and the others follow the leader; and two joints that go round
a loop away from constant curvature, which determines everything."""


@door(wheels=flag)
def wheeled_snake(modules: int = 8, *, wheels: bool = False) -> System:
    """A snake of `modules` modules; the head is module 0, joints `joint_1 ...` count towards the tail.

    Without wheels each axle is a knife edge (`Skate`); with them it carries a disc that rolls, with mass and inertia.
    """
    modules = whole(modules, "wheeled_snake", "modules", 3, ", to bind the three velocities of the head")
    followers = range(1, modules)
    bodies: list[Body] = [Body("module_0", mass="m", inertia=box("m", "L", "w", "w"), shapes=_module(0, modules, wheels))]
    bodies += [
        Body(
            f"module_{k}",
            mass="m",
            com=("-L/2", 0.0, 0.0),
            inertia=box("m", "L", "w", "w"),
            shapes=_module(k, modules, wheels),
        )
        for k in followers
    ]
    joints: list[Joint] = [Planar(name="base", parent="world", child="module_0", at=(0.0, 0.0, "rho" if wheels else 0.0))]
    joints += [
        driven(
            f"joint_{k}",
            f"module_{k - 1}",
            f"module_{k}",
            at=("-L/2" if k == 1 else "-L", 0.0, 0.0),
            description=f"angle of module {k} against the one before it",
        )
        for k in followers
    ]
    contacts: list[Contact] = []
    for k in range(modules):
        centre = "0" if k == 0 else "-L/2"
        if not wheels:
            contacts.append(Skate(f"axle_{k}", body=f"module_{k}", at=(centre, 0.0, 0.0), heading=FORWARD))
            continue
        rolling = small_wheels("rho", "1.15*w", width=0.006)
        bodies.append(Body(f"disc_{k}", mass="m_w", inertia=disc("m_w", "rho"), shapes=rolling))
        joints.append(
            hinge(
                f"wheel_{k}",
                f"module_{k}",
                f"disc_{k}",
                at=(centre, 0.0, 0.0),
                axis=LEFT,
                description=f"angle of the wheel of module {k}",
            )
        )
        contacts.append(RollingDisc(f"tyre_{k}", body=f"disc_{k}", centre=(0, 0, 0), axis=LEFT, radius="rho"))
    rows = [
        ("L", 0.1, "m", "length of a module"),
        ("w", 0.06, "m", "width and height of a module"),
        ("m", 0.8, "kg", "mass of a module, its wheel left out" if wheels else "mass of a module"),
    ]
    if wheels:
        rows += [
            ("rho", 0.02, "m", "radius of the wheels"),
            ("m_w", 0.1, "kg", "mass of a wheel"),
        ]
    return System(
        f"wheeled_snake_{modules}" + ("_with_wheels" if wheels else ""),
        bodies=bodies,
        joints=joints,
        contacts=contacts,
        parameters=parameter_set(*rows),
        inputs=tuple(torque_input(f"joint_{k}", f"torque of module {k - 1} on module {k}") for k in followers),
        # Away from constant curvature, where the constraints of the head are singular.
        nominal={f"joint_{k}": f"0.5*cos({k - 1}*pi/2)" for k in followers},
        description=f"snake of {modules} modules on " + ("wheels that roll" if wheels else "axles that do not slip sideways"),
    )


def _module(k: int, modules: int, wheels: bool) -> list[Shape]:
    """A module above its axle, on wheels of its own where they are not bodies."""
    low, centre = (0.0 if wheels else 0.02), ("0" if k == 0 else "-L/2")
    axle: list[Shape] = [] if wheels else small_wheels(0.02, "1.15*w", at=(centre, 0.02), width=0.006)
    return [*axle, *snake_module(k, modules, str(low))]
