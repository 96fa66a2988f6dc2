"""The notebooks run, print what is kept in them, and show their pictures and cards once."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from docs.test_docs import disagreement

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def execute():  # type: ignore[no-untyped-def]
    pytest.importorskip("nbclient")
    sys.path.insert(0, str(ROOT / "docs" / "notebooks"))
    import execute

    yield execute
    sys.path.remove(str(ROOT / "docs" / "notebooks"))


def cells_of(file: Path) -> list[dict[str, Any]]:
    return json.loads(file.read_text(encoding="utf-8"))["cells"]


def printed(cell: dict[str, Any]) -> str:
    return "".join("".join(output["text"]) for output in cell["outputs"] if output.get("name") == "stdout")


def kinds(cell: dict[str, Any]) -> list[str]:
    """What is shown beside text, in order."""
    rich = ("image/png", "image/gif", "text/html")
    return [next(kind for kind in rich if kind in o["data"]) for o in cell["outputs"] if {*o.get("data", {})} & {*rich}]


def test_there_are_six_and_the_navigation_has_all() -> None:
    assert len(NOTEBOOKS) == 6
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for file in NOTEBOOKS:
        assert f"notebooks/{file.stem}.md" in navigation


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_kept_whole_and_small(file: Path) -> None:
    cells = cells_of(file)
    assert cells[0]["cell_type"] == "markdown" and "".join(cells[0]["source"]).startswith("# ")
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in code), "not run: python docs/notebooks/execute.py"
    assert not any(output.get("name") == "stderr" or output["output_type"] == "error" for c in code for output in c["outputs"])
    assert any("image/png" in kinds(cell) for cell in code)  # each has a picture
    assert file.stat().st_size < 600_000


@pytest.mark.slow
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_and_prints_what_it_keeps(file: Path, execute) -> None:  # type: ignore[no-untyped-def]
    found = execute.executed(file).cells
    kept = cells_of(file)
    assert len(found) == len(kept)
    for now, before in zip(found, kept, strict=True):
        if before["cell_type"] != "code":
            continue
        assert kinds(now) == kinds(before), now["source"]
        if "varies" not in before["metadata"].get("tags", []):  # what learns differs in the last bit, and then in all
            assert not disagreement(printed(now), printed(before)), now["source"]


SHOWING = """
import locomotor as lm
run = lm.simulate(lm.catalogue.bouncing_ball(), 0.2, start={"z": 0.3}, step=0.01)
---
run.plot("z")
---
figure = run.plot("z")
print("after it")
---
figure
---
page = run.view()
page
---
lm.sweep(None, {"a": [1.0, 2.0], "b": [1.0, 2.0, 3.0]}, lambda point: point["a"] * point["b"], executor="threads")
"""


@pytest.mark.slow  # a kernel of Jupyter is started
def test_each_thing_is_shown_once(execute, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    import nbformat

    cells = [nbformat.v4.new_code_cell(part.strip()) for part in SHOWING.split("---")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "showing.ipynb")
    _, plot, named, again, page, sweep = execute.executed(tmp_path / "showing.ipynb").cells
    assert kinds(plot) == kinds(named) == kinds(again) == ["image/png"]
    assert [output["output_type"] for output in named["outputs"]] == ["display_data", "stream"]
    assert kinds(page) == ["text/html"] and "<canvas" in page["outputs"][-1]["data"]["text/html"].replace("&lt;", "<")
    card = sweep["outputs"][-1]["data"]["text/html"]
    assert "6 ok" in card and "1 to 6" in card and "data:image/png" in card and "<details>" in card
