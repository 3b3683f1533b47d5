"""One audit with its evidence: what was read, what was found, what could not be checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from scrubin.audit import layout, run
from scrubin.audit.expected import Finding, media_types
from scrubin.audit.expected.plan import VideoPlan
from scrubin.audit.expected.private_strings import Private
from scrubin.audit.pictures.shown import Pictures
from scrubin.audit.pictures.stored import Fresh
from scrubin.audit.reading import Over
from scrubin.audit.run import Evidence, audit, audit_file

FILE_TYPES = {
    "videos": media_types.VIDEO_SUFFIXES,
    "pictures": media_types.IMAGE_SUFFIXES,
    "tables": frozenset((".parquet", ".csv", ".tsv", ".json", ".npy", ".npz")),
    "archives": frozenset((".zip", ".tar", ".gz")),
}
OTHERS = "documents"
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
            "causes": [cause.as_json() for cause in run.by_cause(self.findings)],
            "findings": [asdict(finding) for finding in self.findings],
        }


def of_folder(folder: Path, private: Private, pictures: Pictures, over: Over, shared: Path) -> Proof:
    """Audit a folder of which no plan is known; parameters as of ``of_release``."""
    evidence = audit(folder, private, None, Fresh(None, pictures.sampling), pictures, over, shared)
    unchecked = (*NO_PLAN, *NO_PROJECT, *(() if private.needles else (NO_STRINGS,)), *unread_pictures(pictures))
    return proof_of(evidence, layout.look(folder).files, private, pictures, unchecked)


def of_file(path: Path, private: Private, pictures: Pictures, plan: VideoPlan | None) -> Proof:
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
    return Proof(evidence.findings, _files(files), evidence.frames, evidence.compared, count, pictures, unchecked, linkable or {})


def unread_pictures(pictures: Pictures) -> tuple[str, ...]:
    """Return the pictures of which nothing was read."""
    return (NO_PICTURES,) if pictures.sampling == "none" else ()


def _files(paths: Mapping[str, Path]) -> dict[str, tuple[int, int]]:
    count: Counter[str] = Counter()
    size: Counter[str] = Counter()
    for name, path in paths.items():
        file_type = next((one for one, suffixes in FILE_TYPES.items() if PurePosixPath(name).suffix.lower() in suffixes), OTHERS)
        count[file_type] += 1
        size[file_type] += path.stat().st_size
    return {one: (count[one], size[one]) for one in (*FILE_TYPES, OTHERS) if count[one]}
