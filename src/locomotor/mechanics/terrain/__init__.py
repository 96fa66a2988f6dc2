"""Contact geometry in general position: shapes against planes and terrain, on numbers.

`shape_of` makes a shape of a contact, `query` lists where it can touch, `gap` and `gaps` give the least distance.
"""

from locomotor.mechanics.terrain.features import Surface as Surface
from locomotor.mechanics.terrain.features import surface_of as surface_of
from locomotor.mechanics.terrain.query import Candidate as Candidate
from locomotor.mechanics.terrain.query import Feature as Feature
from locomotor.mechanics.terrain.query import gap as gap
from locomotor.mechanics.terrain.query import gaps as gaps
from locomotor.mechanics.terrain.query import query as query
from locomotor.mechanics.terrain.shapes import Ball as Ball
from locomotor.mechanics.terrain.shapes import Box as Box
from locomotor.mechanics.terrain.shapes import Capsule as Capsule
from locomotor.mechanics.terrain.shapes import Disc as Disc
from locomotor.mechanics.terrain.shapes import Shape as Shape
from locomotor.mechanics.terrain.shapes import shape_of as shape_of
from locomotor.mechanics.terrain.tracker import Tracker as Tracker
from locomotor.mechanics.terrain.tracker import part_of as part_of
from locomotor.mechanics.terrain.tracker import triangles_near as triangles_near
