"""Batches on a CUDA device: `python benchmarks/gpu.py --write` measures and keeps the figures in `gpu.json`.

    python benchmarks/gpu.py                       # measure and print
    python benchmarks/gpu.py --write               # and put the figures into benchmarks/gpu.json
    python benchmarks/gpu.py --write FILE bicycle  # some parts, into another file; other parts stay as they are

Every part runs in a process of its own with a time limit: a fault on the device, or a compilation without end, costs that part
only. Compilations are made beforehand, all at once, into CuPy's cache. Where there is no device the topic shows what `gpu.json`
holds.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gpu_humanoid
import gpu_parts
import peer_mjx
from fleet import FLEET
from report import Figure, Topic, missing, text

import locomotor
from locomotor.codegen.cuda import missing_device_notice

KEPT = Path(__file__).with_name("gpu.json")
TITLE = "Batches on a CUDA device"
LIMIT = 300.0
"""Seconds for all parts together."""
LONGEST = 60.0
"""Seconds for one part, and for the compilations together."""
LONGER = {"humanoid with contacts", "mjx", "warp", "warp humanoid"}
"""Parts that compile for longer themselves, and get what is left."""
PEERS: Mapping[str, Callable[[float], list[Figure]]] = {
    "mjx": peer_mjx.mjx_figures,
    "warp": peer_mjx.warp_figures,
    "warp humanoid": gpu_humanoid.warp_humanoids,
}
PARTS = (*gpu_parts.PARTS, *PEERS)
PACKAGES = ("numpy", "cupy-cuda12x", "cupy-cuda13x", "jax", "mujoco", "mujoco-mjx", "mujoco-warp", "warp-lang")
MARK = "figures: "
"""Begins the line in which a part reports."""


@dataclass(frozen=True)
class Part:
    """Figures of one part and where they come from."""

    figures: tuple[Figure, ...]
    date: str
    machine: str
    versions: str


def topic() -> Topic:
    """Measure, or show what was measured last where there is no device."""
    notice = missing_device_notice()
    if not notice:
        return shown(measure(PARTS), "")
    kept = load(KEPT)
    if not kept:
        return Topic(TITLE, "Needs a CUDA device.", (missing("roll-outs on a CUDA device", "", notice),))
    return shown(kept, "No CUDA device here: figures as last measured, by `python benchmarks/gpu.py --write`. ")


def shown(parts: Mapping[str, Part], preface: str) -> Topic:
    """The topic of some parts."""
    machines = dict.fromkeys(f"{part.machine}, {part.date}; {part.versions}" for part in parts.values())
    about = (
        f"{preface}Measured on: {'; and on: '.join(machines)}. Elapsed time of calls from Python, states on the device before "
        "and after, nothing saved; medians."
    )
    ordered = [parts[name] for name in PARTS if name in parts]
    return Topic(TITLE, about, tuple(figure for part in ordered for figure in part.figures))


# --- measuring -------------------------------------------------------------------------------------------------------


def measure(names: Sequence[str], limit: float = LIMIT) -> dict[str, Part]:
    """Every part in a process of its own, while time is left."""
    end = time.perf_counter() + limit
    troubles = compile_all([name for name in names if name not in PEERS], min(LONGEST, limit / 2))
    found = {}
    for name in names:
        left = end - time.perf_counter()
        allowed = left if name in LONGER else min(LONGEST, left)
        if name in troubles:
            figures = [missing(name, "", troubles[name])]
        elif allowed < 5.0:
            figures = [missing(name, "", f"the {limit:g} s for all parts were over")]
        else:
            figures = run_part(name, allowed)
        found[name] = Part(tuple(figures), datetime.date.today().isoformat(), machine(), versions())
        print(text(Topic(f"{name} ({limit - (end - time.perf_counter()):.0f} s)", "", tuple(figures))), flush=True)
    return found


def compile_all(names: Sequence[str], limit: float) -> dict[str, str]:
    """Compile what the parts need, all at once; what could not be, with the reason."""
    members = {member.name: member for member in FLEET if member.name in names or member.name == "bicycle"}
    running = {
        (name, precision): start(["--compile", name, precision]) for name in members for precision in gpu_parts.PRECISIONS
    }
    begin, troubles = time.perf_counter(), {}
    for (name, precision), process in running.items():
        left = max(limit - (time.perf_counter() - begin), 0.1)
        output, reason = finish(process, left)
        print(f"compiled {name}, {precision}: {reason or output.strip()}", flush=True)
        if reason and name != "bicycle":
            troubles[name] = f"compilation for {precision}: {reason}"
    return troubles


def run_part(name: str, limit: float, command: Sequence[str] | None = None) -> list[Figure]:
    """Figures of a part; one that says why where it fails."""
    output, reason = finish(start(["--part", name, f"{limit:.0f}"] if command is None else command), limit)
    lines = [line for line in output.splitlines() if line.startswith(MARK)]
    if reason or not lines:
        return [missing(name, "", reason or "the part reported nothing")]
    return [Figure(**fields) for fields in json.loads(lines[-1].removeprefix(MARK))]


def start(arguments: Sequence[str]) -> subprocess.Popen[str]:
    """This file in another process."""
    # JAX otherwise takes most of the memory of the device at once.
    environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    command = [sys.executable, __file__, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)


def finish(process: subprocess.Popen[str], limit: float) -> tuple[str, str]:
    """What a process printed, and what went wrong."""
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        return output, f"not done in {limit:.0f} s"
    if process.returncode == 0:
        return output, ""
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["nothing was printed"]
    print("\n".join(lines[-20:]), flush=True)  # the figure keeps only the last, without the places in files
    return output, f"exit status {process.returncode}: {lines[-1][:300]}"


def report_part(name: str, limit: float) -> str:
    """Measure a part here, as the line that `run_part` reads."""
    found = PEERS[name](limit) if name in PEERS else gpu_parts.PARTS[name](gpu_parts.accelerator())
    return MARK + json.dumps([asdict(figure) for figure in found])


def compile_member(name: str, precision: str) -> None:
    """Compile one system into CuPy's cache."""
    on, member = gpu_parts.accelerator(), next(m for m in FLEET if m.name == name)
    begin = time.perf_counter()
    print(f"{on.cost(on.compile(member, precision))}, in {time.perf_counter() - begin:.1f} s")


# --- circumstances ---------------------------------------------------------------------------------------------------


def machine() -> str:
    """Device, driver and CUDA in words."""
    try:
        cupy = gpu_parts.accelerator().arrays
        properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
        runtime = cupy.cuda.runtime.runtimeGetVersion()
        return (
            f"{properties['name'].decode()} ({properties['multiProcessorCount']} multiprocessors, "
            f"{properties['totalGlobalMem'] / 2**30:.0f} GiB), driver {driver()}, CUDA {runtime // 1000}.{runtime % 1000 // 10}"
        )
    except Exception as error:  # a peer's figures are worth keeping where CuPy is missing
        return f"device unknown ({error})"


def driver() -> str:
    """Version of the driver as nvidia-smi tells it."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.split()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return "unknown"


def versions() -> str:
    """Of everything that took part."""
    found = [f"locomotor {locomotor.__version__}", f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


# --- the file --------------------------------------------------------------------------------------------------------


def load(path: Path) -> dict[str, Part]:
    """Parts kept in a file; none where there is no file."""
    if not path.exists():
        return {}
    kept: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: Part(tuple(Figure(**figure) for figure in part.pop("figures")), **part)
        for name, part in kept.items()
        if name in PARTS
    }


def save(path: Path, parts: Mapping[str, Part]) -> None:
    """Put parts into a file; those it holds already and that were not measured now stay."""
    whole = {**load(path), **parts}
    ordered = {name: asdict(whole[name]) for name in PARTS if name in whole}
    path.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the parts asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", nargs="?", const=str(KEPT), metavar="FILE", help=f"keep the figures, in {KEPT.name}")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="S", help="seconds for all parts together")
    parser.add_argument("--part", nargs=2, metavar=("NAME", "S"), help=argparse.SUPPRESS)
    parser.add_argument("--compile", nargs=2, metavar=("NAME", "PRECISION"), help=argparse.SUPPRESS)
    parser.add_argument("parts", nargs="*", help=f"some of: {', '.join(PARTS)}")
    chosen = parser.parse_args(arguments)
    if chosen.part:
        print(report_part(chosen.part[0], float(chosen.part[1])))
    elif chosen.compile:
        compile_member(*chosen.compile)
    else:
        for name in chosen.parts:
            if name not in PARTS:
                parser.error(f"no part is named {name!r}; there are {', '.join(PARTS)}")
        found = measure(chosen.parts or PARTS, chosen.limit)
        if chosen.write:
            save(Path(chosen.write), found)
            print(f"wrote {chosen.write}")


if __name__ == "__main__":
    main()
