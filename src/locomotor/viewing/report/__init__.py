"""Reports, cards in notebooks, and the page of a whole publication."""

from locomotor.viewing.report.notebook import audit_card as audit_card
from locomotor.viewing.report.notebook import connection_card as connection_card
from locomotor.viewing.report.notebook import curves_card as curves_card
from locomotor.viewing.report.notebook import cycle_card as cycle_card
from locomotor.viewing.report.notebook import linearisation_card as linearisation_card
from locomotor.viewing.report.notebook import parameters_card as parameters_card
from locomotor.viewing.report.notebook import run_card as run_card
from locomotor.viewing.report.notebook import steady_card as steady_card
from locomotor.viewing.report.notebook import sweep_card as sweep_card
from locomotor.viewing.report.notebook import system_card as system_card
from locomotor.viewing.report.page import page as page
from locomotor.viewing.report.report import Story as Story
from locomotor.viewing.report.report import Told as Told
from locomotor.viewing.report.report import all_figures as all_figures
from locomotor.viewing.report.report import draw_figures as draw_figures
from locomotor.viewing.report.report import write_report as write_report
from locomotor.viewing.report.reproduce import COLUMNS as COLUMNS
from locomotor.viewing.report.reproduce import Chapter as Chapter
from locomotor.viewing.report.reproduce import reproduction_page as reproduction_page
