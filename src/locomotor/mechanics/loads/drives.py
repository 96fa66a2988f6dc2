"""Which joints are driven: by an imposed motion, or by a torque that an input commands."""

from locomotor.model import Expression, Joint, Motion, System


def imposed_joints(system: System) -> tuple[Joint, ...]:
    """Joints whose motion is imposed."""
    return tuple(joint for joint in system.joints if isinstance(joint.drive, Motion))


def actuated_joints(system: System) -> tuple[Joint, ...]:
    """Joints other than the root whose motion is imposed or whose torque depends on an input."""
    inputs = {symbol.name for symbol in system.layout.inputs}
    return tuple(joint for joint in system.joints[1:] if joint.nv == 1 and _is_driven(joint, inputs))


def _is_driven(joint: Joint, inputs: set[str]) -> bool:
    if isinstance(joint.drive, Motion):
        return True
    law = joint.drive.law
    return isinstance(law, Expression) and bool(law.names & inputs)
