"""Contacts with Coulomb friction: second-order cones, and cones with facets."""

from locomotor.complementarity.friction._coulomb import METHODS as METHODS
from locomotor.complementarity.friction._coulomb import contact_modes as contact_modes
from locomotor.complementarity.friction._coulomb import coulomb as coulomb
from locomotor.complementarity.friction._coulomb import faceted as faceted
from locomotor.complementarity.friction._coulomb import solve as solve
from locomotor.complementarity.friction.bounded import bounded as bounded
from locomotor.complementarity.friction.exchange import Guess as Guess
from locomotor.complementarity.friction.exchange import exchange as exchange
from locomotor.complementarity.friction.facets import edges as edges
from locomotor.complementarity.friction.local import Contact as Contact
from locomotor.complementarity.friction.local import prepare_contact as prepare_contact
from locomotor.complementarity.friction.local import solve_contact as solve_contact
from locomotor.complementarity.friction.modes import Choice as Choice
from locomotor.complementarity.friction.modes import ContactSolution as ContactSolution
from locomotor.complementarity.friction.modes import Side as Side
from locomotor.complementarity.friction.modes import equations as equations
from locomotor.complementarity.friction.newton import measure_least as measure_least
from locomotor.complementarity.friction.newton import newton as newton
from locomotor.complementarity.friction.problem import Problem as Problem
from locomotor.complementarity.friction.problem import project as project
from locomotor.complementarity.friction.ways import all_ways as all_ways
from locomotor.complementarity.friction.ways import one_way as one_way
