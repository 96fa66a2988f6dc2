"""The benchmarks of the CUDA device, as far as they can be tried without one: the processor stands in for the device."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

# The benchmarks are a folder of scripts.
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

import gpu
import gpu_parts
from fleet import BICYCLE, FLEET, Member
from report import Figure

from locomotor.simulation import CompiledSystem

FIGURE = Figure("bicycle", "2", "≥ 1.3", True, "note")
PART = gpu.Part((FIGURE,), "2000-01-01", "a device", "a version")


class Processor(gpu_parts.Accelerator):
    """The processor in the place of a device; float64 only."""

    def compile(self, member: Member, precision: str) -> CompiledSystem:
        return member.compile("auto")

    def put(self, array: Any, precision: str) -> Any:
        return np.asarray(array, dtype=float)

    def get(self, array: Any) -> Any:
        return np.asarray(array)

    def wait(self) -> None:
        return None

    def cost(self, compiled: CompiledSystem) -> str:
        return "no registers"

    def limit(self, precision: str) -> float | None:
        return 1e12 if precision == "float64" else None


@pytest.fixture
def no_device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(gpu, "missing_device_notice", lambda: "no device")
    monkeypatch.setattr(gpu, "KEPT", tmp_path / "gpu.json")
    return tmp_path / "gpu.json"


def test_without_a_device_the_topic_shows_what_was_measured_last(no_device: Path) -> None:
    gpu.save(no_device, {"bicycle": PART})
    topic = gpu.topic()
    assert topic.figures == (FIGURE,)
    assert all(word in topic.about for word in ("last measured", "a device", "2000-01-01", "a version"))


def test_without_a_device_and_without_figures_the_topic_says_why(no_device: Path) -> None:
    (figure,) = gpu.topic().figures
    assert figure.measured == "not measured" and figure.note == "no device"


def test_parts_not_measured_now_stay_in_the_file(no_device: Path) -> None:
    other = gpu.Part((Figure("MJX", "0.01"),), "2000-01-02", "a device", "a version")
    gpu.save(no_device, {"bicycle": PART, "mjx": PART})
    gpu.save(no_device, {"mjx": other})
    assert gpu.load(no_device) == {"bicycle": PART, "mjx": other}


@pytest.mark.parametrize(
    ("script", "limit", "reason"),
    [
        ('print(\'figures: [{"what": "a", "measured": "1"}]\')', 20.0, ""),
        ("print('the device is on fire'); raise SystemExit(3)", 20.0, "exit status 3: the device is on fire"),
        ("import time; time.sleep(60)", 0.2, "not done in 0 s"),
        ("pass", 20.0, "the part reported nothing"),
    ],
)
def test_a_part_that_fails_costs_itself_only(monkeypatch: pytest.MonkeyPatch, script: str, limit: float, reason: str) -> None:
    def start(arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    monkeypatch.setattr(gpu, "start", start)
    (figure,) = gpu.run_part("sizes", limit)
    assert figure == (Figure("sizes", "not measured", note=reason) if reason else Figure("a", "1"))


def test_parts_after_the_time_limit_are_named_as_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "compile_all", lambda names, limit: {"ROCR": "compilation for float64: not done in 1 s"})
    found = gpu.measure(["ROCR", "sizes"], limit=1.0)
    assert [part.figures[0].note for part in found.values()] == [
        "compilation for float64: not done in 1 s",
        "the 1 s for all parts were over",
    ]


def test_the_arithmetic_limit_is_that_of_the_data_sheet() -> None:
    """NVIDIA gives 34 and 67 T operations a second for the H100 and H200 SXM, whose 132 multiprocessors run at 1.98 GHz."""
    device = SimpleNamespace(compute_capability="90", attributes={"MultiProcessorCount": 132, "ClockRate": 1_980_000})
    on = gpu_parts.Accelerator(SimpleNamespace(cuda=SimpleNamespace(Device=lambda: device)))
    found = [on.limit(precision) for precision in ("float64", "float32")]
    # The data sheet rounds to two digits.
    assert found == pytest.approx([34e12, 67e12], rel=0.02)
    device.compute_capability = "12"
    assert on.limit("float64") is None


def test_operations_of_a_step_are_four_tapes_and_the_steppers_own() -> None:
    compiled = BICYCLE.compile("interpreter")
    own = gpu_parts.step_operations(compiled) - 4 * compiled.operations
    # One quaternion and nine numbers beside it: a thousand operations would be a mistake, none too.
    assert 300 < own < 1000


def test_the_parts_run_with_the_processor_in_place_of_the_device() -> None:
    on = Processor(np)
    rates = gpu_parts.bicycles(on, batch=16, steps=5)
    assert [figure.met for figure in rates] == [False, None, False, None]
    assert "wrong by 1.1e-09 m" in rates[0].note  # the error of the same ride in docs/benchmarks.md
    assert rates[3].measured == "unknown"
    # The same code on the same processor, in lanes or not: round-off only.
    assert all(figure.met for figure in gpu_parts.agreement(on, batch=4))
    assert all("8: " in figure.measured for figure in gpu_parts.sizes(on, (8,), 2))


def test_every_system_of_the_fleet_is_a_part() -> None:
    names = [member.name for member in FLEET]
    assert len(set(names)) == len(names)
    assert set(names) <= set(gpu.PARTS)


@pytest.mark.parametrize(("name", "least"), [("tree of 20 joints", (0.115, 0.235)), ("box with friction", (0.15, 0.35))])
def test_rates_that_have_a_target_are_judged(name: str, least: tuple[float, float], monkeypatch: pytest.MonkeyPatch) -> None:
    """2.5 times 4.6e7 and 9.4e7 steps a second of the tree, 1.5e8 and 3.5e8 of the box; one precision is not enough."""
    member = next(member for member in FLEET if member.name == name)
    assert member.least == pytest.approx(least)
    for share, met in ((1.01, True), (0.99, False)):
        made = iter([1e9 * share * least[0], 1.01e9 * least[1]])
        monkeypatch.setattr(gpu_parts, "rate", lambda *_, made=made: next(made))
        (figure,) = gpu_parts.fleet_member(Processor(np), member, batch=1, steps=1)
        assert figure.met is met
        assert figure.target == f"≥ {least[0]:g} and {least[1]:g}"


@pytest.mark.parametrize(("passed", "met"), [(29.0, True), (31.0, False)])
def test_the_time_to_compile_the_tree_is_judged(passed: float, met: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below 30 s in both precisions; the clock is turned by hand, and nothing is compiled."""
    clock = iter([0.0, passed, 0.0, passed])
    monkeypatch.setattr(gpu_parts.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(Processor, "compile", lambda *_: SimpleNamespace(rollout=lambda *_, **__: None))
    figures = gpu_parts.tree_compile(Processor(np))
    assert [figure.met for figure in figures] == [met, met]
    assert [figure.what for figure in figures] == [f"tree of 20 joints: compile, {p}" for p in ("float64", "float32")]


@pytest.mark.slow
@pytest.mark.parametrize("member", FLEET, ids=lambda member: member.name)
def test_every_system_of_the_fleet_moves_and_stays_whole(member: Member) -> None:
    (figure,) = gpu_parts.fleet_member(Processor(np), member, batch=8, steps=20)
    assert "and" in figure.measured
    run = member.compile("auto").rollout(member.state(), 200, member.step)
    assert run.status == 0
    assert np.abs(run.final - member.state()).max() > 1e-3  # m, rad: it did move
