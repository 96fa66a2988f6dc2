"""Classical answers of beams: frequencies at rest and spinning, spin-up with and without stiffening, a pendulum that bends."""

import math
import warnings
from collections.abc import Mapping

import numpy as np

from locomotor.catalogue import flexible_pendulum, gait, spinning_beam
from locomotor.figures import Curves
from locomotor.mechanics import AssumedModes
from locomotor.model import CrossSection, Fixed, FlexibleBody, Joint, Planar, Revolute, System
from locomotor.scenarios.registry import Computation, Number, Scenario, register, vanishing
from locomotor.simulation import Run, RunWarning, simulate

BLEVINS = "Blevins (1979), Formulas for Natural Frequency and Mode Shape, table 8-1"
WRIGHT = "Wright, Smith, Thresher and Wang (1982), Vibration modes of centrifugally stiffened beams, J. Appl. Mech. 49"
KANE = "Kane, Ryan and Banerjee (1987), Dynamics of a cantilever beam attached to a moving base"
SIMO = "Simo and Vu-Quoc (1986), On the dynamics of flexible beams under large overall motions, part II, section 4.1"

ROOTS = {
    "clamped-free": (1.8751040687119611, 4.694091132974175, 7.854757438237613, 10.995540734875467, 14.13716839104647,
                     17.278759532088236),
    "free-free": (4.730040744862704, 7.853204624095838, 10.995607838001671, 14.137165491257464, 17.27875965739948,
                  20.42035224562606),
    "pinned-free": (3.926602312047919, 7.068582745628732, 10.210176122813031, 13.351768777754094, 16.493361431346423,
                    19.634954084936207),
}  # fmt: skip
"""Ends -> b of omega = b² sqrt(EI/(m L⁴))."""
SPINS = {2: (4.13731957, 22.61492196), 6: (7.36037302, 26.80908168), 10: (11.20232776, 33.64036585)}
"""Spin -> first two frequencies, by shooting along the beam (tests/oracles/rod_statics.py)."""
SHOT = "computed by shooting along the beam, the problem of Wright, Smith, Thresher and Wang (1982)"


def _carried(ends: str) -> tuple[FlexibleBody, Joint]:
    """A beam of unit length, mass and stiffness, with the joint that makes its ends what they are."""
    section = CrossSection(mass=1.0, EIz=1.0)
    if ends == "clamped-free":
        return FlexibleBody("beam", 1.0, section, bending_y=6), Fixed(name="base", parent="world", child="beam")
    if ends == "free-free":
        return FlexibleBody("beam", 1.0, section, bending_y=6, modes=ends), Planar(name="base", parent="world", child="beam")
    beam = FlexibleBody("beam", 1.0, section, bending_y=18, modes="polynomial")
    return beam, Revolute(name="base", parent="world", child="beam", axis=(0.0, 0.0, 1.0))


def _frequencies() -> Mapping[str, float]:
    from locomotor.analysis import linearise

    found: dict[str, float] = {}
    for ends in ROOTS:
        beam, joint = _carried(ends)
        values = np.linalg.eigvals(linearise(System(ends, [beam], [joint])).A)
        rates = np.sort(values.imag[values.imag > 1.0])
        found |= {f"{ends}, mode {k + 1}": float(np.sqrt(rate)) for k, rate in enumerate(rates[:6])}
    return found


register(
    Computation(
        "beam/frequencies",
        "First six frequencies of a beam, clamped, free and pinned, from the linearised equations",
        BLEVINS,
        compute=_frequencies,
        numbers=tuple(
            Number(
                f"{ends}, mode {k + 1}",
                root,
                5e-7 * root,
                "1e-6 of the frequency; pinned ends converge with polynomials",
                BLEVINS,
            )
            for ends, roots in ROOTS.items()
            for k, root in enumerate(roots)
        ),
    )
)


def _spinning(spin: float, plane: str, stiffening: bool = True) -> np.ndarray:
    """Squares of the first two frequencies over EI/(m L⁴), at a spin in the same unit."""
    section = CrossSection(mass=1.0, EIy=1.0, EIz=1.0)
    shapes = {"bending_y": 8} if plane == "y" else {"bending_z": 8}
    soft = AssumedModes(FlexibleBody("beam", 1.0, section, modes="polynomial", stiffening=stiffening, **shapes))  # type: ignore[arg-type]
    omega, h = np.array([0.0, 0.0, spin]), 1e-6
    ends = [[soft.bias(sign * h * e, 0.0 * e, omega, {})[1] for sign in (1.0, -1.0)] for e in np.eye(8)]
    K = np.array([(up - down) / (2.0 * h) for up, down in ends])
    return np.sort(np.linalg.eigvals(np.linalg.solve(soft.mass(np.zeros(8), {}), K)).real)[:2]


def _stiffened() -> Mapping[str, float]:
    found: dict[str, float] = {}
    for spin in SPINS:
        first, second = np.sqrt(_spinning(spin, "z"))
        found |= {f"spin {spin}, mode 1": float(first), f"spin {spin}, mode 2": float(second)}
        found[f"spin {spin}, in the plane less out of it"] = float(_spinning(spin, "y")[0] - _spinning(spin, "z")[0] + spin**2)
    found["spin 4 without stiffening, square of mode 1"] = float(_spinning(4.0, "y", False)[0])
    return found


register(
    Computation(
        "spinning_beam/frequencies",
        "Out-of-plane frequencies of a beam that spins about its clamped end, over sqrt(EI/(m L^4))",
        WRIGHT,
        compute=_stiffened,
        numbers=(
            *(
                Number(f"spin {spin}, mode {k + 1}", value, 1e-5, "eight polynomials", SHOT)
                for spin, values in SPINS.items()
                for k, value in enumerate(values)
            ),
            *vanishing(
                [f"spin {spin}, in the plane less out of it" for spin in SPINS],
                1e-6,
                f"{WRIGHT}: the squares differ by that of the spin",
                reason="differences at 1e-6",
            ),
            Number(
                "spin 4 without stiffening, square of mode 1", 1.8751040687119611**4 - 16.0, 1e-5, "differences at 1e-6",
                f"{KANE}: linear kinematics soften, omega^2 - Omega^2",
            ),
        ),
    )
)  # fmt: skip


def _spun(run: Run) -> dict[str, float]:
    """Deflection and stretch of the end after the spin-up, when little of the swinging is left."""
    late = run.time > 15.0
    bent = np.sum([run[f"beam_y{k}"] for k in (1, 2, 3)], axis=0)
    long = np.sum([run[f"beam_stretch{k}"] for k in (1, 2, 3)], axis=0)
    return {
        "mean stretch of the end": float(np.mean(long[late])),
        "largest deflection of the end": float(np.abs(bent).max()),
        "largest deflection after the spin-up": float(np.abs(bent[late]).max()),
        "deflection lags behind the spin": float(np.sign(bent[np.abs(bent).argmax()])),
    }


register(
    Scenario(
        "spinning_beam/spin_up",
        "A beam is spun up to 6 rad/s, beyond its first frequency of 3.8 rad/s at rest",
        f"{SIMO}; {KANE}",
        system=spinning_beam,
        settings={"duration": 20.0, "step": 2.5e-4, "motions": gait("spinning_beam", "spin_up")},
        measure=_spun,
        numbers=(
            Number(
                "mean stretch of the end", 1.2 * 36.0 * 1000.0 / (3.0 * 2.8e7), 2e-6, "what still swings after the spin-up",
                f"{SIMO}; closed form rho_A Omega^2 L^3/(3 EA)", unit="m",
            ),
            Number("deflection lags behind the spin", -1.0, 1e-12, "a sign", SIMO),
        ),
        figures=(Curves(("hub_rate", "beam_y1", "beam_stretch1"), title="Spin, deflection and stretch"),),
    )
)  # fmt: skip


def _softened() -> Mapping[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # it bends too far, which is what is shown
        run = simulate(spinning_beam(stiffening=False), 20.0, motions=gait("spinning_beam", "spin_up"), step=2.5e-4)
    return {"deflection exceeds the length": float(np.nanmax(np.abs(run["beam_y1"])) > 10.0)}


register(
    Computation(
        "spinning_beam/softening",
        "The same without stiffening: linear kinematics miss the tension, and the deflection grows without bound",
        KANE,
        compute=_softened,
        numbers=(Number("deflection exceeds the length", 1.0, 1e-12, "it does or it does not", KANE),),
    )
)


def _swung(run: Run) -> dict[str, float]:
    gone = float(run.energy[0] - run.energy[-1])
    return {"energy less what damping took": float(run.audit()["energy_balance"]), "damping took energy": float(gone > 0.0)}


def _rigid() -> Mapping[str, float]:
    """Frequency of small swings as the strip becomes stiff: that of the rigid pendulum."""
    from locomotor.analysis import linearise

    values = np.linalg.eigvals(linearise(flexible_pendulum().with_parameters(E=4e12)).A)
    slow = float(np.abs(values).min())
    m_s, m, L = 1100.0 * 0.03 * 0.008 * 0.6, 0.15, 0.6
    inertia = m_s * (L**2 / 3.0 + (0.008**2) / 12.0) + m * (L**2 + 0.4 * 0.04**2)
    return {"frequency over that of the rigid pendulum": slow / math.sqrt(9.81 * (m_s * L / 2.0 + m * L) / inertia)}


register(
    Scenario(
        "flexible_pendulum/swing",
        "A bob on a plastic strip swings from 1 rad",
        "Balance of energy and work",
        system=flexible_pendulum,
        settings={"duration": 3.0, "step": 2e-4, "start": {"hinge": 1.0}},
        measure=_swung,
        numbers=(
            *vanishing(["energy less what damping took"], 1e-10, "balance of energy", reason="RK4 at a step of 0.2 ms"),
            Number("damping took energy", 1.0, 1e-12, "it does or it does not", "a damping ratio of 0.01"),
        ),
        figures=(Curves(("hinge", "strip_z1", "strip_z2"), title="Swing and deflection"),),
    )
)

register(
    Computation(
        "flexible_pendulum/rigid_limit",
        "Small swings of a strip that is stiff",
        "Compound pendulum",
        compute=_rigid,
        numbers=(
            Number("frequency over that of the rigid pendulum", 1.0, 1e-5, "the strip still bends by 1e-6", "sqrt(m g d/I)"),
        ),
    )
)
