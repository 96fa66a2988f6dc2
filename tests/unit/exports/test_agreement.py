"""Exported equations agree with the reference, each run by its own language; where a tool is missing the test says which."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import casadi
import numpy as np
import pytest

import locomotor as lm
from locomotor.codegen import OPERATIONS
from locomotor.exports import TARGETS
from locomotor.exports.build import build_model
from locomotor.exports.cases import TOLERANCE, draw_cases
from locomotor.exports.model import Function, Model
from locomotor.tracing import Port, rk4_map

STATES = 1000
"""Random states at which every target must agree."""
NEEDS = {
    "c": ("cc",),
    "c-jacobians": ("cc",),
    "cpp": ("c++",),
    "cuda": ("nvcc", "nvidia-smi"),
    "javascript": ("node",),
    "jax": (),
    "julia": ("julia",),
    "matlab": ("octave-cli",),
    "python": (),
    "pytorch": (),
    "rust": ("rustc",),
}
"""Programs that the self-check of a target needs. Modelica and FMU have tests of their own."""
MODULES = {"jax": "jax", "pytorch": "torch"}
QUICK = ("c", "javascript", "python")
"""Targets whose programs take a second; the others are slow."""


def targets(quick: tuple[str, ...] = QUICK) -> list[Any]:
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in NEEDS]


@cache
def model_of(name: str, jacobians: bool = False) -> Model:
    return build_model(lm.catalogue.system(name), jacobians=jacobians)


def run_check(target: str, model: Model, folder: Path, states: int) -> dict[str, float]:
    """Largest difference of each function, as the self-check of the target prints it; skipped where it cannot run."""
    for tool in NEEDS[target]:
        if shutil.which(tool) is None:
            pytest.skip(f"{target}: the program {tool} is not installed")
    if target in MODULES and find_spec(MODULES[target]) is None:
        pytest.skip(f"{target}: the Python package {MODULES[target]} is not installed")
    files = TARGETS[target].files(model, draw_cases(model, states))
    for name, content in files.contents.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    command = [sys.executable if word == "python3" else word for word in files.run]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False, env={**os.environ})
    found = {name: float(value) for name, value in re.findall(r"^(\w+) +(\S+)$", done.stdout, re.MULTILINE)}
    assert done.returncode == 0 and f"{states} cases: agree" in done.stdout, done.stdout + done.stderr
    return found


# --- the table of operations --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_spells_every_operation_and_no_other(target: str) -> None:
    assert set(TARGETS[target].grammar.operations) == set(OPERATIONS)


def zoo(model: Model) -> Model:
    """A model whose outputs are every operation of the table, at arguments within its range."""
    traced = model.system
    time, state, _, parameters = traced.arguments
    a, b, p = casadi.sin(3.0 * time) + state[0], state[1], parameters[0]
    inside = a / (1.0 + casadi.fabs(a))
    unary = {
        **dict.fromkeys(("sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "exp", "expm1", "erf"), a),
        **dict.fromkeys(("fabs", "sign", "floor", "ceil"), a),
        **dict.fromkeys(("asin", "acos", "atanh"), inside),
        **dict.fromkeys(("sqrt", "log", "acosh"), 1.0 + a * a),
    }
    values = [getattr(casadi, name)(argument) for name, argument in unary.items()]
    values += [casadi.log1p(a * a), casadi.erf(4.0 + a), casadi.erf(2.5 * a), casadi.erf(-7.0 - a * a)]
    values += [casadi.fmod(10.0 * a, 0.5 + b * b), casadi.remainder(10.0 * a, 0.5 + b * b), casadi.remainder(-9.0 * a, 0.7)]
    values += [casadi.copysign(a, b), casadi.fmin(a, b), casadi.fmax(a, b), casadi.atan2(a, b), casadi.hypot(a, b)]
    values += [(1.0 + a * a) ** b, a / (1.0 + b * b), a * b, a - b, a + b, -a, 1e-300 * a, 1.0 / 3.0 + p]
    less, equal = casadi.lt(a, b), casadi.eq(casadi.floor(4.0 * a), casadi.floor(4.0 * b))
    values += [casadi.if_else(less, a, b), less, casadi.logic_and(less, equal), casadi.logic_or(less, equal)]
    values += [casadi.logic_not(less), casadi.le(a, b), casadi.ne(a, casadi.floor(a)), casadi.if_else(a, 2.0, 3.0)]
    values += [casadi.if_else(casadi.logic_and(a > 0, b > 0), casadi.sqrt(casadi.fabs(a)), -b)]
    port = Port.of("outputs", *(f"value_{i}" for i in range(len(values))))
    return replace(
        model, read=(Function("outputs", "every operation", traced.build("zoo", [(port, casadi.vertcat(*values))], "")),)
    )


@cache
def zoo_model() -> Model:
    return zoo(model_of("snakeboard"))


def test_the_zoo_holds_every_operation() -> None:
    used = {line.op for line in zoo_model().read[0].traced.tape.instructions} - {"input", "const"}
    assert set(OPERATIONS) - used == {"neg"} - used


@pytest.mark.parametrize("target", targets((*QUICK, "rust")))
def test_every_operation_is_computed_alike(target: str, tmp_path: Path) -> None:
    assert run_check(target, zoo_model(), tmp_path, 200)["outputs"] <= TOLERANCE


# --- systems ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", ["snakeboard", pytest.param("bicycle", marks=pytest.mark.slow)])
@pytest.mark.parametrize("target", targets())
def test_agrees_with_the_reference_at_random_states(target: str, system: str, tmp_path: Path) -> None:
    model = model_of(system, TARGETS[target].jacobians)
    found = run_check(target, model, tmp_path, STATES)
    assert {"rate", "next", "outputs", "energy", "residuals", "margins"} <= set(found)
    assert max(found.values()) <= TOLERANCE
    assert ("rate_by_state" in found) == (target == "c-jacobians")


def test_random_states_are_those_that_were_asked_for() -> None:
    cases = draw_cases(model_of("bicycle"), 50, seed=3)
    assert len(cases) == 50 and len(np.unique(cases.arguments["state"], axis=0)) == 50
    assert (cases.expected["margins"] > 0.0).all()
    lengths = np.linalg.norm(cases.arguments["state"][:, 3:7], axis=1)
    assert np.abs(lengths - 1.0).max() < 1e-15 * 4
    other = draw_cases(model_of("bicycle"), 50, seed=4)
    assert not np.array_equal(cases.arguments["state"], other.arguments["state"])


@pytest.mark.slow
def test_states_at_which_round_off_grows_are_left_out() -> None:
    """Random poses of a linkage that is near singular: moved by the last digit, a result stays within the tolerance."""
    model = model_of("bricard")
    cases = draw_cases(model, 50)
    step = rk4_map(model.system.dynamics, model.manifold)
    state = cases.arguments["state"] * (1.0 + 2.2e-16)
    given = [cases.arguments["time"], state, cases.arguments["inputs"], cases.arguments["parameters"], cases.arguments["step"]]
    moved = step.evaluate(given, 50)[0]
    scale = np.maximum(np.abs(moved).max(axis=1), 1.0)
    assert (np.abs(moved - cases.expected["next"]).max(axis=1) / scale).max() < 0.5 * TOLERANCE


def test_a_step_of_the_reference_is_that_of_a_run() -> None:
    """What the self-checks expect is not only consistent with itself: it is where `simulate` arrives."""
    model = model_of("snakeboard")
    cases = draw_cases(model, 1, seed=5)
    compiled = lm.compile(lm.catalogue.system("snakeboard"), free=model.parameters.names, target="interpreter")
    step = float(cases.arguments["step"][0, 0])
    inputs = {"inputs": cases.arguments["inputs"], "parameters": cases.arguments["parameters"]}
    after = compiled.rollout(cases.arguments["state"], 1, step, **inputs).final
    assert np.abs(after - cases.expected["next"]).max() < 1e-14


@pytest.mark.parametrize("target", targets())
def test_a_long_function_is_written_in_parts_that_agree(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = TARGETS[target]
    if not kind.grammar.longest:
        pytest.skip(f"{target}: functions are never split")
    monkeypatch.setattr(type(kind), "grammar", replace(kind.grammar, longest=37))
    text = next(iter(TARGETS[target].files(zoo_model(), draw_cases(zoo_model(), 1)).contents.values()))
    assert len(text) > 1000
    assert run_check(target, zoo_model(), tmp_path, 20)["outputs"] <= TOLERANCE


@pytest.mark.parametrize("target", targets(("javascript",)))
def test_a_self_check_can_fail(target: str, tmp_path: Path) -> None:
    """One constant of the exported equations changed in its eighth digit is found out."""
    model = model_of("snakeboard")
    run_check(target, model, tmp_path, 5)
    table = tmp_path / f"{model.name}_check.txt"
    numbers = table.read_text().splitlines()
    last = numbers[2].split()
    last[-1] = repr(float(last[-1]) + 1e-8)
    table.write_text("\n".join([*numbers[:2], " ".join(last), *numbers[3:]]))
    files = TARGETS[target].files(model, draw_cases(model, 1))
    command = [sys.executable if word == "python3" else word for word in files.run]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "5 cases: DIFFER" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", [ready.name for ready in lm.catalogue.systems()])
def test_every_system_of_the_catalogue_is_exported(name: str, tmp_path: Path) -> None:
    """In JavaScript, which needs no compiler; contacts that open are open."""
    system = lm.catalogue.system(name)
    opens = any(law.switches for law in system.laws.values())
    assert max(run_check("javascript", build_model(system, closed=() if opens else None), tmp_path, 50).values()) <= TOLERANCE


def test_julia_is_read_by_an_independent_parser() -> None:
    """Where there is no Julia, its grammar at least: tree-sitter finds no error, and one where a word is broken."""
    language = pytest.importorskip("tree_sitter_julia", reason="Julia is read by tree-sitter-julia, which is not installed")
    sitter = pytest.importorskip("tree_sitter", reason="Julia is read by tree-sitter, which is not installed")
    parser = sitter.Parser(sitter.Language(language.language()))
    for model in (zoo_model(), model_of("snakeboard", True)):
        files = TARGETS["julia"].files(model, draw_cases(model, 2)).contents
        for name in (f"{model.name}.jl", f"{model.name}_check.jl"):
            text = str(files[name])
            assert not parser.parse(text.encode()).root_node.has_error, name
            assert parser.parse(text.replace("\nfunction ", "\nfunction function ", 1).encode()).root_node.has_error


# --- what a framework adds ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("target", MODULES)
def test_frameworks_differentiate_the_exported_functions(target: str, tmp_path: Path) -> None:
    """Their own derivative of the rate by the state is the exact one that the library takes on symbols."""
    model = model_of("snakeboard", True)
    run_check(target, model, tmp_path, 3)
    cases = draw_cases(model, 3)
    program = {
        "jax": "import jax; jax.config.update('jax_enable_x64', True)\n"
        "import snakeboard as m\nd = jax.jit(jax.jacfwd(m.rate, argnums=1))\n",
        "pytorch": "import torch, snakeboard as m\n"
        "def d(t, x, u, p):\n"
        "    t, x, u, p = (torch.tensor(a) for a in (t, x, u, p))\n"
        "    return torch.func.jacfwd(m.rate, argnums=1)(t, x, u, p)\n",
    }[target]
    program += (
        "import numpy as np\ntable = np.loadtxt('snakeboard_check.txt')\n"
        "print(np.array([np.asarray(d(r[0], r[1:10], r[10:12], r[12:19])).ravel() for r in table]).tolist())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=200, check=True
    )
    assert np.abs(np.array(json.loads(done.stdout)) - cases.expected["rate_by_state"]).max() < 1e-12
