"""What a channel of a run is."""

from locomotor.dataclass import dataclass


@dataclass(frozen=True)
class Channel:
    """What a channel is: unit, LaTeX, meaning, and the group it belongs to."""

    unit: str
    latex: str
    description: str
    group: str
