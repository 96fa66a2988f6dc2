"""The documentation site builds without a warning and asks nobody else for anything."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from locomotor import catalogue

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("pictures", [4, pytest.param(len(catalogue.systems()), marks=pytest.mark.slow)])
def test_the_site_builds_strictly_and_offline(pictures: int, tmp_path: Path) -> None:
    environment = {**os.environ, "LOCOMOTOR_GALLERY": str(pictures)}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert {"index", "start", "theory", "conventions", "api", "coming_from"} <= {page.stem for page in pages}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r"<(?:script|img|link|iframe)[^>]+(?:src|href)=\"?(https?:[^\s\">]+)", text)
        assert not fetched, f"{page.name} fetches {fetched}"
        assert not re.search(r"formula\d{4}formula", text), f"{page.name}: a formula was not put back"
    for notebook in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        text = (tmp_path / "site" / "notebooks" / f"{notebook.stem}.html").read_text(encoding="utf-8")
        assert (tmp_path / "site" / "notebooks" / notebook.name).read_bytes() == notebook.read_bytes()
        assert f'href="{notebook.name}"' in text and f'src="{notebook.stem}_' in text  # to be downloaded; with its pictures
        assert "````" not in text
    assert 'src="images/moving.gif"' in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    drawn = {file.stem for file in (tmp_path / "site" / "gallery").glob("*.png")}
    assert drawn == {ready.name.replace("/", "-") for ready in list(catalogue.systems())[:pictures]}
    assert (tmp_path / "site" / "theory.html").read_text(encoding="utf-8").count("<math") > 50
