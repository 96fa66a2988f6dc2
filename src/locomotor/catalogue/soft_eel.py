"""An eel: a soft rod in a plane, bent by muscles whose pull runs from head to tail as a wave, in a fluid at rest.

The fluid acts section by section: an ideal one by the mass that a slice sets in motion across the body, rho pi h²/4 per length
(Lighthill 1971), a viscous one by drags, twice as much across as along (Taylor 1952). A wake takes along what the slice at the
tail has: with m that mass per length and the tail moving at u ahead and w across, Lighthill's force there is m w²/2 ahead and
-m u w across.
"""

from locomotor import checks
from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.checks import choice, flag
from locomotor.model import (
    AddedMass,
    Air,
    CrossSection,
    DistributedForce,
    Fixed,
    FluidDrag,
    Frame,
    Planar,
    Rod,
    Shape,
    Sphere,
    System,
    Wing,
)
from locomotor.model.forces import Force

EEL_FLUIDS = {"ideal": "ideal", "viscous": "viscous"}
SLICES = 6
SLIM = "((1 - 0.95*s**4)*sqrt(1 - exp(-30*s)))"
"""How much narrower than its sections it is drawn towards its ends: a round head and a pointed tail."""
EYES: list[Shape] = [
    Sphere(f"{size}*h", at=(f"(0.06 - 1/{2 * SLICES})*l - {out}*h", f"{side}(0.4*b + {out}*h)", "0.16*h"), colour=colour)
    for side in ("-", "")
    for size, out, colour in ((0.13, 0.0, "light"), (0.085, 0.06, "dark"))
]


def muscles(moment: str = "M", lead: str = "") -> str:
    """Couple per length of a moment M 4 s (1 - s) sin(2 pi (f t - k s) + lead) inside the body, none at its ends."""
    phase = f"(2*pi*(f*t - k*s){lead})"
    return f"{moment}/l*(1 - exp(-4*t))*(4*(1 - 2*s)*sin{phase} - 8*pi*k*s*(1 - s)*cos{phase})"


def _wake() -> Wing:
    """Lighthill's force at the tail, as lift and drag of a section with the area pi h²/2: m = rho/2 times that."""
    return Wing(
        "wake",
        "tail",
        length="h",
        chord="pi*h/2",
        root=(0.0, 0.0, "-h/2"),
        span=(0.0, 0.0, 1.0),
        chord_axis=(-1.0, 0.0, 0.0),
        normal=(0.0, 1.0, 0.0),
        centre=0.0,
        sections=1,
        lift="(cos(alpha)**2 + sin(alpha)**2/2)*sin(alpha)",
        drag="cos(alpha)*sin(alpha)**2/2",
        mechanisms=("translation",),
        air="water",
    )


@checks.door(fluid=choice("both", "ideal", "viscous"), wake=flag)
def soft_eel(fluid: str = "both", wake: bool = False) -> System:
    """The head is at the origin of the body, the tail at x = l; `fluid` is "ideal", "viscous" or "both".

    With `wake` the eel sheds one at its tail, which is most of its thrust; it leaves there as long as the eel swims head first.
    """
    frames = [Frame(f"slice_{k + 1}", shapes=EYES if k == 0 else ()) for k in range(SLICES)]
    welds = [
        Fixed(name=f"{frame.name}_weld", parent="body", child=frame.name, at=(f"{(k + 0.5) / SLICES}*l", 0.0, 0.0))
        for k, frame in enumerate(frames)
    ]
    share = f"l/{SLICES}"
    forces: list[Force] = [DistributedForce("muscles", "body", (0.0, 0.0, 0.0), couple=(0.0, 0.0, muscles()), frame="body")]
    if fluid != "viscous":
        across = f"rho*pi*h**2/4*{share}"
        forces += [AddedMass(f"water_{frame.name}", frame.name, (0.0, across, 0.0, 0.0, 0.0, 0.0)) for frame in frames]
    if fluid != "ideal":
        drags = (f"c*{share}", f"2*c*{share}", 0.0, 0.0, 0.0, 0.0)
        forces += [FluidDrag(f"drag_{frame.name}", frame.name, drags) for frame in frames]
    if wake:
        frames.append(Frame("tail"))
        welds.append(Fixed(name="tail_weld", parent="body", child="tail", at=("l", 0.0, 0.0)))
        forces += [Air("water", "rho", 0.0), _wake()]
    return System(
        "soft_eel" if fluid == "both" else f"soft_eel_{fluid}",
        bodies=(
            Rod(
                "body",
                section=CrossSection(mass="rho*pi*h*b/4", EIz="EI", outline=(f"b*{SLIM}", f"h*{SLIM}"), rounded=True),
                length="l",
                strains={"bend_z": 3},
                points=6,
                damping="damping",
            ),
            *frames,
        ),
        joints=(Planar(name="base", parent="world", child="body"), *welds),
        forces=tuple(forces),
        parameters=parameter_set(
            ("l", 0.5, "m", "length"),
            ("h", 0.04, "m", "height of the sections"),
            ("b", 0.025, "m", "width of the sections"),
            ("rho", 1000.0, "kg/m^3", "density of the eel and of the fluid"),
            ("EI", 0.015, "N m^2", "stiffness against bending"),
            ("damping", 0.05, "s", "time of retardation"),
            ("c", 0.6, "N s/m^2", "drag along the body, per length"),
            ("M", 0.1, "N m", "moment of the muscles"),
            ("f", 1.0, "Hz", "strokes a second"),
            ("k", 1.0, "1", "waves along the body"),
        ),
        grounds=(),
        description="soft eel with a wave of muscles, in a fluid at rest",
    )


BENT_EEL = {"body_bend_z_0": 0.5, "body_bend_z_1": 6.0, "body_bend_z_2": -1.0}
