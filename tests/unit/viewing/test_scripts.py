"""The scripts of the page: modules that say what they take and give, joined without a build step, clean to a linter."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from locomotor.errors import ViewingError
from locomotor.viewing.page.bundle import bundle, order
from locomotor.viewing.page.html import CLIENT

ESLINT = "eslint@9.39.1"
RULES = {
    "no-undef": "error",
    "no-unused-vars": ["error", {"argsIgnorePattern": "^_", "caughtErrors": "all"}],
    "no-implicit-globals": "error",
    "no-redeclare": "error",
    "no-shadow": "error",
    "no-var": "error",
    "prefer-const": "error",
    "eqeqeq": "error",
    "no-unused-expressions": ["error", {"allowShortCircuit": True, "allowTernary": True}],
    "no-restricted-globals": ["error", "event", "name", "status", "top"],
    "no-restricted-syntax": ["error", "AssignmentExpression[left.object.name='window']"],
}
BROWSER = """
    atob Blob clearInterval clearTimeout cancelAnimationFrame CustomEvent document fetch getComputedStyle localStorage
    location MediaRecorder Node performance requestAnimationFrame ResizeObserver setInterval setTimeout TextDecoder URL window
"""


def script(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.js").write_text(text, encoding="utf-8")


def test_every_script_is_used_and_short() -> None:
    assert set(order(CLIENT, "main")) == {path.stem for path in CLIENT.glob("*.js")}
    for path in CLIENT.glob("*.js"):
        assert len(path.read_text(encoding="utf-8").splitlines()) < 300, path.name


def test_scripts_come_after_what_they_take_and_keep_their_own_names(tmp_path: Path) -> None:
    script(tmp_path, "main", 'import { one } from "./a.js";\nimport * as LIB from "lib";\nconst own = one + LIB.two;\n')
    script(tmp_path, "a", "const own = 1;\nexport const one = own;\n")
    assert order(tmp_path, "main") == ["a", "main"]
    text = bundle(tmp_path, "main", {"lib": "({ two: 2 })"})
    assert text.index("const $a") < text.index("const $main") and "import" not in text and "export" not in text
    if shutil.which("node"):
        said = subprocess.run(
            ["node", "-e", text.replace("LIB.two;", "LIB.two; console.log(own);")], capture_output=True, text=True
        )
        assert said.stdout.strip() == "3", said.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("export default 3;\n", "export default"),
        ('import thing from "./a.js";\n', "import thing"),
        ('import * as D3 from "d3";\n', "'d3'"),
        ('import { x } from "./main.js";\n', "main -> main"),
    ],
)
def test_what_a_script_may_not_say(tmp_path: Path, text: str, told: str) -> None:
    script(tmp_path, "main", text)
    with pytest.raises(ViewingError, match=told):
        bundle(tmp_path, "main", {})


@pytest.mark.slow
def test_the_linter_finds_nothing(tmp_path: Path) -> None:
    """ESLint of npm, of one version, with every name that is taken from the browser listed above."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed (Debian: apt-get install npm)")
    (tmp_path / "package.json").write_text("{}", encoding="utf-8")
    install = [npm, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", ESLINT]
    if subprocess.run(install, cwd=tmp_path, capture_output=True, timeout=240).returncode:
        pytest.skip(f"npm cannot fetch {ESLINT}: no network")
    for path in CLIENT.glob("*.js"):
        shutil.copy(path, tmp_path)
    settings = {
        "files": ["*.js"],
        "languageOptions": {"ecmaVersion": 2022, "sourceType": "module", "globals": dict.fromkeys(BROWSER.split(), "readonly")},
        "rules": RULES,
    }
    (tmp_path / "eslint.config.mjs").write_text(f"export default [{json.dumps(settings)}];\n", encoding="utf-8")
    eslint = str(tmp_path / "node_modules" / ".bin" / "eslint")
    said = subprocess.run([eslint, "--max-warnings", "0", "."], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stdout + said.stderr
    script(tmp_path, "bad", "loose = words;\nwindow.mine = 1;\n")
    bad = subprocess.run([eslint, "bad.js"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert bad.returncode == 1 and "'loose' is not defined" in bad.stdout and "no-restricted-syntax" in bad.stdout
