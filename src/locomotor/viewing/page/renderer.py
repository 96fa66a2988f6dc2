"""The renderer of the page, three.js: read at run time from an installed wheel that ships it, never copied here.

`trimesh` carries three.js inside the template of its own notebook viewer, as the plain build that defines `THREE`;
docs/viewing.md says why this wheel was chosen.
"""

from __future__ import annotations

import re
import zipfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from locomotor.errors import MissingExtraError

REMEDY = "install the extra: pip install 'locomotor[view]'"
TEMPLATE = Path("resources", "templates", "viewer.zip")
# The licence comment, then one function that fills THREE, up to the end of that function.
BUILD = re.compile(r'/\*\*\s*\* @license\s.*?\.THREE=\{\}\).*?"__esModule",\{value:!0\}\)\}\)\);', re.DOTALL)


@lru_cache(maxsize=1)
def renderer_script() -> str:
    """The JavaScript of three.js, with its licence comment."""
    spec = find_spec("trimesh")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(f"the 3D page needs the package trimesh, which is not installed; {REMEDY}")
    archive = Path(spec.submodule_search_locations[0]) / TEMPLATE
    try:
        with zipfile.ZipFile(archive) as opened:
            text = opened.read(opened.namelist()[0]).decode("utf-8")
    except (OSError, zipfile.BadZipFile, IndexError) as error:
        raise MissingExtraError(f"the installed trimesh has no viewer template ({error}); {REMEDY}") from error
    found = BUILD.search(text)
    if found is None:
        raise MissingExtraError(f"the viewer template of the installed trimesh has another three.js in it; {REMEDY}")
    return found.group().replace("</script", "<\\/script")
