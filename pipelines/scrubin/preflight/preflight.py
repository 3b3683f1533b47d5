"""The whole look, in the order of the pipeline; it reads with the pipeline's own readers and writes nothing of the study."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from scrubin import settings, study
from scrubin.core import params, private_paths
from scrubin.core.errors import ParamsError
from scrubin.ingest import manifest
from scrubin.listing import unfinished
from scrubin.preflight import labels, machine, redactions, release_plan, rigs, sheets, splits
from scrubin.preflight.findings import Findings
from scrubin.preflight.listed_study import listed


def look(*, with_demo: bool = True) -> Findings:
    """Return everything that is wrong with the project in this folder.

    Parameters
    ----------
    with_demo
        Look at the synthetic study as well, where there is one; a run makes it anew first.
    """
    noted = Findings()
    loaded: dict[str, Any] = {}
    with noted.noting():
        loaded, wrong = settings.look()
        noted.errors += wrong
    machine.look(loaded.get("screen"), noted)
    if not loaded:
        return noted  # params.yaml cannot be read, and what it says of the study neither
    with contextlib.suppress(ParamsError):  # noted above
        raw = params.raw_of()
        noted.study = raw.as_posix()
        if raw != study.DEMO or (with_demo and (raw / manifest.NAME).exists()):
            with noted.noting():
                unfinished.refuse()
            with noted.noting():
                study.require(raw)
                _look_at_study(raw, loaded, noted)
    return noted


def _look_at_study(raw: Path, loaded: dict[str, Any], noted: Findings) -> None:
    if not {"ingest", "pseudonymize"} <= set(loaded):
        return  # without its tasks nobody can read the list of recordings
    one = listed(raw, loaded["ingest"].tasks, loaded["pseudonymize"].syllables, noted)
    if one is None:
        return
    if raw != study.DEMO and (fault := private_paths.raw_fault(raw)) is not None:
        noted.remarks.append(fault)
    redactions.look(one, noted)
    rigs.look(one, noted)
    for section, check in (("scores", sheets.look), ("annotations", labels.look), ("splits", splits.look), ("release", release_plan.look)):
        if section in loaded:
            check(one, loaded[section], noted)
    if "release" in loaded:
        machine.look_for_room(one, loaded["release"], noted)
