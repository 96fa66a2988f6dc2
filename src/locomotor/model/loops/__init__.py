"""What closes loops and holds bodies together outside the tree: closures, one class a kind."""

from locomotor.model.loops.closure import ANGLE as ANGLE
from locomotor.model.loops.closure import LENGTH as LENGTH
from locomotor.model.loops.closure import SENSE as SENSE
from locomotor.model.loops.closure import Closure as Closure
from locomotor.model.loops.kinds import CylindricalClosure as CylindricalClosure
from locomotor.model.loops.kinds import FixedClosure as FixedClosure
from locomotor.model.loops.kinds import HelicalClosure as HelicalClosure
from locomotor.model.loops.kinds import Orthogonal as Orthogonal
from locomotor.model.loops.kinds import Parallel as Parallel
from locomotor.model.loops.kinds import PlanarClosure as PlanarClosure
from locomotor.model.loops.kinds import PointOnLine as PointOnLine
from locomotor.model.loops.kinds import PointOnPlane as PointOnPlane
from locomotor.model.loops.kinds import PrismaticClosure as PrismaticClosure
from locomotor.model.loops.kinds import RevoluteClosure as RevoluteClosure
from locomotor.model.loops.kinds import RodClosure as RodClosure
from locomotor.model.loops.kinds import SphericalClosure as SphericalClosure
from locomotor.model.loops.kinds import UniversalClosure as UniversalClosure
from locomotor.model.loops.transmissions import Belt as Belt
from locomotor.model.loops.transmissions import Gear as Gear
from locomotor.model.loops.transmissions import RackAndPinion as RackAndPinion
from locomotor.model.loops.transmissions import RollingCylinders as RollingCylinders
from locomotor.model.loops.transmissions import RollingSpheres as RollingSpheres
