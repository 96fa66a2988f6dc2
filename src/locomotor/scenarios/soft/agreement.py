"""Three descriptions of one beam: a floating frame with assumed modes, an exact rod, and a chain of rigid segments."""

import math
from collections.abc import Mapping
from itertools import pairwise

from locomotor.model import Body, BodyForce, CrossSection, Fixed, FlexibleBody, Frame, Input, JointSpring, Revolute, Rod, System
from locomotor.scenarios.registry import Computation, Number, register
from locomotor.scenarios.soft.places import at_rest, end_of
from locomotor.scenarios.soft.rods import clamped

BEAM = CrossSection(mass=1.0, EIz=1.0)
PUSH = BodyForce("load", "tip", (0.0, 0.0, 0.0), (0.0, "P", 0.0))
AMPLITUDES = (0.4, 0.2, 0.1)
SEGMENTS = (4, 8, 16)


def _frame() -> System:
    beam = FlexibleBody("beam", 1.0, BEAM, bending_y=3, modes="polynomial")
    joints = (
        Fixed(name="clamp", parent="world", child="beam"),
        Fixed(name="end", parent="beam", child="tip", at=(1.0, 0.0, 0.0)),
    )
    return System("frame", (beam, Frame("tip")), joints, forces=(PUSH,), inputs=(Input("P"),))


def _chain(count: int) -> System:
    """Segments with springs between them: EI over their length, twice that at the clamp, where half a segment bends."""
    h = 1.0 / count
    bodies = [Body(f"segment_{k}", h, com=(0.5 * h, 0.0, 0.0), inertia=(1e-4, 1e-4, 1e-4)) for k in range(count)]
    joints = [
        Revolute(
            name=f"hinge_{k}", parent=f"segment_{k - 1}" if k else "world", child=f"segment_{k}", axis=(0.0, 0.0, 1.0),
            at=(h if k else 0.0, 0.0, 0.0),
        )
        for k in range(count)
    ]  # fmt: skip
    springs = [JointSpring(f"spring_{k}", f"hinge_{k}", stiffness=(1.0 if k else 2.0) / h) for k in range(count)]
    return System(
        f"chain_{count}",
        bodies=(*bodies, Frame("tip")),
        joints=(*joints, Fixed(name="end", parent=bodies[-1].name, child="tip", at=(h, 0.0, 0.0))),
        forces=(*springs, PUSH),
        inputs=(Input("P"),),
    )


def _deflection(system: System, load: float) -> float:
    return float(end_of(at_rest(system, load), "tip")[1])


def _order(coarse: float, fine: float) -> float:
    return math.log(abs(coarse / fine), 2.0)


def _agreement() -> Mapping[str, float]:
    rod = clamped(Rod("rod", section=BEAM, length=1.0, strains={"bend_z": 5}, points=16), PUSH)
    frame = _frame()
    found: dict[str, float] = {}
    differences = []
    for load in AMPLITUDES:
        exact = _deflection(rod, load)
        differences.append(_deflection(frame, load) / exact - 1.0)
    for (coarse, fine), ratio in zip(pairwise(AMPLITUDES), pairwise(differences), strict=True):
        found[f"frame less rod, order from P = {coarse} to {fine}"] = _order(*ratio)
    exact = _deflection(rod, 1.0)
    errors = [_deflection(_chain(count), 1.0) - exact for count in SEGMENTS]
    for (few, many), ratio in zip(pairwise(SEGMENTS), pairwise(errors), strict=True):
        found[f"chain less rod, order from {few} to {many} segments"] = _order(*ratio)
    found["rod under P = 1"] = exact
    return found


register(
    Computation(
        "rod/agreement",
        "A floating frame agrees with the rod as the square of the amplitude, a chain of segments as that of their length",
        "computed by us: three descriptions of one cantilever under a load at its end",
        compute=_agreement,
        slow=True,
        numbers=(
            *(
                Number(
                    f"frame less rod, order from P = {coarse} to {fine}", 2.0, 0.06, "terms of fourth order in the amplitude",
                    "law: what the frame leaves out is of second order",
                )
                for coarse, fine in pairwise(AMPLITUDES)
            ),
            *(
                Number(
                    f"chain less rod, order from {coarse} to {fine} segments", 2.0, 0.06, "terms of higher order",
                    "law: springs in the middle of what bends are of second order",
                )
                for coarse, fine in pairwise(SEGMENTS)
            ),
            Number("rod under P = 1", 0.3017207738, 1e-6, "order of the points", "closed form: elliptic integrals", unit="m"),
        ),
    )
)  # fmt: skip
