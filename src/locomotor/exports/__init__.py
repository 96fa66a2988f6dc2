"""Equations of motion in other languages: `export` writes them from the tape, each target is one class."""

from locomotor.exports import targets as targets
from locomotor.exports._export import export as export
from locomotor.exports.result import Export as Export
from locomotor.exports.target import TARGETS as TARGETS
