"""Which numbers of a state belong to which limb of the tree, so that a device can compute limbs side by side."""

from locomotor.model import limbs
from locomotor.tracing.system import TracedSystem


def state_limbs(traced: TracedSystem) -> tuple[int, ...]:
    """For each number of the state the limb of its body, -1 for the trunk and for states of a controller."""
    system, layout = traced.system, traced.system.layout
    sizes = [1 + layout.v[joint.name].stop - layout.v[joint.name].start for joint in system.joints]
    numbers = limbs(system.parents, sizes)
    owners = dict(zip((joint.name for joint in system.joints), numbers, strict=True))
    owners |= {body.name: number for body, number in zip(system.bodies, numbers, strict=True) if body.coordinates}
    of_q = {i: owners[name] for name in owners for i in range(layout.q[name].start, layout.q[name].stop)}
    of_v = {i: owners[name] for name in owners for i in range(layout.v[name].start, layout.v[name].stop)}
    own = (-1,) * len(traced.controller_states)
    return (*(of_q[i] for i in traced.coordinate_indices), *(of_v[i] for i in traced.reduction.free), *own)
