"""Somebody withdraws from the study, or is taken back: the row, what is remembered, what people decided, the version."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.spelling import person_forms
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base import files, params, strangers
from scrubin.base.errors import ManifestError, ParamsError, ReleaseError
from scrubin.base.faults import count_text
from scrubin.base.layout import RELEASE, REVIEW_PATH
from scrubin.base.text.naming import look
from scrubin.curate.label import rewriting as of_labels
from scrubin.curate.label import written
from scrubin.curate.label.events import LEDGER_PATH as LABELS_PATH
from scrubin.curate.project import copies, outputs, strange_lock
from scrubin.data.diff import Step, errata, is_below, next_version
from scrubin.stages import recordings_list, withdrawals
from scrubin.stages.release import gates, other_clones, release_folder
from scrubin.stages.release.release_params import ReleaseParams
from scrubin.stages.review import LEDGER_PATH, Ledger, questions, rewriting
from scrubin.stages.withdrawals import WithdrawnRow, notice, releases


def row_of(participant: str, recording: str, reason: str | None, date: str | None) -> WithdrawnRow:
    """Return the row of somebody who withdraws; without a date, today.

    Raises
    ------
    ManifestError
        When the reason is missing, or the date is none or to come.
    """
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    date = date or today
    if not reason:
        raise ManifestError(f"--reason is needed: one of {', '.join(withdrawals.REASONS)}")
    if not withdrawals.is_date(date) or date > today:
        raise ManifestError(f"--date {date}: write a day up to today as {today}; a withdrawal counts at once")
    return WithdrawnRow(0, participant.strip(), recording.strip(), date, reason)


def withdraw(raw: Path, row: WithdrawnRow) -> list[str]:
    """Write the row, raise the version, clean the ledger; return what was done, then what is left to do.

    Raises
    ------
    ManifestError
        When nobody has this name.
    """
    withdrawn = notice.take(raw, more=(row,))
    stay = _spelt_alike(raw, row.participant, withdrawn)
    path = raw / withdrawals.NAME
    # No lock tells it any more when it names no release.
    strange = strange_lock.look(raw)
    # No list says it any more when they have gone from DVC's cache.
    tagged = copies.tags(Path(), withdrawn)
    torn = ""
    try:
        # Before all else, so that nobody publishes what holds them.
        releases.withhold()
    except (ReleaseError, UnicodeDecodeError):  # when it is put back, nothing of what it names may be there
        torn = f"{releases.LOCK}: it cannot be read, and may name a release with them; restore it and run make repro before 'dvc push'"
    # An older dvc.lock, as git brings it back, names what DVC's cache still holds.
    elsewhere = outputs.forget_releases(Path(), notice.staying(withdrawn, (raw,)))
    # Then this: from this row alone the next run does all the rest.
    files.write_text(path, withdrawals.text_with(_text(path), row))
    withdrawal_memory.write(withdrawn)
    p = params.load("release", ReleaseParams)
    unread = ""
    try:
        # Before it goes: another clone may have made it, without somebody of whom this one does not know.
        other_clones.keep(other_clones.releases_here(None, withdrawn), withdrawn)
    except ReleaseError:  # it goes all the same
        unread = other_clones.keep_unread()
    # Not earlier: what is remembered of their pictures is read there.
    release_folder.remove_release()
    said = [f"{path}: {row.participant or row.recording} withdraws; nobody else's recordings, ids and subsets change"]
    if stay:
        what = f"{', '.join(map(ascii, stay))}: another participant, spelt alike, stays"
        said.append(f"{raw / recordings_list.NAME}: {what}; withdraw that name, too, if it is the same person")
    said.append(f"{RELEASE}: it is removed, and 'dvc push' sends nothing until there is one without them")
    if torn:
        said.append(torn)
    if strange:
        said.append(strange_lock.fault(strange, raw).line())
    if unread:
        said.append(unread)
    if elsewhere:
        said.append(elsewhere)
    last = gates.last_release(p.name)
    released = last["version"] if releases.gone(last["recordings"], withdrawn) else ""
    if released:
        said.append(_raised_version(released))
    if rewriting.forget(Ledger(), withdrawn):
        # It repeats what people decided; the stage review writes it anew.
        REVIEW_PATH.unlink(missing_ok=True)
        said.append(f"{LEDGER_PATH}: what people decided about them is taken out; its first line says how many lines that was")
    if of_labels.forget(of_labels.ledger_of(), withdrawn):
        said.append(f"{LABELS_PATH}: their labels are taken out; its first line says how many lines that was")
    if exported := written.forget(raw, withdrawn):
        said.append(f"{written.EXPORTED_PATH}: {count_text(len(exported), 'label file')} of theirs out; as exported, they are removed")
    if questions.forget(withdrawn):
        said.append(f"{questions.QUESTIONS_PATH}: what the audit asked about them is taken out")
    said += _settings(raw, withdrawn)
    said += ["next: make repro, then: .venv/bin/scrubin store --prune", "what the next run cannot remove:"]
    previous = None if p.previous is None else Path(p.previous.path)
    said += [f"  {place}" for place in copies.places(Path(), raw, withdrawn, tagged, released=released, previous=previous)]
    return said


def _settings(raw: Path, withdrawn: Memory) -> Iterator[str]:
    """Yield a sentence for each place where a parameter or a known error names somebody who withdrew, by name or id."""
    said = {params.PARAMS_PATH: params.read()}
    with suppress(OSError):  # there is none, or preflight says what is wrong with it
        said[raw / errata.NAME] = strangers.read_yaml(raw / errata.NAME)
    for file, document in said.items():
        for place, name in _places(document, ""):
            if name in withdrawn:
                yield f"{file}: '{place}' is '{name}', one of theirs: remove it, if it means them"


def _places(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield each text of a document with its place, such as ``validate.near_duplicate.accepted[0][1]``."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _places(one, f"{place}.{key}".removeprefix("."))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _places(one, f"{place}[{number}]")


def _spelt_alike(raw: Path, participant: str, withdrawn: Memory) -> list[str]:
    """Return the other participants of the list who stay, and whose names are spelt alike."""
    rows = [row.cells for row in recordings_list.read_rows(raw, ("recording", "participant"))]
    stay = {cells["participant"] for cells in rows if cells["recording"] not in withdrawn} - {participant}
    theirs = person_forms(participant) if participant else frozenset()
    return sorted(name for name in stay if not theirs.isdisjoint(person_forms(name)))


def _raised_version(released: str) -> str:
    """Raise ``release.version``, when it is too low for a release without somebody of the last one."""
    now, lowest = params.load("release", ReleaseParams).version, next_version(released, Step.MAJOR)
    if not is_below(now, lowest):
        return f"{params.PARAMS_PATH}: release.version is {now} already; the last release was {released}"
    files.write_text(params.PARAMS_PATH, with_raised_version(_text(params.PARAMS_PATH), lowest))
    return f"{params.PARAMS_PATH}: release.version is {lowest} now, it was {now}: without somebody of the last release it is a major step"


def with_raised_version(text: str, version: str) -> str:
    r"""Return the text of a ``params.yaml`` with another ``release.version``; everything else stays as it is, comments and blanks too.

    Raises
    ------
    ParamsError
        When the number cannot be found.

    >>> with_raised_version("release:\n  version: 1.0.0 # the number\n", "2.0.0")
    'release:\n  version: 2.0.0 # the number\n'
    """
    import yaml

    # The parser says where the number stands; a file that is written anew would lose its layout.
    section = _entry(yaml.compose(text, yaml.SafeLoader), "release")
    number = None if section is None or section.flow_style else _entry(section, "version")
    changed = text if number is None else text[: number.start_mark.index] + version + text[number.end_mark.index :]
    if number is None or not _says(changed, version):
        raise ParamsError(f"params.yaml: 'release.version' was not found; set it to {version} by hand")
    return changed


def _says(text: str, version: str) -> bool:
    """Return whether a changed file can be read and has the number: one that stood at an anchor, or twice, has not."""
    import yaml

    try:
        return bool(yaml.safe_load(text)["release"]["version"] == version)
    except yaml.YAMLError:
        return False


def _entry(node: Any, key: str) -> Any:
    """Return the value of a key in a mapping of a parsed file, None where there is none."""
    entries = node.value if isinstance(getattr(node, "value", None), list) else []
    return next((entry[1] for entry in entries if isinstance(entry, tuple) and entry[0].value == key), None)


def take_back(raw: Path, participant: str, recording: str) -> str:
    """Remove the rows that name somebody who never withdrew; return what was done.

    Raises
    ------
    ManifestError
        When no row names them.
    """
    path, name = raw / withdrawals.NAME, participant or recording
    rows = [row for row in withdrawals.read(path) if (look(row.participant), look(row.recording)) == (look(participant), look(recording))]
    before = withdrawal_memory.load()
    theirs = [name] if recording else [of for of, one in withdrawals.listed(raw).items() if look(one.participant) == look(name)]
    left = before.without([participant] * bool(participant), theirs)
    if not rows and left == before:
        raise ManifestError(f"'{name}' is in no row of {path}, and nobody of this name withdrew earlier")
    files.write_text(path, withdrawals.text_without(_text(path), rows))
    # They go back to their subset, too.
    withdrawal_memory.write(notice.with_splits(left, before, Path()) if left else left)
    return f"{path}: {name} is back; what people decided about them has to be decided again, or {LEDGER_PATH} restored from a copy"


def _text(path: Path) -> str:
    """Return a text with the line ends that it has."""
    return path.read_bytes().decode("utf-8") if path.is_file() else ""
