"""Files of the user's own on the command line: which system is meant, and what is said where none or several are."""

import sys
from pathlib import Path

import pytest

import locomotor as lm
from locomotor.commands.lookup import find_system
from locomotor.errors import ModelError, RunFileError, UnknownNameError, UsageError
from locomotor.names import nearest

ONE = "import locomotor as lm\ndef cart() -> lm.System:\n    return lm.catalogue.cart_pendulum()\n"


def written(folder: Path, text: str) -> str:
    (folder / "mine.py").write_text(text)
    return str(folder / "mine.py")


@pytest.mark.parametrize(
    "text",
    [
        ONE,
        ONE + "def helper(x):\n    return x\n",
        ONE + "system = cart()\n",
        ONE + "system = cart()\nsame = system\ndef other() -> lm.System:\n    return cart()\n",
        "import locomotor as lm\nfrom locomotor.catalogue import hopper\ncart = lm.catalogue.cart_pendulum()\n",
    ],
)
def test_the_one_system_of_a_file_is_found(text: str, tmp_path: Path) -> None:
    assert find_system(written(tmp_path, text)) == lm.catalogue.cart_pendulum()


def test_a_file_may_import_what_lies_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once and when the system is made, as for a script; from any folder."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "beside_own_file.py").write_text("import locomotor as lm\nMAKE = lm.catalogue.cart_pendulum\n")
    (tmp_path / "later_own_file.py").write_text("NAME = 'later'\n")
    text = "from beside_own_file import MAKE\ndef cart():\n    import later_own_file\n    return MAKE()\n"
    assert find_system(written(tmp_path, text)) == lm.catalogue.cart_pendulum()


def test_of_several_one_is_named(tmp_path: Path) -> None:
    two = written(tmp_path, ONE + "def other() -> lm.System:\n    return lm.catalogue.hopper()\n")
    with pytest.raises(UnknownNameError, match=r"several that may be meant, cart, other; say which: .*mine\.py:cart"):
        find_system(two)
    assert find_system(f"{two}:other") == lm.catalogue.hopper()
    with pytest.raises(UnknownNameError, match="has no system, and no function without arguments"):
        find_system(written(tmp_path, "x = 3\n"))
    with pytest.raises(RunFileError, match="there is no such file"):
        find_system(str(tmp_path / "absent.py"))


def test_a_system_as_text(tmp_path: Path) -> None:
    assert find_system(str(lm.save(lm.catalogue.hopper(), tmp_path / "a.toml"))) == lm.catalogue.hopper()
    (tmp_path / "p.toml").write_text("a = 1")
    with pytest.raises(UsageError, match=r"p\.toml holds parameters, not a system"):
        find_system(str(tmp_path / "p.toml"))


def test_names_of_the_same_kind_are_suggested() -> None:
    with pytest.raises(UnknownNameError, match=r"no system is named 'bicycl': did you mean 'bicycle'\?"):
        find_system("bicycl")
    assert nearest("steer_angle", ["steer_rate", "steer", "rear_contact_angle", "steer_torque"]) == "steer"
    assert nearest("steer_rat", ["steer_rate", "steer"]) == "steer_rate"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "import nothing_of_that_name\n",
            r"mine\.py, line 1: ModuleNotFoundError: No module named 'nothing_of_that_name'; correct",
        ),
        ("x = 1\ndef cart(:\n", r"mine\.py, line 2: SyntaxError: "),
        ("def cart():\n    return 1 / 0\n", r"mine\.py, line 2: ZeroDivisionError: division by zero; correct the file"),
        ("import math\nx = math.sqrt('a')\n", r"mine\.py, line 2: TypeError: "),
    ],
)
def test_a_mistake_in_the_file_is_not_one_of_ours(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        find_system(written(tmp_path, text))


def test_what_the_library_says_of_a_model_stays_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has no bodies; give at least one Body"):
        find_system(written(tmp_path, "import locomotor as lm\ndef cart():\n    return lm.System('x', [], [])\n"))
    with pytest.raises(UnknownNameError, match="no function 'crat' that returns a system: did you mean 'cart'"):
        find_system(f"{written(tmp_path, ONE)}:crat")
