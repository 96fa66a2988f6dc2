"""Tendons of MuJoCo that are held: `<equality><tendon>`, L - L0 = sum of c_k (M - M0)^k.

L0 and M0 are the lengths in the pose of the file. Where both are sums of joints that is a relation of coordinates; a path with
one straight piece that moves, held at one length, is a rod.
"""

from __future__ import annotations

import numpy as np

from locomotor.robots.mjcf_tendons import Tendons
from locomotor.robots.parts import Rod, Tie


def read_tie(tendons: Tendons, e: int, name: str) -> None:
    """The equality with the number e; what cannot be read of it is told."""
    m = tendons.model
    one, other = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
    law = tuple(map(float, m.eq_data[e][:5]))
    if other >= 0 and not any(law[1:]):  # by a polynomial that is a number the other does not count
        other = -1
    tendons.tied |= {one, other} - {-1}
    length = float(m.tendon_length0[one])
    shares = tendons.shares(one)
    others = tendons.shares(other) if other >= 0 else {}
    told = ""
    if shares is not None and others is not None:
        tie = Tie(name, _moving(shares), _moving(others), law if others else law[:1], length)
        tie.other_offset = float(m.tendon_length0[other]) if others else 0.0
        if not tie.shares and not tie.others:
            told = "no joint has a share in it"
        else:
            tendons.robot.ties.append(tie)
    elif other >= 0:
        told = "of two tendons those are read that are sums of joints, of which each has one degree of freedom"
    else:
        told = _rod(tendons, one, name, length + law[0])
    if told:
        tendons.robot.notes.add("ignored", "<equality><tendon>", told, name)


def _moving(shares: dict[str, float]) -> dict[str, float]:
    return {joint: share for joint, share in shares.items() if share}


def _rod(tendons: Tendons, i: int, name: str, whole: float) -> str:
    """A path that is held at a length, as a rod; why it is none, else ""."""
    piece = tendons.piece(i)
    if isinstance(piece, str):
        return piece
    length = whole - piece.rigid
    # Coordinates of sites are as exact as the numbers of the file.
    if not length > 1e-12 * max(1.0, abs(whole), float(np.abs([piece.at_a, piece.at_b]).max())):
        return f"the two points would be {length!r} m apart: a rod is longer, and <connect> holds points together"
    tendons.robot.rods.append(Rod(name, piece.body_a, piece.at_a, piece.body_b, piece.at_b, length))
    return ""
