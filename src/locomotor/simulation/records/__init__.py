"""What is kept of a run: channels, events, files, and the audit of all that."""

from locomotor.simulation.records.attitude import with_attitude as with_attitude
from locomotor.simulation.records.audit import STEPPED as STEPPED
from locomotor.simulation.records.audit import Audit as Audit
from locomotor.simulation.records.audit import impact_work as impact_work
from locomotor.simulation.records.audit import work_done as work_done
from locomotor.simulation.records.deformation import bent_too_far as bent_too_far
from locomotor.simulation.records.pose import Pose as Pose
from locomotor.simulation.records.quadrature import pieces as pieces
from locomotor.simulation.records.reactions import JointWrench as JointWrench
from locomotor.simulation.records.run import Channel as Channel
from locomotor.simulation.records.run import Run as Run
from locomotor.simulation.records.run import load as load
from locomotor.simulation.records.run import save as save
from locomotor.simulation.records.run import view as view
from locomotor.simulation.records.sampling import in_stretches as in_stretches
from locomotor.simulation.records.sampling import uneven_samples as uneven_samples
from locomotor.simulation.records.soundness import is_judging as is_judging
from locomotor.simulation.records.soundness import sound as sound
from locomotor.simulation.records.violations import crowded as crowded
from locomotor.simulation.records.violations import violated as violated
