"""Classes whose methods are written late behave as those of the standard library, which is asked for every answer."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

import pytest

from locomotor.dataclass import Placeholder, dataclass, replace

Decorator = Callable[..., Any]


def family(decorate: Decorator) -> dict[str, type]:
    """The same declarations, by either decorator."""

    @decorate(frozen=True)
    class Base(ABC):
        """A base."""

        KINDS: ClassVar[tuple[str, ...]] = ("a", "b")
        first: float
        second: str = "two"

        @abstractmethod
        def area(self) -> float: ...

    @decorate(frozen=True)
    class Middle(Base):
        """With a factory, a field that is not compared, and a check."""

        entries: dict[str, int] = field(default_factory=dict)
        hidden: int = field(default=3, repr=False, compare=False)
        late: int = field(init=False, default=7)

        def __post_init__(self) -> None:
            if self.first < 0.0:
                raise ValueError("negative")

        def area(self) -> float:
            return self.first

    @decorate(frozen=True, kw_only=True)
    class Last(Middle):
        """Keywords only; a default of the base is changed."""

        second: str = "zwei"
        third: tuple[int, ...] = ()

    @decorate(frozen=True, eq=False)
    class Own:
        """Compared by identity; its constructor hands on to that of its base."""

        value: float = 1.0

    @decorate(frozen=True, eq=False)
    class Child(Own):
        """Calls the constructor of its base by hand."""

        other: float = 2.0

        def __init__(self, both: float) -> None:
            super().__init__(both)
            object.__setattr__(self, "other", both)

    class Bare(Own):
        """Not decorated: may have more attributes than its fields."""

    @decorate(eq=False)
    class Changing:
        """May be changed."""

        value: int = 0

    @decorate
    class Plain:
        """Compared by value and not hashable."""

        value: int = 0

    return {name: kind for name, kind in locals().items() if isinstance(kind, type)}


OURS, THEIRS = family(dataclass), family(dataclasses.dataclass)

CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Middle", (1.0,), {}),
    ("Middle", (1.0, "x", {"a": 1}), {"hidden": 5}),
    ("Middle", (-1.0,), {}),
    ("Middle", (), {}),
    ("Middle", (1.0,), {"late": 3}),
    ("Base", (1.0,), {}),
    ("Last", (2.0,), {"third": (1, 2)}),
    ("Last", (2.0, "x", {}, 3, 4), {}),
    ("Own", (2.0,), {}),
    ("Child", (2.0,), {}),
    ("Bare", (2.0,), {}),
    ("Changing", (2,), {}),
    ("Plain", (2,), {}),
]


def answer(make: Callable[[], Any]) -> Any:
    """What a call gives: fields and words, or the kind and text of the error."""
    try:
        found = make()
    except Exception as error:
        return type(error).__name__, str(error)
    values = dataclasses.asdict(found) if dataclasses.is_dataclass(found) and not isinstance(found, type) else found
    return values, repr(found)


@pytest.mark.parametrize(("name", "args", "kwargs"), CALLS)
def test_instances_are_those_of_the_standard_library(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    ours, theirs = (answer(lambda kind=kinds[name]: kind(*args, **kwargs)) for kinds in (OURS, THEIRS))  # type: ignore[misc]
    assert ours == theirs


@pytest.mark.parametrize("name", OURS)
def test_a_class_that_nothing_was_asked_of_answers_alike(name: str) -> None:
    """Each question is the first that a class is asked."""
    questions: list[Callable[[type], Any]] = [
        lambda kind: str(inspect.signature(kind)),
        lambda kind: [(f.name, f.type, f.default, f.init, f.kw_only) for f in dataclasses.fields(kind)],
        dataclasses.is_dataclass,
        lambda kind: kind.__match_args__,
        lambda kind: str(kind.__dataclass_params__),
        lambda kind: kind.__doc__,
        lambda kind: (kind.__hash__ is None, kind.__hash__ is object.__hash__, kind.__eq__ is object.__eq__),
        lambda kind: str(inspect.signature(kind.__init__)),
        lambda kind: kind.__init__.__qualname__,
        lambda kind: str(inspect.signature(dataclasses.dataclass(frozen=True)(type("More", (kind,), {})))),
    ]
    for ask in questions:
        ours, theirs = (
            answer(lambda ask=ask, make=make: ask(family(make)[name])) for make in (dataclass, dataclasses.dataclass)
        )  # type: ignore[misc]
        assert ours == theirs


def test_values_are_compared_hashed_and_replaced_alike() -> None:
    for kinds in (OURS, THEIRS):
        Last, Own = kinds["Last"], kinds["Own"]
        assert Last(1.0, third=(1,)) == Last(1.0, third=(1,)) != Last(1.0, third=(2,))
        assert Last(1.0, hidden=1) == Last(1.0, hidden=2)
        assert Last(1.0).__eq__(Own()) is NotImplemented
        assert Own() != Own() and hash(Own()) is not None
        frozen = Last(1.0, entries=())
        assert hash(frozen) == hash((1.0, "zwei", (), 7, ()))
        assert dataclasses.replace(frozen, second="drei").second == "drei"
        assert copy.deepcopy(frozen) == frozen and Last(1.0).entries is not Last(1.0).entries
        assert not hasattr(Last, "entries") and Last.second == "zwei" and Last.KINDS == ("a", "b")
        match frozen:
            case Last(first, entries):
                assert (first, entries) == (1.0, ())


@pytest.mark.parametrize("name", ["value", "nonsense"])
@pytest.mark.parametrize("kind", ["Own", "Bare", "Changing"])
def test_changes_are_refused_alike(kind: str, name: str) -> None:
    def change(kinds: dict[str, type]) -> Any:
        made = kinds[kind](3)
        setattr(made, name, 4)
        return vars(made)

    def remove(kinds: dict[str, type]) -> Any:
        made = kinds[kind](3)
        delattr(made, name)
        return vars(made)

    for act in (change, remove):
        ours, theirs = (answer(lambda act=act, kinds=kinds: act(kinds)) for kinds in (OURS, THEIRS))  # type: ignore[misc]
        assert ours == theirs


@dataclass(frozen=True)
class Kept:
    """At the top of a module, for pickle."""

    value: float
    others: tuple[int, ...] = field(default_factory=tuple)


def test_pickle() -> None:
    assert pickle.loads(pickle.dumps(Kept(1.0, (2,)))) == Kept(1.0, (2,))  # noqa: S301 - our own bytes


def test_a_quick_replacement_is_that_of_the_standard_library() -> None:
    kept = Kept(1.0, (2,))
    vars(kept)["seen"] = 3  # what a cached property leaves is no field
    other = replace(kept, others=(4,))
    assert other == dataclasses.replace(kept, others=(4,)) and vars(other).keys() == {"value", "others"}
    for change in ({"nothing": 1}, {"self": 1}):
        with pytest.raises(TypeError):
            replace(kept, **change)
    checked = family(dataclass)["Middle"]
    assert hasattr(checked, "__post_init__"), "a class that looks at its fields is made anew"


def test_methods_are_written_when_they_are_asked_for() -> None:
    Own = family(dataclass)["Own"]
    assert isinstance(vars(Own)["__init__"], Placeholder)
    Own()
    assert inspect.isfunction(vars(Own)["__init__"]) and inspect.isfunction(vars(Own)["__repr__"])


def test_threads_that_ask_at_once_get_the_same() -> None:
    """The first use of a class by many threads: none sees it without its constructor."""
    for _ in range(20):
        Last = family(dataclass)["Last"]
        begin, found = threading.Barrier(8), []

        def use(Last: type = Last, begin: threading.Barrier = begin, found: list[Any] = found) -> None:
            begin.wait()
            found.append(Last(1.0, third=(3,)))

        threads = [threading.Thread(target=use) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 8 and all(entry == found[0] for entry in found)
