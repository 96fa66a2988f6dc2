"""How the contacts of a system can go on: Painlevé's rod in all its regions, bodies in space, impacts first."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis.contacts.report import ContactReport
from locomotor.errors import ArgumentError, ContactLawError, UnknownNameError
from locomotor.simulation.status import Outcome


def sliding(angle, rate, slip):
    """A state of the rod with its tip on the ground, which moves along it with `slip`."""
    return {
        "up": math.sin(angle),
        "pitch": -angle,
        "pitch_rate": -rate,
        "up_rate": rate * math.cos(angle),
        "forward_rate": slip - rate * math.sin(angle),
    }


class TestRod:
    def test_angles_of_the_paradox(self):
        """Closed form; at the threshold both are arctan 2, at the critical friction arctan 2/sqrt 3 and arctan 2 sqrt 3."""
        assert lm.catalogue.paradox_angles(1.3) is None
        assert lm.catalogue.paradox_angles(4.0 / 3.0) == pytest.approx([math.atan(2.0)] * 2)
        assert lm.catalogue.paradox_angles(8.0 / (3.0 * math.sqrt(3.0))) == pytest.approx(
            [math.atan(2.0 / math.sqrt(3.0)), math.atan(2.0 * math.sqrt(3.0))]
        )
        assert np.degrees(lm.catalogue.paradox_angles(1.4)) == pytest.approx([55.58581, 69.95187], abs=1e-5)
        assert np.degrees(lm.catalogue.paradox_angles(1.6)) == pytest.approx([47.02614, 74.97924], abs=1e-5)

    @pytest.mark.parametrize("friction", [1.2, 1.6])
    def test_regions(self, friction):
        """Number of solutions from the signs of A = g - rate^2 sin and B = 1 + 3 cos (cos - mu sin)."""
        rod = lm.catalogue.painleve_rod(friction=friction)
        angles = lm.catalogue.paradox_angles(friction) or (2.0, 2.0)
        for angle in (0.4, 1.0, 1.4):
            for rate in (2.0, 5.5):
                A = 9.8 - rate**2 * math.sin(angle)
                inside = angles[0] < angle < angles[1]
                wanted = {(True, False): 1, (True, True): 0, (False, False): 1, (False, True): 2}[A > 0.0, inside]
                report = lm.contact_report(rod, sliding(angle, rate, -3.0))
                assert len(report.solutions) == wanted and report.complete
                assert ("drives it into the ground" in report.why) == inside
                assert report.verdict == ("no solution", "one solution", "several solutions")[wanted]

    def test_rounded_end(self):
        """Thresholds computed apart by a search over angles; at r = l the closed form of the source."""
        root = math.sqrt(13.0)
        closed = 2.0 * (root - 1.0) / (math.sqrt(2.0 * root - 5.0) * (2.0 + root))
        assert lm.catalogue.paradox_friction(1.0) == pytest.approx(closed) and closed == pytest.approx(0.62518255)
        table = {0.0: 4.0 / 3.0, 0.1: 1.199001, 0.3: 0.997060, 0.5: 0.852715, 0.8: 0.700039}
        assert [lm.catalogue.paradox_friction(r) for r in table] == pytest.approx(list(table.values()), abs=6e-7)
        angle = math.radians(61.491)  # where the least friction belongs to, for a radius of l / 2
        for friction, count in ((0.84, 1), (0.87, 0)):
            rod = lm.catalogue.painleve_rod(friction=friction, radius=0.5)
            state = {"up": math.sin(angle) + 0.5, "pitch": -angle, "forward_rate": -3.0}
            assert len(lm.contact_report(rod, state).solutions) == count

    def test_slides_the_other_way(self):
        """With the touching end behind, friction never jams."""
        rod = lm.catalogue.painleve_rod(friction=1.6)
        (way,) = lm.contact_report(rod, sliding(1.0, 2.0, 3.0)).solutions
        A, B = 9.8 - 4.0 * math.sin(1.0), 1.0 + 3.0 * math.cos(1.0) * (math.cos(1.0) + 1.6 * math.sin(1.0))
        assert way.modes == {"tip": "slip"} and way.forces["tip"] == pytest.approx([A / B, -1.6 * A / B])

    def test_sticks(self):
        (way,) = lm.contact_report(lm.catalogue.painleve_rod(friction=1.6), sliding(1.0, 2.0, 0.0)).solutions
        assert way.modes == {"tip": "stick"} and way.forces["tip"] == pytest.approx([4.28845569, 1.18045882], abs=1e-8)

    @pytest.mark.filterwarnings("ignore::locomotor.simulation.RunWarning")
    def test_after_a_run(self):
        """A run that stops, or one of its samples, is taken as it is; a name that is none is refused all the same."""
        rod = lm.catalogue.painleve_rod(friction=1.6)
        for rate, outcome, modes in ((2.0, Outcome.INCONSISTENT, []), (4.0, Outcome.UNDECIDED, ["open", "slip"])):
            run = lm.simulate(rod, 0.1, start=sliding(1.0, rate, -3.0))
            assert run.status.outcome is outcome and run.status.time == 0.0
            for state in (run, run.at(0.0)):
                assert [way.modes["tip"] for way in lm.contact_report(rod, state).solutions] == modes
        assert "tip opens, or tip slips" in str(run.status) and "closed=[]" in str(run.status)
        assert "no set" not in str(run.status) and "contact_report(system, run)" in str(run.status)
        chosen = lm.simulate(rod, 0.1, start=sliding(1.0, 4.0, -3.0), closed=[])
        assert chosen.status.completed and (chosen["tip_normal_force"] == 0.0).all() and chosen["tip_gap"][-1] > 0.01
        with pytest.raises(UnknownNameError, match="kinetic_energy"):
            lm.contact_report(rod, {"pitch": -1.0, "kinetic_energy": 1.0})

    def test_a_contact_that_a_run_has_let_sink_is_closed(self):
        """Gaps drift by the error of the steps: what pushes in a sample touches, whatever its gap is."""
        rod = lm.catalogue.painleve_rod(friction=0.5)
        run = lm.simulate(rod, 0.1, start=sliding(1.0, 1.0, -3.0), step=0.02)
        sample = run.at(0.08)
        assert sample["tip_normal_force"] > 0.0 and 1e-9 < abs(sample["tip_gap"]) < 1e-6
        (way,) = lm.contact_report(rod, sample).solutions
        assert way.modes == {"tip": "slip"} and way.forces["tip"][0] == pytest.approx(sample["tip_normal_force"], rel=1e-9)

    @pytest.mark.filterwarnings("ignore::locomotor.simulation.RunWarning")
    def test_at_the_border(self):
        rod = lm.catalogue.painleve_rod(friction=1.6)
        run = lm.simulate(rod, 0.1, start=sliding(0.7, 2.0, -50.0))
        assert run.status.outcome is Outcome.INCONSISTENT and run.status.time > 0.04
        assert "at Painlevé's border" in lm.contact_report(rod, run).why
        assert "border" not in lm.contact_report(rod, run.at(0.04)).why

    def test_in_the_air_and_on_impact(self):
        rod = lm.catalogue.painleve_rod()
        flying = lm.contact_report(rod, {"up": 2.0, "pitch": -1.0})
        assert flying.contacts == () and len(flying.solutions) == 1
        falling = lm.contact_report(rod, sliding(1.0, 0.0, 0.0) | {"up_rate": -1.0})
        assert falling.verdict == "impact" and falling.strikes == ("tip",) and not falling.solutions


def block(law, rotation=0.0):
    """A cube of 1 kg, 1 m wide, with three feet below it."""
    feet = [("a", 0.5, 0.0), ("b", -0.25, 0.4), ("c", -0.25, -0.4)]
    return lm.System(
        name="block",
        bodies=(lm.Body("block", mass=1.0, inertia=(1 / 6, 1 / 6, 1 / 6)),),
        joints=(lm.Free(name="free", parent="world", child="block"),),
        contacts=tuple(lm.StickingPoint(name, body="block", at=(x, y, -0.5), law=law) for name, x, y in feet),
        forces=(lm.Gravity((9.81 * math.sin(rotation), 0.0, -9.81 * math.cos(rotation))),),
    )


def plate(count, friction, pull):
    """A round plate of 1 kg on feet around it, pulled along the ground with a share of its weight."""
    angles = 2.0 * np.pi * np.arange(count) / count + 0.1
    law = lm.Unilateral(friction=friction)
    return lm.System(
        "plate",
        bodies=(lm.Body("plate", mass=1.0, inertia=(0.05, 0.05, 0.1)),),
        joints=(lm.Free(name="free", parent="world", child="plate"),),
        contacts=tuple(
            lm.StickingPoint(f"foot_{k}", "plate", at=(0.3 * math.cos(a), 0.3 * math.sin(a), -0.1), law=law)
            for k, a in enumerate(angles)
        ),
        forces=(lm.Gravity((9.81 * pull, 0.0, -9.81)),),
        nominal={"z": 0.1},
    )


class TestSpace:
    def test_block_on_a_slope(self):
        """tan 0.4 = 0.423: it stands with friction 0.5, slides with g (sin - mu cos) with 0.3, once it slides."""
        stuck = lm.contact_report(block(lm.Unilateral(friction=0.5), 0.4), {"z": 0.5})
        assert stuck.contacts == ("a", "b", "c") and len(stuck.solutions) >= 1
        for way in stuck.solutions:
            assert max(np.abs(u).max() for u in way.accelerations.values()) < 1e-8
            assert sum(f[0] for f in way.forces.values()) == pytest.approx(9.81 * math.cos(0.4))
        slides = lm.contact_report(block(lm.Unilateral(friction=0.3), 0.4), {"z": 0.5, "speed": 1.0})
        (way,) = slides.solutions
        wanted = 9.81 * (math.sin(0.4) - 0.3 * math.cos(0.4))
        assert slides.complete and set(way.modes.values()) == {"slip"}
        assert all(np.hypot(*u[1:]) == pytest.approx(wanted) for u in way.accelerations.values())

    def test_two_coefficients(self):
        """tan 0.4 = 0.423: static friction of 0.5 holds it though 0.3 would not; a slip has the coefficient of its speed."""
        law = lm.Unilateral(friction="0.1 + 0.2*exp(-slip/0.5)", static=0.5)
        (way,) = lm.contact_report(block(law, 0.4), {"z": 0.5}).solutions
        assert set(way.modes.values()) == {"stick"} and max(np.abs(u).max() for u in way.accelerations.values()) < 1e-8
        (way,) = lm.contact_report(block(law, 0.4), {"z": 0.5, "speed": 1.0}).solutions
        mu = 0.1 + 0.2 * math.exp(-2.0)
        assert way.accelerations["a"][1:] == pytest.approx([9.81 * (math.sin(0.4) - mu * math.cos(0.4)), 0.0], abs=1e-8)

    def test_more_contacts_than_combinations_are_tried_of(self):
        """A plate on twelve feet, pulled with 0.4 of its weight: with friction 0.3 all of them begin to slip, with 0.1 g."""
        report = lm.contact_report(plate(12, 0.3, 0.4), {"z": 0.1})
        (way,) = report.solutions
        assert report.verdict == "one solution" and not report.complete and set(way.modes.values()) == {"slip"}
        for u in way.accelerations.values():
            assert u == pytest.approx([0.0, 0.1 * 9.81, 0.0], abs=1e-9)

    def test_what_was_not_found_is_not_called_none(self):
        """ "no solution" is a proof: a search that found nothing has another word."""
        assert ContactReport((), (), False, (), "").verdict == "not found"
        assert ContactReport((), (), True, (), "").verdict == "no solution"

    def test_without_friction_law_it_sticks_whatever_it_takes(self):
        report = lm.contact_report(block(lm.Unilateral(), 0.7), {"z": 0.5})
        assert report.solutions and set(report.solutions[0].modes.values()) == {"stick"}


def test_mistakes_are_named():
    with pytest.raises(ArgumentError, match="no contact of 'bicycle_meijaard2007' may open"):
        lm.contact_report(lm.catalogue.bicycle("meijaard2007"))
    with pytest.raises(UnknownNameError, match="no input 'push'"):
        lm.contact_report(lm.catalogue.painleve_rod(), {"up": 2.0}, {"push": 1.0})
    with pytest.raises(ContactLawError, match="'a' may pull, which reports of contacts do not know"):
        lm.contact_report(block(lm.Adhesive(1.0)), {"z": 0.5})


def test_a_state_inside_the_ground_is_refused() -> None:
    """It was told to stick there."""
    rod = lm.catalogue.painleve_rod()
    with pytest.raises(lm.errors.InconsistentStartError, match=r"contact 'tip' is 0\.1 m inside its ground at the state given"):
        lm.contact_report(rod, {"pitch": -1.0, "up": float(np.sin(1.0)) - 0.1})
