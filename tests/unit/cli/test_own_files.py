"""Files of the user's own on the command line: which system is meant, and what is said where none or several are."""

from pathlib import Path

import pytest

import locomotor as lm
from locomotor.commands.lookup import find_system
from locomotor.errors import RunFileError, UnknownNameError, UsageError
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
