"""Equations to be read: derived and printed by us, against SymPy's methods of Kane and Lagrange and symbrim, in one run."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

from derivation import LINKS, pendulums
from peer_pinocchio import UnavailableError
from report import Figure, Topic, at_most, missing, seconds

import locomotor as lm

LIMITS = {"snakeboard": 2.0, "rocr": 2.0, "bicycle": 10.0, "arm of 7 joints": 30.0}
"""Seconds of processor time for derivation and printing, parameters symbolic."""


def topic() -> Topic:
    """Measure."""
    about = (
        "`lm.equations(system).latex()`: derivation, normal forms and the complete document, parameters symbolic, in processor "
        "time. Peers form their equations of motion, and print nothing."
    )
    figures: list[Figure] = []
    ours: dict[str, float] = {}
    for name, (system, options) in systems().items():
        start = process_time()
        found = lm.equations(system, **options)
        text = found.latex()
        ours[name] = process_time() - start
        figures.append(at_most(f"{name}: derive and print", ours[name], LIMITS[name], f"{len(text)} characters of LaTeX", " s"))
        note = f"{found.operations} operations printed, {found.function.operations} on the tape"
        figures.append(at_most(f"{name}: printed / tape", found.operations / found.function.operations, 1.5, note))
    start = process_time()
    lm.equations(pendulums())
    pendulum = process_time() - start
    peers: dict[str, tuple[Callable[[], Any], float]] = {
        f"cart with {LINKS} pendulums: SymPy, Kane / ours": (kane, pendulum),
        f"cart with {LINKS} pendulums: SymPy, Lagrange / ours": (lagrange, pendulum),
        "bicycle: symbrim / ours": (symbrim_bicycle, ours["bicycle"]),
    }
    for what, (derive, mine) in peers.items():
        try:
            start = process_time()
            derive()
            theirs = process_time() - start
        except UnavailableError as reason:
            figures.append(missing(what, "", reason))
            continue
        figures.append(Figure(what, f"{theirs / mine:.3g}", note=f"{seconds(theirs)} against {seconds(mine)}"))
    return Topic("Equations in print", about, tuple(figures))


def systems() -> dict[str, tuple[lm.System, dict[str, Any]]]:
    """What is printed, and how."""
    return {
        "snakeboard": (lm.catalogue.snakeboard(), {"where": {"front_steer": "-steer"}}),
        "rocr": (lm.catalogue.rocr(), {"closed": ("grip_1",)}),
        "bicycle": (lm.catalogue.bicycle(), {"where": {"slope": 0}}),
        "arm of 7 joints": (arm(7), {}),
    }


def arm(joints: int) -> lm.System:
    """A redundant arm, axes a quarter turn from each other, every length, mass and inertia a parameter."""
    links, parameters = [], {"g": 9.81}
    for k in range(1, joints + 1):
        turn = "pi/2" if k % 2 else "-pi/2"
        inertia = (f"I{k}", f"I{k}", f"J{k}")
        links.append(lm.DHLink(joint=f"q{k}", d=f"d{k}", alpha=turn, mass=f"m{k}", com=(0.0, f"c{k}", 0.0), inertia=inertia))
        parameters |= {f"d{k}": 0.2, f"m{k}": 2.0, f"c{k}": 0.05, f"I{k}": 0.02, f"J{k}": 0.01}
    return lm.dh("arm", links, gravity=(0.0, 0.0, "-g"), parameters=parameters)


def kane() -> Any:
    """SymPy's method of Kane."""
    try:
        import sympy
        from sympy.physics.mechanics.models import n_link_pendulum_on_cart
    except ImportError as error:
        raise UnavailableError(f"SymPy cannot be imported ({error})") from error
    sympy.core.cache.clear_cache()
    found = n_link_pendulum_on_cart(LINKS, cart_force=False)
    return found.mass_matrix_full, found.forcing_full


def lagrange() -> Any:
    """SymPy's method of Lagrange, the same cart with pendulums."""
    try:
        import sympy as sp
        from sympy.physics.mechanics import LagrangesMethod, Particle, Point, ReferenceFrame, dynamicsymbols
    except ImportError as error:
        raise UnavailableError(f"SymPy cannot be imported ({error})") from error
    sp.core.cache.clear_cache()
    q = dynamicsymbols(f"q:{LINKS + 1}")
    m, lengths, g = sp.symbols(f"m:{LINKS + 1}"), sp.symbols(f"l:{LINKS}"), sp.Symbol("g")
    frame, origin = ReferenceFrame("N"), Point("O")
    origin.set_vel(frame, 0)
    place = origin.locatenew("P0", q[0] * frame.x)
    place.set_vel(frame, q[0].diff() * frame.x)
    particles, potential = [Particle("B0", place, m[0])], sp.Integer(0)
    for k in range(1, LINKS + 1):
        rod = sp.sin(q[k]) * frame.x + sp.cos(q[k]) * frame.y
        place = place.locatenew(f"P{k}", lengths[k - 1] * rod)
        velocity = place.pos_from(origin).dt(frame)
        place.set_vel(frame, velocity)
        particles.append(Particle(f"B{k}", place, m[k]))
        potential += m[k] * g * place.pos_from(origin).dot(frame.y)
    kinetic = sum((body.kinetic_energy(frame) for body in particles), sp.Integer(0))
    method = LagrangesMethod(kinetic - potential, q, frame=frame)
    method.form_lagranges_equations()
    return method.mass_matrix_full, method.forcing_full


def symbrim_bicycle() -> Any:
    """The bicycle of Whipple by symbrim, as its documentation builds it."""
    try:
        import symbrim as sb
        import sympy as sp
    except ImportError as error:
        raise UnavailableError(f"symbrim cannot be imported ({error}); pip install symbrim") from error
    sp.core.cache.clear_cache()
    bike = sb.WhippleBicycle("bicycle")
    bike.front_frame, bike.rear_frame = sb.RigidFrontFrame("front_frame"), sb.RigidRearFrame("rear_frame")
    bike.front_wheel, bike.rear_wheel = sb.KnifeEdgeWheel("front_wheel"), sb.KnifeEdgeWheel("rear_wheel")
    bike.front_tire, bike.rear_tire = sb.NonHolonomicTire("front_tire"), sb.NonHolonomicTire("rear_tire")
    bike.ground = sb.FlatGround("ground")
    bike.define_all()
    system = bike.to_system()
    system.apply_uniform_gravity(-sp.Symbol("g") * bike.ground.get_normal(bike.ground.origin))
    system.q_ind, system.q_dep = [*bike.q[:4], *bike.q[5:]], [bike.q[4]]
    system.u_ind, system.u_dep = [bike.u[3], *bike.u[5:7]], [*bike.u[:3], bike.u[4], bike.u[7]]
    system.validate_system()
    system.form_eoms(constraint_solver="CRAMER")
    return system.mass_matrix, system.forcing
