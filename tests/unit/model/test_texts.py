"""Systems and parameter sets as text: what is written comes back equal, can be edited; what is wrong is told with its line."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

import locomotor as lm
from locomotor.errors import ArgumentTypeError, LocomotorError, RunFileError, TextFileError

MAKERS = {ready.name: ready.make for ready in lm.catalogue.systems()}


def pendulum(**options: Any) -> lm.System:
    return lm.System(
        "pendulum",
        bodies=[lm.Body("bob", mass="m", com=(0, 0, "-l"), inertia=(1e-3, 1e-3, 1e-3))],
        joints=[lm.Revolute(name="swing", parent="world", child="bob", axis=(0, 1, 0))],
        forces=[lm.Gravity()],
        parameters=[lm.Parameter("m", 0.1 + 0.2, "kg", description='with "quotes", ünïcode and \\ back', uncertainty=0.01)]
        + [lm.Parameter("l", 1 / 3)],
        ends={"gone over": "3 - abs(swing)"},
        **options,
    )


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name in MAKERS for kind in ("toml", "json", "yaml") if kind == "toml" or name == "rocr"]
)
def test_every_system_comes_back_equal(name: str, kind: str, tmp_path: Path) -> None:
    system = MAKERS[name]()
    back = lm.load(lm.save(system, tmp_path / f"system.{kind}"))
    assert back == system and hash(back) == hash(system) and back.description == system.description
    assert back.parameters.parameters == system.parameters.parameters


@pytest.mark.parametrize("kind", ["toml", "json", "yaml", "csv"])
def test_parameters_come_back_equal(kind: str, tmp_path: Path) -> None:
    given = pendulum().parameters
    back = lm.load(lm.save(given, tmp_path / f"p.{kind}"))
    assert back == given and back["m"].uncertainty == 0.01 and back["l"].value == 1 / 3


def test_the_text_is_short_and_editable(tmp_path: Path) -> None:
    path = lm.save(pendulum(), tmp_path / "p.toml")
    text = path.read_text()
    assert "l = 0.3333333333333333\n" in text and 'mass = "m"' in text and "rotation" not in text
    assert tomllib.loads(text)["ends"] == {"gone over": "3 - abs(swing)"}
    path.write_text(text.replace("l = 0.3333333333333333", "l = 2.5"))
    assert lm.load(path) == pendulum().with_parameters(l=2.5)


def test_a_run_is_saved_too(tmp_path: Path) -> None:
    run = lm.simulate(pendulum(), 0.01, start={"swing": 0.1})
    assert len(lm.load(lm.save(run, tmp_path / "run.nc"))) == len(run)
    with pytest.raises(ArgumentTypeError, match="save: 3 cannot be saved; give a Run, a System or a ParameterSet"):
        lm.save(3, tmp_path / "x.toml")  # type: ignore[arg-type]
    with pytest.raises(TextFileError, match=r"give a name that ends in \.toml, \.json"):
        lm.save(pendulum(), tmp_path / "p.urdf")
    assert os.listdir(tmp_path) == ["run.nc"]


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("a.toml", "w = 1.02\nc = {value = 0.08, unit = 'm'}\n", {"w": 1.02, "c": 0.08}),
        ("a.yaml", "w: 1.02\nc: 8e-2\n", {"w": 1.02, "c": 0.08}),
        ("a.yaml", "w: 1.02 +/- 0.002\n", {"w": 1.02}),
        ("a.json", '{"w": 1.02, "c": {"value": 0.08, "uncertainty": 0.001}}', {"w": 1.02, "c": 0.08}),
        ("a.csv", "w,1.02\nc,0.08,m\n", {"w": 1.02, "c": 0.08}),
        ("a.csv", "\ufeff# measured\nvalue,name,uncertainty\n1.02,w,0.002\n", {"w": 1.02}),
    ],
)
def test_parameters_by_hand(name: str, text: str, values: dict[str, float], tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = lm.load(tmp_path / name)
    assert isinstance(found, lm.ParameterSet) and found.values == values


def test_an_uncertainty_may_stand_beside_its_value(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("w,1.02±0.002\n", encoding="utf-8")
    assert lm.load(tmp_path / "a.csv")["w"].uncertainty == 0.002


GOOD = """name = "p"
[[bodies]]
kind = "Body"
name = "bob"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
kind = "Revolute"
name = "swing"
parent = "world"
child = "bob"
axis = [0.0, 1.0, 0.0]
"""


def test_the_example_is_a_system(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(GOOD)
    assert lm.load(tmp_path / "p.toml").layout.nq == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "mass = 1.0",
            "mass = -2.0",
            r"p\.toml', line 5 \(bodies\[0\]\.mass\): Body 'bob': mass is -2\.0 kg; it must be positive",
        ),
        ("mass = 1.0", "mas = 1.0", r"line 5 \(bodies\[0\]\.mas\): a Body has no field 'mas': did you mean 'mass'"),
        ("mass = 1.0", "mass = ", r"cannot read .*p\.toml' as TOML: .*line 5"),
        ('kind = "Body"', 'kind = "Bodi"', r"line 3 .*no kind of description is named 'Bodi': did you mean 'Body'"),
        ('kind = "Body"\n', "", r"line 2 \(bodies\[0\]\): it does not say what it is; give its kind, such as kind = .Body."),
        ('kind = "Body"', 'kind = "System"', r"no kind of description is named 'System'"),
        ('child = "bob"', 'child = "bib"', r"line 9: .*'bib'.*did you mean 'bob'"),
        ('name = "p"', 'nam = "p"', r"line 1 \(nam\): a system has no 'nam': did you mean 'name'"),
        ('name = "p"', 'format = "locomotor system 9"', r"line 1 \(format\): the format is 'locomotor system 9'"),
        ("axis = [0.0, 1.0, 0.0]", "axis = [0.0, 2.0, 0.0]", r"line 12 \(joints\[0\]\.axis\): .*use the normalised axis"),
        ("axis = [0.0, 1.0, 0.0]", "", r"line 7 \(joints\[0\]\): a Revolute needs 'axis'"),
        ('name = "p"', 'name = "p"\nparameters = {a = "x"}', r"line 2 \(parameters.*\): the value of the parameter 'a' is 'x'"),
        ('name = "p"', 'name = "p"\nparameters = 3', r"line 2 \(parameters\): parameters are 3, not values by name"),
        ("mass = 1.0", "mass = \"__import__('os').system('true')\"", r"line 5"),
        ("[[bodies]]", "[bodies]", r"p\.toml', line 2"),
    ],
)
def test_mistakes_are_told_with_line_key_and_remedy(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in GOOD
    (tmp_path / "p.toml").write_text(GOOD.replace(old, new, 1))
    with pytest.raises(TextFileError, match=said):
        lm.load(tmp_path / "p.toml")


def test_lines_of_json_and_yaml(tmp_path: Path) -> None:
    data = tomllib.loads(GOOD)
    data["bodies"][0]["mass"] = -2.0
    (tmp_path / "p.json").write_text(json.dumps(data, indent=1))
    line = 1 + (tmp_path / "p.json").read_text().split("-2.0")[0].count("\n")
    with pytest.raises(TextFileError, match=rf"p\.json', line {line} \(bodies\[0\]\.mass\)"):
        lm.load(tmp_path / "p.json")
    (tmp_path / "p.yaml").write_text(
        "name: p\njoints: []\nbodies:\n  - kind: Body\n    name: bob\n    inertia: [1, 1, 1]\n    mass: -2.0\n"
    )
    with pytest.raises(TextFileError, match=r"p\.yaml', line 7 \(bodies\[0\]\.mass\)"):
        lm.load(tmp_path / "p.yaml")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.toml", b"\xff\xfe", "no text in UTF-8"),
        ("a.json", b"[" * 100_000, "nested too deeply"),
        ("a.toml", b"a = " + b"[" * 100_000, "nested too deeply|cannot read"),
        ("a.json", b'{"w": 1, "w": 2}', "the key 'w' is there twice"),
        ("a.json", b'{"w": 1', "line 1, column 8"),
        ("a.json", b'{"w": 1e999}', r"'w'.*inf"),
        ("a.json", b'{"w": NaN}', r"'w'.*nan"),
        ("a.json", b'{"w": ' + b"9" * 5000 + b"}", "cannot read|'w'"),
        ("a.json", b"3", "parameters are 3, not values by name"),
        ("a.json", b'{"w": [1]}', "'w'"),
        ("a.json", b'{"w": true}', "'w'"),
        ("a.json", b'{"w": {"valu": 1}}', "did you mean 'value'"),
        ("a.json", b'{"w": {"value": 1, "uncertainty": -1}}', "uncertainty is -1"),
        ("a.yaml", b"a: &x [1]\nb: [*x, *x]\n", "aliases"),
        ("a.yaml", b"a: 1\na: 2\n", "line 2: the key 'a' is there twice"),
        ("a.yaml", b"a: !!python/object/apply:os.system ['true']\n", "line 1.*could not determine a constructor"),
        ("a.yaml", b"a: [1\n", "as YAML: line"),
        ("a.csv", b"w,1\nw,2\n", "line 2: the parameter 'w' is there twice"),
        ("a.csv", b"w\n", "line 1 has 1 columns"),
        ("a.csv", b"name,valeu\nw,1\n", "no column is named 'valeu': did you mean 'value'"),
        ("a.csv", b"w,one\n", r"line 1 \(w\): the value of the parameter 'w' is 'one'; give a number"),
        ("a.txt", b"w = 1", "cannot read"),
    ],
)
def test_hostile_files_are_refused(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(RunFileError, match=said):
        lm.load(tmp_path / name)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match=r"a\.toml.* there is no such file"):
        lm.load(tmp_path / "a.toml")
    (tmp_path / "b.toml").mkdir()
    with pytest.raises(RunFileError, match="it is a folder"):
        lm.load(tmp_path / "b.toml")


@pytest.mark.slow
def test_every_error_is_ours(tmp_path: Path) -> None:
    """Each line of a good file taken out, or its value replaced, in turn: never a foreign error."""
    lines = lm.save(MAKERS["rimless_wheel"](), tmp_path / "p.toml").read_text().splitlines()
    for k, line in enumerate(lines):
        for new in ([], [line.partition("=")[0] + "= 7"], [line.partition("=")[0] + "= ['x', {a = 1}]"]):
            (tmp_path / "p.toml").write_text("\n".join([*lines[:k], *new, *lines[k + 1 :]]))
            try:
                lm.load(tmp_path / "p.toml")
            except LocomotorError:
                continue


@pytest.mark.parametrize("suffix", [".toml", ".json", ".yaml", ".csv"])
def test_an_empty_file_is_refused_and_an_empty_set_is_not(tmp_path: Path, suffix: str) -> None:
    """A file that was cut off before its first word would else be a set of no parameters, and change nothing."""
    cut = tmp_path / f"cut{suffix}"
    cut.write_text(" \n\n")
    with pytest.raises(TextFileError, match="the file is empty"):
        lm.load(cut)
    empty = lm.ParameterSet(())
    assert lm.load(lm.save(empty, tmp_path / f"none{suffix}")) == empty
