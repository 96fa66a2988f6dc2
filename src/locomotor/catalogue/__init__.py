"""Ready systems with published parameter sets."""

from locomotor.catalogue.bicycle import bicycle as bicycle
