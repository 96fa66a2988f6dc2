"""Systems and parameter sets as text files: TOML, JSON, YAML, CSV."""

from locomotor.model.texts.files import TEXTS as TEXTS
from locomotor.model.texts.files import read_described as read_described
from locomotor.model.texts.files import write_parameters as write_parameters
from locomotor.model.texts.files import write_system as write_system
from locomotor.model.texts.locate import line_in_toml as line_in_toml
from locomotor.model.texts.toml_text import toml_text as toml_text
