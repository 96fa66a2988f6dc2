"""Euler's elliptic pendulum: a cart without friction and a bob on a rope; the bob moves on an ellipse.

With the common centre of mass at rest at y = 0, y_bob = a m_1/(m_1 + m_2) sin(theta) and z_bob = -a cos(theta).
"""

from locomotor.catalogue.locomotion_parts import LEFT, hinge, parameter_set
from locomotor.checks import choice, door
from locomotor.model import Body, Box, Gravity, PointOnPlane, Prismatic, RodClosure, Sphere, System, Translation, Tube


@door(form=choice("tree", "loop"))
def elliptic_pendulum(*, form: str = "tree") -> System:
    """`cart` is a place along y. As a "tree", `theta` is the angle of the rope from hanging down, positive with the bob at +y.

    As a "loop" the bob is a body of its own, at `bob_x`, `bob_y` and `bob_z`, that a rod and a plane hold.
    """
    tree = form == "tree"
    rope = [Tube([(0.0, 0.0, 0.0), (0.0, 0.0, "-a")], 0.006, colour="metal")] if tree else []
    return System(
        "elliptic_pendulum" if tree else "elliptic_pendulum_loop",
        bodies=(
            Body("trolley", mass="m_1", inertia=("0.01*m_1",) * 3, shapes=[Box((0.1, 0.3, 0.1), colour="wood")]),
            Body(
                "bob_ball",
                mass="m_2",
                inertia=("1e-12*m_2",) * 3,
                com=(0.0, 0.0, "-a") if tree else (0.0, 0.0, 0.0),
                shapes=[
                    *rope,
                    Sphere(0.05, at=(0.0, 0.0, "-a" if tree else 0.0), colour="accent"),
                ],
            ),
        ),
        joints=(
            Prismatic(name="cart", parent="world", child="trolley", axis=LEFT, description="place of the cart along y"),
            hinge("theta", "trolley", "bob_ball", axis=(1.0, 0.0, 0.0), description="angle of the rope from hanging down")
            if tree
            else Translation(name="bob", parent="world", child="bob_ball"),
        ),
        loops=()
        if tree
        else (
            RodClosure("rope", "trolley", "bob_ball", length="a"),
            PointOnPlane("plane", "world", "bob_ball", axis_a=(1.0, 0.0, 0.0)),
        ),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("m_1", 2.0, "kg", "mass of the cart"),
            ("m_2", 1.0, "kg", "mass of the bob"),
            ("a", 0.5, "m", "length of the rope"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        nominal={} if tree else {"bob_z": "-a"},
        grounds=(),
        scenery=[Box((0.02, 2.4, 0.02), at=(x, 0, -0.06), colour="metal") for x in (-0.035, 0.035)],
        description="elliptic pendulum: a cart and a bob on a rope",
    )
