"""Before work starts on a cluster: whether every worker gives the same bytes, and sees and writes what we do."""

from __future__ import annotations

import hashlib
import platform
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from distributed.comm.core import CommClosedError
from packaging.requirements import Requirement

from scrubin.core import store
from scrubin.core.code_of import code_of_library
from scrubin.core.errors import ScrubinError, StageError
from scrubin.core.files import sha256_of
from scrubin.engine import file_systems
from scrubin.networks.weights import NETWORKS, weights

LOCK = "requirements.lock"
SLACK_S = 5.0


@dataclass(frozen=True)
class State:
    """What must be equal on all machines, or possible on each, and what is only said.

    Parameters
    ----------
    lock
        SHA-256 of ``requirements.lock``, as it is seen there.
    packages
        Of the locked packages, those that are there in another version, or are missing.
    library
        SHA-256 of the sources of the library that is run.
    networks
        SHA-256 of every network, by name; what is wrong with it where it cannot be used.
    python
        Major and minor version: others pickle otherwise.
    sees
        Whether it sees, in the store, the file that was just written for it.
    writes
        The name of the file that it wrote into the store; empty when it could not, and then ``why``.
    clock_s
        Its clock, in seconds since 1970.
    file_system
        On which the project lies there.
    """

    lock: str
    packages: tuple[str, ...]
    library: str
    networks: tuple[tuple[str, str], ...]
    python: str
    sees: bool
    writes: str
    why: str
    clock_s: float
    file_system: str


def look(root: Path, seen: str) -> State:
    """Return the state of this machine for a project at an absolute path; ``seen`` is a file's name in its store."""
    folder = root / store.STORE_PATH
    written, why = f"{seen}-{uuid.uuid4().hex}", ""
    try:
        (folder / written).write_text("", encoding="ascii")
    except OSError as error:
        written, why = "", f"{error.strerror}"
    lock = root / LOCK
    return State(
        lock=sha256_of(lock) if lock.is_file() else "missing",
        packages=_other_packages(lock),
        library=code_of_library(),
        networks=tuple((name, _network(name)) for name in sorted(NETWORKS)),
        python=".".join(platform.python_version_tuple()[:2]),
        sees=(folder / seen).is_file(),
        writes=written,
        why=why,
        clock_s=time.time(),
        file_system=file_systems.type_of(root if root.exists() else Path("/")),
    )


def compare(ours: State, theirs: Mapping[str, State | BaseException], root: Path) -> list[str]:
    """Return what may be said of each worker that can be used: clock, file system.

    Raises
    ------
    StageError
        Names every worker that differs, and in what.
    """
    faults = [f"{worker}: {fault}" for worker in sorted(theirs) for fault in faults_of(ours, theirs[worker], root)]
    if faults:
        lines = "\n  ".join(faults)
        msg = f"the cluster cannot be used as it is; correct these workers, or leave them out:\n  {lines}"
        raise StageError(msg)
    states = {worker: state for worker, state in theirs.items() if isinstance(state, State)}
    return [
        f"{worker}: clock {state.clock_s - ours.clock_s:+.1f} s, project on {state.file_system or 'an unknown file system'}"
        for worker, state in sorted(states.items())
        if abs(state.clock_s - ours.clock_s) > SLACK_S or state.file_system != ours.file_system
    ]


def faults_of(ours: State, one: State | BaseException, root: Path) -> list[str]:
    """Return what makes a worker one that cannot be used, or would not give the same bytes."""
    if isinstance(one, CommClosedError | TimeoutError):
        return ["it does not answer any more; start it again"]
    if isinstance(one, BaseException):
        return [f"it cannot run the library ({type(one).__name__}: {one}); start it with the project's own .venv"]
    faults = []
    if one.lock == "missing":
        return [f"it does not see the project at {root}; start it where the same folder is mounted under the same path"]
    if one.lock != ours.lock:
        faults.append(f"its {LOCK} is another one; it sees another folder at {root}")
    if one.python != ours.python:
        faults.append(f"it runs Python {one.python}, and we {ours.python}; start it with the project's own .venv")
    if one.packages:
        faults.append(f"its packages are not those of {LOCK}: {', '.join(one.packages)}; run 'make setup' there")
    if one.library != ours.library:
        faults.append("its scrubin is another version than ours; start it with the project's own .venv, and again after an update")
    faults += [
        f"network '{name}' is not ours there: {dict(one.networks).get(name, 'missing')}; run 'make setup' there"
        for name, sha256 in ours.networks
        if dict(one.networks).get(name) != sha256
    ]
    if not one.sees:
        faults.append(f"it does not see what we write to {root / store.STORE_PATH}; the folder must be shared")
    if not one.writes:
        faults.append(f"it cannot write to {root / store.STORE_PATH} ({one.why})")
    return faults


def _other_packages(lock: Path) -> tuple[str, ...]:
    """Return which of the locked packages are there in another version, or are missing."""
    others = []
    for line in lock.read_text(encoding="utf-8").splitlines() if lock.is_file() else ():
        if not line[:1].isalnum():
            continue  # a hash, or who wants the package
        wanted = Requirement(line.removesuffix("\\"))
        if wanted.marker is not None and not wanted.marker.evaluate():
            continue  # for other machines
        try:
            there = version(wanted.name)
        except PackageNotFoundError:
            others.append(f"{wanted.name} is missing")
            continue
        if there not in wanted.specifier:
            others.append(f"{wanted.name} is {there} instead of {str(wanted.specifier).removeprefix('==')}")
    return tuple(others)


def _network(name: str) -> str:
    try:
        return hashlib.sha256(weights(name)).hexdigest()
    except ScrubinError as error:
        return str(error)
