"""The benchmarks of batches measure what they say: parts that cost little are tried on small sizes."""

import sys
from pathlib import Path

import numpy as np
import pytest

# The benchmarks are a folder of scripts.
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

import batches
import derivation
import run
from fleet import BICYCLE
from peer_mjx import Peer, figures
from peer_mujoco import Vehicle
from peer_pinocchio import UnavailableError
from ride import bicycle, states

from locomotor.analysis.stability.batched import batched_eigenvalues
from locomotor.tracing import trace


def test_the_topics_of_batches_are_run() -> None:
    assert {"batches", "gpu", "derivation"} <= set(run.TOPICS)


def test_the_chart_agrees_with_single_linearisations() -> None:
    system, over = BICYCLE.make(), batches.chart(4)
    found = batched_eigenvalues(system, over)
    # 1e-12: the promise of `batched_eigenvalues` is round-off, and the eigenvalues are simple.
    assert batches.chart_error(system, over, found.eigenvalues, samples=4) < 1e-12
    assert batches.chart_error(system, over, found.eigenvalues + 1.0, samples=1) > 1e-3


def test_the_error_of_a_member_shrinks_with_the_order_of_the_stepper() -> None:
    compiled, start = BICYCLE.compile("auto"), BICYCLE.state()
    coarse, fine = (batches.finer_error(compiled, start, step, steps) for step, steps in ((0.02, 50), (0.01, 100)))
    assert 10.0 < coarse / fine < 25.0  # 16 for an order of 4


def test_pendulums_of_sympy_move_as_ours(rng: np.random.Generator) -> None:
    pytest.importorskip("sympy", reason="sympy is a peer of the benchmarks")
    _, theirs = derivation.sympy_pendulums()
    state = rng.normal(size=2 * (derivation.LINKS + 1))
    dynamics = trace(derivation.pendulums()).dynamics
    found = dynamics.evaluate((np.zeros(1), state, np.zeros(0), np.zeros(0)), 1)[0][0]
    # Our bobs have a moment of inertia of 1e-12 kg m², theirs none: accelerations differ by about that.
    assert np.allclose(derivation.absolute(found), theirs(state), rtol=1e-9, atol=1e-9)


def test_rollouts_of_mujoco_end_where_its_steps_end() -> None:
    pytest.importorskip("mujoco", reason="mujoco is a peer of the benchmarks")
    _, q, v = states(2)
    vehicle = Vehicle(bicycle().system, BICYCLE.step, q[0], v[0])
    ends = vehicle.run(50), vehicle.rollout(3, 50)
    assert np.array_equal(*ends)  # the same steps of the same library
    assert np.linalg.norm(ends[0][:3] - q[0, :3]) > 1.0  # m: a quarter of a second at 4.6 m/s


def test_an_engine_that_finds_no_gpu_is_no_peer_of_one() -> None:
    pytest.importorskip("mujoco", reason="mujoco is a peer of the benchmarks")
    end = states(2)[1][-1, :3]

    def make(batch: int) -> Peer:
        return Peer(lambda steps: np.tile(end, (batch, 1)), "cpu:0")

    with pytest.raises(UnavailableError, match="finds no GPU"):
        figures("MJX", make, (4,), 10, 60.0)
    (figure,) = figures("MJX", make, (4,), 10, 60.0, anywhere=True)
    assert "wrong by 0 m" in figure.note
