"""Coordinates that people use: angles instead of quaternions, and poses around a given one."""

from locomotor.mechanics.chart.angles import contact_angle as contact_angle
from locomotor.mechanics.chart.assembly import amount as amount
from locomotor.mechanics.chart.assembly import assemble as assemble
from locomotor.mechanics.chart.assembly import impossible as impossible
from locomotor.mechanics.chart.assembly import largest as largest
from locomotor.mechanics.chart.coordinates import chart_from_coordinates as chart_from_coordinates
from locomotor.mechanics.chart.coordinates import chart_rate as chart_rate
from locomotor.mechanics.chart.coordinates import chart_symbols as chart_symbols
from locomotor.mechanics.chart.coordinates import coordinates_from_chart as coordinates_from_chart
from locomotor.mechanics.chart.coordinates import quaternion_names as quaternion_names
from locomotor.mechanics.chart.poses import assembled as assembled
from locomotor.mechanics.chart.poses import gaps as gaps
from locomotor.mechanics.chart.poses import mirrored as mirrored
from locomotor.mechanics.chart.poses import perturbed as perturbed
from locomotor.mechanics.chart.poses import settled as settled
