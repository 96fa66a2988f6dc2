"""The living page: its model is the C code's, it is small, needs no network, and its sliders are those that matter."""

import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.exports.build import build_model
from locomotor.exports.model import Model
from locomotor.viewing.living.facts import input_knobs, start_knobs

START = {"speed": 4.6, "roll": 0.1, "steer_rate": 0.2}
SECONDS, STEP = 1.0, 0.001


@cache
def model() -> Model:
    return build_model(lm.catalogue.system("bicycle"), start=START)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = lm.export(lm.catalogue.system("bicycle"), "page", tmp_path_factory.mktemp("page"), start=START, cases=2)
    return made.files[0].read_text(encoding="utf-8")


def facts_of(page: str) -> dict:  # type: ignore[type-arg]
    found = re.search(r'<script id="table" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])["living"]


def in_node(page: str, folder: Path, program: str) -> list[float]:
    """What a program says that is run with the very script of the page as `model`."""
    if shutil.which("node") is None:
        pytest.skip("the page's JavaScript runs here by node, which is not installed")
    found = re.search(r"^const \$model = (.*?);\nconst \$\w+ = \(\(\) =>", page, re.DOTALL | re.MULTILINE)
    assert found is not None
    (folder / "model.mjs").write_text(f"const model = {found[1]};\n{program}", encoding="utf-8")
    done = subprocess.run(["node", "model.mjs"], cwd=folder, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)


def test_the_model_of_the_page_moves_as_the_c_code(page: str, tmp_path: Path) -> None:
    """States after every tenth of a second of motion, to 1e-12."""
    program = f"""
let x = Float64Array.from(model.start), y = new Float64Array(x.length), rows = [];
const u = Float64Array.of(0.3, 0, -0.5);
for (let n = 0; n < {round(SECONDS / STEP)}; ++n) {{
  model.step(n * {STEP}, {STEP}, x, u, model.defaultParameters, y);
  [x, y] = [y, x];
  if (n % 100 === 99) rows.push(...x);
}}
console.log(JSON.stringify(rows));"""
    found = np.reshape(in_node(page, tmp_path, program), (-1, model().state.size))
    compiled = lm.compile(lm.catalogue.system("bicycle"), free=model().parameters.names)
    inputs, parameters = np.array([[0.3, 0.0, -0.5]]), model().defaults[None]
    states = compiled.rollout(
        model().start[None], round(SECONDS / STEP), STEP, inputs=inputs, parameters=parameters, save_every=100
    ).states
    expected = np.reshape(states, (-1, model().state.size))[-len(found) :]
    assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()
    assert np.ptp(found[:, 7]) > 0.02, "the handlebar moves"


def test_a_frame_is_computed_in_a_fraction_of_its_time(page: str, tmp_path: Path) -> None:
    """60 frames a second leave 16.7 ms, of which drawing needs most; 17 steps of 1 ms and all that is shown take the median."""
    program = """
let x = Float64Array.from(model.start), y = new Float64Array(x.length);
const u = new Float64Array(3), costs = [];
for (let frame = 0; frame < 200; ++frame) {
  const began = performance.now();
  for (let n = 0; n < 17; ++n) { model.step(0, 0.001, x, u, model.defaultParameters, y); [x, y] = [y, x]; }
  for (const name of ["poses", "outputs", "terms", "energy", "residuals", "margins"]) {
    model[name](0, x, u, model.defaultParameters);
  }
  costs.push(performance.now() - began);
}
console.log(JSON.stringify([costs.sort((a, b) => a - b)[100]]));"""
    (median,) = in_node(page, tmp_path, program)
    assert median < 5.0


def test_the_page_is_one_small_file_that_asks_for_nothing(page: str) -> None:
    assert len(page.encode()) < 3_000_000
    assert "default-src 'none'" in page and "<link" not in page
    # Addresses stand in comments and names of namespaces of the renderer alone: nothing is fetched.
    ours = page.replace(re.search(r"const \$three = .*?\nreturn exports;", page, re.DOTALL)[0], "")  # type: ignore[index]
    assert not re.search(r"https?://(?!www\.w3\.org)", ours) and "fetch(" not in ours and "XMLHttpRequest" not in ours


def test_terms_that_vanish_whatever_the_state_are_not_shown(page: str) -> None:
    """A torque on the handlebar does no work when only the roll changes; one on the rear wheel none in roll or steer."""
    facts = facts_of(page)
    vanish = {term["label"]: term["zero"] for term in facts["terms"] if term["kind"] != "inertia"}
    assert [velocity["name"] for velocity in facts["velocities"]] == ["roll_rate", "steer_rate", "rear_wheel_rate"]
    assert vanish["steer torque"] == [True, False, True] and vanish["rear wheel torque"] == [True, True, False]
    assert vanish["gravity"] == [False, False, False] and vanish["motion"] == [False, False, False]


def test_sliders_are_those_that_change_the_motion() -> None:
    """Where it is and where it heads change nothing, height and pitch follow from the contacts."""
    assert [knob["name"] for knob in start_knobs(model())] == [
        "roll_added",
        "steer",
        "roll_rate",
        "steer_rate",
        "rear_wheel_rate",
    ]
    assert all(knob["low"] < knob["value"] < knob["high"] for knob in (*start_knobs(model()), *input_knobs(model())))


def test_short_equations_are_printed_in_full_and_long_ones_elsewhere(page: str, tmp_path: Path) -> None:
    pytest.importorskip("sympy", reason="printed equations need SymPy")
    assert "lm.equations(system)" in page and "<mfrac>" not in page
    made = lm.export(lm.catalogue.system("elroy_beanie"), "page", tmp_path, cases=1)
    text = made.files[0].read_text(encoding="utf-8")
    full = re.search(r'<div class="print">(.*?)</details>', text, re.DOTALL)
    assert full is not None and full[1].count("<math") > 10 and "Without SymPy" not in full[1]


def test_laws_with_conditions_are_printed_with_them(tmp_path: Path) -> None:
    pytest.importorskip("sympy", reason="printed equations need SymPy")
    made = lm.export(lm.catalogue.system("hopper"), "page", tmp_path, cases=1, closed=())
    full = re.search(r'<div class="print">(.*?)</details>', made.files[0].read_text(encoding="utf-8"), re.DOTALL)
    assert full is not None and "otherwise" in full[1] and full[1].count("<math") > 10


def test_titles_and_descriptions_cannot_become_markup(tmp_path: Path) -> None:
    body = lm.Body("bob", 1.0, com=(0, 0, -1), inertia=(0, 0, 0))
    hinge = lm.Revolute(name="hinge", parent="world", child="bob", axis=(0, 1, 0))
    forces = (lm.Gravity((0, 0, -9.81)),)
    bad = "</script><script>alert(1)</script>"
    system = lm.System("swing", bodies=(body,), joints=(hinge,), forces=forces, description=bad)
    made = lm.export(system, "page", tmp_path, start={"hinge": 0.3}, cases=1)
    assert bad not in made.files[0].read_text(encoding="utf-8")
