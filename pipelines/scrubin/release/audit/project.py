"""A study's project as the audit needs it: what must be in its release, and what must not.

The stage `release` and the command `scrubin audit` load it here, so that both prove the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.core import params
from scrubin.core.errors import ParamsError
from scrubin.release import gate, review_gate
from scrubin.release.audit import permitted, plan
from scrubin.release.audit.pictures import asking
from scrubin.release.audit.pictures.asking import Sources
from scrubin.release.audit.strings import private_strings, public_words
from scrubin.release.audit.strings.private_strings import Private
from scrubin.release.metadata import fixed_texts
from scrubin.release.params import ReleaseParams
from scrubin.review.events import ASKED
from scrubin.review.ledger import LEDGER_PATH, Ledger
from scrubin.review.questions import Answer, let_through
from scrubin.tables import io
from scrubin.tables.catalogue import public_tables
from scrubin.tables.declare import Table
from scrubin.tables.private.cuts import CUTS
from scrubin.tables.private.every_file import every_file
from scrubin.tables.private.hidden import HIDDEN
from scrubin.tables.private.linkage import LINKAGE
from scrubin.tables.private.parts import PARTS
from scrubin.tables.private.quarantine import QUARANTINE
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.tables.private.redactions import REDACTIONS
from scrubin.tables.private.rigs import RIGS
from scrubin.withdrawal import memory, naming
from scrubin.withdrawal.memory import Memory

INTERIM, PRIVATE, TABLES = Path("data/interim"), Path("data/private"), Path("data/tables")
RELEASED_RIG = r"(?i)rig[ _-]?\d*"
QUARANTINING = ("ingest", "screen", "render")


@dataclass(frozen=True)
class Project:
    """What a study states about its release.

    Parameters
    ----------
    params
        What the release is called.
    declared, tables
        Declarations and contents of the public tables, by name.
    quarantine
        Of all stages.
    private
        What must not occur in the release.
    plan
        What it must hold.
    sources
        How released frames follow from those of the raw files, in which people are asked about what the audit sees.
    kept_s, jitter_s
        Length of each recording's kept interval by id, and by up to how many seconds it was trimmed at its end.
    """

    params: ReleaseParams
    declared: Mapping[str, Table]
    tables: Mapping[str, pd.DataFrame]
    quarantine: pd.DataFrame
    private: Private
    plan: plan.Plan
    sources: Sources
    kept_s: Mapping[str, float]
    jitter_s: float


def is_project(folder: Path) -> bool:
    """Whether a folder holds the private tables of a study."""
    return (folder / INTERIM / "recordings.parquet").is_file() and (folder / params.PARAMS_PATH).is_file()


def load(folder: Path = Path()) -> Project:
    """Return what the project in a folder states, from its private tables, public tables and ``params.yaml``.

    Raises
    ------
    ParamsError, TableError, ReleaseError
        For what is missing, damaged or does not agree.
    """
    path = folder / params.PARAMS_PATH
    mine, every = params.load("release", ReleaseParams, path), params.read(path)
    aspects, errors = tuple(_of(every, path, "scores", "aspects")), _of(every, path, "scores", "errors")
    declared = public_tables(aspects)
    tables = {name: io.read(table, folder / TABLES / f"{name}.parquet") for name, table in declared.items()}
    quarantine = gate.joined(io.read(QUARANTINE, folder / INTERIM / f"quarantine_{stage}.parquet") for stage in QUARANTINING)
    columns = [name for names in errors.values() for name in names] + public_words.subsets(tables["splits"])
    others = [list(_of(every, path, "ingest", "tasks")), list(aspects), errors, columns]
    known = public_words.public_words(declared, mine, public_words.vocabularies(tables), others)
    linkage = io.read(LINKAGE, folder / PRIVATE / "linkage.parquet")
    recordings = io.read(RECORDINGS, folder / INTERIM / "recordings.parquet")
    parts = io.read(PARTS, folder / INTERIM / "parts.parquet")
    redactions = io.read(REDACTIONS, folder / INTERIM / "redactions.parquet")
    withdrawn = memory.load(folder)
    in_documents = fixed_texts.of(mine, declared)
    private = private_strings.of_tables(
        [every_file(recordings, parts), quarantine, private_strings.accepted_texts(redactions), _rigs(folder), _listed(folder, withdrawn)],
        linkage.id,
        known,
        in_documents,
    )
    cuts, hidden = io.read(CUTS, folder / INTERIM / "cuts.parquet"), io.read(HIDDEN, folder / INTERIM / "hidden.parquet")
    planned = plan.of_tables(tables["videos"], tables["frames"], cuts, hidden, declared, columns, redactions)
    sources = asking.Sources(cuts, recordings)
    planned = asking.with_answers(planned, sources, _answers(folder))
    return Project(
        params=mine,
        declared=declared,
        tables=tables,
        quarantine=quarantine,
        private=replace(private, withdrawn=withdrawn),
        plan=replace(planned, stated=permitted.of_params(mine, in_documents)),
        sources=sources,
        kept_s=_kept_s(recordings, linkage),
        # The render stage insists on its own parameters.
        jitter_s=float(every.get("render", {}).get("duration_jitter_s", 0)),
    )


def _answers(folder: Path) -> list[Answer]:
    """Return what people answered to the audit; a project without a ledger, such as a kept one, has no answers."""
    lines = Ledger(folder / LEDGER_PATH).lines()
    asked = any(line.event == "decided" and line.facts["proposal"].startswith(ASKED) for line in lines)
    return let_through(lines, review_gate.load(folder)["reviewers"]) if asked else []


def _rigs(folder: Path) -> pd.DataFrame:
    """Return the curator's names of the stereo rigs, but for those that are like the released ones."""
    rigs = io.read(RIGS, folder / INTERIM / "rigs.parquet")
    return rigs[~rigs.rig.str.fullmatch(RELEASED_RIG)]


def _listed(folder: Path, withdrawn: Memory) -> pd.DataFrame:
    """Return participant, recording and path of the withdrawn recordings whose rows are still in the raw study."""
    raw = folder / params.raw_folder(folder / params.PARAMS_PATH)
    study = naming.listed(raw) if withdrawn and (raw / naming.MANIFEST).is_file() else {}
    rows = [(one.participant, name, path) for name, one in study.items() if name in withdrawn for path in one.paths]
    return pd.DataFrame(rows, columns=["participant", "recording", "path"], dtype="str")


def _kept_s(recordings: pd.DataFrame, linkage: pd.DataFrame) -> dict[str, float]:
    """Return the length of each kept interval, in seconds, by released id."""
    kept = recordings[recordings.status == "kept"].drop_duplicates("recording").merge(linkage, on="recording")
    return dict(zip(kept.id, kept.end_s - kept.start_s, strict=True))


def _of(values: Mapping[str, Any], path: Path, *keys: str) -> Any:
    """Return a parameter of another stage."""
    try:
        return reduce(lambda section, key: section[key], keys, values)
    except (KeyError, TypeError) as error:
        msg = f"{path}: '{'.'.join(keys)}' is missing"
        raise ParamsError(msg) from error
