"""What is applied: forces, compliance, drives; their energies and powers."""

from locomotor.mechanics.loads.air import Section as Section
from locomotor.mechanics.loads.air import parts as parts
from locomotor.mechanics.loads.air import sections as sections
from locomotor.mechanics.loads.air import wrenches as wrenches
from locomotor.mechanics.loads.drives import actuated_joints as actuated_joints
from locomotor.mechanics.loads.drives import imposed_joints as imposed_joints
from locomotor.mechanics.loads.energy import kinetic_energy as kinetic_energy
from locomotor.mechanics.loads.energy import potential_energy as potential_energy
from locomotor.mechanics.loads.energy import stored as stored
from locomotor.mechanics.loads.energy import storing as storing
from locomotor.mechanics.loads.forces import Applied as Applied
from locomotor.mechanics.loads.forces import act as act
from locomotor.mechanics.loads.forces import applied_forces as applied_forces
from locomotor.mechanics.loads.forces import drives_resist as drives_resist
from locomotor.mechanics.loads.forces import rate_of as rate_of
from locomotor.mechanics.loads.forces import resists as resists
from locomotor.mechanics.loads.forces import way as way
from locomotor.mechanics.loads.power import damped_bodies as damped_bodies
from locomotor.mechanics.loads.power import damping_power as damping_power
from locomotor.mechanics.loads.power import drive_power as drive_power
from locomotor.mechanics.loads.power import driven_joints as driven_joints
from locomotor.mechanics.loads.power import force_power as force_power
from locomotor.mechanics.loads.power import moving_constraints as moving_constraints
from locomotor.mechanics.loads.power import working_forces as working_forces
from locomotor.mechanics.loads.rod_loads import tendon_arms as tendon_arms
