"""The audit of a release or of one file, with its evidence: the proof that nothing private is in it.

It knows nothing about how the files were made. Each kind of file has a reader that walks
through all of it; a file that no reader knows, or that a reader cannot read, is a finding too,
because what cannot be read cannot be proven clean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from scrubin.audit import drawn, layout, reading
from scrubin.audit.containers import binary_tables
from scrubin.audit.expected import Fault, Finding, Text, media_types
from scrubin.audit.expected.plan import Plan, VideoPlan
from scrubin.audit.expected.private_strings import Private
from scrubin.audit.expected.search import Search
from scrubin.audit.pictures.shown import Pictures
from scrubin.audit.pictures.stored import Fresh
from scrubin.audit.reading import Examine, Over, Reading, serially
from scrubin.base import faults, file_lists
from scrubin.base.errors import PrivacyError
from scrubin.base.faults import count_text
from scrubin.base.file_lists import CHECKSUMS

VIDEOS = "tables/videos.parquet"
PLACES_SHOWN = 3
CAUSES_SHOWN = 20
"""Of one rule: a table of names leaks each of them."""
BY_VALUE = frozenset({"private-string", "picture-text"})
"""Rules whose message names what leaked: each value is a cause of its own. In others, numbers and names only say where."""


@dataclass(frozen=True)
class Cause:
    """All findings of one cause, at least one, in the order of the audit."""

    findings: tuple[Finding, ...]

    @property
    def files(self) -> int:
        """In how many files it is."""
        return len({finding.file for finding in self.findings})

    def __str__(self) -> str:
        """Return one line for people: the first finding, how many there are, and the next places."""
        first, more = self.findings[0], self.findings[1:]
        if not more:
            return str(first)
        next_places = "; ".join(finding.where for finding in more[: PLACES_SHOWN - 1])
        rest = "; ..." if len(self.findings) > PLACES_SHOWN else ""
        return f"{first} ({self._counts()}, next: {next_places}{rest})"

    def as_json(self) -> dict[str, Any]:
        """Return the cause as JSON values: its first finding, its counts, and the first places."""
        first = self.findings[0]
        places = [finding.where for finding in self.findings[:PLACES_SHOWN]]
        return {"rule": first.rule, "message": first.message, "count": len(self.findings), "files": self.files, "first": places}

    def _counts(self) -> str:
        files = count_text(self.files, "file")
        return files if self.files == len(self.findings) else f"{count_text(len(self.findings), 'place')} in {files}"


def by_cause(findings: Iterable[Finding]) -> list[Cause]:
    """Return findings grouped by what is wrong, each group where its first one stood."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_key(finding), []).append(finding)
    return [Cause(tuple(group)) for group in groups.values()]


def lines_of_causes(causes: Sequence[Cause]) -> list[str]:
    """Return one line per cause; of each rule the first ones only, with the number of the others."""
    of_rule: dict[str, list[Cause]] = {}
    for cause in causes:
        of_rule.setdefault(cause.findings[0].rule, []).append(cause)
    left_out = {cause for alike in of_rule.values() for cause in alike[CAUSES_SHOWN:]}
    rest = [
        f"... and {len(alike) - CAUSES_SHOWN} more causes of [{rule}]: {count_of_causes(alike[CAUSES_SHOWN:])}"
        for rule, alike in of_rule.items()
        if len(alike) > CAUSES_SHOWN
    ]
    return [str(cause) for cause in causes if cause not in left_out] + rest


def count_of_causes(causes: Sequence[Cause]) -> str:
    """Return how many findings there are: "1,082 findings of 1 cause"; of one cause each, just their number."""
    total = sum(len(cause.findings) for cause in causes)
    findings = count_text(total, "finding")
    return findings if total == len(causes) else f"{findings} of {count_text(len(causes), 'cause')}"


def _key(finding: Finding) -> tuple[str, ...]:
    if finding.rule in BY_VALUE:
        return (finding.rule, finding.message)
    return faults.error(finding.file, finding.rule, finding.message, "").cause


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
    there = layout.look(folder)
    planned = plan or Plan(own_ids=binary_tables.texts_of(there.files[VIDEOS], "id") if VIDEOS in there.files else frozenset())
    search = Search(private, sum(path.stat().st_size for path in there.files.values()), planned.frame_names)
    examine = examine or Fresh(folder, shown.sampling)
    seen = reading.read(folder, there.files, planned, search, examine, over, shared)
    sha256 = {name: seen.files[name].sha256 for name in there.files}
    findings = [*layout.oddities(there)]
    if plan is not None or file_lists.CHECKSUMS in there.files:
        findings += checksum_findings(folder, sha256)
    files = [name for name in there.files if private.withdrawn.has("sha256", sha256[name])]
    findings += [
        Finding(name, "", "withdrawn", "it is a picture or video of somebody who withdrew; run 'make repro' again") for name in files
    ]
    findings += [Finding(name, "name", "private-string", needle.message) for name, needle in layout.private_names(there, planned, search)]
    if plan is not None:
        findings += layout.media_findings(there, sha256, plan)
        findings += drawn.findings(there.files, plan)
    known = {finding.file for finding in findings}
    for name, path in there.files.items():
        findings += _of_file_list(path, seen, known) if name == file_lists.FILE_LIST else _of_file(path, name, planned, seen, shown)
    return _evidence(findings, seen)


def _of_file_list(path: Path, seen: Reading, named: AbstractSet[str]) -> list[Finding]:
    """Return what is wrong with the list of sizes: one that says exactly what the files are cannot tell a date by a size.

    The files in ``named`` are known to be missing or changed; that the list says otherwise is no second finding.
    """
    sizes = {name: one.size for name, one in seen.files.items()}
    expected, written = file_lists.file_list_text({name: one.sha256 for name, one in seen.files.items()}, sizes), path.read_bytes()
    if written == expected.encode():
        return [_finding(file_lists.FILE_LIST, fault) for fault in layout.file_time(path)]
    faults = [_finding(file_lists.FILE_LIST, fault) for fault in seen.files[file_lists.FILE_LIST].faults]
    differs = set(written.decode(errors="replace").splitlines()) ^ set(expected.splitlines())
    if {line.rsplit(",", 2)[0].strip('"') for line in differs} <= named:
        return faults
    message = "it does not say what the released files are; run the release stage again"
    return [Finding(file_lists.FILE_LIST, "", "checksum", message), *faults]


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
    if path.suffix.lower() not in media_types.VIDEO_SUFFIXES:
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
        of_cause = by_cause(findings)
        lines = "\n  ".join([*lines_of_causes(of_cause), *asked])
        raise PrivacyError(f"the release is refused, {count_of_causes(of_cause)}:\n  {lines}")


def checksum_findings(folder: Path, sha256: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what the list in a release gets wrong; a release without a list is not finished."""
    path = folder / CHECKSUMS
    if not path.is_file():
        yield Finding(CHECKSUMS, "", "checksum", "the list of checksums is missing; run the release stage again")
        return
    listed, odd = file_lists.read_checksums(path.read_text(encoding="utf-8", errors="replace"))
    for number in odd:
        yield Finding(CHECKSUMS, f"line {number}", "checksum", "expected a SHA-256, two spaces and a file name")
    if list(listed) != sorted(listed):
        yield Finding(
            CHECKSUMS, "", "order", "the names are not sorted, and their order could be that of the recordings; run the release stage again"
        )
    there = {name: value for name, value in sha256.items() if name != CHECKSUMS}
    for name in sorted(listed.keys() - there.keys()):
        yield Finding(name, "", "checksum", f"{CHECKSUMS} lists it, but it is missing")
    for name in sorted(there.keys() - listed.keys()):
        yield Finding(name, "", "checksum", f"{CHECKSUMS} does not list it; run the release stage again")
    for name in sorted(there.keys() & listed.keys()):
        if there[name] != listed[name]:
            yield Finding(name, "", "checksum", f"its SHA-256 is not the one in {CHECKSUMS}; run the release stage again")


FILE_TYPES = {
    "videos": media_types.VIDEO_SUFFIXES,
    "pictures": media_types.IMAGE_SUFFIXES,
    "tables": frozenset((".parquet", ".csv", ".tsv", ".json", ".npy", ".npz")),
    "archives": frozenset((".zip", ".tar", ".gz")),
}
OTHER_FILES = "documents"
NO_STRINGS = "private strings: none are known; name a project, or give each with --needle"
NO_PICTURES = "pictures: nothing was read in them, and nobody looked for faces (--no-pictures)"
NO_PLAN = (
    "blackness: which frames and rectangles must be black",
    "counts: how many frames, and which files, there must be",
)
NO_PROJECT = (
    "extracted frames: whether each is the picture of its video",
    "order: whether rows stand in the order of their ids",
    "ids: whether those of the table 'videos' are released ones; under keys such as 'recording' they are taken for these",
)


@dataclass(frozen=True)
class Proof:
    """What one audit found.

    Parameters
    ----------
    findings
        What must not be there; none is the proof.
    files
        Number and bytes of the files that were read, by kind.
    frames, compared
        How many frames were decoded, and how many extracted ones were compared with them.
    needles
        How many private strings were searched.
    unchecked
        What was not checked, for want of a plan or of private strings.
    pictures
        Which pictures were looked at for text and faces, and the text that is no finding.
    linkable
        The re-identification note; empty without a project.
    """

    findings: list[Finding]
    files: Mapping[str, tuple[int, int]]
    frames: int
    compared: int
    needles: int
    pictures: Pictures
    unchecked: tuple[str, ...] = ()
    linkable: Mapping[str, Any] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def as_json(self) -> dict[str, Any]:
        """Return all of it as a JSON value."""
        return {
            "clean": self.clean,
            "files": {file_type: {"count": count, "bytes": size} for file_type, (count, size) in self.files.items()},
            "frames_decoded": self.frames,
            "frames_compared": self.compared,
            "private_strings": self.needles,
            "pictures": self.pictures.as_json(),
            "not_checked": list(self.unchecked),
            "reidentification": dict(self.linkable),
            "causes": [cause.as_json() for cause in by_cause(self.findings)],
            "findings": [asdict(finding) for finding in self.findings],
        }


def proof_of_folder(folder: Path, private: Private, pictures: Pictures, over: Over, shared: Path) -> Proof:
    """Audit a folder of which no plan is known; parameters as of ``of_release``."""
    evidence = audit(folder, private, None, Fresh(None, pictures.sampling), pictures, over, shared)
    unchecked = (*NO_PLAN, *NO_PROJECT, *(() if private.needles else (NO_STRINGS,)), *unread_pictures(pictures))
    return proof_of(evidence, layout.look(folder).files, private, pictures, unchecked)


def proof_of_file(path: Path, private: Private, pictures: Pictures, plan: VideoPlan | None) -> Proof:
    """Audit one file, a video against its plan where there is one."""
    evidence = audit_file(path, private, plan, pictures)
    unchecked = (*(() if plan else NO_PLAN), *(() if private.needles else (NO_STRINGS,)), *unread_pictures(pictures))
    return proof_of(evidence, {path.name: path}, private, pictures, unchecked)


def proof_of(
    evidence: Evidence,
    files: Mapping[str, Path],
    private: Private,
    pictures: Pictures,
    unchecked: tuple[str, ...],
    linkable: Mapping[str, Any] | None = None,
) -> Proof:
    """Return the proof of a finished audit."""
    count = len(private.needles)
    return Proof(evidence.findings, _files_by_kind(files), evidence.frames, evidence.compared, count, pictures, unchecked, linkable or {})


def unread_pictures(pictures: Pictures) -> tuple[str, ...]:
    """Return the pictures of which nothing was read."""
    return (NO_PICTURES,) if pictures.sampling == "none" else ()


def _files_by_kind(paths: Mapping[str, Path]) -> dict[str, tuple[int, int]]:
    count: Counter[str] = Counter()
    size: Counter[str] = Counter()
    for name, path in paths.items():
        file_type = next((one for one, suffixes in FILE_TYPES.items() if PurePosixPath(name).suffix.lower() in suffixes), OTHER_FILES)
        count[file_type] += 1
        size[file_type] += path.stat().st_size
    return {one: (count[one], size[one]) for one in (*FILE_TYPES, OTHER_FILES) if count[one]}
