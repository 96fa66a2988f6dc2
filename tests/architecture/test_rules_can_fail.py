"""The rules can fail: one small package for each breach, and good code that passes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from architecture.contract import MAX_LINES
from architecture.rules import (
    RULES,
    docstring_complaints,
    door_complaints,
    dynamic_complaints,
    layer_complaints,
    length_complaints,
    library_complaints,
    order_complaints,
    system_name_complaints,
    unused_grants,
)

BROKEN = [
    (layer_complaints, "lie/so3.py", "from ..model import X", "lie may not import locomotor.model.X"),
    (layer_complaints, "lie/so3.py", "from locomotor import __version__", "lie may not import"),
    (layer_complaints, "model/a.py", "from .. import mechanics", "model may not import locomotor.mechanics"),
    (layer_complaints, "model/a.py", "import locomotor", "model may not import locomotor at"),
    (layer_complaints, "codegen/a.py", "from ..mechanics import x", "codegen may not import locomotor.mechanics.x"),
    (layer_complaints, "codegen/a.py", "import locomotor.model.body", "codegen may not import"),
    (layer_complaints, "catalogue/a.py", "from locomotor.tracing import trace", "catalogue may not import"),
    (layer_complaints, "simulation/records/run.py", "from ...viewing import plot", "at module level"),
    (layer_complaints, "simulation/b.py", "def f():\n    from ..viewing import plot", "inside a function"),
    (layer_complaints, "analysis/a.py", "def f():\n    from . import b", "inside a function"),
    (layer_complaints, "novelty/a.py", "", "layer 'novelty' is unknown"),
    (
        layer_complaints,
        "lie/a.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..model import Body",
        "lie may not import locomotor.model.Body",
    ),
    (door_complaints, "analysis/a.py", "from locomotor.catalogue.hopper import x", "import it from locomotor.catalogue"),
    (library_complaints, "mechanics/a.py", "import casadi as ca", "casadi may be imported in: lie/ops.py"),
    (library_complaints, "lie/so3.py", "def f():\n    from casadi import SX", "casadi may be imported in"),
    (library_complaints, "analysis/a.py", "def f():\n    import matplotlib.pyplot", "matplotlib may be"),
    (library_complaints, "simulation/a.py", "import pickle", "pickle may be imported in: nowhere"),
    (library_complaints, "model/a.py", "def f():\n    import json", "import json at the top"),
    (
        dynamic_complaints,
        "model/a.py",
        "import importlib as i\ni.import_module('casadi')",
        "hides an import",
    ),
    (dynamic_complaints, "model/a.py", "x = eval('1')", "runs text as code"),
    (docstring_complaints, "model/a.py", "x = 1", "model/a.py: says nothing"),
    (length_complaints, "model/a.py", "x = 1\n" * (MAX_LINES + 1), "601 lines"),
    (system_name_complaints, "mechanics/a.py", "def whipple_rows(): ...", "'whipple'"),
    (system_name_complaints, "simulation/a.py", "if name == 'Bicycle': pass", "'bicycle'"),
    (system_name_complaints, "mechanics/a.py", "hopper_gain = 1", "'hopper'"),
]


def test_rule_of_order_sees_rooms_that_import_each_other(tmp_path: Path) -> None:
    package = tmp_path / "locomotor"
    sources = {"model/a.py": "from locomotor.model.room import x", "model/room/__init__.py": "from locomotor.model.b import x"}
    for name, text in {**sources, "model/b.py": "from locomotor.model.a import x"}.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    assert [complaint.split(":")[0] for complaint in order_complaints(package)] == ["model/a", "model/b", "model/room"]
    (package / "model/b.py").write_text("x = 1", encoding="utf-8")
    assert list(order_complaints(package)) == []


def test_rule_of_grants_sees_a_permission_that_nobody_uses(tmp_path: Path) -> None:
    package = tmp_path / "locomotor"
    (package / "model").mkdir(parents=True)
    (package / "model" / "system.py").write_text(
        "from locomotor.lie import ops\nfrom locomotor.names import x", encoding="utf-8"
    )
    complaints = [complaint for complaint in unused_grants(package) if "model" in complaint.split(":")[1].split()[0]]
    assert complaints == [
        "ALLOWED: model imports nothing of checks; take it out",
        "ALLOWED: model imports nothing of dataclass; take it out",
        "ALLOWED: model imports nothing of errors; take it out",
        "ALLOWED: model imports nothing of files; take it out",
        "ALLOWED: model imports nothing of seal; take it out",
        "ALLOWED: model imports nothing of typing; take it out",
        "LAZY_DOORS: model/system.py imports nothing of viewing; take it out",
        "LAZY_DOORS: model/parameters.py imports nothing of viewing; take it out",
    ]


@pytest.mark.parametrize(("rule", "file", "source", "complaint"), BROKEN)
def test_rule_sees_a_breach(
    tmp_path: Path, rule: Callable[[Path], Iterator[str]], file: str, source: str, complaint: str
) -> None:
    package = tmp_path / "locomotor"
    for name, text in {"catalogue/hopper.py": '"""A system."""', file: source}.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    found = list(rule(package))
    assert len(found) == 1 and complaint in found[0], found


FINE = [
    ("simulation/records/run.py", "def plot():\n    from ...viewing import draw"),
    (
        "codegen/emit.py",
        "from .. import __version__\nfrom ..tracing import tape\nfrom ..errors import E",
    ),
    ("lie/ops.py", "import casadi\nfrom . import small_angle\ndef f():\n    import sympy"),
    ("mechanics/a.py", '"""As the bicycle."""\n# snakeboard\nclass A:\n    x = 1\n    """As in Whipple."""'),
    ("__init__.py", "from importlib import import_module\ndef __getattr__(n):\n    return import_module(n)"),
    ("model/__init__.py", "from .body import Body"),
]


@pytest.mark.parametrize(("file", "source"), FINE, ids=[file for file, _ in FINE])
def test_rules_let_good_code_pass(tmp_path: Path, file: str, source: str) -> None:
    path = tmp_path / "locomotor" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source if source.startswith('"""') else f'"""A job."""\n{source}', encoding="utf-8")
    assert [text for rule in RULES for text in rule(tmp_path / "locomotor")] == []
