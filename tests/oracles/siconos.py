"""Siconos (https://github.com/siconos/siconos) as a judge, where some Python of this machine has it: in a process of its own.

Debian and Ubuntu have it as `python3-siconos`, for the Python of the system, which need not be ours.
"""

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np

WORKER = """
import sys, numpy as np, siconos.numerics as sn
task, source, target = sys.argv[1:]
given = np.load(source)
found = {}
for i in range(int(given["count"])):
    M, q = given[f"M{i}"], given[f"q{i}"]
    x, y = np.zeros(len(q)), np.zeros(len(q))
    if task == "lcp":
        options = sn.SolverOptions(sn.SICONOS_LCP_LEMKE)
        info = sn.lcp_lexicolemke(sn.LCP(M, q), x, y, options)
    else:
        mu = given[f"mu{i}"]
        options = sn.SolverOptions(sn.SICONOS_FRICTION_3D_NSGS)
        options.dparam[sn.SICONOS_DPARAM_TOL] = 1e-13
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 20000
        problem = sn.FrictionContactProblem(3, len(mu), M, q, mu)
        info = sn.fc3d_nsgs(problem, x, y, options)
    found[f"x{i}"], found[f"info{i}"] = x, info
np.savez(target, **found)
"""


@cache
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


def judged(task: str, problems: list[tuple], folder: Path) -> list[tuple[int, np.ndarray]]:
    """Status (0: solved) and solution for each problem: (M, q) for "lcp", (W, q, mu) for "friction"."""
    given = {"count": len(problems)}
    for i, problem in enumerate(problems):
        given |= {f"{name}{i}": np.asfortranarray(value) for name, value in zip(("M", "q", "mu"), problem, strict=False)}
    np.savez(folder / "given.npz", **given)
    command = [interpreter(), "-c", WORKER, task, str(folder / "given.npz"), str(folder / "found.npz")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = np.load(folder / "found.npz")
    return [(int(found[f"info{i}"]), found[f"x{i}"]) for i in range(len(problems))]
