"""The list of ready systems by name, which the command line reads: adding a line here is enough."""

import math
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from typing import Any

from locomotor import checks
from locomotor.catalogue.beams import SPIN_UP, flexible_pendulum, spinning_beam
from locomotor.catalogue.belkhiri_bicycle import BELKHIRI_BICYCLE_GAITS, belkhiri_bicycle
from locomotor.catalogue.bicycle import BICYCLE_RIDING, SKATE_RIDING, bicycle
from locomotor.catalogue.bicycle_parameters import PUBLISHED
from locomotor.catalogue.bouncing_ball import bouncing_ball
from locomotor.catalogue.bowling_ball import bowling_ball
from locomotor.catalogue.bricard import bricard
from locomotor.catalogue.cart_pendulum import CART_PENDULUM_GAITS, cart_pendulum
from locomotor.catalogue.chair import chair
from locomotor.catalogue.compass_biped import compass_biped
from locomotor.catalogue.compass_walker import GARCIA_CYCLE, compass_walker
from locomotor.catalogue.cylinder_on_incline import TREATMENTS, cylinder_on_incline
from locomotor.catalogue.delta_robot import DELTA_GAITS, delta_robot
from locomotor.catalogue.double_pendulum import SWINGING, double_pendulum
from locomotor.catalogue.dry_snake import SLITHERING, dry_snake
from locomotor.catalogue.elastic_snakeboard import ELASTIC_GAITS, elastic_snakeboard
from locomotor.catalogue.elliptic_pendulum import elliptic_pendulum
from locomotor.catalogue.elroy_beanie import ELROY_BEANIE_GAITS, elroy_beanie
from locomotor.catalogue.euler_disc import WOBBLING, euler_disc
from locomotor.catalogue.eva_bench import eva_bench
from locomotor.catalogue.falling_cat import falling_cat, falling_cat_gaits
from locomotor.catalogue.falling_plate import falling_plate
from locomotor.catalogue.flexible_fork import flexible_fork_bicycle
from locomotor.catalogue.follower_column import follower_column
from locomotor.catalogue.four_bar import four_bar
from locomotor.catalogue.four_bar_row import HANGING, four_bar_row
from locomotor.catalogue.free_rigid_body import TURNING_OVER, free_rigid_body
from locomotor.catalogue.geared_robot import GEARED_GAITS, geared_robot
from locomotor.catalogue.governor import governor
from locomotor.catalogue.hopper import hopper
from locomotor.catalogue.insects import fruit_fly, hawkmoth
from locomotor.catalogue.jumping_elastica import bent_elastica, jumping_elastica
from locomotor.catalogue.leaning_rod import falling_rod, leaning_rod
from locomotor.catalogue.measured_bicycles import MEASURED, RIDER, RIDERS, value_of
from locomotor.catalogue.micro_flyer import micro_flyer
from locomotor.catalogue.ornithopter import CRUISE, ornithopter
from locomotor.catalogue.painleve_rod import SLIDING, painleve_rod
from locomotor.catalogue.pinched_capsule import CAUGHT, pinched_capsule
from locomotor.catalogue.rattleback import SPUN, rattleback
from locomotor.catalogue.rimless_wheel import rimless_wheel
from locomotor.catalogue.robot_2r import robot_2r
from locomotor.catalogue.rocr import rocr
from locomotor.catalogue.satellite import SATELLITE_GAITS, satellite
from locomotor.catalogue.segmented_flyer import segmented_flyer
from locomotor.catalogue.skidding_bicycle import SKIDDING, skidding_bicycle
from locomotor.catalogue.slider_crank import slider_crank
from locomotor.catalogue.snakeboard import SNAKEBOARD_GAITS, snakeboard
from locomotor.catalogue.soft_eel import BENT_EEL, EEL_FLUIDS, soft_eel
from locomotor.catalogue.soft_manipulator import soft_manipulator
from locomotor.catalogue.soft_snake import SLITHERING_WAVE, WINDING, sidewinder, soft_snake
from locomotor.catalogue.squeezer import squeezer
from locomotor.catalogue.steering import steering
from locomotor.catalogue.stewart_platform import STEWART_GAITS, stewart_platform
from locomotor.catalogue.strandbeest import strandbeest_leg
from locomotor.catalogue.strandbeest_walker import strandbeest
from locomotor.catalogue.supported_bar import supported_bar
from locomotor.catalogue.suspension import suspension
from locomotor.catalogue.suture_thread import suture_thread
from locomotor.catalogue.swimmer import SCALLOP_GAITS, SWIMMER_GAITS, scallop, swimmer
from locomotor.catalogue.three_balls import three_balls
from locomotor.catalogue.three_link_biped import three_link_biped
from locomotor.catalogue.torsion_flyer import torsion_flyer
from locomotor.catalogue.trident_snake import TRIDENT_SNAKE_GAITS, trident_snake
from locomotor.catalogue.trikke import TRIKKE_GAITS, trikke
from locomotor.catalogue.tumbling_box import TOSSED, tumbling_box
from locomotor.catalogue.two_wheel_platform import PLATFORM_GAITS, PLATFORM_RIDING, two_wheel_platform, unicycle
from locomotor.catalogue.wheeled_snake import WHEELED_SNAKE_GAITS, wheeled_snake
from locomotor.catalogue.woodpecker import PECKING, woodpecker
from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import UnknownNameError
from locomotor.model import Riding, System
from locomotor.names import suggestion

Gaits = Mapping[str, Mapping[str, str]]
"""Gait -> joint -> law of time, as `simulate(motions=...)` takes it."""


@checks.doors
@dataclass(frozen=True)
class Ready:
    """A system ready to use: its name, what it is, how it is made, and how it moves."""

    name: str
    title: str
    make: Callable[[], System]
    gaits: Gaits = field(default_factory=dict)
    """Laws of its joints to drive it with."""
    cycle: Mapping[str, Any] = field(default_factory=dict)
    """Arguments with which `find_cycle` finds its usual cycle, `guess` among them; nothing for one that is driven."""
    start: Mapping[str, float] = field(default_factory=dict)
    """A start worth watching, where there is one better than that of its usual cycle."""
    pose: Mapping[str, float] = field(default_factory=dict)
    """Coordinates for a picture, where the nominal pose shows little."""
    step: float | None = None
    """Seconds a step of a live page, where its usual one is too long."""
    duration: float | None = None
    """Seconds that a live page shows at first, where what is worth watching is over soon."""
    riding: Riding | None = None
    """The inputs that keys drive on a live page, and a balance that helps."""

    @property
    def beginning(self) -> dict[str, Any]:
        """`start` and `closed` of a run worth watching, as `simulate` takes them; nothing where none is known."""
        start = dict(self.start or self.cycle.get("guess", {}))
        return ({"start": start} if start else {}) | ({"closed": self.cycle["closed"]} if "closed" in self.cycle else {})


@checks.fitting
def measured() -> tuple[Ready, ...]:
    """Systems that differ from another of the catalogue by their numbers only: measured bicycles and their riders."""
    alone = (Ready(f"bicycle/{name}", PUBLISHED[name][1], partial(bicycle, name), riding=_riding_of(name)) for name in MEASURED)
    title = f"The same with the rider {RIDER}"
    ridden = (
        Ready(f"bicycle/{name}+{RIDER}", title, partial(bicycle, name, rider=RIDER), riding=_riding_of(name)) for name in RIDERS
    )
    return (*alone, *ridden)


def _riding_of(bicycle_name: str) -> Riding:
    """How a bicycle is ridden; one whose rear wheel is a skate has no pedals."""
    return SKATE_RIDING if value_of(PUBLISHED[bicycle_name][0]["rR"]) == 0.0 else BICYCLE_RIDING


@checks.fitting
def systems() -> tuple[Ready, ...]:
    """Every ready system; those that differ by measured numbers only are in `measured`."""
    return (
        *(
            Ready(f"bicycle/{name}", f"Whipple bicycle; {source}", partial(bicycle, name), riding=_riding_of(name))
            for name, (_, source) in PUBLISHED.items()
            if name not in MEASURED
        ),
        Ready(
            "bicycle/SE2",
            "Whipple bicycle carried by its rear contact point: SE(2) x shape, 5 constraints",
            partial(bicycle, base="SE2"),
            riding=BICYCLE_RIDING,
        ),
        Ready(
            "bicycle/unilateral",
            "Whipple bicycle whose wheels leave the ground and hit it; Mauny 2018, chapter 4",
            partial(bicycle, "mauny2018", contacts="unilateral"),
            riding=BICYCLE_RIDING,
        ),
        Ready(
            "belkhiri_bicycle/printed",
            "Bicycle with approximate contacts; Belkhiri 2013, section 3.6.2",
            belkhiri_bicycle,
            BELKHIRI_BICYCLE_GAITS,
        ),
        Ready(
            "belkhiri_bicycle/consistent",
            "The same with its hubs above the ground by their radius",
            partial(belkhiri_bicycle, consistent=True),
            BELKHIRI_BICYCLE_GAITS,
        ),
        Ready(
            "flexible_fork_bicycle",
            "Whipple bicycle whose fork bends sideways: it wobbles",
            flexible_fork_bicycle,
            start={"speed": 5.0, "blades_y1": 1e-3},
            pose={"steer": 0.6, "blades_y1": 0.1},  # seen to turn and to bend
            riding=BICYCLE_RIDING,
        ),
        Ready(
            "skidding_bicycle",
            "Whipple bicycle that is braked too hard: it skids and falls",
            skidding_bicycle,
            start=SKIDDING,
            pose={"steer": -0.7},  # else it looks like any bicycle
            duration=1.2,
            riding=BICYCLE_RIDING,
        ),
        *_locomotion(),
        *_intermittent(),
        *_flying(),
    )


def _flying() -> tuple[Ready, ...]:
    """What flies, or falls through air."""
    return (
        Ready("segmented_flyer", "Vehicle with soft wings of 4 segments, 17 bodies; Belkhiri 2013", segmented_flyer, step=2e-5),
        Ready("torsion_flyer", "Three bodies, wings that twist; Belkhiri 2013, chapter 4", torsion_flyer),
        Ready("fruit_fly", "Fruit fly that hovers; Fry et al. 2005", fruit_fly),
        Ready("hawkmoth", "Hawkmoth that hovers; Berman and Wang 2007", hawkmoth),
        Ready("micro_flyer", "80 mg flyer with passive pitch, after the RoboBee", micro_flyer),
        Ready("eva_bench", "EVA's wing on its bench", eva_bench),
        Ready("falling_plate/flutter", "Card that flutters as it falls", falling_plate, start={"yaw": 0.4}),
        Ready("falling_plate/tumble", "Card that tumbles as it falls", partial(falling_plate, "tumble"), start={"yaw": 0.4}),
        Ready("ornithopter", "Ornithopter with passive twist and a tail", ornithopter, start=CRUISE),
    )


def _intermittent() -> tuple[Ready, ...]:
    """Systems whose contacts open and close."""
    return (
        Ready("bouncing_ball", "Ball that bounces on a floor", bouncing_ball, start={"z": 1.1}),
        Ready("bowling_ball", "Ball thrown along a lane: slips, then rolls", bowling_ball, start=THROWN, duration=2.4),
        Ready("leaning_rod", "Rod that leans on a wall, with friction", leaning_rod, start=LEANING, duration=1.5),
        Ready("falling_rod", "Rod that falls over on rough ground", falling_rod, start=UPRIGHT),
        Ready("supported_bar", "Bar on two supports, hit by a ball (Glocker)", supported_bar, start=BALL_ABOVE),
        Ready(
            "three_balls",
            "Three balls in a row, the first strikes",
            three_balls,
            start={"first": -0.4, "first_rate": 1.0},
            duration=1.0,
        ),
        Ready("rimless_wheel", "Spokes that strike a slope in turn", rimless_wheel, cycle=WHEEL_STEP),
        Ready("compass_walker", "Simplest walking model; Garcia et al. 1998", compass_walker, cycle=WALKER_STEP),
        Ready("compass_biped", "Compass biped whose foot strikes; Génot 1998", compass_biped, start={"up": 0.2}),
        Ready("three_link_biped", "Biped of two legs and a trunk; Génot 1998", three_link_biped, start={"up": 0.05}),
        Ready("tumbling_box", "Box thrown on a floor: tumbles, slides and rests", tumbling_box, start=TOSSED),
        Ready("painleve_rod", "Rod that slides on one end: Painlevé's paradox", painleve_rod, start=SLIDING),
        Ready("chair", "Chair on four legs, with friction", chair, start=SHOVED, duration=2.0),
        Ready(
            "pinched_capsule", "Capsule that falls between two jaws, which hold it", pinched_capsule, start=CAUGHT, duration=1.0
        ),
        Ready("euler_disc", "Coin that wobbles on a table", euler_disc, start=WOBBLING),
        Ready("rattleback", "Stone that turns back; Kane and Levinson 1982", rattleback, start=SPUN),
        Ready("woodpecker", "Woodpecker toy: slides down a pole in steps; Glocker 1995", woodpecker, cycle=PECK, start=PECKING),
        Ready("dry_snake", "Snake on dry ground: it wriggles, slides and stops", dry_snake, start=SLITHERING),
        Ready("hopper", "Hopper on a spring, SLIP; Seyfarth et al. 2002", hopper, cycle=HOP),
        Ready("rocr", ROCR, rocr, start=CLIMBING, pose={"yaw": -0.5 * math.pi, "swing": 0.6}),
    )


def _locomotion() -> tuple[Ready, ...]:
    """Systems that move by changing their shape."""
    return (
        Ready("satellite", "Free body turned by three rotors", satellite, SATELLITE_GAITS),
        *(
            Ready(f"falling_cat/{n}", f"Falling cat of {n} segments", partial(falling_cat, n), falling_cat_gaits(n))
            for n in (2, 4)
        ),
        Ready("elroy_beanie", "Planar body with a rotor: a flat connection", elroy_beanie, ELROY_BEANIE_GAITS),
        Ready(
            "two_wheel_platform",
            "Differential drive: two driven wheels",
            two_wheel_platform,
            PLATFORM_GAITS,
            riding=PLATFORM_RIDING,
        ),
        Ready("unicycle", "Differential drive with a castor that follows", unicycle, PLATFORM_GAITS, riding=PLATFORM_RIDING),
        Ready("trident_snake", "Plate with three legs on wheels", trident_snake, TRIDENT_SNAKE_GAITS),
        Ready("wheeled_snake/8", "Snake ACM-III of 8 modules on skates", wheeled_snake, WHEELED_SNAKE_GAITS),
        Ready(
            "wheeled_snake/8_with_wheels",
            "Snake ACM-III of 8 modules on rolling wheels",
            partial(wheeled_snake, wheels=True),
            WHEELED_SNAKE_GAITS,
        ),
        Ready("snakeboard", "Snakeboard with opposite axles and a rotor", snakeboard, SNAKEBOARD_GAITS),
        Ready("elastic_snakeboard", "Snakeboard with two elastic beams for a rotor", elastic_snakeboard, ELASTIC_GAITS),
        Ready("flexible_pendulum", "Pendulum with a plastic strip that bends", flexible_pendulum, start={"hinge": 1.0}),
        Ready("spinning_beam", "Beam that is spun up about one end", spinning_beam, SPIN_UP, step=2.5e-4),
        Ready("trikke", "Trikke: three wheels and a rider who swings", trikke, TRIKKE_GAITS),
        Ready("cart_pendulum", "Cart on two driven wheels with a pendulum", cart_pendulum, CART_PENDULUM_GAITS),
        Ready("four_bar", "Four-bar linkage: crank, coupler and rocker", four_bar, start={"crank_rate": 12.0}),
        Ready("four_bar_row", "Four-bar linkages side by side", four_bar_row, start=HANGING),
        Ready("slider_crank", "Slider-crank: crank, connecting rod and slider", slider_crank, start={"crank_rate": 8.0}),
        Ready(
            "squeezer",
            "Andrews' squeezing mechanism: seven bodies, three loops",
            squeezer,
            start={"beta_rate": 0.0},
            step=1e-5,  # its crank comes to a thousand radians a second
            duration=0.03,
        ),
        Ready("bricard", "Bricard's mechanism: six bars in a ring, over-constrained", bricard),
        Ready("governor", "Flyball governor", governor, start={"shaft_rate": 8.0}),
        Ready("strandbeest_leg", "Leg of a Strandbeest", strandbeest_leg, start={"crank_rate": 6.0}),
        Ready("strandbeest", "Strandbeest that walks: six legs on one crankshaft", strandbeest),
        Ready("stewart_platform", "Stewart platform: a plate on six legs", stewart_platform, STEWART_GAITS),
        Ready("delta_robot", "Delta robot: three arms, three pairs of rods", delta_robot, DELTA_GAITS),
        Ready(
            "geared_robot", "Robot of four joints behind gears", geared_robot, GEARED_GAITS, pose={"tilt": -0.5, "wrist": 0.9}
        ),
        Ready("steering", "Ackermann's steering: two knuckles and a tie rod", steering, start={"left_rate": 1.0}),
        Ready("suspension", "Corner of a car: wishbones, wheel, spring and damper", suspension, start={"heave": 0.3}),
        Ready("soft_manipulator", "Soft arm with three tendons", soft_manipulator, start=BENT_ARM, pose=BENT_ARM),
        Ready(
            "follower_column", "Beck's column under a load that follows", follower_column, start=BENT_COLUMN, pose=BENT_COLUMN
        ),
        Ready(
            "suture_thread", "Surgeon's thread of steel", suture_thread, pose={"thread_bend_y_0": 2.0, "thread_bend_z_0": 1.5}
        ),
        Ready("soft_eel", "Soft eel in water", soft_eel, pose=BENT_EEL),
        *(
            Ready(f"soft_eel/{f}", f"Soft eel, {word} fluid", partial(soft_eel, f), pose=BENT_EEL)
            for f, word in EEL_FLUIDS.items()
        ),
        Ready("soft_snake", "Soft snake on keels", soft_snake, pose=SLITHERING_WAVE, step=2e-3),
        Ready("sidewinder", "Soft snake that winds sideways", sidewinder, pose=WINDING, step=5e-4),
        Ready("jumping_elastica", "Strip that jumps", jumping_elastica, start=bent_elastica(), pose=bent_elastica(), step=5e-4),
        Ready("elliptic_pendulum", "Euler's elliptic pendulum", elliptic_pendulum, start={"theta": 1.0}),
        Ready("double_pendulum", "Double pendulum in space, hinges at right angles", double_pendulum, start=SWINGING),
        Ready("free_rigid_body", "Free rigid body: turns over about its middle axis", free_rigid_body, start=TURNING_OVER),
        Ready("robot_2r", "Planar robot of two turning joints", robot_2r, pose={"shoulder": 0.3, "elbow": 0.7}),
        *(
            Ready(f"cylinder_on_incline/{way}", f"Cylinder on an incline: {words}", partial(cylinder_on_incline, way))
            for way, words in TREATMENTS.items()
        ),
        *(
            Ready(f"swimmer/{f}", f"Fish of three links, {word} fluid", partial(swimmer, f), SWIMMER_GAITS)
            for f, word in FLUID_WORDS.items()
        ),
        *(
            Ready(f"scallop/{f}", f"Scallop of two shells, {word} fluid", partial(scallop, f), SCALLOP_GAITS, pose=HALF_OPEN)
            for f, word in FLUID_WORDS.items()
        ),
    )


HALF_OPEN = {"valve": 2.2}
"""A scallop as one knows it; its gaits open it so far that it lies flat."""
ROCR = "ROCR, a climbing robot with two grips and a tail; Mauny 2018, section 1.7"
CLIMBING = {"yaw": 3.1306682140601327, "yaw_rate": 6.8250652923126625}
"""On its stable cycle, with the phase that the robot has unless another is given."""
SHOVED = {"speed": -2.0, "yaw_rate": 3.0}
THROWN = {"x_rate": 8.0, "spin_wx": 10.0, "spin_wy": 0.0, "spin_wz": 0.0}
BENT_ARM = {"arm_bend_y_0": 4.0, "arm_bend_y_1": -3.0, "arm_bend_z_0": 2.0}
BENT_COLUMN = {"column_bend_y_0": 0.3}
LEANING = {"pitch": -0.7, "up": math.sin(0.7), "forward": -math.cos(0.7)}
UPRIGHT = {"pitch": -1.4, "up": math.sin(1.4)}
BALL_ABOVE = {"along": 0.3, "height": 0.5}
PECK = {"guess": PECKING, "section": "beak impact", "step": 2e-4, "settle": 4, "longest": 1.0}
WHEEL_STEP = {"guess": {"pitch_rate": 1.5}, "section": "impact", "step": 0.005}
WALKER_STEP = {
    "guess": GARCIA_CYCLE,
    "section": "impact",
    "closed": ("foot_a",),
    "symmetry": {"leg_b": "leg_a", "leg_a_rate": "leg_b_rate", "leg_b_rate": "leg_a_rate"},
    "step": 0.005,
}
"""One step: the legs have changed places at its end."""
HOP = {"guess": {"forward_rate": 5.0, "up": 1.0}, "section": "up_rate falling", "settle": 20, "tolerance": 3e-5}
"""From one highest point to the next. Its small foot takes a little energy at every landing, which the tolerance allows."""

FLUID_WORDS = {"ideal": "ideal", "stokes": "viscous"}


@checks.fitting
def system(name: str) -> System:
    """A ready system by name; a family's name alone, such as "bicycle", gives its first member."""
    return ready(name).make()


@checks.fitting
def gait(system: str, name: str) -> dict[str, str]:
    """A gait of a ready system, for `simulate(..., motions=gait("snakeboard", "drive"))`."""
    known = ready(system).gaits
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError(f"{system} has no gait {shown(name)}: {suggestion(name, known)}")
    return dict(known[name])


@checks.fitting
def ready(name: str) -> Ready:
    """The entry of a ready system; a family's name alone gives its first member."""
    known = {entry.name: entry for entry in (*systems(), *measured())}
    if isinstance(name, str):
        family = [entry for entry in known.values() if entry.name.startswith(f"{name}/")]
        if name in known:
            return known[name]
        if family:
            return family[0]
    raise UnknownNameError(f"no system is named {shown(name)}: {suggestion(name, known)}")
