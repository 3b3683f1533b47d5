"""The study as its lists tell it: which recordings there are, who withdrew, under which ids they are released."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.spelling import PERSON_SPELT, person_forms
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base import strangers
from scrubin.base.errors import ManifestError, RecordingError
from scrubin.base.file_lists import is_litter
from scrubin.base.layout import DEMO, PRIVATE
from scrubin.base.text.naming import SPELT, spelling
from scrubin.curate.preflight import Findings, names
from scrubin.media.raw_file import identity
from scrubin.stages import pseudonymize, recordings_list, withdrawals
from scrubin.stages.ingest import manifest
from scrubin.stages.ingest.manifest import ManifestProblem, ManifestRow, TaskParams
from scrubin.stages.recordings_list import files_below
from scrubin.stages.withdrawals import notice


@dataclass(frozen=True)
class ListedStudy:
    """What the lists of a raw study tell.

    Parameters
    ----------
    raw
        Its folder.
    recordings
        The usable ones, each with its rows.
    set_aside
        Names of recordings whose rows, or files, cannot be used.
    withdrawn
        Who withdrew.
    ids
        Released id by recording; where no id was ever given, the recording's own name stands for it.
    """

    raw: Path
    recordings: Mapping[str, Sequence[ManifestRow]]
    set_aside: frozenset[str] = frozenset()
    withdrawn: Memory = field(default_factory=Memory)
    ids: Mapping[str, str] = field(default_factory=dict)

    @property
    def kept(self) -> list[str]:
        """The recordings that a run may release, as far as the lists tell."""
        return [name for name, rows in self.recordings.items() if not rows[0].exclude.strip() and name not in self.set_aside]

    @property
    def released_ids(self) -> list[str]:
        """The ids that are known, sorted: before the first run there are none, and names of recordings are as private as ever."""
        return sorted(id_ for name, id_ in self.ids.items() if id_ != name)

    def people(self) -> pd.DataFrame:
        """Return one row per usable recording, as the tables have them: recording, task, participant, site, id."""
        columns = ["recording", "task", "participant", "site", "id"]
        rows = [(name, rows[0].task, rows[0].participant, rows[0].site, self.ids[name]) for name, rows in self.recordings.items()]
        return pd.DataFrame(rows, columns=columns).astype("str")


def listed(raw: Path, tasks: Mapping[str, TaskParams], syllables: int, noted: Findings) -> ListedStudy | None:
    """Return what the lists of a raw study tell, and note what is wrong with them; None when there is no list of recordings."""
    withdrawn = Memory()
    with noted.noting():
        withdrawn = withdrawal_memory.load()
    path = raw / recordings_list.NAME
    try:
        data = strangers.read_bytes(path)
    except OSError as error:
        with noted.noting():
            raise ManifestError(f"{path}: cannot be read ({error.strerror}); the raw folder needs this list of recordings") from error
        return None
    with noted.noting():
        withdrawn = notice.take(raw)
    with noted.noting():
        parsed, wrong = manifest.look(data, tasks, withdrawn, files_below(raw))
        noted.errors += wrong
        if wrong and not (parsed.recordings or parsed.problems):
            return None  # nothing is known of the recordings, so nothing can be said of what names them
        problems = [*parsed.problems, *_files(raw, parsed.recordings, noted)]
        noted.set_aside += [fault for problem in problems for fault in problem.error.faults]
        _strays(raw, data, withdrawn, noted)
        _people_alike(raw, parsed.recordings, noted)
        noted.counts["recording"] = len(parsed.recordings)
        noted.excluded = sum(bool(rows[0].exclude.strip()) for rows in parsed.recordings.values())
        set_aside = frozenset(problem.recording for problem in problems)
        noted.kept_out |= set_aside
        study = ListedStudy(raw, parsed.recordings, set_aside, withdrawn, {name: name for name in parsed.recordings})
        with noted.noting():
            return ListedStudy(raw, parsed.recordings, set_aside, withdrawn, _ids(parsed.recordings, raw, syllables, withdrawn))
        return study
    return None


def _files(raw: Path, recordings: Mapping[str, Sequence[ManifestRow]], noted: Findings) -> list[ManifestProblem]:
    """Return the files that are missing or empty; what is in the others is looked at when they are read."""
    problems = []
    used = [row for rows in recordings.values() for row in rows if not row.exclude.strip()]
    for row in used:
        try:
            identity(raw / row.path, row.path)
        except RecordingError as error:
            problems.append(ManifestProblem(row.recording, row.camera, error))
        except OSError as error:
            noted.remark(f"{row.path} cannot be looked at ({error.strerror})", "check its name and its permissions")
    noted.counts["video file"] = len(used)
    return problems


def _strays(raw: Path, data: bytes, withdrawn: Memory, noted: Findings) -> None:
    """Name the files without a row; what systems leave behind by themselves is one line."""
    without = manifest.files_without_row(raw, data, withdrawn)
    litter = {problem.recording for problem in without if is_litter(problem.recording)}
    if litter:
        noted.remark(f"a system or program left {names(litter)} there", "nobody needs it, delete it if you like", str(raw))
    noted.remarks += [fault for problem in without if problem.recording not in litter for fault in problem.error.faults]


def _people_alike(raw: Path, recordings: Mapping[str, Sequence[ManifestRow]], noted: Findings) -> None:
    """Name participants, those who withdrew too, whose names are spelt alike: nothing takes them for one."""
    people = {rows[0].participant for rows in recordings.values()}
    with suppress(ManifestError):  # it was noted when the withdrawals were taken
        people |= {row.participant for row in withdrawals.read(raw / withdrawals.NAME)}
    alike: dict[str, set[str]] = defaultdict(set)
    for person in people:
        for form in person_forms(person):
            alike[form].add(person)
    # Whoever shares one form with somebody may share another with more people.
    groups = {frozenset(one) for one in alike.values() if len(one) > 1}
    for spellings in sorted(tuple(sorted(one)) for one in groups if not any(one < other for other in groups)):
        # As ASCII, because two forms of a letter, or two kinds of space, look the same.
        shown = ", ".join(map(ascii, spellings))
        what = SPELT if len(set(map(spelling, spellings))) == 1 else PERSON_SPELT
        mend = "if they are one person, write one name: only so they stay in one subset, and withdraw together"
        noted.remark(f"the participants {shown} differ in {what} only", mend, recordings_list.NAME)


def _ids(recordings: Mapping[str, Sequence[ManifestRow]], raw: Path, syllables: int, withdrawn: Memory) -> dict[str, str]:
    """Return the ids that the stage pseudonymize will give; where there is no key yet, nobody can know them."""
    book, own = PRIVATE / "ids.csv", PRIVATE / "pseudonym.key"
    if raw == DEMO:
        return pseudonymize.assign(recordings, pseudonymize.read_key(raw / "pseudonym.key"), {}, syllables)
    if not own.exists() and not book.exists():
        pseudonymize.refuse_other_ids(own, Path("dvc.lock"), raw)
        return {name: name for name in recordings}
    key = pseudonymize.private_key(own, book)
    return pseudonymize.assign(recordings, key, pseudonymize.read_ledger(book, pseudonymize.fingerprint(key)), syllables, withdrawn)
