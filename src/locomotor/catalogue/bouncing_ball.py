"""A ball that falls on a floor and bounces: the smallest system whose contact opens and closes."""

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.checks import door, instance, number, optional, text
from locomotor.model import Body, Free, Gravity, Plane, RollingSphere, SlidingSphere, System, Terrain, Unilateral


@door(restitution=number, tangential=number, rule=text, terrain=optional(instance(Terrain)))
def bouncing_ball(
    *, restitution: float = 0.8, tangential: float = -1.0, rule: str = "newton", terrain: Terrain | None = None
) -> System:
    """A homogeneous ball above a level floor; it starts on the floor unless given a height `z` of its centre.

    With `tangential=-1` the ball is smooth: a bounce leaves the motion along the floor alone, and so does the floor when the
    ball has come to rest on it. With 0 the ball leaves a bounce rolling, and rolls. Dropped from a height h (of its lowest
    point) it comes to rest after sqrt(2 h/g) (1 + e)/(1 - e). A `terrain` takes the place of the floor.
    """
    kind = SlidingSphere if tangential == -1.0 and rule == "newton" else RollingSphere
    ground = Plane() if terrain is None else terrain
    rolls = "2*m*r**2/5"
    return System(
        name="bouncing_ball",
        bodies=(Body("ball", mass="m", inertia=(rolls, rolls, rolls)),),
        joints=(Free(name="base", parent="world", child="ball"),),
        contacts=(
            kind(
                "floor",
                body="ball",
                centre=(0.0, 0.0, 0.0),
                radius="r",
                ground=ground.name,
                law=Unilateral(restitution=restitution, tangential=tangential if rule == "newton" else 0.0, rule=rule),
            ),
        ),
        forces=(Gravity((0.0, 0.0, "-g")),),
        grounds=(ground,),
        parameters=parameter_set(
            ("m", 0.5, "kg", "mass"), ("r", 0.1, "m", "radius"), ("g", 9.81, "m/s^2", "gravity"), source="ours"
        ),
        nominal={"z": "r"},
        description="ball that bounces on a floor",
    )
