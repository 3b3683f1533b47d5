"""The audit: re-reads a finished release and proves that nothing private is in it.

It knows nothing about how the files were made. Each kind of file has a reader that walks
through all of it; a file that no reader knows, or that a reader cannot read, is a finding too,
because what cannot be read cannot be proven clean.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from scrubin.core import checksum_list
from scrubin.core.errors import PrivacyError
from scrubin.release import checksums, file_list
from scrubin.release.audit import causes, layout, media, reading
from scrubin.release.audit.findings import Fault, Finding, Text
from scrubin.release.audit.pictures.shown import Pictures
from scrubin.release.audit.plan import Plan, VideoPlan
from scrubin.release.audit.reading import Examine, Over, Reading, serially
from scrubin.release.audit.strings.private_strings import Private
from scrubin.release.audit.strings.search import Search
from scrubin.release.audit.videos.stored import Fresh


@dataclass(frozen=True)
class Evidence:
    """What one audit found and how much it decoded.

    Parameters
    ----------
    findings
        Everything that must not be there, sorted; an empty list is the proof.
    frames, compared
        How many frames were decoded, and how many extracted ones were compared with them.
    """

    findings: list[Finding]
    frames: int
    compared: int


def audit(
    folder: Path,
    private: Private,
    plan: Plan | None = None,
    examine: Examine | None = None,
    pictures: Pictures | None = None,
    over: Over = serially,
    shared: Path | None = None,
) -> Evidence:
    """Hold a release to what it must be and what must not be in it; every file is read once.

    Parameters
    ----------
    folder
        The finished release.
    private
        What must not occur in it; see ``private_strings.of_tables``.
    plan
        What it must hold; without, media are only held to the rules that need no plan.
    examine
        Examines one video file; it may know what an earlier run has seen in the same bytes.
    pictures
        Looks at pictures and judges what they show; a caller may ask it what was looked at.
    over, shared
        Does the reading, see ``reading.read``; a caller may send it to other processes, and then ``folder`` is absolute.
    """
    shown = pictures or Pictures(private)
    planned = plan or Plan()
    there = layout.look(folder)
    search = Search(private, sum(path.stat().st_size for path in there.files.values()), planned.frame_names)
    examine = examine or Fresh(folder, shown.sampling)
    seen = reading.read(folder, there.files, planned, search, examine, over, shared)
    sha256 = {name: seen.files[name].sha256 for name in there.files}
    findings = [*layout.oddities(there)]
    if plan is not None or checksum_list.NAME in there.files:
        findings += checksums.findings(folder, sha256)
    files = [name for name in there.files if private.withdrawn.has("sha256", sha256[name])]
    findings += [
        Finding(name, "", "withdrawn", "it is a picture or video of somebody who withdrew; run 'make repro' again") for name in files
    ]
    findings += [Finding(name, "name", "private-string", needle.message) for name, needle in layout.private_names(there, planned, search)]
    if plan is not None:
        findings += layout.media_findings(there, sha256, plan)
    known = {finding.file for finding in findings}
    for name, path in there.files.items():
        findings += _of_file_list(path, seen, known) if name == file_list.NAME else _of_file(path, name, planned, seen, shown)
    return _evidence(findings, seen)


def _of_file_list(path: Path, seen: Reading, named: AbstractSet[str]) -> list[Finding]:
    """Return what is wrong with the list of sizes: one that says exactly what the files are cannot tell a date by a size.

    The files in ``named`` are known to be missing or changed; that the list says otherwise is no second finding.
    """
    sizes = {name: one.size for name, one in seen.files.items()}
    expected, written = file_list.text({name: one.sha256 for name, one in seen.files.items()}, sizes), path.read_bytes()
    if written == expected.encode():
        return [_finding(file_list.NAME, fault) for fault in layout.file_time(path)]
    faults = [_finding(file_list.NAME, fault) for fault in seen.files[file_list.NAME].faults]
    differs = set(written.decode(errors="replace").splitlines()) ^ set(expected.splitlines())
    if {line.rsplit(",", 2)[0].strip('"') for line in differs} <= named:
        return faults
    message = "it does not say what the released files are; run the release stage again"
    return [Finding(file_list.NAME, "", "checksum", message), *faults]


def audit_file(path: Path, private: Private, plan: VideoPlan | None = None, pictures: Pictures | None = None) -> Evidence:
    """Hold one file to what may be in a release.

    Parameters
    ----------
    path
        The file; for findings it is its name that counts.
    private
        What must not occur in it.
    plan
        What it must be, when it is a video; without, it is only held to the rules that need no plan.
    pictures
        As of ``audit``.
    """
    shown = pictures or Pictures(private)
    planned = Plan() if plan is None else Plan((plan,))
    search = Search(private, path.stat().st_size)
    names = [Finding(path.name, "name", "private-string", needle.message) for needle in sorted(search.in_text(Text("", path.name)))]
    seen = reading.read(path.parent, {path.name: path}, planned, search, Fresh(None, shown.sampling), serially)
    return _evidence([*names, *_of_file(path, path.name, planned, seen, shown)], seen)


def _evidence(findings: list[Finding], seen: Reading) -> Evidence:
    videos = seen.videos.values()
    return Evidence(sorted(set(findings)), sum(video.frames for video in videos), sum(video.compared for video in videos))


def _of_file(path: Path, name: str, plan: Plan, seen: Reading, pictures: Pictures) -> list[Finding]:
    """Return what is wrong with one file, and with the frames that were extracted from it."""
    faults = [*seen.files[name].faults, *layout.file_time(path)]
    if path.suffix.lower() not in media.VIDEO_SUFFIXES:
        # Planned ones are compared with their video, and looked at there.
        shown = [] if name in plan.files else pictures.of_file(path, name)
        return [_finding(name, fault) for fault in faults] + [_finding(*one) for one in shown]
    result = seen.videos[name]
    shown = pictures.of_video(name, result.looked, plan.video_at.get(name))
    stills = [_finding(still, fault) for still, of_still in result.stills.items() for fault in of_still]
    return [_finding(name, fault) for fault in (*faults, *result.faults)] + stills + [_finding(*one) for one in shown]


def _finding(name: str, fault: Fault) -> Finding:
    return Finding(name, fault.place, fault.rule, fault.message)


def refuse(findings: list[Finding], asked: Sequence[str] = ()) -> None:
    """Raise when an audit has found anything.

    Parameters
    ----------
    findings
        Of the audit.
    asked
        What it asks people, one line each.

    Raises
    ------
    PrivacyError
        Lists the findings by cause.
    """
    if findings:
        of_cause = causes.by_cause(findings)
        lines = "\n  ".join([*causes.lines(of_cause), *asked])
        msg = f"the release is refused, {causes.count(of_cause)}:\n  {lines}"
        raise PrivacyError(msg)
