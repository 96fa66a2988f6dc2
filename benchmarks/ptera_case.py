"""Two rigid wings that flap in a stream, in PteraSoftware: prints figures of a coarse and a fine mesh as JSON.

It needs `pterasoftware` and nothing of ours, so that a Python of its own may run it.
"""

from __future__ import annotations

import json
import time

import numpy as np

SPAN, CHORD, SPEED, DENSITY = 2.0, 0.5, 10.0, 1.2
"""Length of one wing and chord (m), speed of the stream (m/s), density (kg/m³)."""
FREQUENCY, AMPLITUDE, INCIDENCE = 1.0, 10.0, 5.0
"""Of the beat (Hz, deg), and of the whole to the stream (deg)."""
PANELS = ((3, 6, 25), (4, 10, 40))
"""Panels along the chord and along a wing, and steps a beat: coarse and fine."""
BEATS = 2
APART = 1e-3
"""Of the root of a wing from the plane of symmetry (m): wings that share their root may not move in PteraSoftware."""


def solve(chordwise: int, spanwise: int, steps: int) -> tuple[float, float, float]:
    """Mean and swing of the lift (N) over the last beat, and processor time a beat (s)."""
    import pterasoftware as ps  # type: ignore[import-not-found]

    parts, moves = ps.geometry, ps.movements
    foil = parts.airfoil.Airfoil(name="naca0006")
    how = {"airfoil": foil, "chord": CHORD, "control_surface_symmetry_type": "symmetric"}
    cut = parts.wing_cross_section.WingCrossSection
    root = cut(num_spanwise_panels=spanwise, spanwise_spacing="uniform", **how)
    tip = cut(num_spanwise_panels=None, Lp_Wcsp_Lpp=(0.0, SPAN, 0.0), **how)
    wing = parts.wing.Wing(
        [root, tip], Ler_Gs_Cgs=(0.0, APART, 0.0), symmetric=True,
        symmetryNormal_G=(0.0, 1.0, 0.0), symmetryPoint_G_Cg=(0.0, 0.0, 0.0),
        num_chordwise_panels=chordwise, chordwise_spacing="uniform",
    )  # fmt: skip
    plane = parts.airplane.Airplane([wing], s_ref=2 * SPAN * CHORD, c_ref=CHORD, b_ref=2 * SPAN)
    still = moves.wing_cross_section_movement.WingCrossSectionMovement
    beating = [
        moves.wing_movement.WingMovement(
            base_wing=each,
            wing_cross_section_movements=[still(base_wing_cross_section=c) for c in each.wing_cross_sections],
            ampAngles_Gs_to_Wn_ixyz=(AMPLITUDE, 0.0, 0.0),
            periodAngles_Gs_to_Wn_ixyz=(1.0 / FREQUENCY, 0.0, 0.0),
        )
        for each in plane.wings
    ]
    whole = moves.airplane_movement.AirplaneMovement(base_airplane=plane, wing_movements=beating)
    stream = moves.operating_point_movement.OperatingPointMovement(
        base_operating_point=ps.operating_point.OperatingPoint(rho=DENSITY, vCg__E=SPEED, alpha=INCIDENCE)
    )
    motion = moves.movement.Movement([whole], stream, delta_time=1.0 / (FREQUENCY * steps), num_cycles=BEATS)
    solver = ps.unsteady_ring_vortex_lattice_method.UnsteadyRingVortexLatticeMethodSolver(ps.problems.UnsteadyProblem(motion))
    begin = time.process_time()
    solver.run(prescribed_wake=True, calculate_streamlines=False, show_progress=False)
    taken = time.process_time() - begin
    lift = -np.array([problem.airplanes[0].forces_W[2] for problem in solver.steady_problems])[-steps:]
    return float(lift.mean()), float(np.ptp(lift)), taken / BEATS


if __name__ == "__main__":
    solve(2, 2, 8)  # compiles
    print(json.dumps([solve(*mesh) for mesh in PANELS]))
