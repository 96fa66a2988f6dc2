"""Equations of motion in other languages: `export` writes them from the tape, each target is one class."""

from locomotor.exports import targets as targets
from locomotor.exports._export import export as export
from locomotor.exports.cases import draw_cases as draw_cases
from locomotor.exports.model import ARGUMENTS as ARGUMENTS
from locomotor.exports.model import Function as Function
from locomotor.exports.model import Model as Model
from locomotor.exports.result import Export as Export
from locomotor.exports.target import TARGETS as TARGETS
from locomotor.exports.targets import model_script as model_script
