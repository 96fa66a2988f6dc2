"""Experiments with bodies that deform."""

from locomotor.scenarios.soft import beams as beams
