"""How contacts can go on from a state."""

from locomotor.analysis.contacts.report import ContactReport as ContactReport
from locomotor.analysis.contacts.report import WayOn as WayOn
from locomotor.analysis.contacts.report import contact_report as contact_report
