"""Run the notebooks and keep their outputs, small: `python docs/notebooks/execute.py [NAME ...]`.

The tests run them too (`tests/docs/test_notebooks.py`) and compare what they print with what is kept here.
"""

import base64
import io
import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

HERE = Path(__file__).resolve().parent
INSIDE = re.compile(r"(data:image/png;base64,)([A-Za-z0-9+/=]+)")
COLOURS = 96
"""Of the kept pictures: curves need no more, and the files stay small."""


def executed(file: Path, seconds: int = 300) -> nbformat.NotebookNode:
    """The notebook with its outputs, run in an empty folder."""
    notebook = nbformat.read(file, as_version=4)
    # A backend that was chosen for this process is not that of a notebook.
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    environment["PYTHONPATH"] = os.pathsep.join([str(HERE.parents[1] / "src"), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=seconds, kernel_name="python3", resources={"metadata": {"path": folder}})
        client.execute(env=environment)
    return notebook


def tidied(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The same without what changes from run to run, and with small pictures."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if "outputs" in cell:
            cell.outputs = joined(cell.outputs)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                data["image/png"] = packed(data["image/png"])
            if "text/html" in data:
                data["text/html"] = INSIDE.sub(lambda found: found[1] + packed(found[2]), data["text/html"])
            if "text/plain" in data:
                data["text/plain"] = re.sub(r" at 0x[0-9a-f]+", "", data["text/plain"])
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """What was printed without anything between as one piece: how a kernel cuts it depends on the clock."""
    found: list[nbformat.NotebookNode] = []
    for output in outputs:
        if found and output.get("text") and found[-1].get("name") == output.get("name"):
            found[-1]["text"] += output["text"]
        else:
            found.append(output)
    return found


def packed(png: str) -> str:
    """A picture (base64) with few colours."""
    stream = io.BytesIO()
    image = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(stream, "PNG", optimize=True)
    return base64.b64encode(stream.getvalue()).decode("ascii")


if __name__ == "__main__":
    for file in sorted(HERE.glob("*.ipynb")):
        if len(sys.argv) < 2 or file.stem in sys.argv[1:]:
            nbformat.write(tidied(executed(file)), file)
            print(f"{file.name}: {file.stat().st_size // 1024} kB")
