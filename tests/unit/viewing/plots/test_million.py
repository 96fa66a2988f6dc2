"""A run of a million samples of all channels is saved, read and drawn within a modest memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import locomotor

SCRIPT = """
import locomotor as lm
run = lm.simulate(lm.catalogue.bicycle(), duration=1000.0, start={"speed": 5.0, "roll_rate": 0.1}, step=1e-3, sample=1e-3)
assert len(run) == 1_000_001
last = float(run["speed"][-1])
file = run.save("run.nc")
del run
read = lm.load(file)
assert float(read["speed"][-1]) == last
for kind in ("curves", "top", "energy", "forces"):
    read.plot(kind=kind, path=f"{kind}.png")
# The most memory of this program. What `getrusage` tells begins with that of the program which started it.
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system does not tell the memory of a program")
def test_a_million_samples(tmp_path: Path) -> None:
    home = str(Path(locomotor.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([home, os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # 67 channels of 8 MB each are half a gigabyte; being recorded they exist twice.
    assert int(done.stdout) < 2_000_000  # kilobytes
    assert sorted(p.name for p in tmp_path.iterdir()) == ["curves.png", "energy.png", "forces.png", "run.nc", "top.png"]
