"""What contacts on a terrain stand on, and what they are near to."""

from locomotor.simulation.terrain.chords import is_one as is_one
from locomotor.simulation.terrain.chords import is_rim as is_rim
from locomotor.simulation.terrain.chords import is_short as is_short
from locomotor.simulation.terrain.chords import other_end as other_end
from locomotor.simulation.terrain.chords import parts_by as parts_by
from locomotor.simulation.terrain.footholds import Footholds as Footholds
from locomotor.simulation.terrain.footholds import Place as Place
from locomotor.simulation.terrain.footholds import place_of as place_of
from locomotor.simulation.terrain.footing import Footing as Footing
from locomotor.simulation.terrain.footing import Rough as Rough
from locomotor.simulation.terrain.footing import rough_contacts as rough_contacts
from locomotor.simulation.terrain.gaps import gaps_of as gaps_of
from locomotor.simulation.terrain.slots import parameter_names as parameter_names
from locomotor.simulation.terrain.slots import standing as standing
from locomotor.simulation.terrain.stepping_on import footing as footing
from locomotor.simulation.terrain.stepping_on import on_tangent_plane as on_tangent_plane
from locomotor.simulation.terrain.watch import TOUCH as TOUCH
from locomotor.simulation.terrain.watch import beyond_face as beyond_face
from locomotor.simulation.terrain.watch import entries as entries
from locomotor.simulation.terrain.watch import gap_and_rate as gap_and_rate
from locomotor.simulation.terrain.watch import length_to_end as length_to_end
from locomotor.simulation.terrain.watch import nearest_part as nearest_part
