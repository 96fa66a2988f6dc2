"""The cache: second runs do not compile; damaged and foreign entries are rebuilt, never loaded."""

import ctypes
import gc
import hashlib
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import platformdirs
import pytest

import locomotor as lm
from backends.problems import needs_compiler, pendulum
from locomotor.codegen import cache, cache_place, compile
from locomotor.codegen.cache_place import CacheWarning, private_folder
from locomotor.codegen.toolchain import Toolchain, find_toolchain

pytestmark = needs_compiler

SOURCE = "int answer(void) { return 42; }\n"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LOCOMOTOR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The libraries compiled, in order."""
    made: list[Path] = []
    build = Toolchain.build

    def counted(self, source, target, flags):
        made.append(target)
        build(self, source, target, flags)

    monkeypatch.setattr(Toolchain, "build", counted)
    return made


def load(source: str = SOURCE) -> ctypes.CDLL:
    toolchain = find_toolchain()
    assert toolchain is not None
    return cache.load_library(source, toolchain, toolchain.flags())


def library_in(folder: Path) -> Path:
    """The library the one entry of the folder points to (a rebuild may leave an older one beside it)."""
    (summary,) = folder.glob("*.sum")
    return folder / f"{summary.stem}-{summary.read_text()[:16]}.so"


def replace_bytes(path: Path, content: bytes) -> None:
    """New file under the old name: a library in use must not change under the feet of this process."""
    other = path.with_suffix(".new")
    other.write_bytes(content)
    os.replace(other, path)


def test_second_use_does_not_compile(folder: Path, builds: list[Path]) -> None:
    assert load().answer() == load().answer() == 42
    assert len(builds) == 1
    assert not list(folder.glob("build-*")), "nothing is left behind"
    assert [p.read_text() for p in folder.glob("*.c")] == [SOURCE]


def test_other_source_flags_or_compiler_is_another_entry(folder: Path, builds: list[Path]) -> None:
    load()
    load(SOURCE + "/* changed */")
    toolchain = find_toolchain()
    assert toolchain is not None
    cache.load_library(SOURCE, toolchain, toolchain.flags(reproducible=True))
    other = Toolchain(toolchain.command, toolchain.native, toolchain.version, toolchain.lanes, "another machine")
    cache.load_library(SOURCE, other, toolchain.flags())
    assert len(builds) == 4


@pytest.mark.parametrize("damage", ["truncated", "altered", "foreign", "empty", "removed", "no checksum", "bad checksum"])
def test_damaged_entries_are_rebuilt(folder: Path, builds: list[Path], damage: str) -> None:
    load()
    library, content = library_in(folder), library_in(folder).read_bytes()
    (summary,) = folder.glob("*.sum")
    match damage:
        case "truncated":
            replace_bytes(library, content[: len(content) // 2])
        case "altered":
            replace_bytes(library, content[:-10] + b"\0" * 10 + b"x")
        case "foreign":
            replace_bytes(library, b"MZ this is no library of this machine")
        case "empty":
            replace_bytes(library, b"")
        case "removed":
            library.unlink()
        case "no checksum":
            summary.unlink()
        case "bad checksum":
            summary.write_bytes(b"\xff\xfe not a checksum")
    assert load().answer() == 42
    assert len(builds) == 2
    assert library_in(folder).read_bytes()[:4] == content[:4]


def test_library_with_the_wrong_checksum_is_never_loaded(
    folder: Path, builds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Swap in a working library that answers otherwise: it must not be opened."""
    load("int answer(void) { return 13; }\n")
    evil = library_in(folder).read_bytes()
    load()
    opened: list[str] = []
    real = ctypes.CDLL

    def spy(path: str) -> ctypes.CDLL:
        opened.append(hashlib.sha256(Path(path).read_bytes()).hexdigest())
        return real(path)

    monkeypatch.setattr(ctypes, "CDLL", spy)
    target = next(p for p in folder.glob("*.so") if p.read_bytes() != evil)
    replace_bytes(target, evil)
    assert load().answer() == 42
    assert hashlib.sha256(evil).hexdigest() not in opened


def test_sound_entry_that_cannot_be_loaded_is_rebuilt(folder: Path, builds: list[Path]) -> None:
    """As left by another machine that shares the folder: its checksum is right, the loader refuses it."""
    load()
    (summary,) = folder.glob("*.sum")
    key = summary.stem
    rubbish = b"a library of another machine"
    checksum = hashlib.sha256(rubbish).hexdigest()
    (folder / f"{key}-{checksum[:16]}.so").write_bytes(rubbish)
    summary.write_text(checksum)
    assert load().answer() == 42
    assert len(builds) == 2


def test_unwritable_folder_falls_back_to_a_private_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("LOCOMOTOR_CACHE", str(blocked / "cache"))
    with pytest.warns(CacheWarning, match=r"file/cache' cannot be used \(Not a directory\).*LOCOMOTOR_CACHE"):
        assert load().answer() == 42
    assert cache.cache_folder() == private_folder()
    assert cache.cache_folder().stat().st_mode & 0o077 == 0, "nobody else can put a library there"


def test_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOCOMOTOR_CACHE", str(tmp_path / "named"))
    assert cache.cache_folder() == tmp_path / "named"
    monkeypatch.delenv("LOCOMOTOR_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.cache_folder() == tmp_path / "xdg" / "locomotor"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache.cache_folder() == tmp_path / "home" / ".cache" / "locomotor"
    assert (tmp_path / "home" / ".cache" / "locomotor").stat().st_mode & 0o777 == 0o700


@pytest.fixture
def _untold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_place, "_told", set())


def foreign(folder: Path) -> None:
    """An entry for SOURCE, sound in every respect, whose library answers otherwise: somebody else's."""
    load("int answer(void) { return 13; }\n")
    evil = library_in(folder).read_bytes()
    for file in folder.iterdir():
        file.unlink()
    load()
    (summary,) = folder.glob("*.sum")
    checksum = hashlib.sha256(evil).hexdigest()
    replace_bytes(folder / f"{summary.stem}-{checksum[:16]}.so", evil)
    summary.write_text(checksum + "\n")


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777, 0o702])
def test_nothing_is_loaded_from_a_folder_that_others_can_write(
    folder: Path, builds: list[Path], mode: int, _untold: None
) -> None:
    foreign(folder)
    folder.chmod(mode)
    with pytest.warns(CacheWarning, match=r"others may write in .*/cache'.*chmod go-w.*LOCOMOTOR_CACHE") as seen:
        assert load().answer() == 42
        assert load(SOURCE + "/* another */").answer() == 42
    assert len(seen) == 1, "said once"
    folder.chmod(0o700)
    assert load().answer() == 13, "the entry was sound: the folder decided"


def test_nothing_is_loaded_below_a_folder_where_everybody_writes(
    folder: Path, builds: list[Path], tmp_path: Path, _untold: None
) -> None:
    foreign(folder)
    tmp_path.chmod(0o777)
    with pytest.warns(CacheWarning, match="everybody may write in .*above the folder of the cache"):
        assert load().answer() == 42
    tmp_path.chmod(0o1777)  # with the sticky bit, as /tmp: others cannot rename what is there
    assert load().answer() == 13


def test_a_link_is_followed_to_where_everybody_writes(
    folder: Path, builds: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _untold: None
) -> None:
    """The folder that counts is the one that a link leads to."""
    foreign(folder)
    (tmp_path / "open").mkdir()
    folder.rename(tmp_path / "open" / "cache")
    folder.symlink_to(tmp_path / "open" / "cache")
    assert load().answer() == 13
    (tmp_path / "open").chmod(0o777)
    with pytest.warns(CacheWarning, match="everybody may write in .*/open'"):
        assert load().answer() == 42


@pytest.mark.parametrize("spoilt", ["*.so", "*.sum"])
@pytest.mark.parametrize("how", ["others write", "link", "pipe"])
def test_files_that_others_can_change_are_rebuilt(
    folder: Path, builds: list[Path], tmp_path: Path, spoilt: str, how: str
) -> None:
    load()
    (file,) = folder.glob(spoilt)
    if how == "others write":
        file.chmod(0o666)
    else:
        os.replace(file, tmp_path / "moved")
        file.symlink_to(tmp_path / "moved") if how == "link" else os.mkfifo(file)
    assert load().answer() == 42
    assert len(builds) == 2
    assert load().answer() == 42
    assert len(builds) == 2, "the new entry is sound"


def test_a_generous_mask_does_not_spoil_the_cache(folder: Path, builds: list[Path]) -> None:
    before = os.umask(0)
    try:
        load()
        load()
    finally:
        os.umask(before)
    assert len(builds) == 1 and all(file.stat().st_mode & 0o022 == 0 for file in (folder, *folder.iterdir()))


@pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator can give files away")
@pytest.mark.parametrize("what", ["folder", "*.so", "*.sum"])
def test_what_belongs_to_another_user_is_not_loaded(folder: Path, builds: list[Path], what: str, _untold: None) -> None:
    foreign(folder)
    given = folder if what == "folder" else library_in(folder) if what == "*.so" else next(folder.glob(what))
    os.chown(given, 65534, 65534)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        assert load().answer() == 42


@pytest.mark.parametrize("name", ["~nosuchuser/x", "~nosuchuser"])
def test_the_home_of_nobody_is_no_folder(monkeypatch: pytest.MonkeyPatch, name: str, _untold: None) -> None:
    monkeypatch.setenv("LOCOMOTOR_CACHE", name)
    with pytest.warns(CacheWarning, match=f"LOCOMOTOR_CACHE='{name}' names no folder"):
        assert load().answer() == 42


def test_without_a_home_the_folder_is_private(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOCOMOTOR_CACHE", raising=False)
    # What it gives where neither $HOME nor the list of users names a home.
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: Path("~/.cache", name))
    assert cache.cache_folder() == private_folder() and os.listdir(tmp_path) == []


@pytest.mark.slow
def test_concurrent_writers_do_not_disturb_each_other(folder: Path) -> None:
    script = (
        "import numpy as np\n"
        "from backends.problems import pendulum\n"
        "from locomotor.codegen import compile\n"
        "k = compile(pendulum(), 'c')\n"
        "print(k(np.zeros(1), np.ones(2), np.zeros(1), np.ones(1))[0][1])\n"
    )
    paths = [p for p in sys.path if p]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(Path(__file__).parents[2]), *paths]))
    running = [
        subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    answers = [process.communicate(timeout=120)[0].strip() for process in running]
    assert [process.returncode for process in running] == [0] * 4
    np.testing.assert_allclose([float(answer) for answer in answers], -np.sin(1.0), rtol=1e-15)
    kernel = compile(pendulum(), "c")
    np.testing.assert_allclose(kernel(np.zeros(1), np.ones(2), np.zeros(1), np.ones(1))[0][1], -np.sin(1.0))


def loaded(folder: Path) -> int:
    """Libraries of a folder in the memory of this process."""
    return len({line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if str(folder) in line})


needs_maps = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux tells what is in memory")


@needs_maps
def test_libraries_that_nobody_uses_are_let_go(folder: Path) -> None:
    """A function keeps its library; without either it is closed."""
    toolchain = find_toolchain()
    assert toolchain is not None
    texts = [SOURCE.replace("42", str(number)) for number in (42, 43, 44)]
    kept = cache.load_library(texts[0], toolchain, toolchain.flags()).answer
    others = [cache.load_library(text, toolchain, toolchain.flags()) for text in texts[1:]]
    assert [other.answer() for other in others] == [43, 44] and loaded(folder) == 3
    del others
    gc.collect()
    assert loaded(folder) == 1 and kept() == 42


@needs_maps
@pytest.mark.slow
def test_many_runs_with_other_parameters_keep_few_libraries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as caches of 32 and 64 models hold; all of them were kept, until no map of memory was left."""
    monkeypatch.setenv("LOCOMOTOR_OPTIMISE", "0")
    ball, counts = lm.catalogue.bowling_ball(), []
    for k in range(90):
        start = {"x_rate": 8.0, "spin_wy": 0.0}
        lm.simulate(ball, 0.05, start=start, step=0.01, parameters={"mu": 0.1 + 0.001 * k})
        counts.append(loaded(folder))
    gc.collect()
    assert loaded(folder) < 1.2 * max(counts[:60])
