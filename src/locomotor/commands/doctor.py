"""`locomotor doctor`: what this machine has, what is missing, and how to get it."""

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import sys
from dataclasses import asdict
from pathlib import Path

from locomotor import __version__
from locomotor.codegen import cache_folder, find_toolchain, missing_compiler_notice
from locomotor.commands.terminal import output, print_json, table
from locomotor.dataclass import dataclass

CORE = ("numpy", "scipy", "casadi", "xarray", "h5netcdf", "h5py", "matplotlib", "typer", "rich")
MODULES = {"pin": "pinocchio", "ray": "ray", "cupy-cuda12x": "cupy", "pillow": "PIL"}
"""Distributions that are imported under another name."""


@dataclass(frozen=True)
class Finding:
    """One thing that the machine has or lacks, and what to do about it."""

    what: str
    found: bool
    detail: str
    remedy: str = ""
    needed: bool = False


def doctor(as_json: bool) -> int:
    """Look for everything; exit with 1 when something without which nothing works is missing."""
    findings = [*_core(), _compiler(), _cache(), *_gpu(), *_extras()]
    if as_json:
        print_json({"version": __version__, "findings": [asdict(finding) for finding in findings]})
    else:
        out = output()
        shown = table("", "what", "detail")
        for finding in findings:
            mark = "ok" if finding.found else ("MISSING" if finding.needed else "absent")
            detail = finding.detail + (f"; {finding.remedy}" if finding.remedy and not finding.found else "")
            shown.add_row(mark, finding.what, detail)
        out.print(shown)
    return 1 if any(finding.needed and not finding.found for finding in findings) else 0


def _core() -> list[Finding]:
    here = f"{platform.python_version()} at {sys.executable}, {platform.system()} {platform.machine()}"
    found = [
        Finding("locomotor", True, __version__),
        Finding("Python", sys.version_info >= (3, 11), here, "3.11 or later is needed", True),
    ]
    return found + [_distribution(name, "", True) for name, extra in _requirements() if not extra]


def _requirements() -> list[tuple[str, str]]:
    """(distribution, extra) of everything that our own metadata asks for."""
    try:
        texts = importlib.metadata.requires("locomotor") or []
    except importlib.metadata.PackageNotFoundError:
        # Run from a source tree: no metadata, so only what the code itself imports.
        return [(name, "") for name in CORE]
    found = []
    for text in texts:
        name = re.match(r"[A-Za-z0-9._-]+", text)
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", text)
        if name:
            found.append((name.group(), extra.group(1) if extra else ""))
    return found


def _distribution(name: str, remedy: str, needed: bool) -> Finding:
    try:
        return Finding(name, True, importlib.metadata.version(name), "", needed)
    except importlib.metadata.PackageNotFoundError:
        module = MODULES.get(name, name.replace("-", "_"))
        if importlib.util.find_spec(module) is not None:
            return Finding(name, True, "present, version unknown", "", needed)
        return Finding(name, False, "not installed", remedy or f"pip install {name}", needed)


def _compiler() -> Finding:
    chain = find_toolchain()
    if chain is None:
        return Finding("C compiler", False, missing_compiler_notice())
    command, flags = " ".join(chain.command), " ".join(chain.native)
    return Finding("C compiler", True, f"{command} {chain.version}, {flags}, {chain.lanes} float64 lanes")


def _cache() -> Finding:
    folder = cache_folder()
    libraries = list(folder.glob("*.so"))
    size = sum(file.stat().st_size for file in libraries) / 1e6
    free = shutil.disk_usage(folder).free / 1e9
    return Finding("cache", True, f"{folder}: {len(libraries)} libraries, {size:.1f} MB; {free:.1f} GB free")


def _gpu() -> list[Finding]:
    """A GPU and its compiler, from the traces they leave, without starting anything."""
    driver = Path("/proc/driver/nvidia/version")
    device = driver.exists() or Path("/dev/nvidia0").exists() or shutil.which("nvidia-smi") is not None
    version = driver.read_text(encoding="utf-8").splitlines()[0] if driver.exists() else "present"
    compiler = shutil.which("nvcc")
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    return [
        Finding("NVIDIA GPU", device, version if device else "none seen", "batches then run on the CPU"),
        Finding(
            "CUDA compiler",
            bool(compiler or home),
            compiler or home or "nvcc is not on the path",
            "only needed for a GPU: install the CUDA toolkit, or set CUDA_HOME",
        ),
    ]


def _extras() -> list[Finding]:
    """What the optional extras would add, by extra."""
    groups: dict[str, list[str]] = {}
    for name, extra in _requirements():
        if extra:
            groups.setdefault(extra, []).append(name)
    found = []
    for extra, names in groups.items():
        missing = [name for name in names if not _distribution(name, "", False).found]
        detail = ", ".join(names) if not missing else f"without {', '.join(missing)}"
        found.append(Finding(f"extra [{extra}]", not missing, detail, f"pip install 'locomotor[{extra}]'"))
    return found
