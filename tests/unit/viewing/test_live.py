"""The live server: who may ask, what it answers, and that its runs are those of `simulate`."""

import dataclasses
import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis import EigenvalueCurves
from locomotor.errors import InconsistentStartError, UnknownNameError
from locomotor.simulation import Outcome
from locomotor.viewing.live.choices import STEP, Choice, choices_of, made_ready
from locomotor.viewing.live.engine import Engine
from locomotor.viewing.live.push import Push
from locomotor.viewing.live.serving import MOST_BYTES, TOKEN_HEADER
from locomotor.viewing.live.stability import stable_bands
from locomotor.viewing.live.view import HEADERS, LiveView

START = {"speed": 4.6, "roll_rate": 0.5}


@pytest.fixture(scope="module")
def engine() -> Engine:
    bike = lm.catalogue.bicycle()
    return Engine(bike, tuple(bike.parameters))


@pytest.fixture(scope="module")
def view() -> Iterator[LiveView]:
    with LiveView(lm.catalogue.bicycle(), start=START, duration=2.0) as opened:
        yield opened


class Answer:
    def __init__(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.status, self.body, self.headers = status, body, headers

    @property
    def error(self) -> str:
        return str(json.loads(self.body)["error"])


def token_of(view: LiveView) -> str:
    return view.url.rpartition("token=")[2]


def ask(
    view: LiveView, method: str, path: str, body: Any = None, token: str | None = None, headers: dict[str, str] | None = None
) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", view.port, timeout=60)
    sent = {TOKEN_HEADER: token_of(view) if token is None else token, **(headers or {})}
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    connection.request(method, path, data, {name: value for name, value in sent.items() if value})
    response = connection.getresponse()
    found = Answer(response.status, response.read(), dict(response.getheaders()))
    connection.close()
    return found


def unpack(frame: bytes) -> tuple[dict[str, Any], bytes]:
    length = int.from_bytes(frame[:4], "little")
    assert (4 + length) % 8 == 0
    return json.loads(frame[4 : 4 + length]), frame[4 + length :]


def channel(frame: bytes, name: str) -> np.ndarray[Any, Any]:
    table, block = unpack(frame)
    offset, count, kind = next(c["data"] for c in table["channels"] if c["name"] == name)
    assert kind == "f4"
    return np.frombuffer(block, np.float32, count, offset)


# -- who may ask --------------------------------------------------------------------------------------


def test_server_listens_on_this_machine_only(view: LiveView) -> None:
    assert view.url.startswith("http://127.0.0.1:")
    assert view._server.server_address[0] == "127.0.0.1"
    assert len(token_of(view)) >= 32


def test_the_page_needs_its_token(view: LiveView) -> None:
    good = ask(view, "GET", f"/?token={token_of(view)}", token="")
    assert good.status == 200 and b"<!doctype html>" in good.body[:20]
    for path in ("/", "/?token=", "/?token=wrong", f"/?token={token_of(view)[:-1]}", "/?token=%00%ff"):
        bad = ask(view, "GET", path, token="")
        assert bad.status == 403 and "token" in bad.error, path
    assert all(good.headers[name] == value for name, value in HEADERS.items())


def test_a_request_needs_its_token(view: LiveView) -> None:
    for token in ("", "wrong", "é".encode().decode("latin-1")):
        assert ask(view, "POST", "/run", {}, token=token).status == 403


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1.example.org", "127.0.0.1:1"])
def test_another_host_name_is_refused(view: LiveView, host: str) -> None:
    assert ask(view, "GET", f"/?token={token_of(view)}", headers={"Host": host}).status == 403


def test_another_origin_is_refused(view: LiveView) -> None:
    assert ask(view, "POST", "/run", {}, headers={"Origin": "http://example.org"}).status == 403
    assert ask(view, "POST", "/run", {}, headers={"Origin": f"http://127.0.0.1:{view.port}"}).status == 200


@pytest.mark.parametrize(
    "path", ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/client/main.js", "/live.py", "/run"]
)
def test_no_file_is_served(view: LiveView, path: str) -> None:
    answer = ask(view, "GET", f"{path}?token={token_of(view)}")
    assert answer.status == 404 and b"root:" not in answer.body


def test_unknown_request_and_method_are_refused(view: LiveView) -> None:
    assert ask(view, "POST", "/../run", {}).status == 404
    assert ask(view, "PUT", "/run", {}).status == 501


def test_a_request_that_is_too_long_is_refused(view: LiveView) -> None:
    assert ask(view, "POST", "/run", b"x" * (MOST_BYTES + 1)).status == 413
    with socket.create_connection(("127.0.0.1", view.port), timeout=10) as raw:
        raw.sendall(b"POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n")
        assert b" 400 " in raw.recv(200)


# -- what it answers ----------------------------------------------------------------------------------


def test_a_parameter_changes_the_motion(view: LiveView) -> None:
    before = ask(view, "POST", "/run", {})
    after = ask(view, "POST", "/run", {"parameters": {"w": 1.1}})
    assert before.status == after.status == 200
    expected = lm.simulate(lm.catalogue.bicycle().with_parameters(w=1.1), 2.0, start=START)
    found = channel(after.body, "roll")
    assert not np.allclose(found[-1], channel(before.body, "roll")[-1], atol=1e-3)
    assert found[-1] == pytest.approx(expected["roll"][-1], abs=1e-6)  # single precision


def test_the_start_and_the_inputs_change_the_motion(view: LiveView) -> None:
    asked = {"start": {"speed": 6.0, "roll_rate": 0.1}, "inputs": {"steer_torque": 0.2}, "duration": 1.0}
    answer = ask(view, "POST", "/run", asked)
    expected = lm.simulate(
        lm.catalogue.bicycle(),
        1.0,
        start=asked["start"],
        inputs=asked["inputs"],  # type: ignore[arg-type]
    )
    assert channel(answer.body, "steer")[-1] == pytest.approx(expected["steer"][-1], abs=1e-6)


def test_the_shape_follows_a_parameter(view: LiveView) -> None:
    sizes = [unpack(ask(view, "POST", "/run", {"parameters": {"w": w}}).body)[0]["scene"]["size"] for w in (1.0, 1.3)]
    assert sizes[1] > sizes[0] + 0.1


def test_the_stability_chart_follows_a_parameter(view: LiveView) -> None:
    first, second = (json.loads(ask(view, "POST", "/stability", {"parameters": p}).body)["bands"] for p in ({}, {"w": 1.1}))
    # Meijaard et al. (2007): weave and capsize speeds of the benchmark.
    assert first[0] == pytest.approx([4.292382536, 6.024262015], abs=1e-6)
    assert second[0][0] > first[0][0]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"parameters": {"mB": -1.0}}, "mB"),
        ({"parameters": {"wheelbase": 1.0}}, "wheelbase"),
        ({"parameters": {"w": "long"}}, "finite number"),
        ({"parameters": [1]}, "table of numbers"),
        ({"start": {"spead": 1.0}}, "did you mean 'speed'"),
        ({"start": {"speed": 4.6, "rear_wheel_rate": 99.0}}, "contradict"),
        ({"inputs": {"steer_toruqe": 1.0}}, "steer_torque"),
        ({"duration": -1.0}, "duration"),
        ([], "table"),
    ],
)
def test_bad_values_are_told(view: LiveView, asked: Any, told: str) -> None:
    answer = ask(view, "POST", "/run", asked)
    assert answer.status == 400 and told in answer.error


def test_nonsense_is_told(view: LiveView) -> None:
    for body in (b"{", b"\xff\xfe", b'{"duration": NaN}', b'{"parameters": {"w": Infinity}}'):
        assert ask(view, "POST", "/run", body).status == 400


def test_controls_name_what_can_be_moved(view: LiveView) -> None:
    controls = view._controls("")
    assert [knob["name"] for knob in controls["parameters"]] == list(lm.catalogue.bicycle().parameters)
    assert [knob["name"] for knob in controls["start"]] == ["speed", "roll_rate", "steer_rate", "roll", "steer"]
    assert [knob["name"] for knob in controls["inputs"]] == ["steer_torque", "front_wheel_torque", "rear_wheel_torque"]
    for knob in (*controls["parameters"], *controls["start"], *controls["inputs"]):
        assert knob["low"] < knob["high"] and knob["low"] <= knob["value"] <= knob["high"], knob
    assert controls["chart"] == {"name": "speed", "kind": "start", "names": ("speed",)}


def test_closing_ends_it() -> None:
    view = LiveView(lm.catalogue.bicycle(), start=START, duration=0.1, parameters=("w",))
    port = view.port
    view.close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=2)


# -- the engine ---------------------------------------------------------------------------------------


def test_engine_gives_the_run_of_simulate(engine: Engine) -> None:
    found = engine.run(2.0, START, {"mB": 80.0, "c": 0.07}, {})
    expected = lm.simulate(engine.system.with_parameters(mB=80.0, c=0.07), 2.0, start=START)
    for name, values in found.channels.items():
        # Free parameters are arguments, not constants: the operations differ, the result by round-off only.
        assert values[-1] == pytest.approx(expected[name][-1], rel=1e-9, abs=1e-8), name
    assert found.about["roll"] == expected.about["roll"]
    assert found.parameters == expected.parameters


def test_engine_shows_a_fall_up_to_where_it_ends(engine: Engine) -> None:
    run = engine.run(10.0, {"speed": 1.0, "roll_rate": 0.5}, {}, {})
    expected = lm.simulate(engine.system, 10.0, start={"speed": 1.0, "roll_rate": 0.5})
    assert run.status.outcome is Outcome.ENDED and run.status.end == expected.status.end
    assert run.time[-1] == run.status.time == pytest.approx(expected.status.time, abs=1e-9)
    assert np.isfinite(run["roll"]).all()


def test_engine_only_changes_what_is_free() -> None:
    bike = lm.catalogue.bicycle()
    with pytest.raises(UnknownNameError, match="may change"):
        Engine(bike, ("w",)).run(0.1, START, {"c": 0.1}, {})
    with pytest.raises(InconsistentStartError, match="duration"):
        Engine(bike, ("w",)).run(0.0, START, {}, {})


def test_a_start_nobody_gave_is_stable_where_it_can_be(engine: Engine) -> None:
    start = engine.first_start()
    assert 4.292 < start["speed"] < 6.024 and start["roll_rate"] > 0.0


def test_what_a_law_of_time_drives_begins_at_rest() -> None:
    """It is seen to move by itself: a swimmer that began at 1 m/s would show what no muscle did."""
    made = [lm.Body("mass", 1.0, inertia=(1, 1, 1))], [lm.Prismatic(name="way", parent="world", child="mass", axis=(1, 0, 0))]
    falling = lm.System("falling", *made, forces=[lm.JointForce("f", "way", "1.0")])
    driven = lm.System("driven", *made, forces=[lm.JointForce("f", "way", "sin(t)")])
    assert Engine(falling, ()).first_start() == {"way_rate": 1.0} and Engine(driven, ()).first_start() == {}


def test_a_system_without_steady_motion_and_rest_has_no_chart(sprung: lm.System) -> None:
    with LiveView(sprung, duration=0.2, gaits={"turn": {"pivot": "0.3*sin(t)"}}) as view:
        answer = ask(view, "POST", "/stability", {})
        assert answer.status == 400 and "no steady motion" in answer.error


def test_a_system_that_rests_has_a_chart_along_its_parameters() -> None:
    """A mass on a spring with a damper, by hand: the eigenvalues are those of m s² + c s + k = 0."""
    cart = lm.System(
        "cart",
        [lm.Body("mass", "m", inertia=(1, 1, 1))],
        [lm.Prismatic(name="way", parent="world", child="mass", axis=(1, 0, 0))],
        forces=[lm.JointSpring("s", "way", "k"), lm.JointDamper("d", "way", "c")],
        parameters={"m": 2.0, "c": 1.0, "k": 5.0},
    )
    with LiveView(cart, duration=0.2) as view:
        controls = view._controls("")
        assert controls["chart"] == {"name": "m", "kind": "parameters", "names": ("m", "c", "k")}
        found = json.loads(ask(view, "POST", "/stability", {"chart": "k", "parameters": {"c": 12.0}}).body)
        assert found["bands"] == [[1.25, 10.0]] and found["values"][0] == 1.25
        for value, real, imag in zip(found["values"], np.array(found["real"]).T, np.array(found["imag"]).T, strict=True):
            expected = np.roots([2.0, 12.0, value])
            assert sorted(real) == pytest.approx(sorted(expected.real), abs=1e-9)
            assert sorted(imag) == pytest.approx(sorted(np.abs(expected.imag)), abs=1e-6)  # a double root is a square root
        assert "did you mean 'm'" in ask(view, "POST", "/stability", {"chart": "mm"}).error


@pytest.mark.slow
def test_a_system_that_sags_has_a_chart_along_its_mass() -> None:
    """Another mass is another pose of rest: a body of mass m on a spring k swings with sqrt(k/m) wherever that is."""
    car = lm.catalogue.suspension()
    engine = Engine(car, tuple(car.parameters))
    chart = engine.chart({})
    assert chart is not None
    found = engine.stability(dataclasses.replace(chart, name="m_s"), {}, {})
    swings = np.array(found["imag"]).T
    assert len(found["values"]) > 10
    assert swings[0].max() > swings[-1].max()  # heavier: slower
    for value, row in list(zip(found["values"], np.array(found["real"]).T, strict=True))[::7]:
        alone = lm.linearise(car.with_parameters(m_s=value)).eigenvalues
        assert np.allclose(np.sort(row), np.sort(alone.real), atol=1e-6)


def test_a_chart_that_cannot_be_says_why(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    def refuse(*given: Any) -> Any:
        raise InconsistentStartError("nothing is steady here; try something else")

    monkeypatch.setattr("locomotor.viewing.live.engine.along_velocity", refuse)
    chart = engine.chart({"speed": 4.0})
    assert chart is not None
    found = engine.stability(chart, {}, {})
    assert not found["values"]
    assert found["error"] == "There is no chart: nothing is steady here"


def test_stable_bands_lie_between_changes_of_sign() -> None:
    values = np.linspace(0.0, 4.0, 5)
    modes = np.stack([[1.0, -1.0, -1.0, 3.0, -1.0], np.full(5, -2.0)], axis=1).astype(complex)
    assert stable_bands(values, modes) == ((0.5, 2.25), (3.75, 4.0))


def test_a_system_without_chart_moves(sprung: lm.System) -> None:
    with LiveView(sprung, duration=0.2) as view:
        assert ask(view, "POST", "/run", {"start": {"pivot": 0.3}}).status == 200


def test_a_system_whose_feet_cannot_all_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    ready = lm.catalogue.ready("rimless_wheel")
    with LiveView(ready.make(), duration=0.5, step=0.01, **ready.beginning) as view:
        assert b"pitch_rate" in view.page
        assert ask(view, "POST", "/run", {"start": {"pitch_rate": 1.0}}).status == 200


def test_a_large_system_opens_without_a_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locomotor.viewing.live.engine.LARGE", 10)
    with LiveView(lm.catalogue.bicycle(), duration=0.1) as view:
        answer = ask(view, "POST", "/stability", {})
        assert answer.status == 400 and "too large" in answer.error


def test_neutral_modes_cross_nowhere() -> None:
    """Real parts of round-off change their sign from value to value: each change once cost a search, and a snake minutes."""
    noise = 1e-12 * (-1.0) ** np.arange(6)
    modes = np.stack([noise, np.full(6, -3.0)], axis=1).astype(complex)
    curves = EigenvalueCurves(lm.catalogue.bicycle(), "speed", np.linspace(1.0, 2.0, 6), modes)
    assert curves.neutral.tolist() == [[True, False]] * 6
    assert curves.crossings == ()


def test_what_is_driven_quickly_takes_short_steps_and_is_shown_for_some_strokes(sprung: lm.System) -> None:
    """A wing that beats 50 times a second had 20 steps to a beat, and 500 beats in a film of ten seconds."""
    engine = Engine(sprung, ())
    quick, slow = (
        Choice("", "gait", {"motions": {"pivot": "0.1*sin(100*pi*t)"}}),
        Choice("", "gait", {"motions": {"pivot": "sin(t)"}}),
    )
    way = made_ready(engine, quick, {}, {}, None, True)
    assert (way.engine.step, way.duration) == pytest.approx((0.02 / 100, 20 * 0.02))
    assert (
        made_ready(engine, quick, {}, {}, 3.0, False).engine.step,
        made_ready(engine, quick, {}, {}, 3.0, True).duration,
    ) == (0.001, 3.0)
    run = Choice("ours", "scenario", {"start": {}, "step": 2e-5})  # one that says what it takes
    assert made_ready(engine, run, {}, {}, None, True).engine.step == 2e-5
    calm = made_ready(engine, slow, {}, {}, None, True)
    assert (calm.engine.step, calm.duration) == (0.001, 10.0)


KINDS = {ready.name.split("/")[0]: ready for ready in reversed(lm.catalogue.systems())}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_ready_system_moves_when_its_page_is_opened(kind: str) -> None:
    """The first second of what `locomotor view` shows first: nothing blows up or ends where nobody expects it."""
    ready = KINDS[kind]
    system, beginning = ready.make(), ready.beginning
    engine = Engine(system, tuple(system.parameters), ready.step or STEP, beginning.get("closed"))
    first = next(iter(choices_of(ready.gaits, {}).values()))
    way = made_ready(engine, first, beginning.get("start"), {}, ready.duration, ready.step is None)
    run = way.engine.run(min(way.duration, 1.0), way.start, {}, way.inputs)
    assert run.status.ok, run.status
    assert max(np.ptp(run[symbol.name]) for symbol in system.layout.coordinates if symbol.name in run) > 1e-4
    # ... and the step is short enough: half of it gives the same motion, as long as no chaos has parted them.
    brief = min(way.duration, 0.3)
    run, finer = (dataclasses.replace(way.engine, step=step).run(brief, way.start, {}, way.inputs) for step in _halved(way))
    for symbol in system.layout.coordinates:
        if symbol.name in run:
            at = np.interp(run.time, finer.time, finer[symbol.name])
            assert np.abs(run[symbol.name] - at).max() < 5e-3 * (1.0 + np.abs(at).max()), symbol.name


def _halved(way: Any) -> tuple[float, float]:
    return way.engine.step, 0.5 * way.engine.step


def test_durations_have_limits(engine: Engine) -> None:
    with pytest.raises(InconsistentStartError, match="1000 s at most"):
        engine.run(1e9, START, {}, {})
    with pytest.raises(InconsistentStartError, match="positive"):
        engine.run(-1.0, START, {}, {})
    wheel = Engine(lm.catalogue.rimless_wheel(), ("l",))
    with pytest.raises(InconsistentStartError, match="100 s at most"):
        wheel.run(500.0, {}, {}, {})


@pytest.mark.slow
def test_the_first_gait_moves_by_itself_and_others_are_in_the_menu() -> None:
    ready = lm.catalogue.ready("snakeboard")
    with LiveView(ready.make(), gaits=ready.gaits, duration=1.0) as view:
        for gait in ("drive", "rotate"):
            body = {"choice": f"gait:{gait}", "duration": 1.0, "parameters": {}, "start": {}, "inputs": {}}
            answer = ask(view, "POST", "/run", body)
            assert answer.status == 200
            length = int.from_bytes(answer.body[:4], "little")
            table = json.loads(answer.body[4 : 4 + length])
            offset, count, _ = next(c["data"] for c in table["channels"] if c["name"] == "x")
            x = np.frombuffer(answer.body, np.float32, count, 4 + length + offset)
            expected = lm.simulate(ready.make(), 1.0, motions=ready.gaits[gait])
            # Both are Runge-Kutta of fourth order with 1 ms; the page has single precision.
            assert x[-1] == pytest.approx(expected["x"][-1], abs=1e-6)
        assert view._controls("gait:drive")["inputs"] == []  # torques of joints that move as imposed do nothing
        controls = json.loads(ask(view, "POST", "/controls", {"choice": ""}).body)
        assert [c["name"] for c in controls["choices"] if c["group"] == "gait"] == list(ready.gaits)
        assert "rotor_torque" in {knob["name"] for knob in controls["inputs"]}
        assert "did you mean 'gait:drive'" in ask(view, "POST", "/run", {"choice": "gait:drvie"}).error


def test_an_input_may_be_a_law_of_time(engine: Engine) -> None:
    law = {"steer_torque": "0.2*sin(3*t)"}
    run = engine.run(0.5, START, {"w": 1.03}, law)
    peer = lm.simulate(lm.catalogue.bicycle().with_parameters(w=1.03), 0.5, start=START, inputs=law)
    assert run["roll"][-1] == pytest.approx(peer["roll"][-1], abs=1e-9)
    assert abs(run["roll"][-1] - engine.run(0.5, START, {"w": 1.03}, {})["roll"][-1]) > 1e-4


def test_a_push_gives_a_free_body_its_momentum() -> None:
    """A ball in empty space: P = m dv, and r x P = I dw, by hand."""
    body = lm.Body("stone", 2.0, inertia=(0.3, 0.4, 0.5))
    system = lm.System("stone", [body], [lm.Free(name="base", parent="world", child="stone")], parameters={"unused": 1.0})
    push = Push(0.5, "stone", (0.0, 0.2, 0.0), (0.0, 0.0, 3.0))
    run = Engine(system, ()).run(1.0, {"speed": 1.0}, {}, {}, [push])
    before, after = run.time < 0.5 - 1e-9, run.time > 0.5 + 1e-9
    assert np.abs(run["heave_speed"][before]).max() < 1e-12 and run["speed"][0] == 1.0
    assert run["heave_speed"][after][0] == pytest.approx(1.5, rel=1e-3)  # it has begun to turn
    assert run["roll_rate"][after][0] == pytest.approx(0.2 * 3.0 / 0.3, rel=1e-6)
    assert run["z"][-1] == pytest.approx(0.75, rel=1e-6)


def test_a_push_along_what_is_blocked_does_nothing(engine: Engine) -> None:
    """Down on the rear hub of an upright bicycle: the ground takes it all; sideways it tips the bicycle."""
    down, aside = (Push(0.2, "rear_disc", (0, 0, 0), impulse) for impulse in ((0, 0, -5.0), (0, 5.0, 0)))
    still = engine.run(0.5, {"speed": 4.6}, {}, {})
    assert np.abs(engine.run(0.5, {"speed": 4.6}, {}, {}, [down])["roll_rate"] - 0.0).max() < 1e-9
    assert np.abs(still["roll_rate"]).max() < 1e-9
    pushed = engine.run(0.5, {"speed": 4.6}, {}, {}, [aside])
    assert np.abs(pushed["roll_rate"][pushed.time < 0.2 - 1e-9]).max() < 1e-9 < 1e-2 < np.abs(pushed["roll_rate"]).max()
    assert max(float(np.abs(pushed[f"{wheel}_gap"]).max()) for wheel in ("rear", "front")) < 1e-6


@pytest.mark.parametrize("bad", ["x", [{"time": 0.1}], [{"time": "a", "body": "b", "at": [0, 0, 0], "impulse": [0, 0, 0]}]])
def test_a_wrong_push_is_refused(view: LiveView, bad: Any) -> None:
    assert "push" in ask(view, "POST", "/run", {"pushes": bad}).error


@pytest.mark.slow
def test_a_push_after_other_velocities_were_chosen() -> None:
    """The declared velocities of the snake fail on the way: it goes on up to the push and beyond, and the push does its work.

    An impulse P where ideal constraints hold adds P . (v before + v after)/2 of its point to the kinetic energy.
    """
    ready = lm.catalogue.ready("wheeled_snake/8_with_wheels")
    engine = Engine(ready.make().with_motions(ready.gaits["steer"]), (), 0.002)
    plain = engine.run(3.0, {}, {}, {})
    assert plain.status.ok and [event.kind for event in plain.events] == ["repivot"] and plain.events[0].time < 2.0
    for size in (0.0, 0.5):
        run = engine.run(3.0, {}, {}, {}, [Push(2.0, "module_0", (0.0, 0.0, 0.0), (size, 0.0, 0.0))])
        assert run.status.ok and [event.kind for event in run.events] == ["repivot", "push"]
        before, after = np.searchsorted(run.time, 2.0) - 1, np.searchsorted(run.time, 2.0) + 1
        assert run["x"][: before + 1] == pytest.approx(plain["x"][: before + 1], abs=1e-12)
        assert (np.abs(run["x"] - plain["x"]).max() < 1e-9) == (size == 0.0)
        along = run["speed"] * np.cos(run["yaw"]) - run["sway_speed"] * np.sin(run["yaw"])
        gained = (run["kinetic_energy"] - np.interp(run.time, plain.time, plain["kinetic_energy"]))[[before, after]]
        assert gained[0] == pytest.approx(0.0, abs=1e-12)
        assert gained[1] == pytest.approx(size * 0.5 * (along[before] + along[after]), rel=0.02, abs=1e-9)


def test_a_slider_compiles_no_mode_anew() -> None:
    """Other values of parameters are arguments of what is compiled already, and the run is that of `simulate`."""
    ball = lm.catalogue.bouncing_ball(restitution=0.5)
    engine = Engine(ball, tuple(ball.parameters))
    start = lm.catalogue.ready("bouncing_ball").beginning["start"]
    engine.run(1.5, start, {}, {})
    compiled = dict(engine._modes._known)
    for changed in ({"g": 5.0}, {"r": 0.2}):
        run = engine.run(1.5, start, changed, {})
        alone = lm.simulate(ball.with_parameters(**changed), 1.5, start=start, project=False)
        assert len(run.events) == len(alone.events) > 1
        assert np.allclose([e.time for e in run.events], [e.time for e in alone.events], rtol=0.0, atol=1e-10)
        assert np.abs(run["z"][-1] - alone["z"][-1]) < 1e-9
        assert run.parameters == alone.parameters
    assert engine._modes._known == compiled and compiled
