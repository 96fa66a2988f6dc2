"""Figures of runs, cycles, gaits and families."""

from locomotor.viewing.plots.cycle import plot_cycle as plot_cycle
from locomotor.viewing.plots.cycle import plot_multipliers as plot_multipliers
from locomotor.viewing.plots.cycle import plot_orbit as plot_orbit
from locomotor.viewing.plots.eigenvalues import plot_eigenvalues as plot_eigenvalues
from locomotor.viewing.plots.families import plot_family as plot_family
from locomotor.viewing.plots.families import plot_scan as plot_scan
from locomotor.viewing.plots.families import quantities as quantities
from locomotor.viewing.plots.figures import Rerun as Rerun
from locomotor.viewing.plots.figures import draw as draw
from locomotor.viewing.plots.gait import plot_gait_geometry as plot_gait_geometry
from locomotor.viewing.plots.linear import plot_linear as plot_linear
from locomotor.viewing.plots.outline import contact_lines as contact_lines
from locomotor.viewing.plots.outline import reach as reach
from locomotor.viewing.plots.path import ground_traces as ground_traces
from locomotor.viewing.plots.plot import default_channels as default_channels
from locomotor.viewing.plots.plot import plot_channels as plot_channels
from locomotor.viewing.plots.plot import plot_run as plot_run
from locomotor.viewing.plots.style import words as words
from locomotor.viewing.plots.sweep import plot_sweep as plot_sweep
