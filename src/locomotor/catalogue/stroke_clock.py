"""Phase and amplitudes of strokes as states, so that frequency and amplitude may change in flight without a jump of any angle.

Beside the flyer stand massless hands on flywheels: `clock`, whose rate follows 2 pi times the frequency, and others whose
angles follow a target (critically damped, within `lag`). Strokes are tied to them by `Coupling`s such as
right_stroke = reach cos(clock): angles and velocities are continuous whatever the inputs do, and the multiplier of a coupling
is the torque of its drive. The flywheels are heavy beside the wings, which slow them down by parts in ten thousand.
"""

from collections.abc import Mapping

from locomotor.dataclass import dataclass
from locomotor.model import Coupling, Frame, Input, Joint, Parameter, Revolute, Torque

CLOCK, LAG, FLYWHEEL = "clock", "lag", "flywheel"


@dataclass(frozen=True)
class Hands:
    """Frames, joints, inputs and starting angles of the hands beside a flyer."""

    frames: list[Frame]
    joints: list[Joint]
    inputs: list[Input]
    nominal: dict[str, str]


def hands(frequency: str, followers: Mapping[str, tuple[str, str, str]]) -> Hands:
    """A clock at a frequency (Hz), and followers: name -> (target, unit, meaning).

    Every one has an input `add_<name>` that adds to its target; that of the clock is `add_frequency`.
    """
    made = Hands([], [], [], {})
    _hand(made, CLOCK, f"(2*pi*({frequency} + add_frequency) - {CLOCK}_rate)/{LAG}")
    made.inputs.append(Input("add_frequency", "Hz", "", "added to the frequency of the strokes"))
    for name, (target, unit, about) in followers.items():
        _hand(made, name, f"(({target}) + add_{name} - {name})/{LAG}**2 - 2*{name}_rate/{LAG}")
        made.inputs.append(Input(f"add_{name}", unit, "", f"added to the {about}"))
        made.nominal[name] = target
    return made


def _hand(made: Hands, name: str, acceleration: str) -> None:
    made.frames.append(Frame(f"{name}_hand"))
    made.joints.append(
        Revolute(
            name=name, parent="world", child=f"{name}_hand", axis=(0.0, 0.0, 1.0), rotor=FLYWHEEL,
            drive=Torque(f"{FLYWHEEL}*({acceleration})"),
        )
    )  # fmt: skip


def tied(joint: str, law: str) -> Coupling:
    """A joint that follows a law of the hands."""
    return Coupling(f"{joint}_tie", f"{joint} - ({law})")


def hand_parameters(lag: float, flywheel: float, source: str) -> list[Parameter]:
    """Parameters that `hands` name."""
    return [
        Parameter(LAG, lag, "s", "", "time in which frequency and angles follow their inputs", source),
        Parameter(FLYWHEEL, flywheel, "kg m^2", "", "inertia of the flywheels that lead the strokes", source),
    ]
