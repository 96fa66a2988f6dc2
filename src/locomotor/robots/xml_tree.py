"""XML of robots as elements that remember their line and what was read of them; nothing outside the file is ever followed.

A file that declares a document type or an entity is refused before anything of it is used: no robot needs them, and entities
that expand into each other fill any memory. What nobody has read of a file is known afterwards, so that it can be told.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

import numpy as np

from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import RobotFileError
from locomotor.seal import require_file
from locomotor.typing import Floats

LARGEST = 64 * 2**20
"""Bytes of a file."""
FARTHEST = 1e60
"""Numbers beyond this are no lengths, masses or angles, and their products overflow."""
DEEPEST = 200
"""Elements inside each other."""


@dataclass(eq=False)
class Element:
    """One element of a file."""

    tag: str
    attributes: dict[str, str]
    line: int
    file: str
    children: list[Element] = field(default_factory=list)
    text: str = ""
    used: set[str] = field(default_factory=set)
    """Attributes that were read."""
    seen: bool = False
    """Whether the element itself was asked for."""
    turned: float = 0.0
    """The largest angle (rad) that was read of it."""

    @property
    def label(self) -> str:
        """How messages call it."""
        name = self.attributes.get("name", "")
        return f"<{self.tag}>" + (f" {shown(name)}" if name else "")

    def wrong(self, message: str) -> NoReturn:
        """Raise with file, line and element."""
        raise RobotFileError(f"{self.file!r}, line {self.line}: {self.label}: {message}")

    # --- elements ---

    def all(self, tag: str) -> list[Element]:
        """The children of a kind."""
        found = [child for child in self.children if child.tag == tag]
        for child in found:
            child.seen = True
        return found

    def child(self, tag: str) -> Element | None:
        """The first child of a kind; others of the kind count as not read."""
        for child in self.children:
            if child.tag == tag:
                child.seen = True
                return child
        return None

    def need(self, tag: str) -> Element:
        """The child of a kind, which must be there."""
        found = self.child(tag)
        if found is None:
            self.wrong(f"it has no <{tag}>; write one")
        return found

    # --- values ---

    def word(self, name: str, default: str | None = None) -> str:
        """An attribute as text; without a default it must be there."""
        self.used.add(name)
        if name in self.attributes:
            return self.attributes[name]
        if default is None:
            self.wrong(f"it has no {name!r}; write {name}=...")
        return default

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute as a number."""
        if default is not None and name not in self.attributes:
            self.used.add(name)
            return default
        return self._number(self.word(name), name)

    def numbers(self, name: str, count: int, default: tuple[float, ...] | None = None) -> Floats:
        """An attribute as so many numbers."""
        if default is not None and name not in self.attributes:
            self.used.add(name)
            return np.array(default, dtype=float)
        return self._numbers(self.word(name), count, name)

    def value(self, default: float | None = None) -> float:
        """The text of the element as a number."""
        if not self.text.strip() and default is not None:
            return default
        return self._number(self.text, "its text")

    def values(self, count: int, default: tuple[float, ...] | None = None) -> Floats:
        """The text of the element as so many numbers."""
        if not self.text.strip() and default is not None:
            return np.array(default, dtype=float)
        return self._numbers(self.text, count, "its text")

    def _number(self, text: str, what: str) -> float:
        try:
            found = float(text if text.isascii() and "_" not in text else "none")  # Python reads 1_0 as ten, others do not
        except ValueError:
            macro = "; run xacro on the file first, it is a macro" if "${" in text else ""
            self.wrong(f"{what} is {shown(text)}, which is no number; write a number such as 0.1{macro}")
        if not math.isfinite(found) or abs(found) > FARTHEST:
            self.wrong(f"{what} is {shown(text)}; write a finite number, in SI units")
        return found

    def _numbers(self, text: str, count: int, what: str) -> Floats:
        words = text.split()
        if len(words) != count:
            self.wrong(f"{what} is {shown(text)}: {len(words)} numbers where {count} are needed")
        return np.array([self._number(word, what) for word in words])

    # --- what was read ---

    def each(self) -> Iterator[Element]:
        """The element and all that is in it."""
        yield self
        for child in self.children:
            yield from child.each()

    def unread(self) -> Iterator[tuple[str, Element, str]]:
        """Elements and attributes that nobody asked for: name to tell, element, attribute or ""."""
        for child in self.children:
            if not child.seen:
                yield f"<{child.tag}>", child, ""
            else:
                yield from child.unread()
        for name in self.attributes:
            if name not in self.used and self.seen and not name.startswith("xmlns"):
                yield f"{name}= of <{self.tag}>", self, name


def read_xml(path: str | Path, what: str) -> Element:
    """The root element of a file."""
    file = Path(path)
    require_file(file, what)
    try:
        if file.stat().st_size > LARGEST:
            raise RobotFileError(f"cannot read {str(path)!r} as {what}: it has more than {LARGEST >> 20} MB")
        content = file.read_bytes()
    except OSError as error:
        raise RobotFileError(f"cannot read {str(path)!r} as {what}: {error.strerror}; give the name of a file") from error
    return parse_xml(content, file.name, what)


def parse_xml(content: bytes, name: str, what: str) -> Element:
    """The root element of a text."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    stack: list[Element] = []
    roots: list[Element] = []

    def refuse(*_: Any) -> None:
        raise RobotFileError(
            f"{name!r}, line {parser.CurrentLineNumber}: it declares a document type or an entity, which {what} needs none "
            "of and which may expand without end; take the <!DOCTYPE ...> out"
        )

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) >= DEEPEST:
            raise RobotFileError(
                f"{name!r}, line {parser.CurrentLineNumber}: more than {DEEPEST} elements inside each other; write it flatter"
            )
        element = Element(tag, attributes, parser.CurrentLineNumber, name)
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)

    def end(tag: str) -> None:
        stack.pop()

    def text(data: str) -> None:
        if stack:
            stack[-1].text += data

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise RobotFileError(
            f"{name!r}, line {error.lineno}, column {error.offset + 1}: {expat.errors.messages[error.code]}; it is no "
            "well-formed XML, correct it there"
        ) from error
    except (ValueError, LookupError) as error:  # an encoding that Python does not know, a null byte
        if isinstance(error, RobotFileError):
            raise
        raise RobotFileError(f"cannot read {name!r} as {what}: {error}; save it as UTF-8") from error
    roots[0].seen = True
    return roots[0]
