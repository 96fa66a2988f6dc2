"""Where a bicycle is stable by itself, over speed, trail and the inertia of its front wheel: a sweep.

`python examples/stability_chart.py 100` takes a hundred values of each, a million bicycles. Kill it, call it again: it goes on.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import locomotor as lm


def main(count: int = 11, out: Path | None = None) -> dict[str, float]:
    """Eigenvalues of straight running at count^3 points, and what a designer would ask of them."""
    bike = lm.catalogue.bicycle("meijaard2007")
    over = {
        "speed": np.linspace(0.5, 10.0, count),
        "c": np.linspace(0.02, 0.14, count),
        "IFyy": np.linspace(0.08, 0.28, count),
    }
    chart = lm.sweep(bike, over, lm.sweeps.stability(), out=out)
    stable = chart["stable"].fillna(0.0)
    band = stable.sum("speed") * float(chart["speed"][1] - chart["speed"][0])
    best = band.argmax(...)
    return {
        "points": float(stable.size),
        "points without a result": float((chart["status"] != lm.sweeps.PointStatus.OK).sum()),
        "share of stable points": float(stable.mean()),
        "widest stable band of speeds (m/s)": float(band.max()),
        "trail that has it (m)": float(chart["c"][best["c"]]),
        "wheel inertia that has it (kg m^2)": float(chart["IFyy"][best["IFyy"]]),
    }


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    file = Path(tempfile.gettempdir()) / f"stability_chart_{many}.nc" if many > 11 else None
    for name, number in main(many, file).items():
        print(f"{name:<45} {number:.6g}")
