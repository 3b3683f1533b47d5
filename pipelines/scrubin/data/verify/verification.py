"""A copy of a release verified: hashes, sizes, names, tables, counts; nothing is written into it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from scrubin.base import strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import Fault, count_text, error, warning
from scrubin.base.file_lists import is_litter
from scrubin.data import verify as data_verify
from scrubin.data import verify as folders
from scrubin.data.verify import Entry, Folder, comparison, contents, damage, digests, documents, lists
from scrubin.data.verify.contents import Withheld
from scrubin.data.verify.digests import Journal

LATER = frozenset({data_verify.SUMS, data_verify.FILES, data_verify.CROISSANT})
"""Files that the list of sizes cannot have, because they are written when it is."""
Progress = Callable[[int, int], None]
"""Hears how many files and bytes have been read since it was called last."""


@dataclass(frozen=True)
class Count:
    """Recordings, videos and frames of one task: of the release, and of them in this copy."""

    task: str
    recordings: int
    videos: int
    videos_here: int
    frames: int
    frames_here: int


@dataclass
class Verification:
    """What came of it.

    Parameters
    ----------
    name, version
        Of the release, as most of its documents say; "" when none does.
    quick, partial
        How it was verified.
    listed, here, size
        Files of the release, those of them that are here, and their bytes.
    read, read_before
        Files that were read now, and those that an earlier verification had read and that are as they were.
    faults
        Errors: the copy is not sound while there is one. Warnings are notes.
    withheld
        What is not there by intention.
    absent
        Top folders that were left out, with the number of their files.
    counts
        By task.
    """

    name: str = ""
    version: str = ""
    quick: bool = False
    partial: bool = False
    listed: int = 0
    here: int = 0
    size: int = 0
    read: int = 0
    read_before: int = 0
    faults: list[Fault] = field(default_factory=list)
    withheld: list[Withheld] = field(default_factory=list)
    absent: dict[str, int] = field(default_factory=dict)
    counts: list[Count] = field(default_factory=list)

    @property
    def errors(self) -> list[Fault]:
        """What makes the copy unsound."""
        return [fault for fault in self.faults if fault.severity == "error"]

    @property
    def notes(self) -> list[Fault]:
        """What does no harm."""
        return [fault for fault in self.faults if fault.severity != "error"]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong, as far as it was looked at."""
        return not self.errors

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "name": self.name,
            "version": self.version,
            "sound": self.sound,
            "quick": self.quick,
            "partial": self.partial,
            "files": {"listed": self.listed, "here": self.here, "bytes": self.size, "read": self.read, "read_before": self.read_before},
            "faults": [fault.as_json() for fault in self.errors],
            "notes": [fault.as_json() for fault in self.notes],
            "withheld": [asdict(one) for one in self.withheld],
            "absent": dict(self.absent),
            "counts": [asdict(one) for one in self.counts],
        }


def verify(
    root: Path,
    *,
    quick: bool = False,
    partial: bool = False,
    journal: Path | None = None,
    begin: Callable[[int, int], Progress] | None = None,
) -> Verification:
    """Verify a copy of a release.

    Parameters
    ----------
    root
        The folder of the release.
    quick
        Whether videos, frames, ground truth and archives are not read: what has the right size there counts as whole.
    partial
        Whether whole top folders may be absent.
    journal
        Where it is noted what has been read, so that a stopped verification goes on; None: nowhere.
    begin
        Hears how many files and bytes will be read, and returns who hears of each.

    Raises
    ------
    ReleaseError
        When there is no such folder, or it has nothing of a release.
    """
    refuse_no_release(root)
    folder = folders.look(root)
    result = Verification(quick=quick, partial=partial)
    sums, listed = _list(folder, data_verify.SUMS, lists.read_sums), _list(folder, data_verify.FILES, lists.read_files)
    said, tables = documents.read(root), contents.read(folder)
    claimed = _claims(sums, listed, said, tables)
    unread: list[Fault] = []
    wanted = {name: entry for name, entry in folder.files.items() if not is_litter(name) and not (quick and _is_bulk(name))}
    actual = _read(root, wanted, None if quick else journal, begin, result, unread)
    verdict = lists.judge(claimed, actual, folder.files.keys())
    expected = _expected(verdict, claimed, said, actual, folder)
    compared = comparison.compare(folder, expected, actual, quick=quick, partial=partial)
    unsound = compared.changed | compared.missing
    result.absent = compared.absent
    # What is no file of the release is to go, whatever is in it.
    strange = {fault.file for fault in compared.faults if fault.rule == "extra"}
    unread = [fault for fault in unread if fault.file not in strange]
    result.faults = [*folder.faults, *unread, *folders.links(folder), *sums.faults, *listed.faults, *verdict.faults, *compared.faults]
    result.faults += [fault for fault in (*said.faults, *tables.faults) if fault.file not in strange]
    result.faults += [error(name, *detail) for name, detail in expected.details.items() if name not in unsound]
    if sums.sha256 or listed.sha256:
        result.faults += contents.faults(tables, said, folder, expected.sha256.keys() - {data_verify.SUMS}, unsound)
    result.withheld = contents.of(root, tables, said, expected.sha256, result.faults)
    if quick:
        result.faults += _of_ends(folder, expected)
    result.faults += _unproven(result, sums, listed, claimed, tables)
    _count(result, expected.sha256, folder, tables, said)
    result.faults = _one_each(result.faults)
    if journal is not None and not quick and result.sound:
        Journal(journal, root).forget()
    return result


def refuse_no_release(root: Path) -> None:
    """Refuse what is no folder of a release.

    Raises
    ------
    ReleaseError
        Says what it is instead, and where a release is.
    """
    if root.is_file():
        msg = f"{root}: it is a file, not the folder of a release; unpack it, or name the folder it lies in"
    elif not root.is_dir():
        msg = f"{root}: there is no such folder"
    elif data_verify.is_release(root):
        return
    elif below := data_verify.inside(root):
        msg = f"{root}: no release lies in this folder, but one lies in {', '.join(map(str, below))}; name that folder"
    else:
        msg = (
            f"{root}: nothing of a release lies in this folder, such as {data_verify.SUMS} or {data_verify.CROISSANT}; "
            "name the folder that has them"
        )
    raise ReleaseError(msg)


def _list(folder: Folder, name: str, parse: Callable[[bytes], lists.Listing]) -> lists.Listing:
    if name not in folder.files:
        return lists.Listing()
    try:
        data = strangers.read_bytes(folder.root / name)
    except OSError:
        return lists.Listing()  # found to be unreadable with all others
    return parse(data)


def _claims(sums: lists.Listing, listed: lists.Listing, said: documents.Documents, tables: contents.Tables) -> lists.Claims:
    videos = zip(tables.column(data_verify.VIDEOS, "path"), tables.column(data_verify.VIDEOS, "sha256"), strict=False)
    of_videos = {path: sha256 for path, sha256 in videos if path and sha256}
    sources = {
        data_verify.SUMS: sums.sha256,
        data_verify.FILES: listed.sha256,
        data_verify.CROISSANT: said.sha256,
        data_verify.VIDEOS: of_videos,
    }
    sizes = {**said.sizes, **listed.bytes}
    complete = tuple(name for name in (data_verify.SUMS, data_verify.FILES) if sources[name])
    if not complete:  # both lists are lost: what the tables name is all that is known
        sources["tables"] = dict.fromkeys(tables.named, "") | of_videos
    return lists.Claims({name: one for name, one in sources.items() if one}, sizes, sums.lines, complete, LATER)


def _is_bulk(name: str) -> bool:
    """Whether a file lies where most bytes are: a quick verification reads all others."""
    return name.partition("/")[0] in ("videos", "frames", "groundtruth", "archives")


def _read(
    root: Path,
    files: Mapping[str, Entry],
    journal: Path | None,
    begin: Callable[[int, int], Progress] | None,
    result: Verification,
    faults: list[Fault],
) -> dict[str, str]:
    """Return the SHA-256 of files by name; those that cannot be read are faults."""
    notes = None if journal is None else Journal(journal, root)
    actual = {} if notes is None else notes.known(files)
    waiting = {name: entry for name, entry in files.items() if name not in actual}
    result.read, result.read_before = len(waiting), len(actual)
    hear = begin(len(waiting), sum(entry.size for entry in waiting.values())) if begin else None
    with notes or _Nowhere() as kept, closing(digests.read(root, waiting)) as reading:
        for name, sha256, reason, entry in reading:
            if hear:
                hear(1, files[name].size)
            if entry is None:
                faults.append(
                    error(name, "unreadable", f"it cannot be read ({reason})", "give yourself the right to read it, or get that file again")
                )
                continue
            actual[name] = sha256
            if entry == files[name]:
                kept.keep(name, sha256, entry)
            elif entry.size != files[name].size or entry.mtime_ns != files[name].mtime_ns:
                what = "it changed while it was read: a download is going on"
                faults.append(error(name, "changing", what, "wait until it has ended, then verify again"))
    return actual


class _Nowhere:
    """A journal that keeps nothing."""

    def __enter__(self) -> _Nowhere:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def keep(self, *_: object) -> None:
        """Keep nothing."""


def _expected(
    verdict: lists.Verdict, claimed: lists.Claims, said: documents.Documents, actual: Mapping[str, str], folder: Folder
) -> comparison.Expected:
    unlisted = dict.fromkeys((name for name in folder.files if _may_be_unlisted(name, claimed)), "")
    sha256 = {**unlisted, **verdict.sha256, data_verify.SUMS: ""}
    trusted = {name: actual.get(name) == sha256.get(name) for name in said.versions if name in actual and sha256.get(name)}
    details = dict(documents.of_another_version(said, trusted))
    return comparison.Expected(sha256, claimed.sizes, {name: one for name, one in details.items() if name in folder.files})


def _may_be_unlisted(name: str, claimed: lists.Claims) -> bool:
    """Whether a file may belong to the release although no list has it, because a list is lost."""
    if claimed.complete:
        return name in LATER
    return name.partition("/")[0] not in ("videos", "frames") and not is_litter(name)


def _of_ends(folder: Folder, expected: comparison.Expected) -> Iterator[Fault]:
    """Yield files that cannot be whole, of those whose size nobody says."""
    for name in expected.sha256:
        if name in folder.files and name not in expected.sizes and name not in LATER:
            try:
                broken = damage.is_broken(folder.root / name, folder.files[name].size)
            except OSError as failure:
                broken = f"it cannot be read ({failure.strerror})"
            if broken:
                yield error(name, "truncated", broken, damage.AGAIN)


def _unproven(
    result: Verification, sums: lists.Listing, listed: lists.Listing, claimed: lists.Claims, tables: contents.Tables
) -> Iterator[Fault]:
    """Yield notes on what could not be looked at."""
    if result.quick and not listed.bytes:
        what = f"this release has no {data_verify.FILES}, so sizes are unknown: only names and ends of most files were looked at"
        yield warning(data_verify.FILES, "no-sizes", what, "run again without --quick")
    elif result.quick and claimed.sizes:
        yield warning(
            "",
            "quick",
            "of videos, frames, ground truth and archives only names and sizes were looked at",
            "run again without --quick for their bytes",
        )
    if not sums.sha256 and not listed.sha256:
        yield error(data_verify.SUMS, "unproven", "no list of checksums can be read: the bytes of this copy are not proven", lists.AGAIN)
    if data_verify.VIDEOS not in tables.tables and "tables" in result.absent:
        yield warning(
            "tables", "no-counts", "the tables are not here: recordings and frames were not counted", "get the folder 'tables' for that"
        )


def _count(result: Verification, names: Mapping[str, str], folder: Folder, tables: contents.Tables, said: documents.Documents) -> None:
    here = [name for name in names if name in folder.files]
    result.listed, result.here, result.size = len(names), len(here), sum(folder.files[name].size for name in here)
    result.name, result.version = said.name, documents.version(said, {})[0]
    columns = [tables.column(data_verify.VIDEOS, name) for name in ("id", "task", "camera", "path")]
    rows = list(zip(*columns, strict=True)) if all(columns) else []
    task_of = {(one, camera): task for one, task, camera, _ in rows}
    frames, frames_here = Counter[str](), Counter[str]()
    pairs = zip(*(tables.column(data_verify.FRAMES, name) for name in ("id", "camera", "path")), strict=True)
    for one, camera, path in pairs:
        if path:
            task = task_of.get((one, camera), "")
            frames[task] += 1
            frames_here[task] += (f"{path.partition(contents.SHARD)[0]}.tar" if contents.SHARD in path else path) in folder.files
    for task in sorted({task for _, task, _, _ in rows}):
        of_task = [(one, path) for one, of, _, path in rows if of == task]
        videos_here = len([path for _, path in of_task if path in folder.files])
        result.counts.append(Count(task, len({one for one, _ in of_task}), len(of_task), videos_here, frames[task], frames_here[task]))


def _one_each(faults: Collection[Fault]) -> list[Fault]:
    """Return faults sorted by file; of a file that cannot be read at all, or is of another version, what follows from that is left out."""
    unread = {fault.file for fault in faults if fault.rule in ("unreadable", "pointer", "truncated", "line-ends", "form", "exchanged")}
    kept = [fault for fault in faults if not (fault.file in unread and fault.rule in ("damaged", "members", "changed", "lacking"))]
    kept = [
        fault
        for fault in kept
        if not (fault.rule == "unproven" and any(one.file == data_verify.SUMS and one.rule == "missing" for one in kept))
    ]
    unique = {(fault.file, fault.rule, fault.what): fault for fault in kept}
    return sorted(unique.values(), key=lambda fault: (fault.severity != "error", fault.file, fault.rule, fault.what))


FAULTS_SHOWN = 100


def lines(result: Verification) -> Iterable[str]:
    """Yield what was found, line by line."""
    name = " ".join(part for part in (result.name, result.version) if part) or "a release without name"
    yield f"{name}: {result.here:,} of {result.listed:,} files are here, {result.size:,} bytes"
    if not result.quick:
        before = f", {result.read_before:,} before, and they have not changed since" if result.read_before else ""
        yield f"read: {result.read:,} files{before}"
    for one in result.counts:
        videos, frames = f"{one.videos_here:,} of {one.videos:,} videos", f"{one.frames_here:,} of {one.frames:,} frames"
        yield f"{one.task}: {count_text(one.recordings, 'recording')}, {videos}, {frames}"
    for top, count in result.absent.items():
        yield f"left out: {top} ({count:,} files)"
    yield from _section("withheld by intention", [one.says for one in result.withheld])
    yield from _section("notes", _sentences(result.notes))
    yield from _section("wrong", _sentences(result.errors))
    if result.sound:
        what = "every name and size is right; the bytes were not read" if result.quick else "sound: every file is as it was released"
        yield f"{what}{', but for what was left out' if result.absent else ''}"
    else:
        yield f"not sound: {len(result.errors):,} finding{'s' if len(result.errors) > 1 else ''}"


def _sentences(faults: Iterable[Fault]) -> list[str]:
    lines = [fault.line() for fault in faults]
    return [*lines[:FAULTS_SHOWN], f"and {len(lines) - FAULTS_SHOWN:,} more; --json FILE has all"] if len(lines) > FAULTS_SHOWN else lines


def _section(title: str, lines: Iterable[str]) -> Iterable[str]:
    shown = [f"  {line}" for line in lines]
    return [f"{title}:", *shown] if shown else []
