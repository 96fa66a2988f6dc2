"""FMU of FMI 3.0, in the hands of FMPy: valid, and moving as our own runs do, by model exchange and by co-simulation."""

import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm

fmpy = pytest.importorskip("fmpy", reason="FMUs are simulated by FMPy, which is not installed")
pytestmark = pytest.mark.skipif(lm.codegen.find_toolchain() is None, reason="an FMU needs a C compiler for its library")

TORQUES = {"rotor_torque": 0.02, "steer_torque": 0.001}
START = {"speed": 0.4, "steer": 0.3, "rotor_rate": 1.0}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> lm.Export:
    return lm.export(lm.catalogue.system("snakeboard"), "fmu", tmp_path_factory.mktemp("fmu"), start=START, cases=1000)


@cache
def our_run() -> lm.Run:
    """The same motion by our own fourth-order steps of 5 ms, whose error is below 1e-9 here."""
    return lm.simulate(lm.catalogue.system("snakeboard"), 2.0, start=START, inputs=TORQUES, step=0.005)


def test_it_is_valid_by_schema_and_rules(exported: lm.Export) -> None:
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(exported.files[0])) == []


def test_self_check_agrees_at_a_thousand_states(exported: lm.Export) -> None:
    command = [sys.executable if word == "python3" else word for word in exported.run]
    done = subprocess.run(command, cwd=exported.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "1000 cases: agree" in done.stdout, done.stdout + done.stderr


def test_description_has_names_units_and_defaults(exported: lm.Export) -> None:
    description = fmpy.read_model_description(str(exported.files[0]))
    found = {variable.name: variable for variable in description.modelVariables}
    assert found["m"].causality == "parameter" and float(found["m"].start) == 6.0 and found["m"].unit == "kg"
    assert found["speed"].unit == "m/s" and float(found["speed"].start) == 0.4
    assert found["rotor_torque"].causality == "input" and found["der(yaw)"].derivative.name == "yaw"
    assert found["kinetic_energy"].causality == "output" and description.fmiVersion == "3.0"
    with zipfile.ZipFile(exported.files[0]) as archive:
        assert {"sources/snakeboard.c", "sources/fmi3.c", "sources/buildDescription.xml"} <= set(archive.namelist())


def test_model_exchange_moves_as_our_own_run(exported: lm.Export) -> None:
    """Integrated by the tool, CVODE at a relative tolerance of 1e-8: its error over 2 s is some hundred times larger."""
    names = ["x", "y", "yaw", "speed", "kinetic_energy"]
    settings = {
        "stop_time": 2.0,
        "output_interval": 0.005,
        "relative_tolerance": 1e-8,
        "start_values": TORQUES,
        "output": names,
    }
    found = fmpy.simulate_fmu(str(exported.files[0]), fmi_type="ModelExchange", **settings)
    run = our_run()
    assert np.abs(found["time"] - run.time).max() < 1e-9
    for name in names:
        assert np.abs(found[name] - run[name]).max() < 1e-6 * max(1.0, np.abs(run[name]).max()), name
    assert np.ptp(run["yaw"]) > 0.05, "a motion worth comparing"


def test_co_simulation_is_exactly_our_runge_kutta(exported: lm.Export) -> None:
    """Steps of 10 ms between tool and model are ten of 1 ms inside."""
    settings = {"stop_time": 1.0, "step_size": 0.01, "output_interval": 0.01, "output": ["x", "yaw", "kinetic_energy"]}
    found = fmpy.simulate_fmu(str(exported.files[0]), fmi_type="CoSimulation", start_values=TORQUES, **settings)
    run = lm.simulate(lm.catalogue.system("snakeboard"), 1.0, start=START, step=0.001, inputs=TORQUES)
    for name in settings["output"]:
        assert np.abs(found[name] - run[name][::10]).max() < 1e-12, name


def test_parameters_and_states_can_be_set_and_wrong_ones_are_refused(exported: lm.Export) -> None:
    heavy = fmpy.simulate_fmu(
        str(exported.files[0]),
        fmi_type="CoSimulation",
        stop_time=0.5,
        start_values={"m": 12.0, "speed": 1.0},
        output=["kinetic_energy"],
    )
    light = fmpy.simulate_fmu(
        str(exported.files[0]), fmi_type="CoSimulation", stop_time=0.5, start_values={"speed": 1.0}, output=["kinetic_energy"]
    )
    assert heavy["kinetic_energy"][0] - light["kinetic_energy"][0] == pytest.approx(0.5 * 6.0 * 1.0**2, rel=0.2)
    with pytest.raises(Exception, match=r"internal_step must be positive|fmi3SetFloat64"):
        fmpy.simulate_fmu(str(exported.files[0]), fmi_type="CoSimulation", stop_time=0.1, start_values={"internal_step": -1.0})


@pytest.mark.slow
def test_where_the_equations_do_not_hold_it_stops_with_words(tmp_path: Path) -> None:
    """The chosen pivots of a snakeboard vanish at a steering angle of 90 degrees."""
    made = lm.export(lm.catalogue.system("snakeboard"), "fmu", tmp_path, start={"steer": 1.2}, cases=2)
    said: list[str] = []
    with pytest.raises(Exception, match=r"fmi3DoStep|fmi3ExitInitializationMode"):
        fmpy.simulate_fmu(
            str(made.files[0]),
            fmi_type="CoSimulation",
            stop_time=5.0,
            step_size=0.01,
            start_values={"front_steer_rate": 1.0},
            logger=lambda environment, status, category, message: said.append(message.decode()),
        )
    assert any("the equations do not hold here" in words for words in said)
