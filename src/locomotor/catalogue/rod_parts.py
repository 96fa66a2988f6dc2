"""What rods of the catalogue have in common: beads along them, so that they are seen to bend."""

from locomotor.model import Fixed, Frame, Sphere


def beads(rod: str, count: int, length: str, radius: str, colour: str = "accent") -> tuple[list[Frame], list[Fixed]]:
    """Frames with a bead each at equal distances along a straight rod, and the joints that fix them there."""
    places = [(k + 1) / count for k in range(count)]
    frames = [Frame(f"{rod}_bead_{k}", shapes=[Sphere(radius, colour=colour)]) for k in range(count)]
    welds = [
        Fixed(name=f"{rod}_bead_{k}_weld", parent=rod, child=frame.name, at=(f"{place}*{length}", 0.0, 0.0))
        for k, (frame, place) in enumerate(zip(frames, places, strict=True))
    ]
    return frames, welds
