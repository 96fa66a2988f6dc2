"""Files name classes that are not the library's with the module that defines them."""

import importlib
import json
import subprocess
import sys
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

import locomotor as lm
from locomotor.errors import DescriptionTypeError, TextFileError
from locomotor.model import ContactLaw, from_data, to_data
from locomotor.model.kind_names import kind_name

MODULE = '''
from dataclasses import dataclass
from typing import ClassVar
from locomotor.model import ContactLaw

@dataclass(frozen=True)
class Weary(ContactLaw):
    """A law of one's own."""
    loss: float = 0.5
    ACTS: ClassVar[str] = "pushes"

    @property
    def fixed_coefficients(self):
        return (1.0 - self.loss, 0.0)

    @property
    def words(self):
        return "only pushes"
'''


def ball(law: Any) -> lm.System:
    return lm.System(
        "ball",
        bodies=(lm.Body("ball", 1.0, inertia=(1.0, 1.0, 1.0)),),
        joints=(lm.Prismatic(name="z", parent="world", child="ball", axis=(0, 0, 1)),),
        contacts=(lm.SlidingPoint("foot", "ball", (0, 0, 0), law=law),),
    )


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that makes and imports a module of a given name with a law in it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(name: str, law: str = "Weary") -> ModuleType:
        (tmp_path / f"{name}.py").write_text(MODULE.replace("Weary", law))
        monkeypatch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)

    return make


def elsewhere(code: str, folder: Path) -> str:
    """What a new process prints, errors and warnings included."""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_the_kinds_of_the_library_have_short_names() -> None:
    data = to_data(ball(lm.Unilateral()))
    assert data["contacts"][0]["kind"] == "SlidingPoint" and data["contacts"][0]["law"]["kind"] == "Unilateral"


@pytest.mark.slow
def test_a_run_and_a_system_name_the_module_to_import(module: Any, tmp_path: Path) -> None:
    there = module("weary_laws_a")
    system = ball(there.Weary(0.25))
    assert to_data(system)["contacts"][0]["law"]["kind"] == "weary_laws_a:Weary"
    lm.save(system, tmp_path / "ball.toml")
    assert 'kind = "weary_laws_a:Weary"' in (tmp_path / "ball.toml").read_text() and lm.load(tmp_path / "ball.toml") == system
    lm.simulate(lm.catalogue.bouncing_ball(), 0.01).save(tmp_path / "run.nc")
    run = replace(lm.load(tmp_path / "run.nc"), system=system)
    run.save(tmp_path / "run.nc")
    code = (
        "import locomotor as lm; print(lm.load('run.nc').system)\n"
        "try: lm.load('ball.toml')\nexcept lm.errors.TextFileError as error: print(error)\n"
        "import weary_laws_a; print(lm.load('run.nc').system == lm.load('ball.toml'))"
    )
    told = elsewhere(code, tmp_path)
    remedy = "it was defined in module 'weary_laws_a': import weary_laws_a before you load"
    assert "<string>:1: KindWarning: 'run.nc': the run has no system (run.system is None)" in told
    without, refused, with_it = told.splitlines()[:3]
    assert without == "None" and refused.startswith("'ball.toml', line") and refused.endswith(remedy) and with_it == "True"
    assert told.count(remedy) == 2 and "KindWarning: 'ball" not in told


def test_of_two_classes_of_one_name_the_right_one_is_built(module: Any, tmp_path: Path) -> None:
    one, other = module("weary_laws_b", "Tired").Tired(), module("weary_laws_c", "Tired").Tired()
    for law in (one, other):
        assert type(from_data(to_data(ball(law))).contacts[0].law) is type(law)
    data = to_data(ball(one))
    data["contacts"][0]["law"]["kind"] = "Tired"  # as somebody would write it
    named = "2 kinds are named 'Tired'; say which is meant: 'weary_laws_b:Tired' or 'weary_laws_c:Tired'"
    with pytest.raises(DescriptionTypeError, match=named):
        from_data(data)
    (tmp_path / "ball.json").write_text(json.dumps({**data, "format": "locomotor system 1"}))
    with pytest.raises(TextFileError, match=named):
        lm.load(tmp_path / "ball.json")


def test_a_short_name_is_that_of_the_library_first() -> None:
    @dataclass(frozen=True)
    class Unilateral(ContactLaw):
        """A law of one's own with a name of the library."""

        ACTS: ClassVar[str] = "always"
        words: ClassVar[str] = "always closed"

    mine, ours = ball(Unilateral()), ball(lm.Unilateral())
    assert [type(from_data(to_data(system)).contacts[0].law) for system in (mine, ours)] == [Unilateral, lm.Unilateral]


def test_a_module_that_is_read_again_has_its_new_class(module: Any) -> None:
    """As a cell of a notebook that is run again."""
    old = module("weary_laws_d").Weary
    new = module("weary_laws_d").Weary
    assert old is not new and kind_name(old) == kind_name(new)
    assert type(from_data(to_data(ball(old()))).contacts[0].law) is new


def test_two_classes_that_cannot_be_told_apart_are_refused() -> None:
    def make() -> Any:
        @dataclass(frozen=True)
        class Hidden(ContactLaw):
            """One of several of this name."""

            ACTS: ClassVar[str] = "always"
            words: ClassVar[str] = "always closed"

        return Hidden()

    first = make()
    make()
    assert type(from_data(to_data(ball(first))).contacts[0].law) is type(first)  # of the other nothing is left
    second = make()
    with pytest.raises(DescriptionTypeError, match=r"2 classes are named '.*test_kinds:Hidden'.*give them different names"):
        from_data(to_data(ball(second)))


def test_a_class_that_has_moved_is_taken_with_a_word(module: Any) -> None:
    data = to_data(ball(module("weary_laws_e").Weary()))
    data["contacts"][0]["law"]["kind"] = "old_laws:Hasty"
    with pytest.raises(DescriptionTypeError, match="import old_laws before you load"):
        from_data(data)
    there = module("hasty_laws", "Hasty")
    with pytest.warns(lm.KindWarning, match="'old_laws:Hasty' is not known here; hasty_laws:Hasty, the only kind of that name"):
        assert type(from_data(data).contacts[0].law) is there.Hasty
    data["contacts"][0]["law"]["kind"] = "hasty_laws:Hastily"
    with pytest.raises(DescriptionTypeError, match="module 'hasty_laws' defines no kind of description named 'Hastily'"):
        from_data(data)


def test_what_a_script_defines_is_found_by_who_imports_it(tmp_path: Path) -> None:
    script = MODULE + "\nimport locomotor as lm\nfrom locomotor.model.kind_names import kind_name, kind_called\n"
    (tmp_path / "walk.py").write_text(script + "print(kind_name(Weary), kind_called('walk:Weary') is Weary)")
    assert elsewhere("import runpy; runpy.run_path('walk.py', run_name='other')", tmp_path).startswith("other:Weary")
    done = subprocess.run([sys.executable, "walk.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "walk:Weary True\n"


def test_a_run_that_cannot_tell_what_moved_says_so(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Odd(lm.Gravity):
        """A force with a field that no file can hold."""

        extra: Any = None

    run = replace(
        lm.simulate(lm.catalogue.bouncing_ball(), 0.01), system=ball(lm.Unilateral()).replace(forces=(Odd(extra={1}),))
    )
    with pytest.warns(lm.KindWarning, match="the file will not tell what moved.*a set cannot be written"):
        run.save(tmp_path / "run.nc")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lm.load(tmp_path / "run.nc").system is None  # told when it was written
