"""The languages and formats, each one class in a file of its own."""

from locomotor.exports.targets.c import C99 as C99
from locomotor.exports.targets.javascript import JavaScript as JavaScript
from locomotor.exports.targets.numpy import NumPy as NumPy
