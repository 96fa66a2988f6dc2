"""Reports of any system: nothing in them knows a particular one."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot

import locomotor as lm
from locomotor.analysis.cycles import drive_period
from locomotor.errors import UnstableStepError
from locomotor.figures import Curves
from locomotor.viewing.report.report import Story, Told, usual_figures, visible_until, write_report

READY = {ready.name: ready for ready in lm.catalogue.systems()}


def short_run(name: str) -> lm.Run:
    """A moment of a system's first gait, or of its rest."""
    ready = READY[name]
    motions = dict(next(iter(ready.gaits.values()))) if ready.gaits else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lm.RunWarning)
        system = ready.make()
        period = drive_period(system.with_motions(motions) if motions else system, system.parameters.values)
        step = min(0.01, ready.step or 0.01, 0.01 if period is None else period / 100)
        try:
            return lm.simulate(system, duration=min(0.2, 200 * step), motions=motions, step=step)
        except UnstableStepError as error:
            step = 0.5 * error.longest
            return lm.simulate(system, duration=min(0.2, 200 * step), motions=motions, step=step)


@pytest.mark.slow
@pytest.mark.parametrize("name", READY)
def test_every_ready_system_has_a_report(name: str, tmp_path: Path) -> None:
    run = short_run(name)
    files = write_report(run, run.audit(), Story(title=name), tmp_path)
    assert all(file.stat().st_size > 1000 for file in files)
    assert lm.load(tmp_path / "run.nc").system == run.system


@pytest.mark.slow
def test_a_run_that_fails_at_once_has_a_report(tmp_path: Path) -> None:
    """It has one sample, and no path: a torque that turns more than once in a step leaves no energy balance."""
    rod = lm.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    swing = lm.Revolute(name="swing", parent="world", child="rod", axis=(0, 1, 0), drive=lm.Torque("1e9*sin(700*t)"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lm.RunWarning)
        run = lm.simulate(lm.System("pendulum", [rod], [swing], forces=[lm.Gravity()]), duration=0.2, step=0.01)
    assert len(run.time) == 1 and not run.status.ok
    write_report(run, run.audit(), Story(title="none"), tmp_path)
    assert "energy and work no longer balance" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_report_tells_everything(tmp_path: Path) -> None:
    run = lm.simulate(lm.catalogue.bicycle(), duration=0.5, start={"speed": 4.6, "roll_rate": 0.5}, step=0.01)
    number = Told("a <number>", "1 m", "0.1", "1.05 m", "+5.0e-02", "reproduced", "good", "a source", "a reason")
    story = Story("A & B", "x/y", "by <someone>", "nothing changed", (Curves(("roll",), source="fig. 1"),), (number,))
    write_report(run, run.audit(halve=True), story, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for words in ("A &amp; B", "by &lt;someone&gt;", "a &lt;number&gt;", "fig. 1", "a source (tolerance: a reason)"):
        assert words in page
    for subject, sentence in run.audit(halve=True).lines:
        assert subject in page and sentence.replace("'", "&#x27;") in page
    assert len(list((tmp_path / "figures").glob("*.png"))) == 1 + len(usual_figures(run))


def test_a_long_path_is_drawn_in_part() -> None:
    run = lm.simulate(lm.catalogue.bicycle(), duration=20.0, start={"speed": 5.0}, step=0.01)
    until = visible_until(run)
    assert 1.0 < until < 19.0
    assert any(figure.until == until for figure in usual_figures(run))
    short = lm.simulate(lm.catalogue.bicycle(), duration=1.0, start={"speed": 5.0}, step=0.01)
    assert visible_until(short) == 1.0


def test_a_system_that_stays_where_it_is_has_no_path() -> None:
    system = lm.System(
        "pendulum",
        bodies=[lm.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))],
        joints=[lm.Revolute(name="swing", parent="world", child="rod", axis=(0, 1, 0))],
        forces=[lm.Gravity()],
    )
    run = lm.simulate(system, duration=1.0, start={"swing": 1.0}, step=0.01)
    kinds = [type(figure).__name__ for figure in usual_figures(run)]
    assert kinds == ["Curves", "Energies"]
    (axis,) = run.plot(kind="side", path=None).axes  # asked for, the system is drawn all the same
    assert len(axis.lines) > 0 and np.isfinite(axis.get_xlim()).all()
    pyplot.close("all")


def test_a_point_that_stays_has_no_path() -> None:
    run = short_run("satellite")
    assert "Path" not in [type(figure).__name__ for figure in usual_figures(run)]
    (axis,) = run.plot(kind="top", path=None).axes
    assert np.ptp(axis.get_xlim()) > 0.05  # metres, not a millionth of one
    pyplot.close("all")


@pytest.mark.slow
def test_contacts_that_share_an_impact_lose_its_energy_together(tmp_path: Path) -> None:
    run = lm.simulate(lm.catalogue.supported_bar(), 0.5, start={"along": 0.1, "height": 0.5}, step=0.01)
    write_report(run, run.audit(), Story("bar"), tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    shared = [e for e in run.events if any(e.impulse) and sum(o.time == e.time and any(o.impulse) for o in run.events) > 1]
    assert page.count(" together</td>") == len(shared) > 1
