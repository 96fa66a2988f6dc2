"""The public surface: what editors, `dir` and `help` see is what there is."""

import pytest

import locomotor
from architecture.reading import PACKAGE, imports, python_files


def test_names_for_editors_are_those_that_are_loaded() -> None:
    """The imports that type checkers read and the table that is used at run time name the same things in the same places."""
    written = [item.parts for item in imports(PACKAGE, PACKAGE / "__init__.py") if item.typing]
    assert len(written) == len(set(written))
    used = {("locomotor", *home.split(".")[1:], name) for name, home in locomotor._PUBLIC.items()}
    assert set(written) == used | {("locomotor", name) for name in locomotor._MODULES}


def test_every_public_name_is_there_and_nothing_else_is_shown() -> None:
    shown = {name for name in dir(locomotor) if not name.startswith("__")}
    assert shown == set(locomotor.__all__)
    for name in locomotor.__all__:
        thing = getattr(locomotor, name)
        assert thing.__doc__ and getattr(thing, "__name__", name).rpartition(".")[2] == name
    with pytest.raises(AttributeError, match="no attribute 'simulte'"):
        locomotor.simulte  # noqa: B018


def test_no_name_comes_from_a_star() -> None:
    stars = [path for path in python_files(PACKAGE) if any(item.parts[-1] == "*" for item in imports(PACKAGE, path))]
    assert stars == []
