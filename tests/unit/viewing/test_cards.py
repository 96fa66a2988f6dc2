"""Cards of steady motions, audits and connections; long lists of events; figures that a notebook shows once."""

import re

import matplotlib as mpl
import pytest
from matplotlib import pyplot

import locomotor as lm
from locomotor.viewing.report.notebook import MOST_EVENTS, elided


def test_a_source_of_most_parameters_is_said_once() -> None:
    html = lm.catalogue.bicycle().parameters._repr_html_()
    assert html.count("Meijaard, Papadopoulos") == 1 and "Source, where none is named: Meijaard" in html
    assert "set by the user" in html and "kg m²" in html and "^" not in html
    two = lm.ParameterSet([lm.Parameter("a", 1.0, "m", source="here"), lm.Parameter("b", 2.0, "m", source="there")])
    assert "where none is named" not in two._repr_html_() and "here" in two._repr_html_() and "there" in two._repr_html_()


def test_a_steady_motion_tells_what_is_not_zero_and_names_the_rest() -> None:
    html = lm.steady_motion(lm.catalogue.bicycle(), {"speed": 5.0, "roll": 0.0})._repr_html_()
    table, _, rest = html.partition("Zero:")
    assert "14.2857143" in table and ">roll<" in table and ">yaw<" not in table  # asked for, though zero
    assert (
        "yaw," in rest and "steer_torque" in rest and "speed" not in rest.replace("sway_speed", "").replace("heave_speed", "")
    )


def test_a_connection_that_vanishes_when_straight_is_shown_bent() -> None:
    html = lm.connection(lm.catalogue.snakeboard())._repr_html_()
    assert "where all shape coordinates are 0.5" in html
    assert "are zero" in lm.connection(lm.catalogue.unicycle())._repr_html_()


def test_a_steady_motion_shows_its_values() -> None:
    html = lm.steady_motion(lm.catalogue.bicycle(), {"speed": 5.0})._repr_html_()
    assert "Steady motion of bicycle meijaard2007" in html and "asked for" in html and "rear_wheel_rate" in html
    rows = {name: tuple(cells) for name, *cells in re.findall(r"<tr>" + r"<td[^>]*>([^<]*)</td>" * 5 + "</tr>", html)}
    assert rows["z"] == ("coordinate", "0.3", "m", "") and rows["speed"] == ("velocity", "5", "m/s", "asked for")


def test_parameters_are_a_table_of_what_is_known() -> None:
    measured = lm.catalogue.bicycle("browser").parameters
    html = measured._repr_html_()
    assert f"{measured['w'].value:.8g}" in html and f"{measured['w'].uncertainty:.2g}" in html and "wheelbase" in html
    plain = lm.ParameterSet({"a_b": 1.5})._repr_html_()
    assert "a_b" in plain and "1.5" in plain and "±" not in plain and "source" not in plain


def test_an_audit_shows_its_words(bicycle_run: lm.Run) -> None:
    audit = bicycle_run.audit()
    html = audit._repr_html_()
    assert "Audit" in html and all(words.split(";")[0][:12] in html for _, words in audit.lines)


def test_a_connection_shows_its_kind_and_matrix() -> None:
    connection = lm.connection(lm.catalogue.two_wheel_platform())
    html = connection._repr_html_()
    assert connection.kind in html and all(name in html for name in (*connection.base_names, *connection.shape_names))
    # speed = rho/2 (right_wheel_rate + left_wheel_rate), and eta = -A r_dot.
    assert f"{-0.5 * connection.system.parameters.values['rho']:.6g}" in html


def test_a_linearisation_shows_the_names_of_its_modes() -> None:
    html = lm.linearise(lm.catalogue.bicycle(), about={"speed": 5.0})._repr_html_()
    assert all(mode in html for mode in ("weave", "capsize", "castering"))


def test_long_lists_of_events_are_left_out_in_the_middle() -> None:
    ball = lm.catalogue.bouncing_ball()
    run = lm.simulate(ball, 3.0, start={"z": 1.1})
    events = list(run.events) * 10
    told = elided(events)
    assert len(told) == MOST_EVENTS + 1 and told[0] == elided(run.events)[0] and told[-1] == elided(run.events)[-1]
    assert told[MOST_EVENTS - 3] == f"... {len(events) - MOST_EVENTS} more ..."


def test_a_notebook_shows_a_figure_once(bicycle_run: lm.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pyplot.close("all")
    monkeypatch.setattr(mpl, "get_backend", lambda: "module://matplotlib_inline.backend_inline")
    figure = bicycle_run.plot("roll")
    assert figure.axes and not pyplot.get_fignums()
    monkeypatch.setattr(mpl, "get_backend", lambda: "agg")
    bicycle_run.plot("roll")
    assert len(pyplot.get_fignums()) == 1
    pyplot.close("all")


def test_a_table_without_names_of_columns_has_no_empty_line_on_top(bicycle_run: lm.Run) -> None:
    assert "<thead" not in bicycle_run.audit()._repr_html_()
    assert "<thead" in lm.steady_motion(lm.catalogue.bicycle(), {"speed": 5.0})._repr_html_()


def test_the_card_of_a_sweep_tells_units_and_how_often_it_is_yes() -> None:
    found = lm.sweep(lm.catalogue.bicycle(), {"speed": [3.0, 5.0, 5.5]}, lm.sweeps.stability(), workers=1)
    html = found._repr_html_()
    # Stable from 4.292 to 6.024 m/s: two of the three.
    assert "1 at 2 of 3 points" in html and " 1/s</td>" in html and " rad/s</td>" in html
