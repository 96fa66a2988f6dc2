"""Three equal balls in a row, the first of which strikes two that touch: Newton's cradle, and what impact laws make of it.

The gaps are coordinates' differences, q_2 - q_1 and q_3 - q_2. Laws disagree about this double impact (Génot 1998, table I.1):
elastic ones that see both contacts at once give (-1/3, 2/3, 2/3) for a first ball with 1 m/s, one impact after the other gives
(0, 0, 1). With springs in place of the contacts any outcome between the two is possible, as the ratio of their stiffness says.
"""

from functools import partial

from locomotor.catalogue.locomotion_parts import FORWARD, parameter_set
from locomotor.checks import door, flag, number, optional, text
from locomotor.model import Body, Coupling, JointForce, Prismatic, Sphere, System, Unilateral

BALLS = ("first", "second", "third")


@door(restitution=number, rule=text, cradle=flag, springs=optional(partial(number, above=0.0)))
def three_balls(
    *, restitution: float = 1.0, rule: str = "newton", cradle: bool = False, springs: float | None = None
) -> System:
    """Balls `first`, `second` and `third` on a line, at places of the same names; they start in a row, and touch.

    `restitution` and `rule` are those of the contacts between them. A `cradle` gives each contact the whole approach of the
    other instead, so that (1, 0, 0) becomes (0, 0, 1). `springs` is the ratio of the stiffness between the first two balls to
    that between the last two: they then yield, and there are no impacts.
    """
    gaps = {"near": "second - first - 2*r", "far": "third - second - 2*r"}
    laws = {name: Unilateral(restitution=restitution, rule=rule) for name in gaps}
    if cradle:
        laws = {"near": Unilateral(0.0, from_others={"far": 1.0}), "far": Unilateral(0.0, from_others={"near": 1.0})}
    pushes = {
        name: f"{stiffness}*max(-({gap}), 0)" for (name, gap), stiffness in zip(gaps.items(), ("ratio*k", "k"), strict=True)
    }
    efforts = {"first": f"-{pushes['near']}", "second": f"{pushes['near']} - {pushes['far']}", "third": pushes["far"]}
    spin = "2*m*r**2/5"
    return System(
        name="three_balls",
        bodies=tuple(
            Body(f"{name}_ball", mass="m", inertia=(spin, spin, spin), shapes=[Sphere("r", colour=colour)])
            for name, colour in zip(BALLS, ("accent", "metal", "metal"), strict=True)
        ),
        joints=tuple(Prismatic(name=name, parent="world", child=f"{name}_ball", axis=FORWARD) for name in BALLS),
        constraints=() if springs else tuple(Coupling(name, gap, law=laws[name]) for name, gap in gaps.items()),
        forces=tuple(JointForce(f"push_{name}", name, law) for name, law in efforts.items()) if springs else (),
        parameters=parameter_set(
            ("m", 1.0, "kg", "mass of each ball"),
            ("r", 0.05, "m", "radius"),
            *(
                (("k", 1e5, "N/m", "stiffness between the last two"), ("ratio", springs, "1", "of the first to it"))
                if springs
                else ()
            ),
            source="Génot 1998, section I.2.3",
        ),
        nominal={"first": "-2*r", "third": "2*r"},
        description="three equal balls in a row",
    )
