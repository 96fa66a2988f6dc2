"""Parameters of many instances of soft bodies at once: the ranges that their checks know, for whole columns of values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from locomotor.model.expressions import free_names
from locomotor.model.possible import Columns, column, finite, possible, varies
from locomotor.model.soft import ALONG, ALONG_THE_BODY, STIFFNESSES, CrossSection, FlexibleBody, ModalBody, Rod
from locomotor.typing import Flags

ROUND_OFF = -1e-9
"""Least eigenvalue of the moments of a slice, scaled to ones on the diagonal."""


@possible.register
def _(part: Rod, values: Columns, count: int) -> Flags:
    curved = np.ones(count, dtype=bool)
    for place in (0.0, 0.5, 1.0):
        here = {**values, ALONG: place}
        for each in part.curvature:
            curved &= np.isfinite(column(each, here, count))
    return _slender(part, values, count) & curved & _not_negative(part.damping, values, count)


@possible.register
def _(part: FlexibleBody, values: Columns, count: int) -> Flags:
    return _slender(part, values, count) & _damped(part, values, count)


@possible.register
def _(part: ModalBody, values: Columns, count: int) -> Flags:
    return finite(part, values, count) & _damped(part, values, count)


def _slender(part: Rod | FlexibleBody, values: Columns, count: int) -> Flags:
    return _section(part.section, values, count) & (column(part.length, values, count) > 0.0)


def _damped(part: FlexibleBody | ModalBody, values: Columns, count: int) -> Flags:
    given: Any = part.rayleigh or (0.0 if part.damping is None else part.damping,)
    return _not_negative(given, values, count)


def _not_negative(quantities: Iterable[Any], values: Columns, count: int) -> Flags:
    fine = np.ones(count, dtype=bool)
    for quantity in quantities:
        fine &= column(quantity, values, count) >= 0.0
    return fine


def _section(section: CrossSection, values: Columns, count: int) -> Flags:
    """What `CrossSection.check` asks for, place by place."""
    fine = np.ones(count, dtype=bool)
    positive = [getattr(section, name) for name in ("mass", *STIFFNESSES)]
    outline = section.outline or ()
    for place in ALONG_THE_BODY:
        here = {**values, ALONG: place}
        for quantity in (*positive, *outline):
            if quantity is not None and varies(quantity, here):
                fine &= column(quantity, here, count) > 0.0
        if section.poisson is not None and varies(section.poisson, here):
            ratio = column(section.poisson, here, count)
            fine &= (ratio > -1.0) & (ratio < 0.5)
        if varies((section.mass, section.moment, section.second), here):
            fine &= _moments(section, here, count)
    for quantity in outline:  # a point at an end may be
        for end in (0.0, 1.0) if ALONG in free_names(quantity) else ():
            fine &= column(quantity, {**values, ALONG: end}, count) >= 0.0
    return fine


def _moments(section: CrossSection, here: Columns, count: int) -> Flags:
    """Where some mass has the moments of a slice."""
    y, z = (column(each, here, count) for each in section.moment)
    yy, zz, yz = (column(each, here, count) for each in section.second)
    mass = column(section.mass, here, count)
    about = np.moveaxis(np.array([[mass, y, z], [y, yy, yz], [z, yz, zz]]), -1, 0)
    size = np.sqrt(np.maximum(np.diagonal(about, axis1=1, axis2=2), np.finfo(float).tiny))
    scaled = about / (size[:, :, None] * size[:, None, :])
    whole = np.isfinite(scaled).all(axis=(1, 2))
    least = np.full(count, -np.inf)
    least[whole] = np.linalg.eigvalsh(scaled[whole])[:, 0]
    return np.asarray((yy >= 0.0) & (zz >= 0.0) & (least >= ROUND_OFF))
