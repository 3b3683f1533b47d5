"""The audit: re-reads a finished release and proves that nothing private is in it.

It knows nothing about how the files were made. Each kind of file has a reader that walks
through all of it; a file that no reader knows, or that a reader cannot read, is a finding too,
because what cannot be read cannot be proven clean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from scrubin.core.errors import PrivacyError
from scrubin.release import checksums
from scrubin.release.audit import causes, layout, media
from scrubin.release.audit.findings import Fault, Finding, Text
from scrubin.release.audit.pictures.shown import Pictures
from scrubin.release.audit.plan import Plan, VideoPlan
from scrubin.release.audit.readers import STRUCTURED_SUFFIXES, Reader
from scrubin.release.audit.strings.private_strings import Private
from scrubin.release.audit.strings.search import Search, chunks_of
from scrubin.release.audit.videos import decoding
from scrubin.release.audit.videos.decoding import Examination

Examine = Callable[[Path, VideoPlan | None], Examination]
Each = Callable[[list[str]], Iterable[str]]


def audit(
    folder: Path,
    private: Private,
    plan: Plan | None = None,
    examine: Examine | None = None,
    each: Each = iter,
    pictures: Pictures | None = None,
) -> list[Finding]:
    """Return everything in a release that must not be there, sorted; an empty list is the proof.

    Parameters
    ----------
    folder
        The finished release.
    private
        What must not occur in it; see ``private_strings.of_tables``.
    plan
        What it must hold; without, media are only held to the rules that need no plan.
    examine
        Examines one video file; a caller may hand in results that it has.
    each
        Passes on the names of the files to be read, one by one; a caller may count them.
    pictures
        Looks at pictures and judges what they show; a caller may ask it what was looked at.
    """
    shown = pictures or Pictures(private)
    planned = plan or Plan()
    there = layout.look(folder)
    sha256 = there.sha256()
    search = Search(private, sum(path.stat().st_size for path in there.files.values()), planned.frame_names)
    findings = [*layout.oddities(there)]
    if plan is not None or checksums.NAME in there.files:
        findings += checksums.findings(folder, sha256)
    findings += [Finding(name, "name", "private-string", needle.message) for name, needle in layout.private_names(there, planned, search)]
    if plan is not None:
        findings += layout.media_findings(there, sha256, plan)
    reader = Reader(planned, search, frozenset(sha256.values()))
    examine_video = examine or partial(decoding.examine, folder=folder, sampling=shown.sampling)
    for name in each([*there.files]):
        findings += _of_file(there.files[name], name, reader, examine_video, shown)
    return sorted(set(findings))


def audit_file(
    path: Path, private: Private, plan: VideoPlan | None = None, examine: Examine | None = None, pictures: Pictures | None = None
) -> list[Finding]:
    """Return everything in one file that may not be in a release, sorted.

    Parameters
    ----------
    path
        The file; for findings it is its name that counts.
    private
        What must not occur in it.
    plan
        What it must be, when it is a video; without, it is only held to the rules that need no plan.
    examine, pictures
        As of ``audit``.
    """
    shown = pictures or Pictures(private)
    examine_video = examine or partial(decoding.examine, sampling=shown.sampling)
    planned = Plan() if plan is None else Plan((plan,))
    search = Search(private, path.stat().st_size)
    names = [Finding(path.name, "name", "private-string", needle.message) for needle in sorted(search.in_text(Text("", path.name)))]
    return sorted({*names, *_of_file(path, path.name, Reader(planned, search, frozenset()), examine_video, shown)})


def _of_file(path: Path, name: str, reader: Reader, examine: Examine, pictures: Pictures) -> list[Finding]:
    """Return what is wrong with one file, and with the frames that were extracted from it."""
    faults = [*_strings(path, name, reader), *layout.file_time(path)]
    if path.suffix.lower() not in media.VIDEO_SUFFIXES:
        # Planned ones are compared with their video, and looked at there.
        shown = [] if name in reader.plan.files else pictures.of_file(path, name)
        return [_finding(name, fault) for fault in faults] + [_finding(*one) for one in shown]
    result = examine(path, reader.plan.video_at.get(name))
    shown = pictures.of_video(name, result.looked, reader.plan.video_at.get(name))
    stills = [_finding(still, fault) for still, of_still in result.stills.items() for fault in of_still]
    return [_finding(name, fault) for fault in (*faults, *result.faults)] + stills + [_finding(*one) for one in shown]


def _finding(name: str, fault: Fault) -> Finding:
    return Finding(name, fault.place, fault.rule, fault.message)


def _strings(path: Path, name: str, reader: Reader) -> list[Fault]:
    """Return what the reader finds wrong with a file, and every private string in its bytes and texts."""
    structured = path.suffix.lower() in STRUCTURED_SUFFIXES
    places = {needle: "bytes" for needle in reader.search.in_bytes(chunks_of(path), structured=structured)}
    contents = reader.read(path, name)
    for text in contents.texts:
        places.update(dict.fromkeys(reader.search.in_text(text), text.place))
    return [*contents.faults, *(Fault("private-string", place, needle.message) for needle, place in sorted(places.items()))]


def prove(folder: Path, private: Private, plan: Plan, examine: Examine | None = None, pictures: Pictures | None = None) -> None:
    """Raise when the audit finds anything; parameters as of ``audit``.

    Raises
    ------
    PrivacyError
        Lists the findings by cause.
    """
    findings = audit(folder, private, plan, examine, pictures=pictures)
    if findings:
        of_cause = causes.by_cause(findings)
        lines = "\n  ".join(causes.lines(of_cause))
        msg = f"the release is refused, {causes.count(of_cause)}:\n  {lines}"
        raise PrivacyError(msg)
