"""Contacts with Coulomb friction: second-order cones, and cones with facets."""

from locomotor.complementarity.friction._coulomb import METHODS as METHODS
from locomotor.complementarity.friction._coulomb import coulomb as coulomb
from locomotor.complementarity.friction._coulomb import faceted as faceted
