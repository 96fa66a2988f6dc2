"""Which body carries a system through the world: the one whose displacement is that of the whole."""

from locomotor.model import Fixed, Frame, Prismatic, System, Torque
from locomotor.names import WORLD


def root_body(system: System) -> str:
    """The body at the end of the chain that bears the system.

    From the first joint on the world outwards: past frames without mass, and along sliders on sliders that nothing drives, as
    long as one joint leads on. For a free or planar root that is its body; for a base made of sliders, massless or not, the
    body that all of them move together.
    """
    bodies = {body.name: body for body in system.bodies}
    joint = system.joints[0]
    assert joint.parent == WORLD
    slides = True
    while True:
        onward = [following for following in system.joints if following.parent == joint.child]
        slides = slides and isinstance(joint, Prismatic | Fixed)
        if len(onward) != 1:
            return joint.child
        following = onward[0]
        idle = isinstance(following.drive, Torque) and following.drive.is_zero
        slider = slides and idle and isinstance(following, Prismatic)
        if not (isinstance(bodies[joint.child], Frame) or slider):
            return joint.child
        joint = following
