"""The audit: re-reads a finished release and proves that nothing private is in it.

It knows nothing about how the files were made. Each kind of file has a reader that walks
through all of it; a file that no reader knows, or that a reader cannot read, is a finding too,
because what cannot be read cannot be proven clean.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from scrubin.errors import PrivacyError
from scrubin.release import checksums, layout, media, pictures
from scrubin.release.findings import Fault, Finding
from scrubin.release.plan import Plan, VideoPlan
from scrubin.release.private_strings import Private
from scrubin.release.reading import STRUCTURED_SUFFIXES, Reader
from scrubin.release.search import Search, chunks_of

Examine = Callable[[Path, VideoPlan | None], list[Fault]]


def audit(folder: Path, private: Private, plan: Plan | None = None, examine: Examine = pictures.video_faults) -> list[Finding]:
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
        Decodes one video file and returns its faults; a caller may hand in results that it has.
    """
    planned = plan or Plan()
    found = layout.look(folder)
    sha256 = found.sha256()
    search = Search(private, sum(path.stat().st_size for path in found.files.values()), planned.frame_names)
    findings = [*layout.oddities(found), *checksums.findings(folder, sha256)]
    findings += [Finding(name, "name", "private-string", needle.told) for name, needle in layout.private_names(found, planned, search)]
    if plan is not None:
        findings += layout.media_findings(found, sha256, plan)
    reader = Reader(planned, search, frozenset(sha256.values()))
    videos = {video.path: video for video in planned.videos}
    frames = {frame.path: frame for frame in planned.frames}
    for name, path in found.files.items():
        faults = [*_strings(path, name, reader), *layout.file_time(path)]
        if path.suffix.lower() in media.VIDEO_SUFFIXES:
            faults += examine(path, videos.get(name))
        elif name in frames:
            faults += pictures.frame_faults(path, frames[name])
        findings += [Finding(name, fault.place, fault.rule, fault.message) for fault in faults]
    return sorted(set(findings))


def _strings(path: Path, name: str, reader: Reader) -> list[Fault]:
    """Return what the reader finds wrong with a file, and every private string in its bytes and texts."""
    structured = path.suffix.lower() in STRUCTURED_SUFFIXES
    found = {needle: "bytes" for needle in reader.search.in_bytes(chunks_of(path), structured=structured)}
    contents = reader.read(path, name)
    for text in contents.texts:
        found.update(dict.fromkeys(reader.search.in_text(text), text.place))
    return [*contents.faults, *(Fault("private-string", place, needle.told) for needle, place in sorted(found.items()))]


def prove(folder: Path, private: Private, plan: Plan, examine: Examine = pictures.video_faults) -> None:
    """Raise when the audit finds anything.

    Raises
    ------
    PrivacyError
        Lists all findings.
    """
    findings = audit(folder, private, plan, examine)
    if findings:
        lines = "\n  ".join(map(str, findings))
        msg = f"the release is refused, {len(findings)} finding{'s' if len(findings) > 1 else ''}:\n  {lines}"
        raise PrivacyError(msg)
