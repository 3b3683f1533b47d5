"""What the release around a ground truth says of it: its name, version and rate, and which of its label files are not as released."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

from scrubin.base import file_lists, files, strangers, unpacking
from scrubin.base.errors import FileError
from scrubin.base.faults import Fault, count_text, printable
from scrubin.base.ground_truth import FRAMES_PER_SECOND
from scrubin.evaluate.series import EXTRA_VIDEO
from scrubin.labels.formats.ground_truth import MANIFEST, RELEASED, inside_release

FRAMES = "tables/frames.parquet"
LABELS = (RELEASED, "Annotation", "tables")
"""The folders of a release that a score may name as ground truth."""
PART_OF = "isPartOf"
"""Says in the description of a public part of which release it is one."""
README, HIDDEN = "README.md", "Without labels: "
"""Where a public part names the recordings whose labels are hidden, and how that line begins."""
SHOWN_DIGITS = 12


@dataclass(frozen=True)
class ReleasedTruth:
    """The release that a ground truth is of, as far as its files say it.

    Parameters
    ----------
    name, version
        Of the data set; None where the ground truth alone was copied.
    manifest_sha256
        SHA-256 of the manifest of the ground truth; None where there is none.
    changed
        Files that have other bytes than the manifest says.
    missing
        Files of the manifest that are not there, where others of their folder are.
    part_of
        Name and version of the release whose public part it is; "" for any other.
    hidden
        Recordings whose labels that part leaves out.
    """

    name: str | None = None
    version: str | None = None
    manifest_sha256: str | None = None
    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    part_of: str = ""
    hidden: frozenset[str] = frozenset()

    @property
    def named(self) -> str:
        """Name and version; "" where nothing says them."""
        return " ".join(printable(one) for one in (self.name, self.version) if one)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values; of files only their numbers."""
        of_files = {"changed": len(self.changed), "missing": len(self.missing)}
        return {"name": self.name, "version": self.version, "manifest_sha256": self.manifest_sha256, **of_files}


def look(truth: Path) -> ReleasedTruth | None:
    """Return of which release a ground truth is; None for labels that are of none.

    Parameters
    ----------
    truth
        A release, its ground truth, or a part of that.
    """
    inside = _place(inside_release(truth))
    root, document = _manifest(inside)
    release = _described(inside)
    if not document:
        return None if release.version is None else release
    stated, ids = (of if isinstance(of, Mapping) else {} for of in (document["files"], document.get("recordings")))
    within = [one for one in sorted(stated) if (root / one).is_relative_to(inside)]
    there = {one: root / one for one in within if (root / one).is_file()}
    changed = tuple(one for one, path in there.items() if files.sha256_of(path) != stated[one])
    gone = tuple(file_lists.missing(within, there, ids))
    return replace(release, manifest_sha256=files.sha256_of(root / MANIFEST), changed=changed, missing=gone)


def _place(named: Path) -> Path:
    """Return where a path lies, without links: "." and ".." have no names. Of a file only its folder, as it may be a link into a cache."""
    return strangers.real(named) if named.is_dir() else strangers.real(named.parent) / named.name


def _home(inside: Path, file: str) -> Path | None:
    """Return the release with a file that a path is, is the labels of, or lies in the labels of."""
    homes = (inside, *(folder.parent for folder in (inside, *inside.parents) if folder.name in LABELS))
    return next((home for home in homes if (home / file).is_file()), None)


def _described(inside: Path) -> ReleasedTruth:
    """Return what the description of the release says of it that a path is, is the labels of, or lies in the labels of."""
    home = _home(inside, file_lists.CROISSANT)
    if home is None:
        return ReleasedTruth()
    try:
        document = strangers.read_json(home / file_lists.CROISSANT)
        readme = strangers.read_text(home / README) if isinstance(document, Mapping) and PART_OF in document else ""
    except (OSError, ValueError):
        return ReleasedTruth()
    name, version = _name_and_version(document)
    line = next((one for one in readme.splitlines() if one.startswith(HIDDEN)), "")
    whole = ReleasedTruth(*_name_and_version(document.get(PART_OF) if isinstance(document, Mapping) else None))
    return ReleasedTruth(name, version, part_of=whole.named, hidden=frozenset(re.findall("`([^`]+)`", line)))


def _name_and_version(document: Any) -> tuple[str | None, str | None]:
    said = [document.get(key) if isinstance(document, Mapping) else None for key in ("name", "version")]
    name, version = (one if isinstance(one, str) else None for one in said)
    return name, version


def film_frames(truth: Path) -> dict[str, int]:
    """Return how many frames the film of each recording has, by the tables of the release around a ground truth; empty without these."""
    home = _home(_place(inside_release(truth)), FRAMES)
    try:
        table = unpacking.parquet(home / FRAMES, FRAMES, ["id", "frame"], inside=home).to_pandas() if home else None
        return {} if table is None else {str(id_): int(last) + 1 for id_, last in table.groupby("id")["frame"].max().items()}
    except (FileError, OSError, KeyError, ValueError):
        return {}


def line_of(release: Mapping[str, Any]) -> str:
    """Return in a line which release a ground truth is of, from `ReleasedTruth.as_json`.

    >>> line_of({"name": "study", "version": "1.0.0", "manifest_sha256": "0f" * 32, "changed": 1, "missing": 0})
    'study 1.0.0, manifest 0f0f0f0f0f0f, but 1 file changed'
    """
    sha256 = release.get("manifest_sha256")
    names = " ".join(printable(str(release[key])) for key in ("name", "version") if release.get(key)) or "a release of unknown version"
    manifest = f", manifest {str(sha256)[:SHOWN_DIGITS]}" if sha256 else ""
    counts = {key: release.get(key) for key in ("changed", "missing")}
    odd = [f"{count_text(count, 'file')} {key}" for key, count in counts.items() if isinstance(count, int) and count]
    return f"{names}{manifest}{', but ' * bool(odd)}{' and '.join(odd)}"


def sentence_on_changed(truth: Path, release: ReleasedTruth | None) -> str | None:
    """Return the sentence on files that have changed or are gone since the manifest was written; None where none has, or there is none.

    Parameters
    ----------
    truth
        What was named.
    release
        As `look` returns it.
    """
    if release is None or not (release.changed or release.missing):
        return None
    gone, words = len(release.missing), []
    if release.changed:
        number = count_text(len(release.changed), "file")
        words.append(f"{number} of the ground truth changed since the release, such as {release.changed[0]}")
    if release.missing:
        number = f"{gone:,}" if release.changed else f"{count_text(gone, 'file')} of the ground truth"
        words.append(f"{number} {'is' if gone == 1 else 'are'} missing, such as {release.missing[0]}")
    inside = inside_release(truth)
    # The check takes the whole ground truth, of which a part may have been named.
    home = inside if (inside / MANIFEST).is_file() else _manifest(_place(inside))[0]
    return f"{', and '.join(words)}: the numbers are not those of others; run: scrubin ground-truth-check {home}"


HELD_TO_FRAMES = "for hidden recordings, scrubin submission check takes frames.csv of the starting kit as --ground-truth"


def rightly_blamed(faults: Iterable[Fault], release: ReleasedTruth | None) -> tuple[Fault, ...]:
    """Return faults of predictions, of which that of a video whose labels are gone or hidden is not put to who predicted it."""
    release = release or ReleasedTruth()
    what = "its labels are missing from the ground truth, so it does not count"
    said = {part.partition(".")[0]: (what, "get the ground truth again") for name in release.missing for part in PurePosixPath(name).parts}
    said |= dict.fromkeys(release.hidden, (f"its labels are hidden in this public part of {release.part_of}", HELD_TO_FRAMES))
    found = []
    for one in faults:
        own = said.get(PurePosixPath(one.file).name.partition(".")[0]) if one.rule == EXTRA_VIDEO else None
        found.append(one if own is None else replace(one, what=own[0], fix=own[1]))
    return tuple(found)


def fix_of_names(truth: Path, names: Collection[str]) -> str:
    """Return what to do where a ground truth has none of the videos that count: of hidden ones no other name helps."""
    release = look(truth) or ReleasedTruth()
    number = len(release.hidden.intersection(names))
    hidden = f"the labels of {number} of these {len(names)} are hidden in this public part of {release.part_of}"
    return f"{hidden}; {HELD_TO_FRAMES}" if number else "name them as there"


def stated_rate(truth: Path) -> Fraction | None:
    """Return the frames per second of a released ground truth; None where no manifest says it.

    Parameters
    ----------
    truth
        A release, its ground truth, or a part of that.
    """
    _, document = _manifest(_place(inside_release(truth)))
    try:
        rate = Fraction(document.get(FRAMES_PER_SECOND, 0))
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return None
    return rate if rate > 0 else None


def _manifest(inside: Path) -> tuple[Path, Mapping[str, Any]]:
    """Return where the ground truth around a path lies, and its manifest; that is empty where none can be read."""
    root = next((folder for folder in (inside, *inside.parents) if (folder / MANIFEST).is_file()), inside)
    try:
        document = strangers.read_json(root / MANIFEST)
    except (OSError, ValueError):
        return root, {}
    # Another program may have a file of this name.
    return root, document if isinstance(document, dict) and {"frame_contract", "files"} <= document.keys() else {}
