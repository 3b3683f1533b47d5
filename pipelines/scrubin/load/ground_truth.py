"""The ground truth of a subset: its folder, its files, and how it is scored against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scrubin.core import strangers
from scrubin.load.damage import damaged
from scrubin.load.splits import FOLDER as SPLITS
from scrubin.load.splits import Key

FOLDER = "groundtruth"
LIST = "files.json"


@dataclass(frozen=True)
class GroundTruth:
    """Where the ground truth of a subset lies.

    Parameters
    ----------
    folder
        What the subset has in one file: recognition and boxes per vocabulary, sheets of skill and errors.
    files
        Per recording the files of its own, such as ``cholect50/phases/<id>.csv``; whole paths, sorted.
    score_arguments
        What ``scrubin score METRIC`` is given, for any metric, beside ``--predictions``.
    """

    folder: Path
    files: Mapping[str, tuple[Path, ...]]
    score_arguments: tuple[str, ...]


def of_split(release: Path, key: Key, ids: frozenset[str], *, several_folds: bool) -> GroundTruth:
    """Return the ground truth of a subset.

    Raises
    ------
    ReleaseError
        When it is not there, or is of other recordings.
    """
    scheme, fold, subset = key
    inside = f"{FOLDER}/splits/{scheme}/{fold}/{subset}"
    try:
        recordings = strangers.read_json(release / inside / LIST, inside=release)["recordings"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise damaged(release, f"{inside}/{LIST} cannot be read ({error})") from error
    if set(recordings) != ids:
        strange = min(set(recordings) ^ ids)
        raise damaged(release, f"{inside}/{LIST} and tables/splits.parquet differ in '{strange}'")
    files = {id_: tuple(sorted(release / FOLDER / name for name in one["files"])) for id_, one in sorted(recordings.items())}
    videos = ("--videos", str(release / SPLITS / f"{scheme}.csv"), "--subset", f"{fold}/{subset}" if several_folds else subset)
    return GroundTruth(release / inside, files, ("--ground-truth", str(release), *videos))
