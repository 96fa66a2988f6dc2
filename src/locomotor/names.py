"""Names: which are valid, the nearest known one, a lookup that suggests it, and LaTeX made from a name."""

import difflib
import keyword
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from locomotor.checks import shown
from locomotor.errors import InvalidNameError, UnknownNameError

WORLD = "world"
TIME = "t"
CONSTANTS = ("pi",)

_GREEK = re.compile(
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|chi|psi|omega"
    "|Gamma|Delta|Theta|Lambda|Xi|Sigma|Phi|Psi|Omega"
)
_SHORT_GREEK = {"lam": "lambda"}  # `lambda` itself is a Python keyword and cannot be a name

LONGEST_COMPARED = 200
"""Longer names are like no other: comparing them would take for ever."""

SPELT = 0.85
"""Likeness from which on a name is one that was misspelt."""

V = TypeVar("V")


def folded(text: str) -> str:
    """A text without capitals and accents, as it is typed where a keyboard has none: "Génot" -> "genot"."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The name of `known` most like `name`, or None when none is alike."""
    if not isinstance(name, str) or len(name) > LONGEST_COMPARED:
        return None
    names = list(known)
    matches = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if matches and difflib.SequenceMatcher(None, name, matches[0]).ratio() >= SPELT:
        return matches[0]
    # Not a slip of the finger: a name with words too many (steer_angle) means the thing itself (steer).
    begins = [other for other in names if name.startswith(f"{other}_")]
    return max(begins, key=len) if begins else matches[0] if matches else None


def suggestion(name: str, known: Iterable[str]) -> str:
    """A sentence that proposes the nearest known name, or lists the known ones when none is alike."""
    names = list(known)
    match = nearest(name, names)
    if match is not None:
        return f"did you mean {match!r}?"
    if not names:
        return "there are none"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"known names: {shown}"


def check_name(name: object, what: str, reserved: Iterable[str] = ()) -> str:
    """Return `name` if it is an identifier that no expression could mistake for something else."""
    if isinstance(name, str):
        name = unicodedata.normalize("NFKC", name)  # as Python's grammar, hence the parser of expressions, does
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise InvalidNameError(
            f"{what}: the name {shown(name)} is not an identifier; use letters, digits and underscores, "
            "starting with a letter, so that expressions can refer to it"
        )
    if name in reserved or name in (WORLD, TIME, *CONSTANTS):
        raise InvalidNameError(f"{what}: the name {name!r} is reserved; choose another one")
    return name


def check_reference(name: object, what: str) -> str:
    """Return `name` if it is text: descriptions refer to each other by name, not by object."""
    if not isinstance(name, str):
        raise InvalidNameError(f"{what} is {shown(name)}; give its name, as text")
    return unicodedata.normalize("NFKC", name)


def same_name(name: str, what: str = "name") -> str:
    """A name that something is looked up by, written as names are kept."""
    return check_reference(name, what)


def latex_of(name: str) -> str:
    r"""LaTeX for a name: `alpha` -> `\alpha`, `m_1` -> `m_{1}`, `Jr` and `J_r` -> `J_{\mathrm{r}}`, `leg` -> `\mathrm{leg}`."""
    match = re.fullmatch(r"([A-Za-z]+?)_?(\d+)", name)
    if match:
        letter = latex_of(match[1])
        return f"{letter}_{{{match[2]}}}" if "_" not in letter else rf"\mathrm{{{match[1]}}}_{{{match[2]}}}"
    plain = _SHORT_GREEK.get(name, name)
    if _GREEK.fullmatch(plain):
        return f"\\{plain}"
    if len(name) == 1:
        return name
    if len(name) == 2 and name.isalpha():
        return f"{name[0]}_{{\\mathrm{{{name[1]}}}}}"
    letter, _, index = name.partition("_")
    if index.isalnum() and len(index) <= 3 and (len(letter) == 1 or _GREEK.fullmatch(letter)):
        return f"{latex_of(letter)}_{{\\mathrm{{{index}}}}}"
    if index.isalnum() and len(index) == 1:
        return f"\\mathrm{{{letter}}}_{{\\mathrm{{{index}}}}}"
    return ("\\mathrm{" if name.isascii() else "\\text{") + name.replace("_", r"\_") + "}"


class NameMap(Mapping[str, V]):
    """A read-only mapping by name whose missing key raises `UnknownNameError` with the nearest name."""

    __slots__ = ("_items", "_what")

    def __init__(self, what: str, items: Mapping[str, V]) -> None:
        self._what = what
        self._items = dict(items)

    def __getitem__(self, name: str) -> V:
        if type(name) is str and name in self._items:
            return self._items[name]
        plain = same_name(name, f"the {self._what}")
        if plain not in self._items:
            raise UnknownNameError(f"no {self._what} is named {shown(name)}: {suggestion(plain, self._items)}")
        return self._items[plain]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(self._items)
