"""Recognition of triplets, or of instruments where only these are labelled: AP and top-k accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from scrubin.annotations.labels import Labels
from scrubin.errors import MetricsError
from scrubin.metrics import ensembles
from scrubin.metrics.bootstrap import IntArray
from scrubin.metrics.recognition import compat, top_k
from scrubin.metrics.recognition.components import COMPONENTS, Component, TripletMap, part, triplet_map
from scrubin.metrics.recognition.pooled import pooled
from scrubin.metrics.recognition.video_wise import Means, PerVideo, averaged, per_video, video_wise
from scrubin.metrics.recognition.videos import Video, checked
from scrubin.metrics.result import Result
from scrubin.scoring import labels as label_files
from scrubin.scoring import matrices
from scrubin.scoring.computed import Choice, Computed
from scrubin.scoring.labels import Asked
from scrubin.scoring.tracks import Track, join
from scrubin.vocabulary import vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

Ensemble = Literal["mean", "weighted", "soft-vote"]
DEFAULT = "cholect50"
SCOPES = ("both", "video-wise", "global")
CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "component": Choice(("all", *COMPONENTS), "all", "instrument, verb, target, their pairs, or the triplet"),
        "scope": Choice(SCOPES, "both", "mean over videos, or frames of all videos pooled"),
        "null": Choice(("both", "counted", "left-out"), "both", "whether null triplets count in ivt"),
        "k": Choice((), "5,10,20", "of top-k accuracy, whole numbers with commas"),
    },
    "compat": {
        "component": Choice(("all", *COMPONENTS), "all", "as ivtmetrics names them"),
        "scope": Choice(SCOPES, "both", "compute_video_AP or compute_global_AP"),
        "null": Choice(("both", "counted", "left-out"), "both", "ignore_null"),
        "k": Choice((), "5,10,20", "of topK, whole numbers with commas"),
        "scikit-learn": Choice(("<=1.5", ">=1.6"), "<=1.5", "the release that ivtmetrics ran with: from 1.6 on, absent classes count as 0"),
    },
}


@dataclass(frozen=True, eq=False)
class Truth:
    """Labels of all videos.

    Parameters
    ----------
    tracks
        0/1 matrices.
    words
        The vocabulary whose classes are the columns.
    whole
        Whether the classes are triplets; else instruments.
    notes
        What the user should know.
    """

    tracks: Mapping[str, Track]
    words: Vocabulary
    whole: bool
    notes: tuple[str, ...] = ()

    @property
    def classes(self) -> int:
        """How many columns."""
        return len(self.words.triplets if self.whole else self.words.instruments)

    @property
    def triplets(self) -> TripletMap:
        """The map of triplets; instruments alone are triplets of one verb and target."""
        words = self.words
        if not self.whole:
            return triplet_map([(instrument, 0, 0) for instrument in range(len(words.instruments))], null=())
        return triplet_map(words.triplets, verbs=len(words.verbs), targets=len(words.targets), null=words.null_triplets)


def truth_of(asked: Asked) -> Truth:
    """Return the labels.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or without labels of instruments.
    """
    path = _recognition_folder(asked.path, asked.vocabulary)
    words = vocabulary.load(asked.vocabulary or _vocabulary_of(path))
    if files := matrices.files_in(path) if asked.format is None else []:
        component = matrices.component_of(files[0])
        whole = component == "ivt"
        classes = len(words.triplets if whole else words.instruments)
        return Truth(matrices.read(files, "truth", component, classes, asked.fps), words, whole)
    collection, form = label_files.collection_of(Asked(path, asked.format, asked.vocabulary, asked.fps))
    labelled = [one for one in collection.recordings if one.instances is not None]
    if not labelled:
        msg = f"{path}: no instrument is labelled in these {form.name} files; give labels of triplets or instruments"
        raise MetricsError(msg)
    words, whole = _one_vocabulary(path, labelled), all(_is_whole(one) for one in labelled)
    tracks = {one.recording: Track(*_occurs(one, whole), label_files.numbering_of(one, form, asked.fps)) for one in labelled}
    return Truth(tracks, words, whole, _partial(labelled) if words.triplets and not whole else ())


def predictions_of(asked: Asked, truth: Truth) -> dict[str, Track]:
    """Return predicted scores in the classes of the truth.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or in another vocabulary.
    """
    component = "ivt" if truth.whole else "i"
    path = _recognition_folder(asked.path, truth.words.name)
    if files := matrices.files_in(path) if asked.format is None else []:
        return matrices.read(files, "predictions", component, truth.classes, asked.fps)
    collection, form = label_files.collection_of(Asked(path, asked.format, asked.vocabulary or truth.words.name, asked.fps))
    found = {}
    for one in collection.recordings:
        if one.instances is None:
            continue
        if one.vocabulary.name != truth.words.name or (truth.whole and not _is_whole(one) and one.recognition is None):
            msg = (
                f"{path}: {one.recording} is predicted in {'triplets' if _is_whole(one) else 'instruments'} of '{one.vocabulary.name}', "
                f"the ground truth has {'triplets' if truth.whole else 'instruments'} of '{truth.words.name}'; predict these"
            )
            raise MetricsError(msg)
        found[one.recording] = Track(*_scores(path, one, truth.whole), label_files.numbering_of(one, form, asked.fps))
    return found


def computed(truth: Truth, predictions: Mapping[str, Track], semantics: str, choice: Mapping[str, str]) -> tuple[list[Computed], list[str]]:
    """Return what is to be computed of truth and predictions, and what the user should know.

    Raises
    ------
    MetricsError
        When they do not fit each other, or a choice does not fit the labels.
    """
    joined = join(truth.tracks, predictions)
    videos = [
        Video(name, truth.tracks[name].values[pair.truth], predictions[name].values[pair.prediction]) for name, pair in joined.pairs.items()
    ]
    components = _components(truth, choice["component"])
    make = _paper if semantics == "paper" else _compat
    return [Computed(tuple(joined.pairs), make(videos, truth.triplets, components, choice))], joined.notes


def combined(predictions: Sequence[Mapping[str, Track]], how: Ensemble, weights: Sequence[float]) -> dict[str, Track]:
    """Return an ensemble of predictions.

    Raises
    ------
    MetricsError
        When the models predict other videos or frames, or weights do not fit.
    """
    first = predictions[0]
    for number, one in enumerate(predictions):
        for name in sorted({*first, *one}):
            if name not in one or name not in first or not np.array_equal(one[name].frames, first[name].frames):
                msg = f"model {number}: video {name} is not predicted at the same frames as by model 0; predict the same with all"
                raise MetricsError(msg)
    found = {}
    for name, track in first.items():
        models = [one[name].values for one in predictions]
        if how == "weighted":
            values = ensembles.weighted(models, list(weights))
        else:
            values = ensembles.mean(models) if how == "mean" else ensembles.soft_vote(models)
        found[name] = Track(track.frames, values, track.numbering)
    return found


def _paper(videos: Sequence[Video], triplets: TripletMap, components: Sequence[Component], choice: Mapping[str, str]) -> Any:
    scopes = _both(choice["scope"], SCOPES[1:])
    nulls = {name: _nulls(name, choice, triplets) for name in components}
    tables = per_video(videos, triplets, components) if "video-wise" in scopes else {}
    hits = _hits(videos, triplets, components[-1], _ks(choice["k"]))

    def results(draw: IntArray | None) -> list[Result]:
        drawn = videos if draw is None else _drawn(videos, draw)
        found: list[Result] = []
        for name in components:
            for ignore in nulls[name]:
                if "video-wise" in scopes and draw is None:
                    found.append(video_wise(videos, triplets, [name], ignore_null=ignore)[name])
                elif "video-wise" in scopes and draw is not None:
                    found.append(_of_draw(tables[name], draw, triplets, name, ignore))
                if "global" in scopes:
                    found.append(pooled(drawn, triplets, [name], ignore_null=ignore)[name])
        names = [one.name for one in videos]
        found += [_top_k(of_k, names, draw, k, components[-1], triplets) for k, of_k in hits.items()]
        return found

    return results


def _of_draw(table: PerVideo, draw: IntArray, triplets: TripletMap, name: Component, ignore_null: bool) -> Result:
    means = Means(table.values.shape[1])
    for values in table.values[draw]:
        means.add(values)
    return averaged(means, triplets, name, ignore_null)


def _hits(videos: Sequence[Video], triplets: TripletMap, component: Component, ks: Sequence[int]) -> dict[int, list[top_k.Hits]]:
    found: dict[int, list[top_k.Hits]] = {k: [] for k in ks}
    for _, rows in checked(videos, len(triplets)):
        of = rows if component == "ivt" else part(rows, triplets.grouping(component))
        for k, hits in found.items():
            hits.append(top_k.hits(of, k))
    return found


def _top_k(
    hits: Sequence[top_k.Hits], names: Sequence[str], draw: IntArray | None, k: int, component: Component, triplets: TripletMap
) -> Result:
    chosen = range(len(hits)) if draw is None else draw.tolist()
    numbered = {names[at] if draw is None else f"{names[at]}#{number}": hits[at] for number, at in enumerate(chosen)}
    return top_k.accuracy(numbered, k, component, len(triplets.grouping(component).ids)).result


def _compat(videos: Sequence[Video], triplets: TripletMap, components: Sequence[Component], choice: Mapping[str, str]) -> Any:
    scopes = _both(choice["scope"], SCOPES[1:])

    def results(draw: IntArray | None) -> list[Result]:
        release = cast("compat.ScikitLearn", choice["scikit-learn"])
        published = compat.of_videos(videos if draw is None else _drawn(videos, draw), triplets, scikit_learn=release)
        found = []
        for name in components:
            for ignore in _nulls(name, choice, triplets):
                found += [published.compute_video_ap(name, ignore)] if "video-wise" in scopes else []
                found += [published.compute_global_ap(name, ignore)] if "global" in scopes else []
        return [*found, *(published.top_k(k, components[-1]) for k in _ks(choice["k"]))]

    return results


def _drawn(videos: Sequence[Video], draw: IntArray) -> list[Video]:
    return [Video(f"{videos[at].name}#{number}", videos[at].targets, videos[at].scores) for number, at in enumerate(draw.tolist())]


def _components(truth: Truth, wanted: str) -> tuple[Component, ...]:
    if not truth.whole and wanted not in ("all", "i"):
        msg = f"component {wanted}: only instruments are labelled; choose component=i"
        raise MetricsError(msg)
    every: tuple[Component, ...] = COMPONENTS if truth.whole else ("i",)
    return every if wanted == "all" else (cast("Component", wanted),)


def _nulls(name: Component, choice: Mapping[str, str], triplets: TripletMap) -> tuple[bool, ...]:
    if name != "ivt":
        return (False,)
    if choice["null"] == "both":
        return (False, True) if triplets.null else (False,)
    return (choice["null"] == "left-out",)


def _both(wanted: str, every: tuple[str, ...]) -> tuple[str, ...]:
    return every if wanted == "both" else (wanted,)


def _ks(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        msg = f"--variant k={text}: give whole numbers from 1 with commas, such as 5,10"
        raise MetricsError(msg)
    return tuple(dict.fromkeys(map(int, parts)))


def _is_whole(labels: Labels) -> bool:
    if labels.detail != "triplet" or labels.instances is None or not labels.vocabulary.triplets:
        return False
    return bool(labels.instances.rows["triplet_id"].notna().all())


def _partial(labelled: Sequence[Labels]) -> tuple[str, ...]:
    count = sum(int(one.instances.rows["triplet_id"].isna().sum()) for one in labelled if one.instances is not None)
    return (f"{count} instances are no whole triplet, so only instruments are scored",)


def _one_vocabulary(path: Path, labelled: Sequence[Labels]) -> Vocabulary:
    names = sorted({one.vocabulary.name for one in labelled})
    if len(names) > 1:
        msg = f"{path}: the recordings are labelled in several vocabularies ({', '.join(names)}); score them one by one"
        raise MetricsError(msg)
    return labelled[0].vocabulary


def _occurs(labels: Labels, whole: bool) -> tuple[IntArray, npt.NDArray[Any]]:
    """Return the labelled frames and the 0/1 matrix of classes."""
    frames, values = _matrix(labels, whole)
    return frames, (values > 0).astype(np.int8)


def _scores(path: Path, labels: Labels, whole: bool) -> tuple[IntArray, npt.NDArray[Any]]:
    if labels.recognition is None or not whole:
        return _matrix(labels, whole)
    assert labels.instances is not None
    undefined = np.isnan(labels.recognition).any(axis=1)
    if undefined.any():
        frame = int(labels.instances.positions[np.flatnonzero(undefined)[0]])
        msg = f"{path}: {labels.recording}, frame {frame}: has no 'recognition'; give a probability for every triplet"
        raise MetricsError(msg)
    return labels.instances.positions, labels.recognition


def _matrix(labels: Labels, whole: bool) -> tuple[IntArray, npt.NDArray[np.float64]]:
    layer, words = labels.instances, labels.vocabulary
    if layer is None:
        return np.zeros(0, np.int64), np.zeros((0, len(words.triplets if whole else words.instruments)))
    values = np.zeros((len(layer.positions), len(words.triplets if whole else words.instruments)))
    rows = layer.rows[layer.rows["triplet_id" if whole else "instrument_id"].notna()]
    at = np.searchsorted(layer.positions, rows["position"].to_numpy(np.int64))
    ids = rows["triplet_id" if whole else "instrument_id"].to_numpy(np.int64)
    # Without a score a label is certain; the highest of a frame's instances of a class counts.
    np.maximum.at(values, (at, ids), rows["score"].fillna(1.0).to_numpy(np.float64))
    return layer.positions, values


def _recognition_folder(path: Path, name: str | None) -> Path:
    """Return the folder of matrices inside a ground truth of ours, or the path itself."""
    if not path.is_dir():
        return path
    if (path / "recognition").is_dir():
        return path / "recognition"
    inside = [folder for folder in sorted(path.iterdir()) if (folder / "recognition").is_dir()]
    chosen = [folder for folder in inside if name is None or folder.name == name]
    if len(chosen) > 1:
        msg = f"{path}: there are several vocabularies ({', '.join(folder.name for folder in chosen)}); name one by --vocabulary"
        raise MetricsError(msg)
    return chosen[0] / "recognition" if chosen else path


def _vocabulary_of(path: Path) -> str:
    """Return the vocabulary that a folder of our ground truth is named after, else that of CholecT50."""
    names = [part for part in (path.parent.name, path.name) if part in vocabulary.known()]
    return names[0] if names else DEFAULT
