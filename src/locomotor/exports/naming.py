"""Names that a target language accepts: what it cannot write or means something else by is renamed, and the table is kept."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

from locomotor.dataclass import dataclass

TEMPORARY = re.compile(r"[abdviw]\d+")
"""Names that generated code gives to its own values."""
LIBRARIES = ("numpy", "np", "math", "jax", "jnp", "torch", "fmpy", "sys", "pathlib", "shutil", "json", "os", "locomotor")
"""Modules that a Python file of that name would hide, and names that generated Python has of its own."""
LONGEST = 160
"""Characters of a text that a generated file repeats."""


@dataclass(frozen=True)
class Names:
    """Identifiers by group (`state`, `inputs`, ...), in its order, and what had to be renamed: (group, old, new)."""

    groups: Mapping[str, tuple[str, ...]]
    renamed: tuple[tuple[str, str, str], ...]

    def __getitem__(self, group: str) -> tuple[str, ...]:
        return self.groups[group]


def allocate(groups: Mapping[str, Iterable[str]], words: frozenset[str]) -> Names:
    """Identifiers for the names of all groups, distinct from each other, from the words given and from temporary values."""
    taken: set[str] = set()
    found: dict[str, tuple[str, ...]] = {}
    renamed: list[tuple[str, str, str]] = []
    # A name that may stay as it is keeps its place against one that must be changed.
    good = {name for names in groups.values() for name in names if _is_free(name, words)}
    for group, names in groups.items():
        chosen = []
        for name in names:
            new = name if name in good and name not in taken else _variant(name, words, taken | good)
            taken.add(new)
            chosen.append(new)
            if new != name:
                renamed.append((group, name, new))
        found[group] = tuple(chosen)
    return Names(found, tuple(renamed))


def _is_free(name: str, words: frozenset[str]) -> bool:
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) is not None and name not in words and not TEMPORARY.fullmatch(name)


def _variant(name: str, words: frozenset[str], taken: set[str]) -> str:
    """The name in ASCII with an ending that makes it free; Greek letters become words."""
    base = re.sub(r"_+", "_", re.sub(r"\W", "_", _latin(name), flags=re.ASCII)).strip("_")
    base = base if re.match(r"[A-Za-z]", base) else f"n_{base}".rstrip("_")
    number = 0
    while True:
        candidate = base if number == 0 else f"{base}_" if number == 1 else f"{base}_{number}"
        if _is_free(candidate, words) and candidate not in taken:
            return candidate
        number += 1


def _latin(name: str) -> str:
    found = []
    for letter in name:
        if letter.isascii():
            found.append(letter)
            continue
        words = unicodedata.name(letter, "").split()
        if words[:1] == ["GREEK"] and "LETTER" in words:
            letter_name = words[words.index("LETTER") + 1].lower()
            found.append("lambda" if letter_name == "lamda" else letter_name)  # Unicode spells it so
        else:
            found.append("".join(c for c in unicodedata.normalize("NFKD", letter) if c.isascii()) or "_")
    return "".join(found)


def identifier(name: str) -> str:
    """A name for a whole model, for files and modules too: it is a word of no language, and hides no library."""
    return _variant(name, all_words(), set())


@cache
def words(language: str) -> frozenset[str]:
    """Words of a language, and of its library, that no name may be: `frames/words`."""
    if language == "python":
        return frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *LIBRARIES))
    place = resources.files("locomotor.exports").joinpath("frames", "words", f"{language}.txt")
    return frozenset(place.read_text(encoding="utf-8").split())


def all_words() -> frozenset[str]:
    """Words of all languages."""
    folder = resources.files("locomotor.exports").joinpath("frames", "words")
    languages = [file.name.removesuffix(".txt") for file in folder.iterdir() if file.name.endswith(".txt")]
    return frozenset().union(*(words(language) for language in (*languages, "python")))


def plain(text: str) -> str:
    """A text that leaves neither the comment nor the string literal it is put into, whoever wrote it.

    Without stars, quotes, backslashes, dollar signs, question marks (trigraphs) and characters that do not print, nothing
    ends or opens a comment or a literal in any of the languages, and nothing is interpolated. Straight quotes become curved
    ones, which no language takes for its own.
    """
    curved = text[:LONGEST].replace("'", "’").replace('"', "”")
    return "".join(c if c.isalnum() or c in " _.,:;=()[]+/^-·°²³’”" else "_" for c in curved)
