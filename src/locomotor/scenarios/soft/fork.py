"""A bicycle whose fork bends: the rigid one is its limit, and a chain of rigid segments converges to it."""

import math
from collections.abc import Mapping
from dataclasses import replace

from locomotor.catalogue import flexible_fork_bicycle
from locomotor.figures import Eigenvalues
from locomotor.model import Body, Frame, Joint, JointSpring, Revolute, System
from locomotor.scenarios.registry import Computation, Number, register

SPEED = 5.0
"""m/s."""
EI, STIFF = 1100.0, 1e6
"""N m²: as it is, and stiff."""
RIGID = {"weave": (-0.7753418822, 4.4648677138), "capsize": (-0.3228664290, 0.0), "castering": (-14.0783896928, 0.0)}
TABLE = "Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007), table 2"
SEGMENTS = (4, 8)


def _system(stiffness: float) -> System:
    """Without damping."""
    return flexible_fork_bicycle(shapes=3).with_parameters(blade_stiffness=stiffness, blade_damping=0.0)


def _chain(count: int) -> System:
    """The blades as rigid segments with springs between them: EI over their length, twice that at both ends."""
    system, h = _system(EI), f"(blade_length/{count})"
    bar = f"blade_mass*{h}**3/12"
    segments: list[Body | Frame] = [
        Body(f"segment_{k}", f"blade_mass*{h}", com=(f"{h}/2", 0.0, 0.0), inertia=(0.0, bar, bar)) for k in range(count)
    ]
    segments.append(Frame(f"segment_{count}"))
    crown = next(joint for joint in system.joints if joint.name == "crown")
    hinges = [
        Revolute(
            name=f"bend_{k}",
            parent=f"segment_{k - 1}" if k else "fork",
            child=f"segment_{k}",
            axis=(0.0, 0.0, 1.0),
            at=(h, 0.0, 0.0) if k else crown.at,
            rotation=(0.0, 0.0, 0.0) if k else crown.rotation,
        )
        for k in range(count + 1)
    ]
    # Moments do not vanish at the hub: half a segment bends there, as at the crown.
    ends = (0, count)
    springs = [
        JointSpring(f"spring_{k}", f"bend_{k}", f"{2 if k in ends else 1}*blade_stiffness/{h}") for k in range(count + 1)
    ]
    joints: list[Joint] = []
    for joint in system.joints:
        if joint.name == "crown":
            joints += hinges
        elif joint.name == "front_wheel":
            joints.append(replace(joint, parent=f"segment_{count}", at=(0.0, 0.0, 0.0)))
        else:
            joints.append(joint)
    return system.replace(
        bodies=(*(body for body in system.bodies if body.name != "blades"), *segments),
        joints=joints,
        forces=(*system.forces, *springs),
        modes=(),
    )


def _values(system: System) -> dict[str, complex]:
    from locomotor.analysis import linearise

    linear = linearise(system, about={"speed": SPEED})
    return {
        name: complex(value) for name, value in zip(linear.mode_names, linear.eigenvalues, strict=True) if value.imag >= 0.0
    }


def _wobble_of_chain(count: int, near: complex) -> complex:
    from locomotor.analysis import linearise

    values = linearise(_chain(count), about={"speed": SPEED}).eigenvalues
    return complex(min(values, key=lambda value: abs(value - near)))


def _fork() -> Mapping[str, float]:
    soft, stiff, stiffer = (_values(_system(stiffness)) for stiffness in (EI, STIFF, 2.0 * STIFF))
    found: dict[str, float] = {}
    for name, (real, imaginary) in RIGID.items():
        limit = 2.0 * stiffer[name] - stiff[name]  # what is of first order in the compliance drops out
        found |= {f"stiff {name}, real": limit.real, f"stiff {name}, imaginary": limit.imag}
        exact = complex(real, imaginary)
        found[f"{name}, order in the compliance"] = math.log2(abs(stiff[name] - exact) / abs(stiffer[name] - exact))
    wobble = soft["wobble"]
    few, many = (_wobble_of_chain(count, wobble) for count in SEGMENTS)
    limit = (4.0 * many - few) / 3.0
    return found | {
        "wobble, real": wobble.real,
        "wobble, imaginary": wobble.imag,
        "wobble, less the limit of chains": abs(wobble - limit) / abs(wobble),
        "chains, order": math.log2(abs(few - wobble) / abs(many - wobble)),
    }


register(
    Computation(
        "flexible_fork_bicycle/wobble",
        "Modes of a bicycle whose fork bends: wobble beside those of the rigid one, which is its limit",
        f"{TABLE}, for the limit",
        compute=_fork,
        slow=True,
        numbers=(
            *(
                Number(f"stiff {name}, {part}", value, 1e-6, "terms of second order in the compliance", TABLE, unit="1/s")
                for name, values in RIGID.items()
                for part, value in zip(("real", "imaginary"), values, strict=True)
            ),
            *(
                Number(f"{name}, order in the compliance", 1.0, 5e-3, "terms of second order", "law: a small perturbation")
                for name in RIGID
            ),
            Number(
                "wobble, less the limit of chains", 0.0, 5e-6, "what extrapolation leaves",
                "computed by chains of 4 and 8 rigid segments",
            ),
            Number("chains, order", 2.0, 0.1, "terms of higher order", "law: springs in the middle of what bends"),
        ),
        figures=(Eigenvalues(flexible_fork_bicycle, "speed", 1.0, 12.0, 23, title="Modes with a fork that bends"),),
    )
)  # fmt: skip
