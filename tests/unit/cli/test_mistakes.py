"""Whatever goes wrong is one readable paragraph with an exit code of its own, and nothing half-written is left."""

import subprocess
import sys
from pathlib import Path

import pytest

import locomotor as lm
from locomotor.scenarios import scenario
from privileges import ordinary_user

NAMES = [
    (("run", "bicycle/E33"), "did you mean 'bicycle/E3'"),
    (("run", "bicycle"), "'bicycle' is a system, not a run: its runs are bicycle/E1"),
    (("run", "elroy_beanie"), "is a system, not a run"),
    (("run", "bicycl"), "did you mean 'bicycle'? `locomotor list bicycle` names its runs"),
    (("view", "bicycl"), "did you mean 'bicycle'?"),
    (("info", "bicycel"), "did you mean 'bicycle'"),
    (("info", "bicycle/linear"), "has no system"),
    (("reproduce", "bicycl/E4"), "did you mean 'bicycle/E4'"),
    (("reproduce", "Newton"), "no scenario or paper is called 'Newton'"),
    (("run", "bicycle/E3", "--set", "speeed=5"), "did you mean 'speed'"),
    (("run", "bicycle/E3", "--set", "starts.speed=5"), "did you mean 'start'"),
    (("run", "bicycle/E3", "--set", "start.speeed=5"), "did you mean 'speed'"),
    (("run", "bicycle/E3", "--set", "stepper=rk5"), "no stepper is named 'rk5'"),
    (("stability", "bicycle", "--against", "sped=0:10"), "did you mean 'speed'"),
    (("bench", "tricycel"), "no system is named 'tricycel'"),
    (("view", 5000 * "a"), "no system is named"),  # a name too long for a file, of which `Path.is_file` makes an error
    (("equations", 5000 * "a"), "no system is named"),
]

USAGE = [
    (("run", "bicycle/E3", "--set", "speed"), "write name=value"),
    (("run", "bicycle/E3", "--set", "speed="), "write name=value"),
    (("run", "bicycle/E3", "--set", "speed=roll"), "a number is needed"),
    (("run", "bicycle/E3", "--set", "speed=4+"), "--set 'speed=4+'"),
    (("run", "bicycle/E3", "--duration", "-1"), "duration is -1.0; it must be a finite number, positive"),
    (("run", "bicycle/E3", "--step", "0"), "step is 0.0; it must be a finite number, positive"),
    (("run", "bicycle/E0", "--set", "speed=5", "--duration", "2"), "--set and --duration cannot change it"),
    (("stability", "bicycle", "--against", "speed=10:0"), "10 is not below 0"),
    (("stability", "bicycle", "--set", "speed=5"), "leave one of them out"),
    (("stability", "bicycle", "--set", "steer_torque=5"), "give parameters or values of the motion"),
    (("cycle", "swimmer/ideal", "--gait", "forward"), "does not repeat by the clock"),
    (("view", "run.nc", "--set", "speed=5"), "--set changes a live page"),
    (("view", "snakeboard", "--gait", "drvie"), "did you mean 'drive'"),
    (("view", "bicycle/E1"), "with the setting assemble, which a live page cannot follow; `locomotor run bicycle/E1`"),
    (("view", "cart_pendulum/front_only"), "`locomotor view out/cart_pendulum-front_only/run.nc` then shows it"),
    (("view", "snakeboard", "--scenario", "snakeboard/prak"), "did you mean 'snakeboard/park'"),
    (("view", "snakeboard", "--gait", "drive", "--scenario", "snakeboard/park"), "leave one out"),
    (("stability", "bicycle", "--against", "speed"), "write name=low:high"),
    (("stability", "bicycle", "--against", "speed=0:10:1"), "write name=low:high"),
]


@pytest.mark.parametrize(("arguments", "words"), NAMES + USAGE, ids=[" ".join(a) for a, _ in NAMES + USAGE])
def test_wrong_names_and_values(inside, one_paragraph, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:  # type: ignore[no-untyped-def]
    assert words in one_paragraph(inside(*arguments, code=2))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("arguments", "words"), [NAMES[0], NAMES[9], NAMES[13], USAGE[0]], ids=range(4))
def test_the_real_program_says_the_same(program, one_paragraph, work: Path, arguments: tuple[str, ...], words: str) -> None:  # type: ignore[no-untyped-def]
    assert words in one_paragraph(program(*arguments, code=2))
    assert list(work.iterdir()) == []


@pytest.mark.parametrize("arguments", [("run",), ("fly",), ("list", "--jsn"), ("bench", "--batch", "0")])
def test_wrong_usage_is_told_by_the_parser(inside, arguments: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    done = inside(*arguments, code=2)
    assert "Usage: locomotor" in done.stderr and "Traceback" not in done.stderr


def test_debug_shows_the_traceback_wherever_it_stands(inside) -> None:  # type: ignore[no-untyped-def]
    for arguments in (("--debug", "info", "bicycel"), ("info", "bicycel", "--debug")):
        done = inside(*arguments, code=2)
        assert "Traceback (most recent call last)" in done.stderr
        assert done.stderr.strip().splitlines()[-1].startswith("locomotor: no system")


# -- files --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    run = lm.simulate(lm.catalogue.bicycle(), duration=0.5, start={"speed": 4.6})
    return run.save(tmp_path_factory.mktemp("runs") / "run.nc").read_bytes()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_truncated_run_files(inside, one_paragraph, tmp_path: Path, run_bytes: bytes, share: float) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "run.nc").write_bytes(run_bytes[: int(share * len(run_bytes))])
    assert "cannot read 'run.nc'" in one_paragraph(inside("view", "run.nc", "--no-browser", code=3))
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_the_real_program_on_a_truncated_file(program, one_paragraph, work: Path, run_bytes: bytes) -> None:  # type: ignore[no-untyped-def]
    (work / "run.nc").write_bytes(run_bytes[: len(run_bytes) // 2])
    assert "cannot read 'run.nc'" in one_paragraph(program("view", "run.nc", "--no-browser", code=3))


def test_files_that_are_not_runs(inside, one_paragraph, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert "there is no such file" in one_paragraph(inside("view", "missing.nc", code=3))
    (tmp_path / "text.nc").write_text("not a run")
    assert "cannot read 'text.nc'" in one_paragraph(inside("view", "text.nc", code=3))


def test_a_file_that_may_not_be_read(inside, one_paragraph, run_bytes: bytes) -> None:  # type: ignore[no-untyped-def]
    inside("view", "missing.nc", code=3)  # imports what it needs while everything may be read
    with ordinary_user() as folder:
        (folder / "run.nc").write_bytes(run_bytes)
        (folder / "run.nc").chmod(0)
        said = one_paragraph(inside("view", "run.nc", code=3, folder=folder))
    assert "cannot read 'run.nc'" in said and "Permission denied" in said


WRITERS = [
    ("run", "bicycle/E1", "--no-halve", "--out", "{}/x"),
    ("reproduce", "bicycle/E1", "--no-figures", "--out", "{}/x.html"),
    ("stability", "bicycle", "--against", "speed=5:6:2", "--out", "{}/x"),
    ("demo", "--out", "{}/x"),
]


@pytest.mark.parametrize("arguments", WRITERS, ids=lambda value: value[0])
def test_a_folder_that_cannot_be(inside, tmp_path: Path, arguments: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "taken").write_text("a file, not a folder")
    (line,) = inside(*(argument.format("taken") for argument in arguments), code=3).stderr.strip().splitlines()
    assert line.startswith("locomotor: cannot write '") and "taken" in line
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]


def test_a_folder_that_may_not_be_written(inside, one_paragraph, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "taken").write_text("a file, not a folder")
    inside("run", "bicycle/E1", "--no-halve", "--out", "taken/x", code=3)
    with ordinary_user() as folder:
        (folder / "locked").mkdir(mode=0o500)
        done = inside("run", "bicycle/E1", "--no-halve", "--out", "locked/x", code=3, folder=folder)
        assert "Permission denied" in one_paragraph(done, numbers=True)
        assert list((folder / "locked").iterdir()) == []


FULL = [
    # A run file of E3 takes some 8 MB; a page takes more than 40 kB, a picture too.
    (("run", "bicycle/E3", "--no-halve", "--out", "x"), 500_000),
    (("reproduce", "bicycle/E1", "--out", "x.html"), 40_000),
    (("stability", "bicycle", "--against", "speed=5:6:2", "--out", "x"), 20_000),
]


@pytest.mark.parametrize(("arguments", "largest"), FULL, ids=[a[0] for a, _ in FULL])
@pytest.mark.sampled(1)
def test_no_room_left(program, one_paragraph, work: Path, arguments: tuple[str, ...], largest: int) -> None:  # type: ignore[no-untyped-def]
    # Compiled code must be in the cache already: its files are subject to the same limit.
    if arguments[0] == "run":
        scenario(arguments[1]).run(duration=0.1)
    done = program(*arguments, code=3, largest_file=largest)
    assert "File too large; choose a folder that is writable and has room" in one_paragraph(done, numbers=arguments[0] == "run")
    assert list(work.iterdir()) == []


BROKEN = """
import sys
import locomotor.commands.listing as listing
from locomotor.cli import main
def broken(word, everything, as_json):
    return 1 // 0
listing.list_everything = broken
sys.argv = ["locomotor", "list"]
main()
"""


def test_what_is_said_after_an_interruption() -> None:
    from locomotor.cli.ending import _interrupted

    assert _interrupted(["sweep", "bicycle"]).endswith("the same command goes on from here")
    assert "goes on" not in _interrupted(["run", "bicycle/E3"]) and "goes on" not in _interrupted([])


@pytest.mark.parametrize(
    ("arguments", "stopped", "said"),
    [
        (("sweep", "bicycle", "--over", "speed=1:2:3"), "locomotor.commands.sweep.sweep", "the same command goes on from here"),
        (("list",), "locomotor.commands.listing.index", "the same command starts sooner"),
    ],
)
def test_an_interruption_is_told(inside, one_paragraph, monkeypatch, arguments, stopped: str, said: str) -> None:  # type: ignore[no-untyped-def]
    """Through the parser, which keeps Python's own exception to itself."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    inside(*arguments[:1], "--help")  # imports it
    monkeypatch.setattr(stopped, interrupted)
    assert said in one_paragraph(inside(*arguments, code=130))


def test_a_mistake_of_ours_asks_for_a_report(one_paragraph, home) -> None:  # type: ignore[no-untyped-def]
    command = [sys.executable, "-c", BROKEN]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=home)
    assert done.returncode == 70
    assert "ZeroDivisionError" in one_paragraph(done) and "--debug" in done.stderr


def test_a_file_in_place_of_a_folder(inside, one_paragraph, tmp_path: Path, run_bytes: bytes) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "run.nc").write_bytes(run_bytes)
    (tmp_path / "file").write_text("x")
    for arguments in (("view", "run.nc", "--no-browser"), ("info", "bicycle")):
        told = one_paragraph(inside(*arguments, "--out", "file/x.html", code=3))
        assert "cannot write 'file/x.html': Not a directory" in told


def test_a_folder_is_no_run_file(inside, one_paragraph, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "run.nc").mkdir()
    assert "it is a folder" in one_paragraph(inside("view", "run.nc", "--no-browser", code=3))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
def test_an_output_that_cannot_be_written(home) -> None:  # type: ignore[no-untyped-def]
    command = [sys.executable, "-m", "locomotor", "--version"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False, env=home)
    assert done.returncode == 3 and done.stderr == "locomotor: cannot write the output: No space left on device\n"


def test_a_reader_that_leaves_is_no_failure(home) -> None:  # type: ignore[no-untyped-def]
    command = [sys.executable, "-m", "locomotor", "list"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=home)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.wait(timeout=60) == 0 and process.stderr.read() == ""
    process.stderr.close()


def test_an_unknown_command_is_told_with_the_list(inside) -> None:  # type: ignore[no-untyped-def]
    done = inside("fly", code=2)
    assert "No such command 'fly'; there are:" in done.stderr and "reproduce" in done.stderr
