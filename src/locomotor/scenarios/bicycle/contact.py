"""E0: where the wheels touch, over lean and steer (Mauny 2018, remarks 2.15 and 2.16).

Found in two ways: by closing the gaps at given roll and steer, and by driving the kinematics there from the upright
pose with a feedback on the reduced velocities. The two must agree; the yaw that the second leaves depends on the path.
"""

import math
from functools import partial

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.figures import Contours, Pose, Poses
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import System
from locomotor.scenarios.bicycle.kinematic_path import Law, drive
from locomotor.scenarios.bicycle.sources import COMPUTED, THESIS
from locomotor.scenarios.registry import UNIT, Computation, Number, digits, register, vanishing
from locomotor.simulation import observe
from locomotor.typing import Vector

DEGREES = "1e-4 degrees, asked of the table"
TABLE: dict[tuple[float, float, float], tuple[float, float, float, float]] = {
    # (mu, lean, steer): rear and front contact angle, opening, lean of the front wheel
    (18, 0, 0): (180, 198, 0, 0),
    (18, 0, 30): (179.84180, 195.57567, -1.7028, 8.81212),
    (18, 0, -30): (179.84180, 195.57567, 1.7028, -8.81212),
    (18, 30, 0): (180, 198, 0, 30),
    (18, -30, 45): (182.26427, 214.84755, -8.0058, -8.13221),
    (18, 0, 15): (179.95621, 197.38181, -1.04828, 4.57657),
    (18, 0, 45): (179.70054, 192.71713, -1.71464, 12.41495),
    (18, 0, 60): (179.58691, 189.00555, -1.04144, 15.16926),
    (18, 15, 15): (179.72432, 193.27405, -0.70726, 19.0328),
    (18, 15, -15): (180.28629, 201.41669, 1.46467, 9.87846),
    (18, 30, 30): (179.67197, 178.45023, 1.21528, 34.36488),
    (18, 30, -30): (181.64677, 211.62037, 5.18103, 16.70386),
    (0, 0, 30): (180, 180, 0.95091, 0),
    (0, 0, -30): (180, 180, -0.95091, 0),
    (0, 30, 30): (181.25141, 164.89972, 3.74944, 26.26155),
    (0, -30, 45): (180.89228, 202.74882, -5.16422, -20.12181),
}
COLUMNS = ("rear contact", "front contact", "opening", "front lean")


def _system(mu: float) -> System:
    """The thesis's bicycle; with an upright steer axis it keeps l1 and l2."""
    system = bicycle("mauny2018")
    return system if mu else system.with_parameters(lam=0.0, c=-0.0337)


def _geometry(system: System, seen: dict[str, float]) -> dict[str, float]:
    """The four columns of the table, in degrees, from the channels of a pose."""
    q = np.array([seen[symbol.name] for symbol in system.layout.coordinates])
    kinematics = forward(Instant(system, q, np.zeros(system.layout.nv)))
    rear_axle, front_axle = (kinematics.poses[kinematics.index(name)].rotation[:, 1] for name in ("rear_frame", "fork"))
    rear, front = (np.array([seen[f"{wheel}_point_{axis}"] for axis in "xyz"]) for wheel in ("rear", "front"))
    rolling = np.cross(rear_axle, [0.0, 0.0, 1.0])
    line = front - rear
    opening = math.atan2(rolling[0] * line[1] - rolling[1] * line[0], rolling[0] * line[0] + rolling[1] * line[1])
    return {
        "rear contact": math.degrees(seen["rear_contact_angle"]) % 360.0,
        "front contact": math.degrees(seen["front_contact_angle"]) % 360.0,
        "opening": math.degrees(opening),
        "front lean": -math.degrees(math.asin(front_axle[2])),
    }


def _pose(system: System, lean: float, steer: float) -> dict[str, float]:
    return _geometry(system, observe(system, {"roll": -math.radians(lean), "steer": math.radians(steer)}))


def _where(mu: float, lean: float, steer: float) -> str:
    return f"(lean {lean:g}, steer {steer:g}{'' if mu else ', mu = 0'})"


def _assembled() -> dict[str, float]:
    tilted, upright = _system(18), _system(0)
    found: dict[str, float] = {}
    for mu, lean, steer in TABLE:
        values = _pose(tilted if mu else upright, lean, steer)
        found |= {f"{column} at {_where(mu, lean, steer)}": value for column, value in values.items()}
    steers = np.arange(0.0, 61.0)
    openings = np.array([_pose(tilted, 0.0, float(steer))["opening"] for steer in steers])
    still = [_pose(upright, 0.0, float(steer)) for steer in steers[::10]]
    leant = [_pose(tilted, float(lean), 0.0) for lean in (-40.0, -20.0, 20.0, 40.0)]
    return found | {
        "largest opening without lean": float(-openings.min()),
        "steer of the largest opening": float(steers[openings.argmin()]),
        "mu = 0, no lean: contacts, largest change": max(
            abs(pose[column] - 180.0) for pose in still for column in ("rear contact", "front contact")
        ),
        "no steer: contacts, largest change": max(
            max(abs(pose["rear contact"] - 180.0), abs(pose["front contact"] - 198.0)) for pose in leant
        ),
        "no steer: opening, largest": max(abs(pose["opening"]) for pose in leant),
    }


def _table_numbers() -> tuple[Number, ...]:
    return tuple(
        Number(f"{column} at {_where(*place)}", value, 1e-4, DEGREES, f"{COMPUTED}, E0", unit="deg")
        for place, row in TABLE.items()
        for column, value in zip(COLUMNS, row, strict=True)
    )


LEANS, STEERS = tuple(range(-40, 41, 5)), tuple(range(-45, 46, 5))
"""Grid of the maps, in degrees."""


def _map(mu: float, columns: tuple[str, ...], leans: Vector, steers: Vector) -> dict[str, Vector]:
    """Columns of the table over a grid of lean and steer, in degrees."""
    system = _system(mu)
    poses = [[_pose(system, float(lean), float(steer)) for lean in leans] for steer in steers]
    return {column: np.array([[pose[column] for pose in row] for row in poses]) for column in columns}


MAPS = tuple(
    Contours(partial(_map, mu, columns), LEANS, STEERS, "lean (deg)", "steer (deg)", title=title, source=source)
    for mu, columns, title, source in (
        (18, COLUMNS[:3], "Contact angles and opening (deg), mu = 18 deg", "figs 2.5A, B and D"),
        (0, COLUMNS[:2], "Contact angles (deg), upright steer axis", "fig. 2.6"),
    )
)
CONFIGURATIONS = {"A": (0.0, 30.0), "B": (0.0, -30.0), "C": (30.0, 0.0), "D": (-30.0, 45.0)}
"""Lean and steer (degrees) of the four bicycles that the thesis draws."""


def _configurations() -> tuple[Pose, ...]:
    """The four bicycles, with the rolling direction of the rear wheel and the line through the contact points."""
    system = _system(18)
    found = []
    for name, (lean, steer) in CONFIGURATIONS.items():
        seen = observe(system, {"roll": -math.radians(lean), "steer": math.radians(steer)})
        q = np.array([seen[symbol.name] for symbol in system.layout.coordinates])
        kinematics = forward(Instant(system, q, np.zeros(system.layout.nv)))
        rolling = np.cross(kinematics.poses[kinematics.index("rear_frame")].rotation[:, 1], [0.0, 0.0, 1.0])
        rolling /= np.linalg.norm(rolling)
        rear, front = (np.array([seen[f"{wheel}_point_{axis}"] for axis in "xyz"]) for wheel in ("rear", "front"))
        along = (front - rear) / np.linalg.norm(front - rear)
        lines = {
            "rolling direction of the rear wheel": np.array([rear - 0.5 * rolling, rear + 1.7 * rolling]),
            "line through the contact points": np.array([rear - 0.5 * along, rear + 1.7 * along]),
        }
        found.append(Pose(f"{name}: lean {lean:g}°, steer {steer:g}°", system, q, lines))
    return tuple(found)


POSES = (
    Poses(_configurations, "top", title="Four configurations, from above", source="fig. 2.7"),
    Poses(_configurations, "front", title="Four configurations, in three dimensions", source="fig. 2.8"),
)
EXACT = "round-off: exact by symmetry"
STILL = (
    "mu = 0, no lean: contacts, largest change",
    "no steer: contacts, largest change",
    "no steer: opening, largest",
)

register(
    Computation(
        "bicycle/E0",
        "Contact points over lean and steer, by closing the gaps",
        f"{THESIS}, remark 2.16, figs 2.5 to 2.8",
        aliases=("bicycle/contact-maps",),
        compute=_assembled,
        numbers=(
            *_table_numbers(),
            *digits({"largest opening without lean": "1.797"}, f"{COMPUTED}, E0", "deg"),
            Number("steer of the largest opening", 38.0, 0.5, "a grid of whole degrees", f"{COMPUTED}, E0", unit="deg"),
            *vanishing(STILL, 1e-9, f"{THESIS}, remark 2.16", "deg", EXACT),
        ),
        figures=(*MAPS, *POSES),
    )
)

# -- by the kinematic controller of remark 2.15 -----------------------------------------------------------------

GAIN = 5.0
"""-K_1 = K_phi (1/s): not given in the thesis; one yaw of the prototype was found with 5."""
HELD = 5.0
"""Seconds after which exp(-5 t), 1e-11, no longer shows."""


def _steering(steer: Vector) -> Law:
    """Steer towards a wanted angle, with no roll rate."""
    return lambda t, seen: {"steer_rate": GAIN * (steer - seen["steer"])}


def _leaning(lean: Vector) -> Law:
    """Lean towards a wanted angle with the steer held; the lean is minus our roll."""
    return lambda t, seen: {"roll_rate": GAIN * (-seen["roll"] - lean)}


def _both(lean: Vector, steer: Vector) -> Law:
    """A law that gives the torques of lean and steer at once."""
    return lambda t, seen: _leaning(lean)(t, seen) | _steering(steer)(t, seen)


NAMED = ((18.0, 0.0, 30.0), (18.0, 30.0, 0.0), (18.0, -30.0, 45.0))
"""Configurations A, C and D of the thesis: (mu, lean, steer)."""


def _driven() -> dict[str, float]:
    found: dict[str, float] = {}
    for mu in (18.0, 0.0):
        system = _system(mu)
        places = [place for place in TABLE if place[0] == mu]
        lean, steer = np.radians(np.array([place[1:] for place in places]).T)
        ends = drive(system, [_both(lean, steer)], HELD, step=0.02, batch=len(places))
        for place, seen in zip(places, ends, strict=True):
            found[f"yaw together at {_where(*place)}"] = math.degrees(seen["yaw"])
            found |= {f"{column} at {_where(*place)}": value for column, value in _geometry(system, seen).items()}
    lean, steer = np.radians(np.array([place[1:] for place in NAMED]).T)
    ends = drive(_system(18.0), [_steering(steer), _leaning(lean)], HELD, step=0.02, batch=len(NAMED))
    for place, seen in zip(NAMED, ends, strict=True):
        found[f"yaw in turn at {_where(*place)}"] = math.degrees(seen["yaw"])
    return found


def _yaws(leans: Vector, steers: Vector) -> dict[str, Vector]:
    """Yaw (degrees) that each of the two ways leaves, over a grid of lean and steer."""
    lean, steer = (np.radians(part).ravel() for part in np.meshgrid(leans, steers))
    ways = {"steer first, then lean": [_steering(steer), _leaning(lean)], "both at once": [_both(lean, steer)]}
    found = {}
    for name, laws in ways.items():
        ends = drive(_system(18.0), laws, MAPPED, step=0.02, batch=len(lean))
        found[f"yaw: {name}"] = np.degrees([seen["yaw"] for seen in ends]).reshape(len(steers), len(leans))
    return found


MAPPED = 2.5
"""Seconds after which exp(-5 t), 4e-6, no longer shows in a map."""
A, C, D = (_where(*place) for place in NAMED)

register(
    Computation(
        "bicycle/E0/kinematic",
        "Contact points over lean and steer, by driving the kinematics there",
        f"{THESIS}, remarks 2.15 and 2.16, figs 2.5 to 2.8",
        compute=_driven,
        numbers=(
            *_table_numbers(),
            *digits(
                {
                    f"yaw in turn at {A}": "2.17546",
                    f"yaw in turn at {D}": "3.95066",
                    f"yaw together at {A}": "2.17544",
                    f"yaw together at {D}": "6.63340",
                },
                f"{COMPUTED}, E0",
                "deg",
                1.0,
                UNIT,
            ),
            *vanishing([f"yaw in turn at {C}"], 1e-9, f"{COMPUTED}, E0", "deg", EXACT),
        ),
        figures=(
            Contours(
                _yaws,
                LEANS,
                STEERS,
                "lean (deg)",
                "steer (deg)",
                title="Yaw (deg) that two ways there leave: it depends on the path",
                source="fig. 2.5C",
            ),
        ),
    )
)
