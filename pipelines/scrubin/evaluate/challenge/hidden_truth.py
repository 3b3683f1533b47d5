"""The ground truth of a hidden subset: which files of a release are it, only it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from scrubin.base.errors import MetricsError
from scrubin.base.faults import hint
from scrubin.base.files import fresh_folder
from scrubin.base.ground_truth import FRAME_CONTRACT, FRAMES_PER_SECOND
from scrubin.base.vocabulary import vocabulary
from scrubin.evaluate import released_truth, selection, submission_truth
from scrubin.evaluate.challenge import label_files
from scrubin.evaluate.contest_tasks import CONTESTS
from scrubin.evaluate.released_truth import ReleasedTruth
from scrubin.evaluate.tasks import entries
from scrubin.labels.choices import TASKS
from scrubin.labels.formats.ground_truth import MANIFEST, PARTS, inside_release


@dataclass(frozen=True)
class HiddenTruth:
    """The labels of a hidden subset.

    Parameters
    ----------
    vocabulary
        Whose classes they are.
    files
        By where they stand in a ground truth of their own, the files of the release, or what was made of them.
    frames
        Frames to be predicted, by video.
    others
        Videos of the subset without this kind of labels, such as recordings of other tasks.
    form
        The frames alone, as files of a format; empty where submissions have a file per video.
    """

    vocabulary: str
    files: Mapping[str, Path | bytes]
    frames: dict[str, tuple[int, ...]]
    others: tuple[str, ...]
    form: Mapping[str, bytes] = field(default_factory=dict)


def of_release(
    release: Path, task: str, split: str, subset: str, vocabulary_name: str | None = None, image_size: tuple[int, int] | None = None
) -> HiddenTruth:
    """Return the ground truth of one subset of a release, or of a ground truth of ours.

    Parameters
    ----------
    split
        Name of a split of the release, or a file.
    subset
        Such as ``test``, or ``0/test`` where the split has folds.
    image_size
        Width and height in px of images whose size no file states.

    Raises
    ------
    MetricsError
        When there is no such split, subset or ground truth.
    """
    if not CONTESTS[task].has_file_per_video:
        return _of_label_files(release, task, selection.read(split_file(release, split), subset), vocabulary_name, image_size)
    if not release.is_dir():
        raise MetricsError(f"{release}: there is no such folder; name a release, or its ground truth")
    names = selection.read(split_file(release, split), subset)
    folder = _folder(inside_release(release), vocabulary_name, task)
    files = [
        (part, file) for part in CONTESTS[task].truth_parts for file in sorted((folder / part).glob(PARTS[part])) if file.stem in names
    ]
    # What counts is decided among the videos of the subset, because these alone are what a platform scores.
    truth = submission_truth.read(folder) if files else None
    hidden = {} if truth is None else {name: truth.videos[name] for name in sorted({file.stem for _, file in files})}
    counted = {} if truth is None else replace(truth, videos=hidden).frames_of(next(one for one in TASKS if one == task))
    if not counted:
        msg = f"{folder}: none of the {len(names)} videos of '{subset}' in '{split}' has labels for {task}; name another subset"
        raise MetricsError(msg)
    chosen: dict[str, Path | bytes] = {f"{folder.name}/{part}/{file.name}": file for part, file in files if file.stem in counted}
    rate = released_truth.stated_rate(folder)
    if rate is not None:
        # Seconds, such as those of relaxed boundaries, are frames of this rate there, too.
        stated = {"frame_contract": FRAME_CONTRACT, FRAMES_PER_SECOND: str(rate), "files": {}}
        chosen[MANIFEST] = json.dumps(stated, indent=2).encode()
    frames = {name: tuple(of.tolist()) for name, of in counted.items()}
    return HiddenTruth(folder.name, chosen, frames, tuple(sorted(names.keys() - frames.keys())))


README = "README.md"


def with_origin(truth: HiddenTruth, release: ReleasedTruth | None) -> HiddenTruth:
    """Return the ground truth with a README that says which labels these are, to whom they are not hidden: hashes tell of labels."""
    if release is None:
        return truth
    text = f"# Hidden labels\n\nPrivate. They are of {released_truth.line_of(release.as_json())}.\n\n"
    text += f"SHA-256 of the manifest of the ground truth: {release.manifest_sha256}\n" if release.manifest_sha256 else ""
    return replace(truth, files={**truth.files, README: text.encode()})


def _of_label_files(
    path: Path, task: str, names: Mapping[str, int], vocabulary_name: str | None, image_size: tuple[int, int] | None
) -> HiddenTruth:
    """Return the labels of a subset from label files of any format; errors as of `label_files.of_subset`."""
    classes = vocabulary.load(vocabulary_name) if vocabulary_name else None
    labels = entries.labels_at(path, task, vocabulary_name)
    against, hidden, form = label_files.of_subset(labels, task, names, classes, image_size)
    frames = {name: tuple(of.frames.tolist()) for name, of in sorted(against.truth.series.items())}
    return HiddenTruth(against.vocabulary or "", hidden, frames, tuple(sorted(names.keys() - frames.keys())), form)


def split_file(release: Path, split: str) -> Path:
    """Return the file of a split.

    Raises
    ------
    MetricsError
        When the release has none of this name and there is no such file.
    """
    path = release / "splits" / f"{split}.csv"
    if path.is_file():
        return path
    if Path(split).is_file():
        return Path(split)
    known = sorted(file.stem for file in (release / "splits").glob("*.csv"))
    raise MetricsError(f"--split {split}: there is no such split in {release / 'splits'}; {hint(split, known) if known else 'name a file'}")


def copy(truth: HiddenTruth, folder: Path) -> None:
    """Write the ground truth of the hidden subset, and nothing else, into a new folder."""
    fresh_folder(folder)
    for name, file in sorted(truth.files.items()):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(file, bytes):
            target.write_bytes(file)
        else:
            shutil.copyfile(file, target)


def _folder(whole: Path, name: str | None, task: str) -> Path:
    """Return the folder of the one vocabulary that has labels for a task."""
    known = vocabulary.known()
    own = [whole] if whole.name in known else []
    folders = own or [folder for folder in sorted(whole.glob("*")) if folder.is_dir() and folder.name in known]
    fitting = [folder for folder in folders if (folder / CONTESTS[task].truth_parts[0]).is_dir() and name in (None, folder.name)]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        msg = (
            f"{whole}: there is no ground truth for {task}{f' in the vocabulary {name}' if name else ''}; name a release with groundtruth/"
        )
    else:
        msg = f"{whole}: there are several vocabularies ({', '.join(folder.name for folder in fitting)}); name one by --vocabulary"
    raise MetricsError(msg)
