"""How contacts can go on from a state."""

from locomotor.analysis.contacts.held import why_not_held as why_not_held
from locomotor.analysis.contacts.report import ContactReport as ContactReport
from locomotor.analysis.contacts.report import WayOn as WayOn
from locomotor.analysis.contacts.report import contact_report as contact_report
from locomotor.analysis.contacts.standing import Conditions as Conditions
from locomotor.analysis.contacts.standing import holding_torques as holding_torques
from locomotor.analysis.contacts.standing import holding_velocities as holding_velocities
from locomotor.analysis.contacts.standing import striking_velocities as striking_velocities
