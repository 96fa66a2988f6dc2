"""Public robots with their meshes, as they are read: `python docs/images/robots.py` writes robots.png beside this file.

A1 and G1 come with the package example-robot-data, the ant with gymnasium; each is painted by the library's own renderer.
"""

import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pinocchio
from PIL import Image

import locomotor as lm
from locomotor.viewing.scene import picture

HERE = Path(__file__).resolve().parent
EXAMPLES = next(p for p in Path(pinocchio.__file__).parents if p.name == "cmeel.prefix") / "share/example-robot-data/robots"
LEGS = {f"{leg}_{part}_joint": q for leg in ("FR", "FL", "RR", "RL") for part, q in (("thigh", 0.8), ("calf", -1.6))}
ANKLES = {f"ankle_{k}": 1.0 if k in (1, 4) else -1.0 for k in (1, 2, 3, 4)}


def gymnasium(name: str) -> Path:
    """A file of gymnasium."""
    found = find_spec("gymnasium")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent / "envs/mujoco/assets" / name


def main() -> None:
    """Three robots side by side."""
    warnings.simplefilter("ignore", lm.RobotWarning)
    tiles = []
    for path, pose, options in (
        (EXAMPLES / "a1_description/urdf/a1.urdf", {**LEGS, "z": 0.31}, {"base": "free"}),
        (gymnasium("ant.xml"), {**ANKLES, "z": 0.55}, {}),
        (EXAMPLES / "g1_description/urdf/g1_29dof_rev_1_0.urdf", {}, {"base": "free"}),
    ):
        system = lm.load(path, **options)
        system = system.replace(nominal={**dict(system.nominal), **pose})
        tiles.append(picture(system, size=(400, 320)))
    Image.fromarray(np.hstack(tiles)).quantize(128).save(HERE / "robots.png", optimize=True)


if __name__ == "__main__":
    main()
