"""What is planned for the study: its splits, its release."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from scrubin.audit.expected import Text, dates, plan, private_strings
from scrubin.audit.expected.private_strings import WITHDRAWN
from scrubin.audit.expected.search import Search
from scrubin.base.errors import ReleaseError, SplitError
from scrubin.base.faults import count_text, error, within
from scrubin.base.tables.public import public_tables
from scrubin.curate.preflight import Findings, names
from scrubin.curate.preflight.listed_study import ListedStudy
from scrubin.curate.project import strange_lock
from scrubin.data.diff import errata
from scrubin.data.diff.snapshot import Released
from scrubin.stages.release import audited_project, gates, other_clones
from scrubin.stages.release.metadata import curator_words, documents
from scrubin.stages.release.metadata.curator_words import OwnText
from scrubin.stages.release.release_params import ReleaseParams
from scrubin.stages.splits.best_split import Effort
from scrubin.stages.splits.cohort import Cohort, cohort
from scrubin.stages.splits.recording_sheet import ids_by_name, read, read_released
from scrubin.stages.splits.registry import of_task
from scrubin.stages.splits.released_splits import extension
from scrubin.stages.splits.schemes import balanced, k_fold, leave_n_participants_out, published
from scrubin.stages.splits.split import Split, alone, alone_sentence, empty_subsets
from scrubin.stages.splits.split_params import (
    BalancedParams,
    DifficultyFoldsParams,
    KFoldParams,
    LeaveOutParams,
    OfficialParams,
    SchemeParams,
    SplitsParams,
    is_joint,
)
from scrubin.stages.splits.study import refuse_names_of_tasks
from scrubin.stages.validate.expected import ValidateParams
from scrubin.stages.validate.near_duplicates import limits
from scrubin.stages.withdrawals import releases

SPLITS_FOLDER = "splits"
NO_SEARCH = Effort(gap=1.0, work_limit=0.0)
"""Any split will do: what is balanced is not known yet."""


def look_at_splits(study: ListedStudy, p: SplitsParams, noted: Findings) -> None:
    """Note what the stage splits would refuse whatever is released: fewer recordings never make more people."""
    people = study.people()
    kept = people[people.recording.isin(set(study.kept))]
    read_files = {_file(scheme) for scheme in p.schemes.values()} - {None}
    folder = study.raw / SPLITS_FOLDER
    for path in sorted(folder.glob("*.csv")) if folder.is_dir() else ():
        if path.relative_to(study.raw).as_posix() not in read_files and not path.name.startswith("."):
            noted.remark(
                "no scheme in params.yaml reads it",
                _fix_of_unread(p.schemes.get(path.name.partition(".")[0])),
                f"{SPLITS_FOLDER}/{path.name}",
            )
    if kept.empty or study.withdrawn:
        return  # whoever withdrew leaves the released splits as they are
    aside = noted.kept_out
    everyone = cohort(kept.assign(pinned=False).reset_index(drop=True), ())
    with noted.noting():
        refuse_names_of_tasks(p, everyone.tasks())
    id_of = ids_by_name(everyone.people)
    made: list[pd.DataFrame] = []
    for name, scheme in p.schemes.items():
        parts = {name: everyone} if is_joint(scheme) else {f"{name}.{task}": of_task(everyone, task) for task in everyone.tasks()}
        for part, of in parts.items():
            with noted.noting():
                try:
                    made.append(_tried(of, scheme, p.seed, study, noted, id_of).rows)
                except SplitError as error:
                    where = (
                        f"split '{part}', without the {count_text(len(aside), 'recording')} to be set aside" if aside else f"split '{part}'"
                    )
                    raise SplitError(within(error.faults, where)) from error
    number, several = alone(made, everyone.people) if made else (0, 0)
    if number:
        what, _, fix = alone_sentence(number, several, "the splits will tell").partition("; ")
        noted.remark(f"{what} (about so many: who will be where is known when everything is scored)", fix, "params.yaml")


def _fix_of_unread(scheme: SchemeParams | None) -> str:
    """Return what to do with a list that nobody reads: the scheme of its name may be none that can read one."""
    if scheme is None or isinstance(scheme, BalancedParams | OfficialParams):
        return "name it there, as 'extends' of a scheme of kind balanced or 'videos' of an official one, or move it away"
    return f"move it away: a scheme of kind {scheme.kind} extends none, it is drawn anew when somebody comes, and people change sides"


def _file(scheme: SchemeParams) -> str | None:
    if isinstance(scheme, OfficialParams):
        return scheme.videos
    return scheme.extends if isinstance(scheme, BalancedParams) else None


def _tried(of: Cohort, scheme: SchemeParams, seed: int, study: ListedStudy, noted: Findings, id_of: Mapping[str, str]) -> Split:
    """Go as far with a split as the lists allow, and return it as it would be if nothing but numbers of recordings were balanced.

    Raises
    ------
    SplitError
        When there is no such split.
    """
    if isinstance(scheme, BalancedParams):
        placed = None
        if scheme.extends is not None:
            rows = read_released(study.raw / scheme.extends, id_of)
            _name_unknown(set(rows.id), scheme.extends, study, noted)
            placed = extension(of, rows[rows.id.isin(of.people.id)], list(scheme.subsets)).placed
        return balanced(of, scheme.subsets, seed, NO_SEARCH, placed)
    if isinstance(scheme, KFoldParams | DifficultyFoldsParams):
        return k_fold(of, scheme.folds, scheme.repeats, seed, NO_SEARCH, validation=scheme.validation)
    if isinstance(scheme, LeaveOutParams):
        # Of one participant each, more repetitions tell nothing more.
        return leave_n_participants_out(of, scheme.participants, scheme.repeats if scheme.participants > 1 else 1, seed)
    _name_unknown(set(read(study.raw / scheme.videos).filled("recording")), scheme.videos, study, noted)
    split = published(of, scheme.split, study.raw / scheme.videos)
    for line in (*split.doubts, *empty_subsets(split, scheme.kind)):
        what, _, fix = line.partition("; ")
        noted.remark(what, fix, scheme.videos)
    return split


def _name_unknown(named: set[str], file: str, study: ListedStudy, noted: Findings) -> None:
    known = {*study.recordings, *study.set_aside, *study.ids.values()}
    unknown = {name for name in named - known if name not in study.withdrawn}
    if unknown:
        noted.remark(f"it names {names(unknown)}, which recordings.csv does not", "correct them, or remove their rows", file)


def look_at_pairs(study: ListedStudy, p: ValidateParams, noted: Findings) -> None:
    """Note accepted pairs of near-duplicates that name a recording which is not there, as one that withdrew: the stage validate stops."""
    with noted.noting():
        limits(p.near_duplicate, study.released_ids)


ANY_FRAME = 1 << 40
"""How many frames a recording has is not known yet: any number of one may be right."""
TOLD_BY = ("recording", "participant", "trial", "site", "path")
CITED = ("description", "creators", "contact")
"""Without these a catalogue lists nobody and nothing."""


def look_at_release(study: ListedStudy, p: ReleaseParams, noted: Findings) -> None:
    """Note what the stage release would refuse when everything else is done."""
    _look_at_words(study, p, noted)
    if (study.raw / curator_words.WORDS_NAME).exists():
        with noted.noting():
            curator_words.load_words(study.raw / curator_words.WORDS_NAME)
    if (study.raw / errata.NAME).exists():
        with noted.noting():
            frames = pd.DataFrame({"id": study.released_ids}).assign(frame=ANY_FRAME)
            errata.curated(study.raw / errata.NAME, p.version, frames)
    with noted.noting():
        last = gates.last_release(p.name)
        now = {name: study.ids[name] for name in study.kept}
        with noted.noting():
            earlier = other_clones.releases_here(p.previous, study.withdrawn)
            other_clones.refuse_return(earlier, now, study.raw, p.version, study.withdrawn)
        missing = {name: id_ for name, id_ in last["recordings"].items() if name not in set(study.kept)}
        withdrawn = releases.gone(missing, study.withdrawn)
        why = {name: f"recordings.csv: {rows[0].exclude.strip()}" for name, rows in study.recordings.items() if rows[0].exclude.strip()}
        why |= dict.fromkeys(study.set_aside, "it is set aside, see above")
        with noted.noting():
            releases.refuse_number(last["version"], p.version, withdrawn)
        gates.refuse_shrinking(last, {name: id_ for name, id_ in missing.items() if name not in withdrawn}, why, may_shrink=p.may_shrink)
    noted.remarks += strange_lock.told(study.raw)
    if p.previous is not None:
        with noted.noting():
            try:
                Released.open(Path(p.previous.path))
            except ReleaseError as error:
                raise ReleaseError(f"params.yaml: 'release.previous': {error}") from error
    unsaid = [name for name in CITED if not getattr(p, name)]
    if unsaid:
        noted.remark(f"release.{', release.'.join(unsaid)}: nothing is said", "the release names it as missing", "params.yaml")


def _look_at_words(study: ListedStudy, p: ReleaseParams, noted: Findings) -> None:
    """Note words of the release's own texts that also tell a file, a person or a site: the audit would refuse them at the end."""
    rows = [row for rows in study.recordings.values() for row in rows]
    declared = public_tables(())
    private = private_strings.of_tables(
        [pd.DataFrame({name: [getattr(row, name) for row in rows] for name in TOLD_BY})],
        study.released_ids,
        audited_project.public_words(declared, p, [], [[row.task for row in rows]]),
        listed=p.public_words,
    )
    private = replace(private, withdrawn=study.withdrawn)
    stated = audited_project.of_params(p, documents.fixed_texts(p, declared))
    written = list(_own_texts(study, p))
    noted.errors += curator_words.days_said(written, p.public_words)
    for one in written:
        # What the documents about a release say whoever made it passes in them, and nowhere else.
        searched = plan.without(stated, one.text) if one.in_documents else one.text
        said = frozenset() if one.may_say_days else frozenset(day for day, _ in dates.stated_in(one.text))
        for needle in sorted(Search(private, len(searched)).in_text(Text(one.place, searched))):
            if needle.discloses in ("date", WITHDRAWN) and said & dates.dates_in(needle.text):
                continue  # its day is named already
            whom = "of somebody who withdrew" if needle.discloses == WITHDRAWN else f"the {needle.discloses} of a recording"
            what = f"{one.place} holds '{needle.text}', which tells {whom}: the release would be refused"
            fix = "write it otherwise, or list the word in release.public_words when it is harmless"
            noted.errors.append(error(one.file, "private-word", what, fix))
    for line in audited_project.warnings(stated, private):
        noted.remark(line.removeprefix("params.yaml says "), "leave it if it should be public", "params.yaml")


def _own_texts(study: ListedStudy, p: ReleaseParams) -> Iterator[OwnText]:
    """Yield each text that the curator writes for the release; files that cannot be read are noted where they are read."""
    said, known = curator_words.Words(), tuple[errata.Erratum, ...]()
    with contextlib.suppress(ReleaseError):
        if (study.raw / curator_words.WORDS_NAME).exists():
            said = curator_words.load_words(study.raw / curator_words.WORDS_NAME)
    with contextlib.suppress(ReleaseError):
        if (study.raw / errata.NAME).exists():
            frames = pd.DataFrame({"id": study.released_ids}).assign(frame=ANY_FRAME)
            known = errata.curated(study.raw / errata.NAME, p.version, frames)
    yield from curator_words.own_texts(p, said, known)
