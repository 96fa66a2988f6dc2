"""The file of versions that continuous integration installs: complete, plain, and used."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
LINE = re.compile(r"^[a-z0-9][a-z0-9-]*==[0-9][0-9A-Za-z.]*$")


def pinned() -> dict[str, str]:
    lines = [line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert all(LINE.match(line) for line in lines), "plain name==version lines only; run make pins"
    return dict(line.split("==") for line in lines)


def test_every_package_that_the_tests_need_is_pinned_within_what_we_allow() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = pinned()
    for text in (*project["dependencies"], *project["optional-dependencies"]["dev"]):
        need = Requirement(text)
        name = re.sub(r"[-_.]+", "-", need.name).lower()
        assert name in versions, f"{name} is not in constraints.txt: run make pins"
        assert versions[name] in need.specifier, f"{name}=={versions[name]} against {text}: run make pins"


def test_continuous_integration_installs_the_pinned_versions() -> None:
    makefile, script = ((ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", ".ci/run"))
    assert "-c constraints.txt" in makefile and "export CI=true" in script and "make test" in script
