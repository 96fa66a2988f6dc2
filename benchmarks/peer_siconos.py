"""Siconos as a peer for complementarity problems, in a process of the Python that has it (Debian: python3-siconos)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peer_pinocchio import UnavailableError

Floats = NDArray[np.float64]

WORKER = """
import json, sys, time
import numpy as np, siconos.numerics as sn

kinds = {"nsgs": (sn.SICONOS_FRICTION_3D_NSGS, sn.fc3d_nsgs), "newton": (sn.SICONOS_FRICTION_3D_NSN_AC,
         sn.fc3d_nonsmooth_Newton_AlartCurnier), "lemke": (sn.SICONOS_LCP_LEMKE, sn.lcp_lexicolemke)}
held = {}
for line in sys.stdin:
    task = json.loads(line)
    if task["do"] == "load":
        given = np.load(task["file"])
        if "mu" in given:
            rows = [(np.asfortranarray(w), q, m) for w, q, m in zip(given["W"], given["q"], given["mu"])]
            made = [sn.FrictionContactProblem(3, len(m), w, q, m) for w, q, m in rows]
        else:
            rows = [(np.asfortranarray(w), q) for w, q in zip(given["W"], given["q"])]
            made = [sn.LCP(w, q) for w, q in rows]
        held[task["name"]] = [(problem, len(row[1])) for problem, row in zip(made, rows)], rows  # rows: kept alive
        print(json.dumps({"count": len(rows)}), flush=True)
        continue
    kind, solver = kinds[task["solver"]]
    options = sn.SolverOptions(kind)
    if task["solver"] != "lemke":
        options.dparam[sn.SICONOS_DPARAM_TOL] = task["tolerance"]
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 10000 if task["solver"] == "nsgs" else 200
    problems = held[task["name"]][0]
    forces = np.zeros((len(problems), problems[0][1]))
    slack = np.zeros(problems[0][1])
    loops, begin = 0, time.process_time()
    while loops == 0 or time.process_time() - begin < task["seconds"]:
        forces[:] = 0.0
        for i, (problem, size) in enumerate(problems):
            slack[:] = 0.0
            solver(problem, forces[i], slack, options)
        loops += 1
    seconds = (time.process_time() - begin) / (loops * len(problems))
    print(json.dumps({"seconds": seconds, "forces": forces.tolist()}), flush=True)
"""


def interpreter() -> str | None:
    """A Python that can import Siconos."""
    for name in (sys.executable, "/usr/bin/python3", shutil.which("python3") or "python3"):
        try:
            done = subprocess.run([name, "-c", "import siconos.numerics"], capture_output=True, timeout=60, check=False)
        except OSError:
            continue
        if done.returncode == 0:
            return name
    return None


class Siconos:
    """Sets of problems held by a process, and solved there by name."""

    def __init__(self) -> None:
        name = interpreter()
        if name is None:
            raise UnavailableError("no Python of this machine has Siconos (Debian: python3-siconos)")
        self._folder = tempfile.TemporaryDirectory()
        command = [name, "-c", WORKER]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()

    def _ask(self, **task: Any) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(task), file=self._process.stdin, flush=True)
        for line in self._process.stdout:
            if line.startswith("{"):  # some solvers print words of their own
                found: dict[str, Any] = json.loads(line)
                return found
        raise RuntimeError("the process with Siconos died")

    def load(self, name: str, problems: Sequence[Floats]) -> None:
        """Hand over stacks W, q and, for friction, mu."""
        file = Path(self._folder.name) / f"{len(list(Path(self._folder.name).iterdir()))}.npz"
        parts: dict[str, Any] = dict(zip(("W", "q", "mu"), problems, strict=False))
        np.savez(file, **parts)
        self._ask(do="load", name=name, file=str(file))

    def solve(self, name: str, solver: str, tolerance: float = 0.0, seconds: float = 0.0) -> tuple[Floats, float]:
        """Solutions of a set and the processor time for each, its call from Python included."""
        found = self._ask(do="solve", name=name, solver=solver, tolerance=tolerance, seconds=seconds)
        return np.array(found["forces"]), float(found["seconds"])
