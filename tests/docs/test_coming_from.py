"""The page for those who come from another tool: what theirs prints, where it is installed, is what the page shows."""

import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest

from docs.test_docs import blocks_of, disagreement

PAGE = Path(__file__).resolve().parents[2] / "docs" / "coming_from.md"
PEERS = ("mujoco", "sympy", "pydrake", "exudyn", "bicycleparameters")


def test_every_peer_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for peer in PEERS:
        assert f"import {peer}" in text or f"from {peer}" in text


def code_and_output(peer: str) -> tuple[str, str]:
    """The block that imports the package, and what is shown after it."""
    blocks = blocks_of(PAGE.read_text(encoding="utf-8"))
    for block, after in pairwise(blocks):
        code = "\n".join(block.lines)
        if block.language == "python" and not block.runs and (f"import {peer}" in code or f"from {peer}" in code):
            assert after.language == "text" and after.follows
            return code, "\n".join(after.lines)
    raise AssertionError(f"no block of the page uses {peer}")


@pytest.mark.slow
@pytest.mark.parametrize("peer", PEERS)
def test_theirs_prints_what_is_shown(peer: str, tmp_path: Path) -> None:
    code, shown = code_and_output(peer)
    if find_spec(peer) is None:
        pytest.skip(f"{peer} is not installed")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path, timeout=200)
    printed = done.stdout.strip().splitlines()[-len(shown.splitlines()) :]  # some greet first
    assert not disagreement("\n".join(printed), shown)
