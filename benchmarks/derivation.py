"""Equations of motion from a description: ours against SymPy's method of Kane, for pendulums on a cart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from measure import interleave, repeat, sampler
from peer_mujoco import Floats
from peer_pinocchio import UnavailableError
from report import Figure, Topic, missing, seconds, small

from locomotor import codegen
from locomotor.model import Body, Gravity, Prismatic, Revolute, System
from locomotor.tracing import trace

LINKS = 3
POINT = 1e-12
"""Moment of inertia (kg m²) that stands for none: SymPy's bobs are particles."""


def topic() -> Topic:
    """Measure."""
    what = f"cart with {LINKS} pendulums: SymPy's derivation / ours"
    again = f"cart with {LINKS} pendulums: SymPy's evaluation / ours, called from Python"
    about = (
        "The same system by `sympy.physics.mechanics` (Kane's method, then `lambdify` with common subexpressions and numpy's "
        "`solve`) and by us (derivation to the tape, then C)."
    )
    try:
        derive, evaluate = sympy_pendulums()
    except UnavailableError as reason:
        return Topic("Derivation against SymPy", about, (missing(what, "", reason), missing(again, "", reason)))
    state = np.random.default_rng(0).normal(size=2 * (LINKS + 1))
    theirs, mine = repeat(derive, 3), repeat(lambda: trace(pendulums()).dynamics.tape, 3)
    kernel = codegen.compile(trace(pendulums()).dynamics, target="c")
    bound = kernel.bind(np.zeros(1), state, np.zeros(0), np.zeros(0))
    found = kernel(np.zeros(1), state, np.zeros(0), np.zeros(0))[0]
    wanted = evaluate(state)
    error = float(np.abs(absolute(found) - wanted).max() / np.abs(wanted).max())
    timings = interleave({"ours": sampler(bound), "peer": sampler(lambda: evaluate(state))})
    times = f"{seconds(timings['peer'].median)} against {seconds(timings['ours'].median)}"
    return Topic(
        "Derivation against SymPy",
        about,
        (
            Figure(what, f"{theirs.median / mine.median:.3g}", note=f"{seconds(theirs.median)} against {seconds(mine.median)}"),
            Figure(
                again,
                f"{timings['peer'].over(timings['ours']):.3g}",
                note=f"{times}; rates of the state differ by {small(error)} (relative)",
            ),
        ),
    )


def pendulums() -> System:
    """A cart along x with bobs on massless rods of 1 m along y that turn about z; gravity along -y."""
    bodies = [Body("cart", mass=1.0, inertia=(1.0, 1.0, 1.0))]
    joints: list[Any] = [Prismatic(name="slide", parent="world", child="cart", axis=(1.0, 0.0, 0.0))]
    for i in range(LINKS):
        bodies.append(Body(f"bob_{i}", mass=1.0, com=(0.0, 1.0, 0.0), inertia=(POINT, POINT, POINT)))
        joints.append(
            Revolute(
                name=f"hinge_{i}",
                parent="cart" if i == 0 else f"bob_{i - 1}",
                child=f"bob_{i}",
                at=(0.0, 0.0 if i == 0 else 1.0, 0.0),
                axis=(0.0, 0.0, 1.0),
            )
        )
    return System("pendulums", bodies, joints, forces=(Gravity((0.0, -9.81, 0.0)),))


def absolute(rows: Floats) -> Floats:
    """Angles of the rods against the world from those against each other, for coordinates and velocities alike."""
    halves = np.split(np.asarray(rows), 2)
    return np.concatenate([np.concatenate([half[:1], np.cumsum(half[1:])]) for half in halves])


def sympy_pendulums() -> tuple[Callable[[], Any], Callable[[Floats], Floats]]:
    """SymPy's derivation as a call, and its right-hand side at a state of ours."""
    try:
        import sympy
        from sympy.physics.mechanics.models import n_link_pendulum_on_cart
    except ImportError as error:
        raise UnavailableError(f"SymPy cannot be imported ({error})") from error

    def derive() -> Any:
        sympy.core.cache.clear_cache()
        kane = n_link_pendulum_on_cart(LINKS, cart_force=False)
        return kane, kane.mass_matrix_full, kane.forcing_full

    kane, mass, forcing = derive()
    states = [*kane.q, *kane.u]
    constants = sorted((mass.free_symbols | forcing.free_symbols) - {sympy.Symbol("t")}, key=str)
    numbers = {symbol: 9.81 if str(symbol) == "g" else 1.0 for symbol in constants}
    function = sympy.lambdify(states, [mass.subs(numbers), forcing.subs(numbers)], "numpy", cse=True)

    def evaluate(state: Floats) -> Floats:
        M, f = function(*absolute(state))
        return np.linalg.solve(M, f).ravel()

    return derive, evaluate
