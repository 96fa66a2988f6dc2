"""Bodies in a tree: joints, kinematics, inertia, and the recursions of Newton and Euler over them."""

from locomotor.mechanics.tree.articulated_body import hybrid_dynamics as hybrid_dynamics
from locomotor.mechanics.tree.inertia import SpatialForm as SpatialForm
from locomotor.mechanics.tree.inertia import symmetric as symmetric
from locomotor.mechanics.tree.joints import rotation_about as rotation_about
from locomotor.mechanics.tree.joints import structure_constants as structure_constants
from locomotor.mechanics.tree.joints import subspace as subspace
from locomotor.mechanics.tree.joints import tangent_rate as tangent_rate
from locomotor.mechanics.tree.kinematics import Instant as Instant
from locomotor.mechanics.tree.kinematics import Kinematics as Kinematics
from locomotor.mechanics.tree.kinematics import forward as forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix as mass_matrix
from locomotor.mechanics.tree.mass_matrix import projected_form as projected_form
from locomotor.mechanics.tree.mass_matrix import projected_mass as projected_mass
from locomotor.mechanics.tree.mass_matrix import rotors as rotors
from locomotor.mechanics.tree.momentum import spatial_momentum as spatial_momentum
from locomotor.mechanics.tree.newton_euler import inverse_dynamics as inverse_dynamics
from locomotor.mechanics.tree.point_jacobians import body_jacobian as body_jacobian
from locomotor.mechanics.tree.point_jacobians import point_jacobian as point_jacobian
from locomotor.mechanics.tree.regularity import check_regular as check_regular
from locomotor.mechanics.tree.substructure import LARGE as LARGE
from locomotor.mechanics.tree.substructure import Row as Row
from locomotor.mechanics.tree.substructure import Substructure as Substructure
from locomotor.mechanics.tree.symmetry import cyclic_joints as cyclic_joints
from locomotor.mechanics.tree.symmetry import is_symmetric as is_symmetric
from locomotor.mechanics.tree.symmetry import root_spins as root_spins
