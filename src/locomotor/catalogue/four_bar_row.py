"""A row of four-bar linkages side by side: upright bars on the ground, joined at their tops by level ones.

A benchmark of the IFToMM library of multibody problems: bars of 1 m and 1 kg, as many windows as wanted, one freedom. All
bars stay parallel, so that the upright ones move as one pendulum; where they lie level every loop is singular at once.
"""

from locomotor import checks
from locomotor.catalogue.linkage_parts import bar
from locomotor.catalogue.locomotion_parts import LEFT, hinge, parameter_set, whole
from locomotor.model import Box, Cylinder, Gravity, SphericalClosure, System

HANGING = {"post_0": 0.9, "post_1": 0.9, "post_2": 0.9, "lintel_1": -0.9, "lintel_2": -0.9}
"""A start from which it swings below the ground; from above it folds down to where every loop is singular."""


@checks.fitting
def four_bar_row(windows: int = 2) -> System:
    """`post_0` to `post_N` are angles of the upright bars, positive downwards; `lintel_1` to `lintel_N` of the others."""
    n = whole(windows, "four_bar_row", "windows", 1)
    posts = [f"post_{k}" for k in range(n + 1)]
    lintels = [f"lintel_{k}" for k in range(1, n + 1)]
    return System(
        f"four_bar_row_{n}",
        bodies=(
            *(bar(f"{name}_bar", "l", "m/l", colour="wood") for name in posts),
            *(bar(f"{name}_bar", "l", "m/l", layer=1 + k % 2) for k, name in enumerate(lintels)),
        ),
        joints=(
            *(hinge(name, "world", f"{name}_bar", at=(f"{k}*l", 0.0, 0.0), axis=LEFT) for k, name in enumerate(posts)),
            *(hinge(name, f"{posts[k]}_bar", f"{name}_bar", at=("l", 0.0, 0.0), axis=LEFT) for k, name in enumerate(lintels)),
        ),
        loops=tuple(
            SphericalClosure(f"corner_{k + 1}", f"{name}_bar", f"{posts[k + 1]}_bar", ("l", 0.0, 0.0), ("l", 0.0, 0.0))
            for k, name in enumerate(lintels)
        ),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("l", 1.0, "m", "length of a bar"),
            ("m", 1.0, "kg", "mass of a bar"),
            ("g", 9.81, "m/s^2", "gravity"),
            source="IFToMM library of computational benchmark problems, N-four-bar mechanism",
        ),
        independent=("post_0_rate",),
        nominal={**dict.fromkeys(posts, "-pi/2"), **dict.fromkeys(lintels, "pi/2")},
        scenery=[
            Box((f"{n}*l + 0.08", 0.02, 0.05), at=(f"{n}*l/2", -0.06, -0.01), colour="dark"),
            *(Cylinder((x, -0.075, 0.0), (x, 0.0, 0.0), 0.013, colour="metal") for x in [f"{k}*l" for k in range(n + 1)]),
        ],
        description=f"{n} four-bar linkages side by side",
    )
