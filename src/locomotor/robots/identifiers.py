"""Names of files as names of a system: identifiers, each of one thing, none that channels need."""

from __future__ import annotations

import keyword
import re
import unicodedata
from dataclasses import field

from locomotor.dataclass import dataclass
from locomotor.model.expressions import CALLABLE
from locomotor.names import CONSTANTS, TIME, WORLD

ROOT = "x y z qw qx qy qz yaw roll pitch speed sway_speed heave_speed roll_rate pitch_rate yaw_rate x_rate y_rate z_rate"
WORDS = ("ground", "gravity")
CHANNELS = ("", "_rate", "_qw", "_qx", "_qy", "_qz", "_wx", "_wy", "_wz", "_1", "_2", "_drive_torque")


@dataclass(eq=False)
class Names:
    """Gives names out, each once."""

    taken: set[str] = field(default_factory=lambda: {WORLD, TIME, *CONSTANTS, *CALLABLE, *ROOT.split(), *WORDS})

    def fresh(self, wanted: str, suffix: str, channels: bool = False) -> str:
        """The name itself where it can be had, else with the suffix, else with a number behind."""
        plain = identifier(wanted) or identifier(suffix)
        endings = CHANNELS if channels else ("",)
        number = 1
        found = plain
        while any(f"{found}{ending}" in self.taken for ending in endings):
            found = f"{plain}_{suffix}" if number == 1 else f"{plain}_{suffix}_{number}"
            number += 1
        self.taken.update(f"{found}{ending}" for ending in endings)
        return found


def identifier(text: str) -> str:
    """A text as an identifier: everything else becomes an underscore; "" where nothing is left."""
    plain = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", text)).strip("_")
    if not plain:
        return ""
    plain = plain if plain.isidentifier() else f"n_{plain}"
    if not plain.isidentifier():  # marks and digits that Python allows nowhere
        plain = re.sub(r"[^A-Za-z0-9_]+", "_", plain)
    return f"{plain}_" if keyword.iskeyword(plain) else plain
