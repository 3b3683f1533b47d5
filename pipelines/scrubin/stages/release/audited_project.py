"""A study's project as the audit needs it: what must be in its release, what must not.

Who made a data set, where they work, whom to ask and the day of publication are public because ``params.yaml`` says so. A person
who was recorded may well be among those who made it; the day may be one on which somebody was recorded. So these texts pass,
and only these: each as a whole, exactly as it stands in ``params.yaml``, and only in ``FILES``. The same name anywhere else, or a
part of it, is a finding as ever: in a table, a video, a file name, in the curator's own words for the datasheet.

The documents are full of words that are also names (Day, Long, Page, Will). They pass in ``FILES`` and nowhere else:
``release.public_words`` would open them everywhere.

The stage `release` and the command `scrubin audit` load it here, so that both prove the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.audit import layout
from scrubin.audit.expected import Text, plan, private_strings, withdrawal_memory
from scrubin.audit.expected.plan import Stated
from scrubin.audit.expected.private_columns import as_json
from scrubin.audit.expected.private_strings import Private
from scrubin.audit.expected.search import Search
from scrubin.audit.expected.spelling import folded_words
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.audit.pictures.shown import Pictures
from scrubin.audit.reading import Examine, Over
from scrubin.audit.run import Proof, audit, proof_of, unread_pictures
from scrubin.base import file_lists, ground_truth, params
from scrubin.base.errors import ParamsError
from scrubin.base.layout import CUTS_PATH, HIDDEN_PATH, INTERIM, LINKAGE_PATH, PARTS_PATH, RECORDINGS_PATH, TABLES, quarantine_path
from scrubin.base.tables import Table, io
from scrubin.base.tables.private import CUTS, HIDDEN, LINKAGE, PARTS, QUARANTINE, RECORDINGS, REDACTIONS, RIGS, every_file
from scrubin.base.tables.public import public_tables
from scrubin.base.vocabulary import vocabulary
from scrubin.stages import recordings_list, withdrawals
from scrubin.stages.release import added_files, audit_questions, gates, linking
from scrubin.stages.release.audit_questions import Sources
from scrubin.stages.release.metadata import documents, readme, record_sets
from scrubin.stages.release.release_params import ReleaseParams
from scrubin.stages.review import LEDGER_PATH, Ledger
from scrubin.stages.review.events import ASKED
from scrubin.stages.review.questions import Answer, let_through
from scrubin.stages.withdrawals import releases

FORMATS = """\
ARROW schema parquet cpp version build pandas descr fortran_order shape NUMPY True False null true false nan
matroska Lavf und DURATION V_MPEG4/ISO/AVC V_MPEGH/ISO/HEVC JFIF id rater split duration
"""
"""Words that files of a kind hold by themselves, or that LASANA names columns."""

CALIBRATIONS = """\
YAML opencv matrix matrices rows cols dt data left right camera pixels centre first pixel image_width image_height unit mm cm m
convention X_right R X_left t distortion_model radial tangential rational thin prism tilted date recordings K1 D1 K2 D2 T
"""
"""Words of every calibration of a stereo rig."""


def public_words(tables: Mapping[str, Table], params: ReleaseParams, vocabularies: Iterable[str], others: Iterable[object]) -> list[object]:
    """Return texts whose words are public.

    Parameters
    ----------
    tables
        Public tables: their names, columns, meanings and allowed values are documented in the release.
    params
        Version and licence of the release, and the words that the curator calls harmless.
    vocabularies
        Those that the study's labels use: words of others are not public, they could be names of people.
    others
        More texts, or lists and mappings of texts, such as tasks, aspects, names of errors and of subsets.
    """
    paths = [f"tables/{name}.parquet" for name in tables] + [files for _, files, _, _ in record_sets.FILE_SETS]
    texts: list[object] = [
        readme.README_TEXT,
        readme.ARCHIVES,
        readme.README_CALIBRATION,
        readme.LOOSE,
        readme.SHARDS,
        readme.DROPPED,
        FORMATS,
        file_lists.CHECKSUMS,
        file_lists.FILE_LIST,
        file_lists.FILE_LIST_HEADER,
        list(added_files.ADDED_NAMES),
        releases.TOMBSTONES_NAME,
        readme.dictionary_text(tables, calibrated=True),
        CALIBRATIONS,
    ]
    texts += [paths, [list(item) for item in record_sets.FILE_SETS], [params.version, params.license], list(params.public_words)]
    texts += [ground_truth.FRAME_CONTRACT, ground_truth.DEFINITIONS, ground_truth.README, ground_truth.KEYS]
    for table in tables.values():
        texts += [table.name, table.description]
        texts += [[column.name, column.unit, column.description, column.null, list(column.values)] for column in table.columns]
    for name in vocabularies:
        loaded = vocabulary.load(name)
        texts += [name, loaded.version, loaded.source, [list(loaded.names(naming)) for naming in vocabulary.NAMINGS]]
    return [*texts, *others]


def vocabularies(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return the names of the vocabularies that tables of labels use."""
    return sorted({str(name) for rows in tables.values() if "vocabulary" in rows for name in rows["vocabulary"].unique()})


def subsets(splits: pd.DataFrame) -> list[str]:
    """Return the names of schemes and subsets, and of the columns in which sheets show them."""
    names = {*splits["scheme"], *splits["subset"]}
    for scheme, rows in splits.groupby("scheme"):
        names |= {f"split_{scheme}", *(f"split_{scheme}_{fold}" for fold in rows["fold"])}
    return sorted(map(str, names))


def also_private(stated: Stated, private: Private) -> list[str]:
    """Return what of it tells something that must not be anywhere else."""
    search = Search(private, 0)
    return [text for text in stated.texts if search.in_text(Text("", text))]


def warnings(stated: Stated, private: Private) -> list[str]:
    """Return one line for each of these, for the curator."""
    return [
        f"params.yaml says {text!r}, which is also private in this study: it passes where the release says who made it and when, "
        "and is a finding anywhere else"
        for text in also_private(stated, private)
    ]


def of_params(params: ReleaseParams, fixed_texts: object = ()) -> Stated:
    """Return what may stand in the documents about a release.

    Parameters
    ----------
    params
        What the curator states.
    fixed_texts
        What these documents say whoever made the release.
    """
    people = [text for one in params.creators for text in (one.name, one.affiliation)]
    texts = [*people, params.publisher, params.contact, params.date_published]
    pairs = frozenset((key, as_json(value)) for key, value in _pairs(params))
    return Stated(tuple(sorted({text for text in texts if text})), folded_words(fixed_texts), pairs)


def _pairs(params: ReleaseParams) -> Iterator[tuple[str, Any]]:
    """Yield keys of Croissant and DataCite that are words for days or people, each with its only value."""
    if params.date_published is not None:
        issued = {"date": params.date_published, "dateType": "Issued"}
        yield from (("datePublished", params.date_published), ("dates", [issued]), *issued.items())
    if params.keywords:
        subjects = [{"subject": keyword} for keyword in params.keywords]
        yield from (("subjects", subjects), *(pair for one in subjects for pair in one.items()))


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
    return (folder / RECORDINGS_PATH).is_file() and (folder / params.PARAMS_PATH).is_file()


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
    quarantine = gates.joined_quarantine(io.read(QUARANTINE, folder / quarantine_path(stage)) for stage in QUARANTINING)
    columns = [name for names in errors.values() for name in names] + subsets(tables["splits"])
    others = [list(_of(every, path, "ingest", "tasks")), list(aspects), errors, columns]
    known = public_words(declared, mine, vocabularies(tables), others)
    linkage = io.read(LINKAGE, folder / LINKAGE_PATH)
    recordings = io.read(RECORDINGS, folder / RECORDINGS_PATH)
    parts = io.read(PARTS, folder / PARTS_PATH)
    redactions = io.read(REDACTIONS, folder / INTERIM / "redactions.parquet")
    withdrawn = withdrawal_memory.load(folder)
    in_documents = documents.fixed_texts(mine, declared)
    private = private_strings.of_tables(
        [every_file(recordings, parts), quarantine, private_strings.accepted_texts(redactions), _rigs(folder), _listed(folder, withdrawn)],
        linkage.id,
        known,
        in_documents,
        mine.public_words,
    )
    cuts, hidden = io.read(CUTS, folder / CUTS_PATH), io.read(HIDDEN, folder / HIDDEN_PATH)
    planned = plan.of_tables(tables["videos"], tables["frames"], cuts, hidden, declared, columns, redactions)
    sources = audit_questions.Sources(cuts, recordings)
    planned = audit_questions.with_answers(planned, sources, _answers(folder))
    return Project(
        params=mine,
        declared=declared,
        tables=tables,
        quarantine=quarantine,
        private=replace(private, withdrawn=withdrawn),
        plan=replace(planned, stated=of_params(mine, in_documents)),
        sources=sources,
        kept_s=_kept_s(recordings, linkage),
        # The render stage insists on its own parameters.
        jitter_s=float(every.get("render", {}).get("duration_jitter_s", 0)),
    )


def _answers(folder: Path) -> list[Answer]:
    """Return what people answered to the audit; a project without a ledger, such as a kept one, has no answers."""
    lines = Ledger(folder / LEDGER_PATH).lines()
    asked = any(line.event == "decided" and line.facts["proposal"].startswith(ASKED) for line in lines)
    return let_through(lines, gates.load_review(folder)["reviewers"]) if asked else []


def _rigs(folder: Path) -> pd.DataFrame:
    """Return the curator's names of the stereo rigs, but for those that are like the released ones."""
    rigs = io.read(RIGS, folder / INTERIM / "rigs.parquet")
    return rigs[~rigs.rig.str.fullmatch(RELEASED_RIG)]


def _listed(folder: Path, withdrawn: Memory) -> pd.DataFrame:
    """Return participant, recording and path of the withdrawn recordings whose rows are still in the raw study."""
    raw = folder / params.raw_folder(folder / params.PARAMS_PATH)
    study = withdrawals.listed(raw) if withdrawn and (raw / recordings_list.NAME).is_file() else {}
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
        raise ParamsError(f"{path}: '{'.'.join(keys)}' is missing") from error


def proof_of_release(
    folder: Path, study: Project, private: Private, pictures: Pictures, examine: Examine, over: Over, shared: Path
) -> Proof:
    """Audit the release of a project.

    Parameters
    ----------
    folder
        The finished release, an absolute path.
    study
        What it must be.
    private
        What must not occur in it: the project's own, and what somebody asks for beside.
    pictures
        Looks at them and judges what they show.
    examine, over, shared
        See ``run.audit``.
    """
    evidence = audit(folder, private, study.plan, examine, pictures, over, shared)
    linkable = linking.note(study.tables["videos"], study.kept_s, study.jitter_s)
    return proof_of(evidence, layout.look(folder).files, private, pictures, unread_pictures(pictures), linkable)
