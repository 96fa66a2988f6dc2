"""A robot of four joints behind gears: turning, turning, sliding, turning, each driven by a motor on the body before.

Rotors are bodies of their own, about axes that need not be those of the joints: the third motor lies across its slide, the
fourth across its hinge. Numbers are ours, for the algorithms of Llibre (ONERA, 2009, chapter 3).
"""

from locomotor import checks
from locomotor.catalogue.locomotion_parts import FORWARD, LEFT, UP, torque_input
from locomotor.dataclass import dataclass
from locomotor.model import Body, Box, Capsule, Cylinder, Gravity, Joint, Prismatic, Revolute, Shape, System, Torque, with_rotor

Vector = tuple[float, float, float]
ROTOR_MASS = 0.05
"""Mass (kg) of a rotor, which the body that carries it has less; it sits at that body's centre of mass."""
GEARED_GAITS = {
    "wave": {
        "turn_rotor": "50*0.8*sin(t)",
        "tilt_rotor": "40*0.4*(cos(t) - 1)",
        "reach_rotor": "20*0.1*sin(2*t)",
        "wrist_rotor": "30*0.9*cos(2*t)",
    },
}
"""Motions of its motors, ratio times that of the joint: without one that holds it, the arm falls and its slide runs out."""


@dataclass(frozen=True)
class _Link:
    """A joint and its body: place in the body before, centre and moments of inertia, and the rotor that drives it."""

    joint: str
    slides: bool
    axis: Vector
    at: Vector
    com: Vector
    mass: float
    inertia: Vector
    ratio: float
    rotor_axis: Vector
    rotor_inertia: float
    rotor_across: float


LINKS = (
    _Link("turn", False, UP, (0.0, 0.0, 0.4), (0.0, 0.0, 0.1), 5.0, (0.10, 0.12, 0.08), 50.0, UP, 2e-4, 1e-4),
    _Link("tilt", False, LEFT, (0.1, 0.0, 0.2), (0.2, 0.0, 0.05), 4.0, (0.02, 0.09, 0.10), 40.0, LEFT, 1.5e-4, 8e-5),
    _Link("reach", True, FORWARD, (0.2, 0.05, 0.0), (0.15, 0.0, 0.0), 3.0, (0.02, 0.05, 0.06), 20.0, LEFT, 1e-4, 6e-5),
    _Link("wrist", False, LEFT, (0.3, 0.0, 0.0), (0.1, 0.02, -0.05), 1.0, (0.004, 0.006, 0.005), 30.0, FORWARD, 5e-5, 3e-5),
)


@checks.fitting
def geared_robot() -> System:
    """Joints `turn`, `tilt`, `reach` (m) and `wrist`; inputs `turn_motor` and so on are torques on the rotors (N m)."""
    bodies: list[Body] = []
    joints: list[Joint] = []
    before = "world"
    for k, link in enumerate(LINKS):
        carries = ROTOR_MASS if k + 1 < len(LINKS) else 0.0
        name = f"{link.joint}_arm"
        bodies.append(Body(name, link.mass - carries, link.com, link.inertia, shapes=_shapes(k)))
        kind = Prismatic if link.slides else Revolute
        joints.append(kind(name=link.joint, parent=before, child=name, at=link.at, axis=link.axis))
        before = name
    system = System(
        "geared_robot",
        bodies=bodies,
        joints=joints,
        forces=(Gravity(),),
        inputs=[torque_input(f"{link.joint}_rotor", f"torque on the rotor that drives {link.joint}") for link in LINKS],
        independent=[f"{link.joint}_rate" for link in LINKS],
        scenery=[Cylinder((0.0, 0.0, 0.0), (0.0, 0.0, 0.4), 0.12, colour="dark")],
        description="robot of four joints behind gears, with rotors on axes of their own",
    )
    for k, link in enumerate(LINKS):
        system = with_rotor(
            system,
            link.joint,
            ratio=link.ratio,
            mass=ROTOR_MASS,
            inertia=link.rotor_inertia,
            across=link.rotor_across,
            axis=link.rotor_axis,
            at=LINKS[k - 1].com if k else (0.0, 0.0, 0.3),
            drive=Torque(f"{link.joint}_rotor_torque"),
        )
    return system


def _shapes(k: int) -> list[Shape]:
    shapes: list[list[Shape]] = [
        [Cylinder((0.0, 0.0, -0.02), (0.0, 0.0, 0.12), 0.1, colour="metal"), Capsule((0, 0, 0.1), (0.1, 0, 0.2), 0.05)],
        [Capsule((0.0, 0.0, 0.0), (0.22, 0.03, 0.0), 0.056, colour="wood"), Box((0.2, 0.06, 0.06), at=(0.3, 0.05, 0.0))],
        [Box((0.45, 0.03, 0.03), at=(0.1, 0.0, 0.0), colour="metal")],
        [Capsule((0.0, 0.0, 0.0), (0.16, 0.02, -0.06), 0.025, colour="accent")],
    ]
    return shapes[k]
