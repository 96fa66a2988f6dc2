"""A snake on dry ground: modules in a row, hinged about vertical axes, each with Coulomb friction under its belly.

Every module bears its own weight: it may rise by itself, so that each contact carries m g on level ground, whatever the shape.
Springs and dampers in the hinges follow a wave that travels to the tail. With bellies that rub alike in all directions a
snake that slides is braked by mu g; on keels, which glide along the body and rub across it, the wave pushes it forward.
"""

from locomotor.catalogue.drawn_parts import snake_module
from locomotor.catalogue.locomotion_parts import FORWARD, UP, box, parameter_set, whole
from locomotor.checks import door, flag, number
from locomotor.model import (
    Body,
    Contact,
    Frame,
    Gravity,
    Joint,
    Planar,
    Prismatic,
    QuantityLike,
    Revolute,
    Skate,
    StickingPoint,
    System,
    Torque,
    Unilateral,
)

SLITHERING = {"speed": 0.4, "sway_speed": 0.0, "yaw_rate": 0.0, **{f"joint_{k}_rate": 0.0 for k in (1, 2, 3)}}
"""Four modules that slide along."""


@door(friction=number, keels=flag)
def dry_snake(modules: int = 4, *, friction: float = 0.3, keels: bool = False) -> System:
    """A snake of `modules` modules, the head first; `amplitude` (rad) is that of the wave of its joints, `joint_1 ...`.

    With `keels` a module glides freely along itself and rubs across; without it rubs alike in all directions.
    """
    modules = whole(modules, "dry_snake", "modules", 2, ", to have a joint")
    bodies: list[Body | Frame] = []
    joints: list[Joint] = [Planar(name="base", parent="world", child="link_0", at=(0, 0, "w/2"))]
    contacts: list[Contact] = []
    law = Unilateral(friction="mu")
    for k in range(modules):
        centre: QuantityLike = 0.0 if k == 0 else "-L/2"
        bodies.append(Frame(f"link_{k}"))
        shapes = snake_module(k, modules, "-0.44*w")
        bodies.append(Body(f"module_{k}", mass="m", com=(centre, 0, 0), inertia=box("m", "L", "w", "w"), shapes=shapes))
        if k:
            wave = f"amplitude*sin(frequency*t - {k}*lag)"
            joints.append(
                Revolute(
                    name=f"joint_{k}",
                    parent=f"link_{k - 1}",
                    child=f"link_{k}",
                    axis=UP,
                    at=("-L/2" if k == 1 else "-L", 0, 0),
                    drive=Torque(f"stiffness*({wave} - joint_{k}) - damping*joint_{k}_rate"),
                    description=f"angle of module {k} against the one before it",
                )
            )
        rise = f"height of module {k}, which bears its own weight"
        joints.append(Prismatic(name=f"rise_{k}", parent=f"link_{k}", child=f"module_{k}", axis=UP, description=rise))
        below = (centre, 0, "-w/2")
        if keels:
            contacts.append(Skate(f"belly_{k}", f"module_{k}", at=below, heading=FORWARD, law=law))
        else:
            contacts.append(StickingPoint(f"belly_{k}", f"module_{k}", at=below, law=law))
    return System(
        f"dry_snake_{modules}" + ("_on_keels" if keels else ""),
        bodies=bodies,
        joints=joints,
        contacts=contacts,
        forces=(Gravity((0, 0, "-g")),),
        parameters=parameter_set(
            ("L", 0.1, "m", "length of a module"),
            ("w", 0.06, "m", "width and height of a module"),
            ("m", 0.4, "kg", "mass of a module"),
            ("mu", friction, "1", "coefficient of friction"),
            ("g", 9.81, "m/s^2", "gravity"),
            ("stiffness", 2.0, "N m/rad", "of the joints, about the wave"),
            ("damping", 0.02, "N m s/rad", "of the joints"),
            ("amplitude", 0.4, "rad", "of the wave of the joints"),
            ("frequency", 5.0, "rad/s", "of the wave"),
            ("lag", 0.9, "rad", "from joint to joint"),
        ),
        # On the wave; a straight snake that sticks with all its modules is held in fewer ways than it has rows.
        nominal={f"joint_{k}": f"-amplitude*sin({k}*lag)" for k in range(1, modules)},
        description=f"snake of {modules} modules on dry ground, "
        + ("on keels" if keels else "rubbing alike in all directions"),
    )
