"""Contact geometry in general position: shapes against planes and terrain, on numbers.

`shape_of` makes a shape of a contact, `query` lists where it can touch, `gap` and `gaps` give the least distance.
"""

from locomotor.geometry.broad_phase import CHILDREN as CHILDREN
from locomotor.geometry.broad_phase import SLACK as SLACK
from locomotor.geometry.broad_phase import WIDTH as WIDTH
from locomotor.geometry.closest import Hits as Hits
from locomotor.geometry.cores import Core as Core
from locomotor.geometry.cores import cross as cross
from locomotor.geometry.cores import place as place
from locomotor.geometry.features import Surface as Surface
from locomotor.geometry.features import surface_of as surface_of
from locomotor.geometry.pairs import Found as Found
from locomotor.geometry.pairs import search as search
from locomotor.geometry.query import KINDS as KINDS
from locomotor.geometry.query import Candidate as Candidate
from locomotor.geometry.query import Feature as Feature
from locomotor.geometry.query import gap as gap
from locomotor.geometry.query import gaps as gaps
from locomotor.geometry.query import query as query
from locomotor.geometry.settled import settled as settled
from locomotor.geometry.shapes import BOX_EDGES as BOX_EDGES
from locomotor.geometry.shapes import CAPSULE_SIDE as CAPSULE_SIDE
from locomotor.geometry.shapes import Ball as Ball
from locomotor.geometry.shapes import Box as Box
from locomotor.geometry.shapes import Capsule as Capsule
from locomotor.geometry.shapes import Disc as Disc
from locomotor.geometry.shapes import Shape as Shape
from locomotor.geometry.shapes import shape_of as shape_of
from locomotor.geometry.tables import BALL as BALL
from locomotor.geometry.tables import BOX as BOX
from locomotor.geometry.tables import CAPSULE as CAPSULE
from locomotor.geometry.tables import DISC as DISC
from locomotor.geometry.tables import Tables as Tables
from locomotor.geometry.tables import shape_from as shape_from
from locomotor.geometry.tables import shape_numbers as shape_numbers
from locomotor.geometry.tables import tables_of as tables_of
from locomotor.geometry.tracker import Contacting as Contacting
from locomotor.geometry.tracker import Tracker as Tracker
from locomotor.geometry.tracker import part_of as part_of
from locomotor.geometry.tracker import triangles_near as triangles_near
