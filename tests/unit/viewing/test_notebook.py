"""What a notebook shows: status, audit, pictures inside the HTML, and no outside file."""

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot

import locomotor as lm
from locomotor.viewing.report.notebook import system_card


def pictures(html: str) -> int:
    return html.count("data:image/png;base64,")


def test_a_run_shows_its_end_its_audit_curves_and_its_scene(bicycle_run: lm.Run) -> None:
    html = bicycle_run._repr_html_()
    assert "Run of bicycle meijaard2007" in html and "the run reached its end" in html and "quaternions are unit" in html
    assert pictures(html.partition("<iframe")[0]) == 1
    assert '<iframe title="the run, moving" style="width:100%;height:34rem' in html  # else 300 by 150 pixels
    assert html.count("<iframe") == 1 and "default-src &#x27;none&#x27;" in html
    assert not re.search(r"(?:src|href)=\"https?:", html)
    assert not pyplot.get_fignums()  # the figure is shown once, by us


def test_a_run_without_its_system_says_why_there_is_no_scene(bicycle_run: lm.Run) -> None:
    from dataclasses import replace

    html = replace(bicycle_run, system=None, again=None)._repr_html_()
    assert "<iframe" not in html and "No scene: the run of" in html and pictures(html) == 1


def test_events_are_told() -> None:
    run = lm.simulate(lm.catalogue.bouncing_ball(), 3.0, start={"z": 0.6}, step=0.01)
    html = run._repr_html_()
    assert f"{len(run.events)} events" in html and "floor impact at 0.3193 s" in html and "... 63 more ..." in html


def test_a_cycle_shows_orbit_and_multipliers() -> None:
    html = lm.find_cycle(lm.catalogue.rocr(), {"yaw": 3.13, "yaw_rate": 6.8}, step=1.0 / 60.0)._repr_html_()
    assert pictures(html) == 2 and "0.3305, 0.3044: stable" in html and "advances" in html


def test_a_linearisation_shows_what_eigenvalues_mean() -> None:
    html = lm.linearise(lm.catalogue.bicycle(), about={"speed": 5.0})._repr_html_()
    assert "Stable; the state is (roll, steer, roll_rate" in html
    assert "-0.775342 ± 4.46487i" in html and "period 1.407 s" in html
    html = lm.linearise(lm.catalogue.bicycle(), about={"speed": 2.0})._repr_html_()
    assert "Unstable; the state is" in html and "grows by a factor e" in html


@pytest.mark.parametrize("name", ["bicycle/meijaard2007", "satellite"])
def test_a_system_shows_its_picture_and_parts(name: str) -> None:
    system = lm.catalogue.system(name)
    html = system_card(system)
    assert pictures(html) == 1 and all(body.name in html for body in system.bodies)
    assert f"{len(system.parameters.parameters)} parameters" in html


def test_eigenvalue_curves_show_themselves(tmp_path: Path) -> None:
    curves = lm.eigenvalue_curves(lm.catalogue.bicycle(), {"speed": np.linspace(4.0, 7.0, 7)})
    card = curves._repr_html_()
    assert "from 4.29238 to 6.02426" in card and "data:image/png" in card
    assert repr(curves).startswith("<EigenvalueCurves of 'bicycle")
    curves.plot(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 1000
