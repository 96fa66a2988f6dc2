"""Bodies that deform: the sections they are made of."""

from locomotor.model.soft.section import ALONG as ALONG
from locomotor.model.soft.section import CrossSection as CrossSection
from locomotor.model.soft.section import SliceAt as SliceAt
