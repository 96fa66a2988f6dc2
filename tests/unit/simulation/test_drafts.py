"""Files and folders appear complete or not at all."""

import errno
import os
import sys
from pathlib import Path

import pytest

from locomotor.errors import RunFileError
from locomotor.files import draft, draft_folder, make_folder, reserve, write_text


def full_disk() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_text_replaces_what_was_there(tmp_path: Path) -> None:
    target = write_text(tmp_path / "a.txt", "one")
    write_text(target, "two")
    assert target.read_text() == "two" and os.listdir(tmp_path) == ["a.txt"]


def test_failure_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    target = write_text(tmp_path / "a.txt", "old")
    with pytest.raises(RunFileError, match=r"a\.txt.*No space left on device; choose"), draft(target) as unfinished:
        unfinished.write_text("half")
        raise full_disk()
    assert target.read_text() == "old" and os.listdir(tmp_path) == ["a.txt"]


def test_other_errors_leave_no_draft_either(tmp_path: Path) -> None:
    with pytest.raises(KeyError), draft(tmp_path / "a.txt") as unfinished:
        unfinished.write_text("half")
        raise KeyError("x")
    assert os.listdir(tmp_path) == []


def test_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "report"
    with draft_folder(target) as unfinished:
        (unfinished / "sub").mkdir()
        (unfinished / "sub" / "a.txt").write_text("a")
        assert not target.exists()
    assert (target / "sub" / "a.txt").read_text() == "a"
    assert os.listdir(tmp_path / "deep") == ["report"]


def test_folder_that_exists_keeps_its_other_files(tmp_path: Path) -> None:
    target = make_folder(tmp_path / "report")
    (target / "mine.txt").write_text("mine")
    (target / "a.txt").write_text("old")
    with draft_folder(target) as unfinished:
        (unfinished / "a.txt").write_text("new")
    assert {p.name: p.read_text() for p in target.iterdir()} == {"mine.txt": "mine", "a.txt": "new"}


def test_failure_in_a_folder_leaves_nothing_not_even_parents(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="No space left"), draft_folder(tmp_path / "deep" / "report") as unfinished:
        (unfinished / "a.txt").write_text("half")
        raise full_disk()
    assert os.listdir(tmp_path) == []


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(RunFileError, match="taken"):
        make_folder(tmp_path / "taken" / "below")
    with pytest.raises(RunFileError, match="taken"), draft_folder(tmp_path / "taken" / "below"):
        pass
    assert (tmp_path / "taken").read_text() == "a file"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the free space of the disk is only read")
def test_room_is_asked_for_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="cannot write"), draft(tmp_path / "run.nc") as unfinished:
        reserve(unfinished, 2**62)
    assert os.listdir(tmp_path) == []
