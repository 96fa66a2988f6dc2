"""The verb `export`: files, names, words for what is renamed, left out and wrong."""

import dataclasses
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

import locomotor as lm
from locomotor.errors import ArgumentError, RunFileError, UnknownNameError
from locomotor.exports import TARGETS
from locomotor.exports.naming import allocate, identifier, plain


def pendulum(**names: str) -> lm.System:
    """A pendulum whose parameters have the names given."""
    mass, length = names.get("mass", "m"), names.get("length", "l")
    return lm.System(
        names.get("name", "pendulum"),
        bodies=(lm.Body("bob", mass, com=(0, 0, f"-{length}"), inertia=(0, 0, 0)),),
        joints=(
            lm.Revolute(
                name="hinge", parent="world", child="bob", axis=(0, 1, 0), drive=lm.Torque(names.get("input", "torque"))
            ),
        ),
        forces=(lm.Gravity((0, 0, -9.81)),),
        inputs=(lm.Input(names.get("input", "torque"), "N m"),),
        parameters={mass: 2.0, length: 0.5},
    )


def test_files_carry_names_units_defaults_and_a_check(tmp_path: Path) -> None:
    made = lm.export(lm.catalogue.system("snakeboard"), "c", tmp_path / "sub" / "folder")
    assert [file.name for file in made.files] == ["snakeboard.h", "snakeboard.c", "snakeboard_check.c", "snakeboard_check.txt"]
    assert all(file.is_file() for file in made.files) and not made.renamed and not made.left_out
    header = made.files[0].read_text()
    assert re.search(r"rotor_rate +rad/s", header) and re.search(r"m +kg +\d", header)
    assert len(made.files[3].read_text().splitlines()) == 20
    assert 100 < made.operations["tangent"] < 200
    assert "self-check: sh -c cc" in str(made) and "snakeboard.c (" in str(made)


def test_python_module_is_usable_by_itself(tmp_path: Path) -> None:
    """The pendulum's acceleration is -g sin(angle)/l + torque/(m l^2), written out here."""
    made = lm.export(pendulum(), "python", tmp_path, start={"hinge": 0.3})
    program = (
        "import json, math, pendulum as p; "
        "print(json.dumps([p.START.tolist(), p.rate(0.0, p.START, [1.0]).tolist(), p.STATE_NAMES, p.INPUT_NAMES, "
        "p.rate(0.0, [[0.1, 0.0], [0.2, 0.0]], [0.0]).tolist()]))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    start, rate, names, inputs, many = json.loads(done.stdout)
    assert start == [0.3, 0.0] and names == ["hinge", "hinge_rate"] and inputs == ["torque"]
    assert rate == pytest.approx([0.0, -9.81 * math.sin(0.3) / 0.5 + 1.0 / (2.0 * 0.25)], rel=1e-14)
    assert [row[1] for row in many] == pytest.approx([-9.81 * math.sin(0.1) / 0.5, -9.81 * math.sin(0.2) / 0.5], rel=1e-14)
    assert made.system == "pendulum"


# --- names ---------------------------------------------------------------------------------------------------------------


def test_names_that_mean_something_else_are_renamed_with_a_table(tmp_path: Path) -> None:
    system = pendulum(mass="double", length="hypot", input="result")
    made = lm.export(system, "c", tmp_path)
    expected = (("inputs", "result", "result_"), ("parameters", "double", "double_"), ("parameters", "hypot", "hypot_"))
    assert made.renamed == expected
    header = (tmp_path / "pendulum.h").read_text()
    assert "double of the parameters is called double_" in header and "hypot of the parameters is called hypot_" in header
    done = subprocess.run(made.run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "renamed: hypot of the parameters is called hypot_" in str(made)


def test_names_beyond_ascii_become_words(tmp_path: Path) -> None:
    made = lm.export(pendulum(mass="µ", length="größe", name="Pendel Ω"), "javascript", tmp_path)
    assert [new for _, _, new in made.renamed] == ["mu", "grosse"] or [new for _, _, new in made.renamed] == ["mu", "gro_e"]
    assert made.files[0].name == "Pendel_omega.mjs"


def test_a_renamed_name_takes_no_other_ones_place() -> None:
    names = allocate({"state": ["a_", "in_"], "parameters": ["in", "a", "v12"]}, frozenset({"in", "a"}))
    assert names["state"] == ("a_", "in_") and names["parameters"] == ("in_2", "a_2", "v12_")
    assert identifier("3 wheels/bad name") == "n_3_wheels_bad_name"


@pytest.mark.parametrize("text", ["*/ int main(void)", '"; system("x"); "', "a\nb", "a\\\nb", "`${x}`", "\u2028x", "??/"])
def test_texts_leave_neither_comment_nor_literal(text: str) -> None:
    assert not set(plain(text)) & set("*\"\\$?`\n\u2028{}%#'")


# --- contacts that open ----------------------------------------------------------------------------------------------------


def test_contacts_that_open_are_refused_until_it_is_said_which_are_closed(tmp_path: Path) -> None:
    ball = lm.catalogue.system("bouncing_ball")
    with pytest.raises(ArgumentError, match=r"can open and close.* say which are closed, such as closed="):
        lm.export(ball, "c", tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_is_left_out_is_said_in_the_files_and_in_the_answer(tmp_path: Path) -> None:
    ball = lm.catalogue.system("bouncing_ball")
    (contact,) = ball.contacts
    made = lm.export(ball, "javascript", tmp_path, closed=())
    assert made.left_out == (
        f"contact {contact.name} is left out: it is open, and nothing happens where its gap closes",
        "impacts are left out",
    )
    assert "Left out:" in made.files[0].read_text() and "impacts are left out" in str(made)
    held = lm.export(ball, "javascript", tmp_path / "held", closed=contact.name)
    assert held.left_out[0] == f"contact {contact.name} stays closed, even where it would have to pull: watch its multiplier"
    with_friction = lm.export(lm.catalogue.system("bowling_ball"), "javascript", tmp_path / "rolls", closed="lane", cases=1)
    assert with_friction.left_out[1] == "contact lane does not slip, even beyond its friction: compare its forces"
    with pytest.raises(UnknownNameError, match="no contact that opens and closes is named 'grund'"):
        lm.export(ball, "c", tmp_path, closed="grund")


def test_laws_that_jump_are_told(tmp_path: Path) -> None:
    system = pendulum()
    law = "1 if t < 0.5 else 0"
    (hinge,) = system.joints
    jumping = system.replace(joints=(dataclasses.replace(hinge, drive=lm.Torque(law)),), inputs=())
    made = lm.export(jumping, "python", tmp_path, cases=2)
    assert made.left_out == (
        "steps do not end where laws of time jump: choose them so that they do, or expect a lower order there",
    )


# --- mistakes ---------------------------------------------------------------------------------------------------------------


def test_mistakes_are_told_with_the_nearest_name(tmp_path: Path) -> None:
    system = pendulum()
    with pytest.raises(UnknownNameError, match="did you mean 'javascript'"):
        lm.export(system, "javasript", tmp_path)
    with pytest.raises(UnknownNameError, match=r"no channel is named 'hinge_rat'.*did you mean 'hinge_rate'"):
        lm.export(system, "c", tmp_path, outputs=("hinge_rat",))
    with pytest.raises(UnknownNameError, match="'mm'"):
        lm.export(system, "c", tmp_path, parameters=("mm",))
    with pytest.raises(ArgumentError, match="cases is 0"):
        lm.export(system, "c", tmp_path, cases=0)
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(RunFileError, match="cannot write"):
        lm.export(system, "c", file)
    assert file.read_text() == "mine"


def test_chosen_outputs_and_parameters_alone_are_written(tmp_path: Path) -> None:
    made = lm.export(pendulum(), "c", tmp_path, outputs=("kinetic_energy",), parameters=())
    header = (tmp_path / "pendulum.h").read_text()
    assert "PENDULUM_OUTPUTS_SIZE = 1" in header and "PENDULUM_PARAMETERS = 0" in header
    done = subprocess.run(made.run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("target", sorted(set(TARGETS) - {"page", "fmu"}))
def test_a_system_may_have_any_name_and_no_outputs(target: str, tmp_path: Path) -> None:
    """A name that is a word of every language becomes another one; where nothing is asked for, nothing is written."""
    made = lm.export(pendulum(name="class"), target, tmp_path, outputs=(), cases=2)
    assert all("class_" in file.relative_to(tmp_path).as_posix() for file in made.files)
    if target in ("c", "python", "javascript"):
        command = [sys.executable if word == "python3" else word for word in made.run]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "outputs" not in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["numpy", "double", "end", "model", "math"])
def test_names_of_models_hide_no_library_and_no_word(name: str) -> None:
    assert identifier(name) == f"{name}_"


def test_every_target_has_a_title() -> None:
    assert all(target.title and name == target.name for name, target in TARGETS.items())


def test_dry_friction_of_a_joint_is_said_not_to_hold_it(tmp_path: Path) -> None:
    body = lm.Body("block", 2.0, inertia=(0.1, 0.1, 0.1))
    joint = lm.Prismatic(name="x", parent="world", child="block", axis=(1.0, 0.0, 0.0))
    forces = [lm.JointSpring("spring", "x", 50.0), lm.JointFriction("rail", "x", 3.0)]
    made = lm.export(lm.System("rubbing", [body], [joint], forces=forces), "python", tmp_path)
    assert made.left_out == ("joint x does not stick: its dry friction rail only changes its sign with the rate",)
