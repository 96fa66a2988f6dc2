"""Friction and contacts that could only be followed wrongly are refused by name."""

import math

import pytest

import locomotor as lm
from locomotor.errors import AxisError, ContactLawError, RunFileError
from locomotor.model.contacts.jumps import jump_of


def block(friction, **law):
    return lm.System(
        "block",
        bodies=(lm.Body("block", 1.0, inertia=(1.0, 1.0, 1.0)),),
        joints=(lm.Translation(name="base", parent="world", child="block"),),
        contacts=(lm.StickingPoint("foot", "block", (0.0, 0.0, 0.0), law=lm.Unilateral(friction=friction, **law)),),
        forces=(lm.Gravity((0.0, 0.0, -9.81)),),
        parameters={"edge": 0.5},
    )


@pytest.mark.parametrize("friction", ["0.3 if slip<0.5 else 0.1", "0.3 if slip < edge else 0.1", "0.2 - 0.1*sign(slip - 0.5)"])
def test_a_coefficient_that_jumps_with_the_slip_is_refused(friction):
    with pytest.raises(ContactLawError, match=r"friction jumps at a slip of 0\.5 m/s, from 0\.3 to 0\.1"):
        block(friction)


@pytest.mark.parametrize(
    "friction",
    [
        "0.2 + 0.1*exp(-slip/0.05)",
        "0.3 - 0.2*smooth_step(slip, 0.5, 0.501)",
        "min(0.5, 0.1 + slip)",
        "0.2 + 0.1*exp(-slip/1e-4)",
    ],
)
def test_coefficients_without_a_jump_are_taken(friction):
    block(friction)


def test_jumps_are_found_where_they_are():
    for at in (1e-4, 0.0123, 0.7, 42.0):
        speed, below, above = jump_of(lambda v, at=at: 0.2 + 0.05 * math.exp(-v) + (0.03 if v > at else 0.0))
        assert speed == pytest.approx(at, rel=1e-8)
        assert above - below == pytest.approx(0.03, abs=1e-8)


def test_static_friction_may_be_exceeded_by_one_that_grows_with_the_slip():
    """A viscous part: 0.2 where a slip begins, at most 0.3 at rest, and 0.7 at 1 m/s."""
    run = lm.simulate(block("0.2 + 0.5*slip", static=0.3), 0.1, start={"x_rate": 1.0}, step=1e-3)
    # dv/dt = -(0.2 + 0.5 v) g
    assert run["x_rate"][-1] == pytest.approx(1.4 * math.exp(-0.5 * 9.81 * 0.1) - 0.4, abs=1e-9)


@pytest.mark.parametrize("root", [lm.Planar, lm.Free])
def test_a_skate_that_stands_on_its_point_is_refused(root):
    with pytest.raises(AxisError, match="'edge': heading points along the normal of the ground 'ground'"):
        lm.simulate(
            lm.System(
                "skate",
                bodies=(lm.Body("body", 1.0, inertia=(1.0, 1.0, 1.0)),),
                joints=(root(name="base", parent="world", child="body"),),
                contacts=(lm.Skate("edge", body="body", at=(0.0, 0.0, 0.0), heading=(0.0, 0.0, 1.0)),),
            ),
            0.1,
        )


@pytest.mark.parametrize("name", ["r.json", "r.toml", "r.YAML", "r.csv", "r.xml", "r.urdf"])
def test_runs_are_not_saved_under_names_that_are_read_as_something_else(name, tmp_path):
    run = lm.simulate(block(0.3), 0.01)
    for save in (run.save, lambda path: lm.save(run, path)):
        with pytest.raises(RunFileError, match=r"give a name such as 'r\.nc'"):
            save(tmp_path / name)
    assert not list(tmp_path.iterdir())
