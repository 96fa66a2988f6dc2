"""Prints the versions of everything that `pip install -e '.[dev]'` brought into this environment: the lines of constraints.txt.

Only names and versions: where packages come from is the business of the machine.
"""

import re
import sys
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement


def plain(name: str) -> str:
    """A name as package indexes compare them."""
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(name: str, extras: tuple[str, ...]) -> dict[str, str]:
    """Versions of whatever a distribution needs, itself left out."""
    found: dict[str, str] = {}
    waiting, done = [(name, extra) for extra in ("", *extras)], set()
    while waiting:
        owner, extra = waiting.pop()
        if (owner, extra) in done:
            continue
        done.add((owner, extra))
        for text in distribution(owner).requires or []:
            need = Requirement(text)
            if need.marker is not None and not need.marker.evaluate({"extra": extra}):
                continue
            try:
                found[plain(need.name)] = distribution(need.name).version
            except PackageNotFoundError:
                continue
            waiting += [(need.name, more) for more in ("", *need.extras)]
    return found


if __name__ == "__main__":
    sys.stdout.write("# Versions that continuous integration installs (CI=true make test); written by `make pins`.\n")
    # A local version such as 2.1+cpu names a build of one machine.
    for package, version in sorted(closure("locomotor", ("dev",)).items()):
        sys.stdout.write(f"{package}=={version.partition('+')[0]}\n")
