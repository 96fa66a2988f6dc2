"""Runs whose contacts open and close on the page and as glTF: events, forces only while closed, paths with gaps."""

from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.viewing.page.payload import payload_of
from locomotor.viewing.scene.glb import glb_bytes
from locomotor.viewing.scene.playback import playback_of


def runs() -> dict[str, lm.Run]:
    catalogue = lm.catalogue
    drop = {"z": 0.5, "speed": 3.0, "roll": 0.05}
    return {
        "ball": lm.simulate(catalogue.bouncing_ball(), 1.0, start={"z": 0.6}, step=0.005),
        "bicycle": lm.simulate(catalogue.bicycle(contacts="unilateral"), 0.6, start=drop, step=0.002),
        "robot": lm.simulate(catalogue.rocr(), 0.7, start={"yaw": 3.13, "yaw_rate": 6.825}, step=0.005),
        "walker": lm.simulate(catalogue.compass_walker(), 5.0, start=GARCIA_CYCLE, closed=["foot_a"], step=0.01),
    }


@pytest.fixture(scope="module")
def made() -> dict[str, lm.Run]:
    return runs()


NAMES = ("ball", "bicycle", "robot", "walker")


@pytest.mark.parametrize("name", NAMES)
def test_saved_loaded_audited_and_shown(made: dict[str, lm.Run], name: str, tmp_path: Path) -> None:
    run = made[name]
    assert run.status.ok and run.events
    again = lm.load(run.save(tmp_path / "run.nc"))
    assert again.events == run.events and dict(again.audit()) == dict(run.audit())
    assert again.to_html(tmp_path / "run.html").stat().st_size > 500_000
    assert glb_bytes(again, rate=20.0)[:4] == b"glTF"


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_every_event_and_no_force_of_an_open_contact(made: dict[str, lm.Run], name: str) -> None:
    run = made[name]
    playback = playback_of(run)
    table = payload_of(playback).table
    assert [event["time"] for event in table["report"]["events"]] == run.events.times
    for contact in run.forces:
        force = np.linalg.norm([playback.channels[f"{contact}_force_{axis}"] for axis in "xyz"], axis=0)
        closed = playback.channels[f"{contact}_closed"] > 0.0
        assert not force[~closed].any(), contact
        assert force[closed].all(), contact  # whoever is closed carries something


def test_paths_are_interrupted_while_a_contact_is_open(made: dict[str, lm.Run]) -> None:
    point = made["walker"].contact_points["foot_b"]
    closed = made["walker"]["foot_b_closed"] > 0.0
    assert np.isnan(point[~closed]).all() and np.isfinite(point[closed]).all()
