"""What is read off a traced system: channels, poses of bodies, connections, steady equations."""

from locomotor.tracing.readings import soft_work as soft_work  # forces along rods in the second derivation
from locomotor.tracing.readings import wing_work as wing_work  # wings there
from locomotor.tracing.readings.applied_wrenches import applied_wrenches as applied_wrenches
from locomotor.tracing.readings.applied_wrenches import rubbing_contacts as rubbing_contacts
from locomotor.tracing.readings.applied_wrenches import slip_wrenches as slip_wrenches
from locomotor.tracing.readings.balance import Term as Term
from locomotor.tracing.readings.balance import balance as balance
from locomotor.tracing.readings.channels import all_channels as all_channels
from locomotor.tracing.readings.channels import channel_fields as channel_fields
from locomotor.tracing.readings.channels import chosen_channels as chosen_channels
from locomotor.tracing.readings.channels import ending as ending
from locomotor.tracing.readings.channels import measured as measured
from locomotor.tracing.readings.channels import value_of as value_of
from locomotor.tracing.readings.channels import watched_ends as watched_ends
from locomotor.tracing.readings.chart_dynamics import chart_dynamics as chart_dynamics
from locomotor.tracing.readings.chart_dynamics import lean_axes as lean_axes
from locomotor.tracing.readings.closure_kernels import FreeBodies as FreeBodies
from locomotor.tracing.readings.closure_kernels import closure_data as closure_data
from locomotor.tracing.readings.closure_kernels import closure_kernel as closure_kernel
from locomotor.tracing.readings.closure_kernels import closure_key as closure_key
from locomotor.tracing.readings.connections import ShapeFunctions as ShapeFunctions
from locomotor.tracing.readings.dependent_rows import dependent_rows as dependent_rows
from locomotor.tracing.readings.dependent_rows import row_labels as row_labels
from locomotor.tracing.readings.equation_parts import equation_parts as equation_parts
from locomotor.tracing.readings.frames import body_poses as body_poses
from locomotor.tracing.readings.frames import placed_bodies as placed_bodies
from locomotor.tracing.readings.integrals import candidates as candidates
from locomotor.tracing.readings.joint_wrenches import joint_wrenches as joint_wrenches
from locomotor.tracing.readings.joint_wrenches import recorded_loads as recorded_loads
from locomotor.tracing.readings.lagrange import lagrange as lagrange
from locomotor.tracing.readings.linear_parts import elsewhere as elsewhere
from locomotor.tracing.readings.linear_parts import linear_parts as linear_parts
from locomotor.tracing.readings.statics import static_forces as static_forces
from locomotor.tracing.readings.steady_equations import steady_equations as steady_equations
from locomotor.tracing.readings.virtual_power import fluid_forces as fluid_forces
from locomotor.tracing.readings.virtual_power import virtual_power as virtual_power
