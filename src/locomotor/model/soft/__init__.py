"""Bodies that deform: sections they are made of, shapes they deform in, and their displacement fields."""

from locomotor.model.soft.field import Integrals as Integrals
from locomotor.model.soft.field import Place as Place
from locomotor.model.soft.flexible import FlexibleBody as FlexibleBody
from locomotor.model.soft.modal import ModalBody as ModalBody
from locomotor.model.soft.rod import QuadratureWarning as QuadratureWarning
from locomotor.model.soft.rod import Rod as Rod
from locomotor.model.soft.rod import slice_inertia as slice_inertia
from locomotor.model.soft.rod_forces import DistributedForce as DistributedForce
from locomotor.model.soft.rod_forces import Tendon as Tendon
from locomotor.model.soft.section import ALONG as ALONG
from locomotor.model.soft.section import ALONG_THE_BODY as ALONG_THE_BODY
from locomotor.model.soft.section import STIFFNESSES as STIFFNESSES
from locomotor.model.soft.section import CrossSection as CrossSection
from locomotor.model.soft.section import SliceAt as SliceAt
from locomotor.model.soft.stations import weld as weld
from locomotor.model.soft.stations import with_stations as with_stations
from locomotor.model.soft.strain import STIFFNESS_OF as STIFFNESS_OF
from locomotor.model.soft.strain import Strain as Strain
