"""Steps in stages, the text of a device compiled for the processor: thread after thread.

Warps have one thread, but for those that solve: there they may have several, which share instances and wait for each other.
"""

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.codegen.cuda.staged import StagedSteps
from locomotor.codegen.cuda.stages import staged_text
from locomotor.codegen.program import Program
from locomotor.simulation.stepping import ContactSettings, SteppedSystem, compile_stepping
from oracles.light_wheels import RADIUS, braked, car

from .test_cuda_contacts import snake

SHIM = """
#include <algorithm>
#include <atomic>
#include <sched.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __restrict__
struct lm_place { int x, y; };
static thread_local lm_place blockIdx, threadIdx, blockDim;
extern "C" void set_place(int b, int y, int t, int d) { blockIdx.x = b, blockIdx.y = y, threadIdx.x = t, blockDim.x = d; }
static inline long long __double_as_longlong(double a) { long long i; memcpy(&i, &a, 8); return i; }
static inline double __longlong_as_double(long long a) { double x; memcpy(&x, &a, 8); return x; }
static inline float __int_as_float(int a) { float x; memcpy(&x, &a, 4); return x; }
static inline double rsqrt(double a) { return 1.0 / sqrt(a); }
static inline float rsqrt(float a) { return 1.0f / sqrtf(a); }
static inline void lm_shim_sincos(double a, double *s, double *c) { *s = sin(a), *c = cos(a); }
static inline void lm_shim_sincos(float a, float *s, float *c) { *s = sinf(a), *c = cosf(a); }
#define sincos(a, s, c) lm_shim_sincos(a, s, c)
#define LM_WARP 1
#define lm_bits_set(bits) __builtin_popcount(bits)
#define lm_lowest(bits) __builtin_ctz(bits)
#define lm_warp_meets()
#define lm_block_meets()
#define LM_SHARED extern
static struct lm_barrier { /* short waits, many of them: a thread that waits lets others run, and does not sleep */
    std::atomic<int> here{0}, round{0};
    void arrive_and_wait() {
        if (LM_LANES == 1) return;
        const int now = round.load();
        if (++here == LM_LANES) {
            here = 0, ++round;
            return;
        }
        while (round.load() == now) sched_yield();
    }
} lm_gate;
template <class T> T *lm_shown(T value) {
    static T slots[LM_LANES];
    slots[threadIdx.x] = value, lm_gate.arrive_and_wait();
    return slots;
}
template <class T> T lm_taken(T value) { return lm_gate.arrive_and_wait(), value; }
static unsigned lm_bits(const int *truths) {
    unsigned bits = 0;
    for (int k = 0; k < LM_LANES; ++k) bits |= (unsigned)(truths[k] != 0) << k;
    return bits;
}
static int lm_add_alone(int32_t *at, int by) { return __sync_fetch_and_add(at, by); }
#define lm_ballot(m) lm_taken(lm_bits(lm_shown((int)(m))))
#define lm_shared_from(value, lane) lm_taken(lm_shown(value)[lane])
#define lm_from_across(value, by) lm_taken(lm_shown(value)[threadIdx.x ^ (by)])
static int lm_most(const int *all) { return *std::max_element(all, all + LM_LANES); }
#define lm_lanes_most(i) lm_taken(lm_most(lm_shown((int)(i))))
#define lm_lanes_meet() lm_gate.arrive_and_wait()
#define lm_add(at, by) lm_add_alone(at, by)
"""
"""What the text asks of a device."""


class Emulated:
    """Starts kernels on the processor; those that need whole warps get warps of one thread."""

    def __init__(self, text: str, folder: Path, lanes: int, share: int) -> None:
        source, library = folder / "emulated.cpp", folder / "emulated.so"
        sizes = f"#define LM_LANES {lanes}\n#define LM_SHARE {share}\n"
        source.write_text(f"{sizes}{SHIM}{text}\nalignas(16) stored lm_near[100000];\n")
        command = ["g++", "-O1", "-std=c++17", "-w", "-shared", "-fPIC", "-pthread", str(source), "-o", str(library)]
        self.lanes = lanes
        subprocess.run(command, check=True)
        self.library = ctypes.CDLL(str(library))
        self.started: set[str] = set()

    def start(self, kernel: str, grid: tuple[int, int], threads: int, arguments: Sequence[Any], shared: int) -> None:
        """All threads of a grid, one after the other."""
        self.started.add(kernel.split("_240_")[-1])
        solves = kernel.endswith("_solve")
        alone = kernel.endswith("_rows")
        function = getattr(self.library, kernel)
        given = [
            ctypes.c_void_p(x.ctypes.data)
            if isinstance(x, np.ndarray)
            else (ctypes.c_int64(int(x)) if isinstance(x, np.int64) else ctypes.c_double(float(x)))
            for x in arguments
        ]

        def lane(block: int, row: int, thread: int, count: int) -> None:
            self.library.set_place(block, row, thread, count)
            function(*given)

        for block in range(grid[0]):
            for row in range(grid[1]):
                if solves and self.lanes > 1:
                    places = [(block, row, k, self.lanes) for k in range(self.lanes)]
                    with ThreadPoolExecutor(self.lanes) as pool:
                        list(pool.map(lambda place: lane(*place), places))
                    continue
                count = 1 if alone or solves else threads
                for thread in range(count):
                    lane(block, row, thread, count)

    def repeat(self, count: int, once: Callable[[], None]) -> None:
        """One after the other."""
        for _ in range(count):
            once()


def rolled_out(
    compiled: SteppedSystem,
    states: np.ndarray,
    steps: int,
    dt: float,
    folder: Path,
    lanes: int = 1,
    share: int = 1,
    lost: int = 0,
    precision: str = "float64",
) -> tuple[np.ndarray, Emulated]:
    """Final states by the text of a device; `lanes` threads of a warp solve, `share` an instance; the first `lost` end."""
    program = Program(compiled.stepping.device_step, compiled.roller.program.manifold)
    made = staged_text(program, precision)
    assert made is not None
    emulated, batch = Emulated(made.text, folder, lanes, share), len(states)
    taken = StagedSteps(made, states.shape[1], precision, emulated, 1)
    states = states.astype(precision)
    nothing = np.zeros((1, compiled.stepping.device_step.inputs[2].size + 1), precision)
    final, status, completed = np.full_like(states, np.nan), np.ones(batch, np.int32), np.zeros(batch, np.int64)
    rollout = (states, nothing, nothing, nothing, final, nothing, status, completed, np.zeros(batch, np.int32))
    numbers = (batch, steps, 0, 1, 0, 0, 0)
    given = (*rollout, *map(np.int64, numbers), np.float64(0.0), np.float64(dt))
    room = taken.room(np, batch)
    taken.begin(room, given, batch)
    taken.steps(room, given, batch, steps)
    taken.end(room, given, batch)
    assert not status[lost:].any() and (completed[lost:] == steps).all() and status[:lost].all()
    return final, emulated


def snakes(compiled: SteppedSystem) -> np.ndarray:
    """States of snakes that fly, stand on some feet, slide, and lie on all twenty: more than are solved near by."""
    names, rng = compiled.state_names, np.random.default_rng(3)
    states = np.zeros((24, len(names)))
    states[:, names.index("qw")] = 1.0
    states[:, names.index("z")] = np.where(np.arange(24) % 4 == 0, 0.2, 0.02)
    states[8:, names.index("speed")] = rng.uniform(-0.6, 0.6, 16)
    states[12:, names.index("roll_rate")] = rng.uniform(-3.0, 3.0, 12)
    states[16:, names.index("yaw_rate")] = rng.uniform(-3.0, 3.0, 8)
    return states


needs_cpp = pytest.mark.skipif(shutil.which("g++") is None, reason="a compiler of C++ is needed")


@needs_cpp
@pytest.mark.slow
@pytest.mark.parametrize("passes", [1, 2])
def test_stages_step_as_the_processor_does(tmp_path: Path, passes: int) -> None:
    compiled = compile_stepping(snake(5), "time-stepping", target="c", settings=ContactSettings(passes=passes))
    states = snakes(compiled)
    found, emulated = rolled_out(compiled, states, 20, 0.002, tmp_path)
    wanted = compiled.rollout(states, 20, 0.002, save_every=0)
    assert not wanted.status.any()
    np.testing.assert_allclose(found, wanted.final, rtol=0, atol=1e-9)
    assert {"rank", "rows", "solve"} <= emulated.started


@needs_cpp
@pytest.mark.slow
@pytest.mark.parametrize(("lanes", "share", "passes"), [(4, 4, 2), (4, 2, 2), (4, 2, 1), (8, 4, 1)])
def test_threads_that_share_an_instance_solve_as_one_does(tmp_path: Path, lanes: int, share: int, passes: int) -> None:
    """Some of them take up another instance while others go on."""
    compiled = compile_stepping(snake(5), "time-stepping", target="c", settings=ContactSettings(passes=passes))
    states = snakes(compiled)[11:18]
    found, _ = rolled_out(compiled, states, 1, 0.002, tmp_path, lanes, share)
    np.testing.assert_allclose(found, compiled.rollout(states, 1, 0.002, save_every=0).final, rtol=0, atol=1e-9)


@needs_cpp
@pytest.mark.slow
@pytest.mark.parametrize(("lanes", "share", "passes"), [(1, 1, 1), (1, 1, 2), (4, 4, 1)])
def test_single_precision_finds_what_double_does(tmp_path: Path, lanes: int, share: int, passes: int) -> None:
    """Its sweeps are run ahead, begin with the impulses of the step before, and end by what the next would change.

    Where many feet slide there is more than one way to share the load, so that only a step of these is compared.
    """
    compiled = compile_stepping(snake(5), "time-stepping", target="c", settings=ContactSettings(passes=passes))
    states = snakes(compiled).astype("float32").astype(float)
    chosen = (
        [(states[:9], 20, 1e-5), (states[9:], 1, 2e-2)]
        if lanes == 1
        else [(states[[1, 5, 8]], 3, 1e-5), (states[11:14], 1, 2e-3)]
    )
    for some, steps, close in chosen:
        found, _ = rolled_out(compiled, some, steps, 0.002, tmp_path, lanes, share, precision="float32")
        np.testing.assert_allclose(found, compiled.rollout(some, steps, 0.002, save_every=0).final, rtol=0, atol=close)


@needs_cpp
@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 4])
def test_an_instance_that_becomes_infinite_leaves_those_solved_after_it_alone(tmp_path: Path, lanes: int) -> None:
    """Entries that no row has belong to a velocity of zero: it was no number any more for what the same threads solved next."""
    compiled = compile_stepping(snake(5), "time-stepping", target="c")
    states = snakes(compiled)[[1, 2, 3, 5, 6]]
    states[0, compiled.state_names.index("yaw_rate")] = 1e120
    found, _ = rolled_out(compiled, states, 3, 0.002, tmp_path, lanes, lanes, lost=1)
    np.testing.assert_allclose(found[1:], compiled.rollout(states[1:], 3, 0.002, save_every=0).final, rtol=0, atol=1e-9)


@needs_cpp
@pytest.mark.slow
def test_stages_end_where_friction_lifts_more_than_the_normal_does(tmp_path: Path) -> None:
    """A rod that leans by arctan 2, comes down at 1 m/s and slides at 10 m/s: N (8/5 + 6/5 mu) = 1."""
    mu, half = 1.8, np.array([0.5, 0.0, 1.0]) / np.sqrt(5.0)
    rod = lm.System(
        "rod",
        bodies=(lm.Body("rod", 1.0, inertia=(1 / 12, 1 / 12, 1 / 12)),),
        joints=(lm.Free(name="base", parent="world", child="rod"),),
        contacts=(lm.StickingPoint("tip", "rod", at=tuple(-half), law=lm.Unilateral(friction=mu)),),
    )
    compiled = compile_stepping(rod, "time-stepping", target="c", settings=ContactSettings(solver="runtime"))
    names, state = compiled.state_names, np.zeros((1, len(compiled.state_names)))
    for name, value in {"z": half[2], "qw": 1.0, "speed": 10.0, "heave_speed": -1.0}.items():
        state[0, names.index(name)] = value
    found, _ = rolled_out(compiled, state, 1, 1e-7, tmp_path)
    normal, change = 1.0 / (1.6 + 1.2 * mu), dict(zip(names, (found - state)[0], strict=True))
    assert [change["heave_speed"], change["speed"]] == pytest.approx([normal, -mu * normal], abs=1e-5)


@needs_cpp
@pytest.mark.slow
@pytest.mark.parametrize(("lanes", "precision", "close"), [(1, "float64", 1e-11), (4, "float64", 1e-11), (1, "float32", 5e-5)])
def test_stages_brake_a_heavy_car_on_light_wheels(tmp_path: Path, lanes: int, precision: str, close: float) -> None:
    """v = v0 - mu g t: wheels of 5 g turn ten thousand times more easily than a car of 100 kg moves aside."""
    compiled = compile_stepping(car(5e-3, False), "time-stepping", target="c", settings=ContactSettings(solver="runtime"))
    names, state, h = compiled.state_names, np.zeros((2, len(compiled.state_names))), 0.004
    for name, value in {"z": RADIUS, "qw": np.cos(0.35), "qz": np.sin(0.35), "sway_speed": 0.3}.items():
        state[:, names.index(name)] = value
    state[1, names.index("speed")] = 0.1
    found, _ = rolled_out(compiled, state, 10, h, tmp_path, lanes, lanes, precision=precision)
    assert found[0, names.index("sway_speed")] == pytest.approx(float(braked(0.3, 10 * h)), abs=close)
    wanted = compiled.rollout(state, 10, h, save_every=0).final
    found[:, -4:], wanted[:, -4:] = RADIUS * found[:, -4:], RADIUS * wanted[:, -4:]  # rates of wheels at their rims
    np.testing.assert_allclose(found, wanted, rtol=0, atol=close)  # single precision sweeps to 1e-5 of what is missing


def test_steps_without_many_contacts_have_no_stages() -> None:
    few = compile_stepping(snake(1), "time-stepping", target="interpreter")
    assert staged_text(few.roller.program, "float32") is None
    assert few.stepping.device_step is few.stepping.step


def test_the_straight_step_on_numbers_is_that_of_the_runtime() -> None:
    """Feet that stand, slide, land within the step, and fly."""
    stepping = compile_stepping(snake(5), "time-stepping", target="interpreter").stepping
    names = [field.name for field in stepping.step.inputs[1].fields]
    for z, heave, speed in ((0.02, 0.0, 0.0), (0.02, -0.1, 0.5), (0.021, -1.0, 0.3), (0.2, 0.0, 0.0)):
        x = np.zeros(len(names))
        given = {"qw": 1.0, "z": z, "heave_speed": heave, "speed": speed, "roll_rate": 0.3 * speed}
        for name, value in given.items():
            x[names.index(name)] = value
        arguments = (np.zeros(1), x, np.zeros(0), np.zeros(stepping.step.inputs[3].size), np.array([0.002]))
        wanted, found = stepping.step(*arguments), stepping.device_step(*arguments)
        for one, other in zip(wanted, found, strict=True):
            np.testing.assert_allclose(np.ravel(other), np.ravel(one), rtol=0, atol=1e-10)
