"""Our own ground truth: ``<vocabulary>/{recognition/<id>.npz, detection/<id>.json, phases/<id>.csv}``."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.errors import AnnotationError
from scrubin.evaluation.submission.truth import GroundTruth, TrueVideo
from scrubin.labels.formats.submission.content import IntArray
from scrubin.labels.formats.submission.detections import Boxes
from scrubin.vocabulary import vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

PARTS = ("recognition", "detection", "phases")
SUFFIXES = {"recognition": ".npz", "detection": ".json", "phases": ".csv"}


def folder_in(path: Path, words: str | None) -> Path | None:
    """Return the folder of the one vocabulary in a path, None when it is no ground truth of ours.

    Parameters
    ----------
    path
        That folder itself, one of its parts, the ground truth, or a whole release.
    words
        Name of the vocabulary, where there are several.

    Raises
    ------
    AnnotationError
        When there are several vocabularies and none of them is named.
    """
    if not path.is_dir():
        return None
    if _parts(path):
        return path
    if path.name in PARTS and any(path.glob(f"*{SUFFIXES[path.name]}")) and path.resolve().parent.name in vocabulary.known():
        return path.parent
    for folder in (path, path / "groundtruth"):
        found = [one for one in sorted(folder.iterdir()) if one.is_dir() and _parts(one)] if folder.is_dir() else []
        found = [one for one in found if one.name == words] or found
        if len(found) > 1:
            names = ", ".join(one.name for one in found)
            msg = f"{path}: there is ground truth of {names}; name one of these folders, or one by --vocabulary"
            raise AnnotationError(msg)
        if found:
            return found[0]
    return None


def read(folder: Path, words: str | None) -> GroundTruth:
    """Return the ground truth of one vocabulary.

    Parameters
    ----------
    folder
        As `folder_in` returns it.
    words
        Name of the vocabulary; None: the folder's name.

    Raises
    ------
    AnnotationError
        When a file is not as the stage groundtruth writes it.
    """
    used = vocabulary.load(words or folder.resolve().name)
    names = sorted({path.stem for part in PARTS for path in (folder / part).glob(f"*{SUFFIXES[part]}")})
    return GroundTruth(used, {name: _video(folder, name, used) for name in names})


def _parts(folder: Path) -> list[str]:
    return [part for part in PARTS if any((folder / part).glob(f"*{SUFFIXES[part]}"))]


def _video(folder: Path, name: str, words: Vocabulary) -> TrueVideo:
    arrays = _recognition(folder / "recognition" / f"{name}.npz", words)
    boxed = _detection(folder / "detection" / f"{name}.json")
    phases = _phases(folder / "phases" / f"{name}.csv")
    frames = arrays.get("frame")
    if frames is None and boxed is not None:
        frames = boxed[0]
    targets = arrays["ivt"] == 1 if "ivt" in arrays else None
    return TrueVideo(
        name,
        frames,
        targets,
        *(boxed if boxed is not None else (None, None)),
        *(phases if phases is not None else (None, None)),
    )


def _recognition(path: Path, words: Vocabulary) -> dict[str, npt.NDArray[Any]]:
    if not path.is_file():
        return {}
    try:
        with np.load(path, allow_pickle=False) as held:
            arrays = {key: held[key] for key in ("frame", "ivt") if key in held.files}
        frames = arrays["frame"].astype(np.int64)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise _broken(path, str(error) or type(error).__name__) from error
    if frames.ndim != 1 or (np.diff(frames) <= 0).any() or (len(frames) and frames[0] < 0):
        raise _broken(path, "its frames do not increase from 0")
    if "ivt" in arrays and arrays["ivt"].shape != (len(frames), len(words.triplets)):
        size = f"{len(frames)} frames and the {len(words.triplets)} triplets of {words.name}"
        raise _broken(path, f"ivt has the shape {arrays['ivt'].shape}, which does not fit {size}")
    return {**arrays, "frame": frames}


def _detection(path: Path) -> tuple[IntArray, Boxes] | None:
    if not path.is_file():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        frames = np.array(document["frame"], np.int64)
        rows = [(frame, *row) for frame, of in zip(frames.tolist(), document["list"], strict=True) for row in of]
        columns = np.array(rows, np.float64).reshape(-1, 8)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _broken(path, f"{type(error).__name__}: {error}") from error
    of_frames, triplets, instruments = columns[:, :3].astype(np.int64).T
    boxes = Boxes(of_frames, triplets, instruments, columns[:, 4:8], np.ones(len(columns)))
    return frames, boxes


def _phases(path: Path) -> tuple[IntArray, IntArray] | None:
    if not path.is_file():
        return None
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        pairs = sorted((int(row["frame"]), int(row["phase_id"])) for row in rows)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _broken(path, f"{type(error).__name__}: {error}") from error
    return np.array([frame for frame, _ in pairs], np.int64), np.array([id_ for _, id_ in pairs], np.int64)


def _broken(path: Path, what: str) -> AnnotationError:
    return AnnotationError(f"{path}: is not as the stage groundtruth writes it: {what}; run 'dvc repro groundtruth' to make it again")
