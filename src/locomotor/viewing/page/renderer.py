"""The renderer of the page, three.js: read at run time from an installed wheel that ships it, never copied here.

`jupyter-threejs-sage` has no other purpose than to carry three.js, as a file of its own, and depends on nothing; its version is
the revision of three.js. The extra pins that version, and what is read is compared with a checksum: no other package can change
it, and another build is refused by name. docs/viewing.md says why this wheel was chosen.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from locomotor.errors import MissingExtraError

PACKAGE, REVISION = "jupyter-threejs-sage", "130"
FOLDER, FILE = "jupyter_threejs_sage", Path("static", f"r{REVISION}", "three.min.js")
CHECKSUM = "52ced813d01a0973760ad3e6f3568c6310534d6bef1225aedc2b569221c1f5c9"
"""SHA-256 of the file."""
REMEDY = "install the extra: pip install 'locomotor[view]'"


@lru_cache(maxsize=1)
def renderer_script() -> str:
    """The JavaScript of three.js, with its licence comment, as one expression: the object that holds all of it."""
    spec = find_spec(FOLDER)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(f"the 3D page needs the package {PACKAGE}, which is not installed; {REMEDY}")
    try:
        data = (Path(spec.submodule_search_locations[0]) / FILE).read_bytes()
    except OSError as error:
        raise MissingExtraError(
            f"the installed {PACKAGE} {_version()} has no {FILE.as_posix()} ({error.strerror}): the page needs version "
            f"{REVISION}; {REMEDY}"
        ) from error
    found = hashlib.sha256(data).hexdigest()
    if found != CHECKSUM:
        raise MissingExtraError(
            f"the installed {PACKAGE} {_version()} holds another three.js (SHA-256 {found[:12]}…, not {CHECKSUM[:12]}…): "
            f"the page needs version {REVISION} as it was published; {REMEDY}"
        )
    text = data.decode("utf-8").replace("</script", "<\\/script")
    # The build fills `exports` where a script has one, and would make a global of the page otherwise.
    return f"((exports, module) => {{\n{text}\nreturn exports;\n}})({{}}, {{}})"


def _version() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "(of unknown version)"
