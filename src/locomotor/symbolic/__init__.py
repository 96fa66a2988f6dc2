"""Equations to be read: tapes become SymPy matrices with named symbols, and documents of them."""

from locomotor.symbolic._equations import DOCUMENTS as DOCUMENTS
from locomotor.symbolic._equations import Equations as Equations
from locomotor.symbolic._equations import equations as equations
