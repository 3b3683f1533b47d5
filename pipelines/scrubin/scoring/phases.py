"""Phase recognition: every named choice of the regular metrics, and those with relaxed boundaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np

from scrubin.annotations.labels import Labels
from scrubin.annotations.rates import CHOLEC80_FRAMES, Numbering
from scrubin.annotations.registry import WRITERS, DatasetFormat, Format
from scrubin.convert import signs
from scrubin.convert.timing import retimed
from scrubin.errors import AnnotationError, MetricsError
from scrubin.metrics.bootstrap import IntArray
from scrubin.metrics.phases import averaging, choices, compat_main, confusion, relaxed, spread
from scrubin.metrics.phases.compat_relaxed import CHOLEC80, M2CAI
from scrubin.metrics.phases.tolerances import cholec80
from scrubin.metrics.phases.undefined import STRATEGIES
from scrubin.metrics.phases.videos import Video
from scrubin.metrics.result import Result
from scrubin.scoring import labels as label_files
from scrubin.scoring import phase_tables
from scrubin.scoring.computed import Choice, Computed
from scrubin.scoring.labels import Asked
from scrubin.scoring.tracks import Pair, Track, join
from scrubin.vocabulary import vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary, related

SPANS_FPS = Fraction(1)
RELAXED_S = 10
CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "scope": Choice(choices.SCOPES, "video-wise", "per video, or frames of all videos pooled"),
        "undefined": Choice(STRATEGIES, "A", "what becomes of undefined values"),
        "averaged": Choice(averaging.ORDERS, "all", "order of averaging over runs, videos and phases"),
        "bessel": Choice(("yes", "no"), "yes", "whether standard deviations divide by n - 1"),
        "every": Choice(("no", "yes"), "no", "all combinations of the above at once"),
        "omega": Choice((), f"{RELAXED_S}s", "width of relaxed boundaries, in seconds (10s) or frames (10)"),
        "relaxed-undefined": Choice(STRATEGIES, "B", "what becomes of undefined relaxed values"),
        "window": Choice(("segment", "literal"), "segment", "whether a window ends with its segment"),
        "crosses": Choice(("left-out", "accepted"), "left-out", "the transitions crossed out in Figure 3"),
        "counted": Choice(
            ("either", "own"), "either", "frames annotated or predicted, or only the predicted (precision) or annotated ones"
        ),
        "above-one": Choice(("kept", "clipped"), "kept", "relaxed precision and recall above 1"),
    },
    "compat": {"omega": Choice((), f"{RELAXED_S}s", "width of relaxed boundaries, in seconds (10s) or frames (10)")},
}


@dataclass(frozen=True, eq=False)
class Truth:
    """Annotated phases.

    Parameters
    ----------
    tracks
        Phase ids by video.
    names
        Of the phases; the position is the id.
    words
        The vocabulary, where it is known.
    notes
        What the user should know.
    """

    tracks: Mapping[str, Track]
    names: tuple[str, ...]
    words: Vocabulary | None
    notes: tuple[str, ...] = ()


def truth_of(asked: Asked) -> Truth:
    """Return the annotated phases.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or without phases.
    """
    path = _phases_folder(asked.path, asked.vocabulary)
    form = _format_of(path, asked)
    if form is None:
        return _of_tables(path, asked)
    collection, _ = label_files.collection_of(Asked(path, form.name, asked.vocabulary, asked.fps))
    tracks, words = _tracks(collection.recordings, form, asked)
    if not tracks or words is None:
        msg = f"{path}: no phase is labelled in these {form.name} files; give labels of phases"
        raise MetricsError(msg)
    return Truth(tracks, words.phases, words, _rate_note(form, asked))


def predictions_of(asked: Asked, truth: Truth) -> dict[str, Track]:
    """Return the predicted phases in those of the truth.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or phases that the truth does not have.
    """
    path = _phases_folder(asked.path, None)
    form = _format_of(path, asked)
    if form is not None:
        given = asked.vocabulary or (truth.words.name if truth.words else None)
        collection, _ = label_files.collection_of(Asked(path, form.name, given, asked.fps))
        tracks, words = _tracks(collection.recordings, form, asked)
        if words is not None and words.phases != truth.names:
            msg = f"{path}: the predictions are phases of '{words.name}', the ground truth has {', '.join(truth.names)}; predict these"
            raise MetricsError(msg)
        return tracks
    numbering = None if asked.fps is None else Numbering(asked.fps)
    found = {}
    for file in phase_tables.files_in(path):
        cells = phase_tables.read(file)
        found[phase_tables.recording_of(file)] = Track(cells.frames, phase_tables.ids_of(cells, truth.names, truth.words), numbering)
    return found


def computed(
    truth: Truth, runs: Sequence[Mapping[str, Track]], semantics: str, choice: Mapping[str, str]
) -> tuple[list[Computed], list[str]]:
    """Return what is to be computed of truth and the predictions of one or more runs, and what the user should know.

    Raises
    ------
    MetricsError
        When they do not fit each other, or a choice does not fit the phases.
    """
    joined = [join(truth.tracks, one) for one in runs]
    names = tuple(joined[0].pairs)
    videos = [_video(name, truth.tracks[name], [one.pairs[name] for one in joined], [run[name] for run in runs]) for name in names]
    omega = _omega(choice["omega"], _rate(truth.tracks, runs))
    notes = list(dict.fromkeys(note for one in joined for note in one.notes))
    if semantics == "compat":
        return [Computed(names, lambda draw: _compat(_drawn(videos, draw), truth.names, omega))], notes
    confusions = confusion.of_videos(videos, truth.names)
    # Relaxed boundaries are defined for the workflow of Cholec80 only.
    is_cholec80 = truth.words is not None and related(truth.words.name, "cholec80") and len(truth.names) == CHOLEC80.phases
    if not is_cholec80:
        notes.append("relaxed boundaries are defined for the seven phases of Cholec80 only, and left out")

    def results(draw: IntArray | None) -> list[Result]:
        counted = confusions if draw is None else confusions.take(draw)
        chosen = choices.Choice(
            cast("Any", choice["scope"]), cast("Any", choice["undefined"]), cast("Any", choice["averaged"]), choice["bessel"] == "yes"
        )
        regular = list(choices.every(counted)) if choice["every"] == "yes" else choices.results(counted, chosen)
        return [*regular, *(_relaxed(_drawn(videos, draw), truth.names, omega, choice, chosen) if is_cholec80 else ())]

    return [Computed(names, results)], notes


def _relaxed(
    videos: Sequence[Video], names: tuple[str, ...], omega: int, choice: Mapping[str, str], chosen: choices.Choice
) -> list[Result]:
    crosses = cast("Any", choice["crosses"].replace("-", " "))
    found = relaxed.count(videos, omega, cholec80(crosses), window=cast("Any", choice["window"]), phases=names)
    every = [relaxed.accuracy(found)]
    for rate in relaxed.RELAXED_RATES:
        every.append(
            relaxed.elements(
                found,
                rate,
                cast("Any", choice["relaxed-undefined"]),
                counted=cast("Any", choice["counted"]),
                above_one=cast("Any", choice["above-one"]),
            )
        )
    results = []
    for elements in every:
        results.append(averaging.mean(elements, chosen.averaged))
        results.append(spread.spread(elements, "videos", bessel=chosen.bessel))
        results += [spread.spread(elements, "phases", bessel=chosen.bessel)] if elements.phases else []
    return results


def _compat(videos: Sequence[Video], names: tuple[str, ...], omega: int) -> list[Result]:
    rules = {CHOLEC80.phases: CHOLEC80, M2CAI.phases: M2CAI}.get(len(names))
    if rules is None:
        msg = f"the published relaxed evaluation knows 7 phases (Cholec80) or 8 (M2CAI), not {len(names)}; use the semantics 'paper'"
        raise MetricsError(msg)
    runs = np.atleast_2d(np.asarray(videos[0].predictions)).shape[0]
    if runs > 1:
        msg = "the published relaxed evaluation takes one run; score the runs one by one"
        raise MetricsError(msg)
    return compat_main.results(compat_main.main(videos, omega, rules), names)


def _drawn(videos: Sequence[Video], draw: IntArray | None) -> Sequence[Video]:
    if draw is None:
        return videos
    return [Video(f"{videos[at].name}#{number}", videos[at].annotation, videos[at].predictions) for number, at in enumerate(draw.tolist())]


def _video(name: str, truth: Track, pairs: Sequence[Pair], runs: Sequence[Track]) -> Video:
    frames = pairs[0].frames
    if any(not np.array_equal(pair.frames, frames) for pair in pairs):
        msg = f"{name}: the runs are at different rates; predict the same frames in every run"
        raise MetricsError(msg)
    predictions = np.stack([run.values[pair.prediction] for run, pair in zip(runs, pairs, strict=True)])
    return Video(name, truth.values[pairs[0].truth], predictions)


def _rate(truth: Mapping[str, Track], runs: Sequence[Mapping[str, Track]]) -> Fraction | None:
    """Return the frames per second of the joined tracks, where a file says it."""
    rates = {track.numbering.per_second for side in (truth, *runs) for track in side.values() if track.numbering is not None}
    return min(rates) if rates else None


def _omega(text: str, fps: Fraction | None) -> int:
    number = text.removesuffix("s")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        msg = f"--variant omega={text}: give seconds, such as 10s, or frames, such as 10"
        raise MetricsError(msg)
    # Where nothing states a rate, frames are those of our frame contract by default: one per second.
    return relaxed.check_omega(round(value * float(fps or SPANS_FPS)) if text.endswith("s") else value)


def _format_of(path: Path, asked: Asked) -> Format | DatasetFormat | None:
    """Return the format of label files; None for plain tables, those of Cholec80 included."""
    if asked.format is not None:
        return None if asked.format == "cholec80" else signs.format_of_path(path, asked.format)
    tables = phase_tables.files_in(path)
    try:
        form = signs.format_of_path(path, None)
    except AnnotationError:
        if tables:
            return None
        raise
    return None if form.name == "cholec80" or (tables and form.name in ("lasana", "yolo", "yolo4")) else form


def _of_tables(path: Path, asked: Asked) -> Truth:
    cells = {phase_tables.recording_of(file): phase_tables.read(file) for file in phase_tables.files_in(path)}
    if not cells:
        msg = f"{path}: there is no table of phases; give a file per video with the columns frame and phase"
        raise MetricsError(msg)
    is_cholec80 = all(phase_tables.CHOLEC80.fullmatch(Path(one.file).stem) for one in cells.values())
    written = {cell for one in cells.values() for cell in one.phases}
    words = _words(path, asked, written, is_cholec80)
    names = words.phases if words is not None else _names(path, written)
    fps = asked.fps or (CHOLEC80_FRAMES.per_second if is_cholec80 else None)
    notes = (f"labels are read as {fps} per second, the rate of Cholec80",) if is_cholec80 and asked.fps is None else ()
    numbering = None if fps is None else Numbering(fps)
    tracks = {name: Track(one.frames, phase_tables.ids_of(one, names, words), numbering) for name, one in cells.items()}
    return Truth(tracks, names, words, notes)


def _words(path: Path, asked: Asked, written: set[str], is_cholec80: bool) -> Vocabulary | None:
    if asked.vocabulary is not None:
        return vocabulary.load(asked.vocabulary)
    named = [part for part in (path.name, path.parent.name, path.parent.parent.name) if part in vocabulary.known()]
    if named or is_cholec80:
        return vocabulary.load(named[0] if named else "cholec80")
    texts = {cell for cell in written if not phase_tables.is_id(cell)}
    fits = [words for words in map(vocabulary.load, vocabulary.known()) if texts and all(_has(words, text) for text in texts)]
    # Vocabularies of the same operations number phases alike; the one that spells them so comes first.
    fits.sort(key=lambda words: (-len(texts & set(words.phases)), words.name))
    meant = {tuple(words.id_of("phase", text) for text in sorted(texts)) for words in fits}
    return fits[0] if len(meant) == 1 else None


def _has(words: Vocabulary, text: str) -> bool:
    try:
        words.id_of("phase", text)
    except AnnotationError:
        return False
    return True


def _names(path: Path, written: set[str]) -> tuple[str, ...]:
    """Return the names of phases that no vocabulary has: as written, or numbers."""
    if all(phase_tables.is_id(cell) for cell in written):
        return tuple(str(number) for number in range(max(map(int, written)) + 1))
    if any(phase_tables.is_id(cell) for cell in written):
        msg = f"{path}: some phases are names, others ids; write all in one way"
        raise MetricsError(msg)
    return tuple(sorted(written))


def _tracks(recordings: Sequence[Labels], form: Format | DatasetFormat, asked: Asked) -> tuple[dict[str, Track], Vocabulary | None]:
    found, words = {}, None
    for one in recordings:
        of = one
        if one.segments is not None:
            # Spans of time are taken at the instants of our frames.
            of = retimed(one, WRITERS["tables"], form.by_hand.fps, asked.fps or SPANS_FPS, Counter())
        if of.phases is None:
            continue
        rows = of.phases.rows.sort_values("position")
        numbering = label_files.numbering_of(of, form, asked.fps)
        found[one.recording] = Track(rows["position"].to_numpy(np.int64), rows["phase_id"].to_numpy(np.int64), numbering)
        if words is not None and words.name != of.vocabulary.name:
            msg = f"{asked.path}: there are several vocabularies ({words.name}, {of.vocabulary.name}); score them one by one"
            raise MetricsError(msg)
        words = of.vocabulary
    return found, words


def _rate_note(form: Format | DatasetFormat, asked: Asked) -> tuple[str, ...]:
    if form.by_hand.fps is None or form.by_hand.fps_unstated or asked.fps is not None:
        return ()
    return (f"labels are read as {form.by_hand.fps} per second, the rate of {form.name}",)


def _phases_folder(path: Path, name: str | None) -> Path:
    """Return the folder of phases inside a ground truth of ours, or the path itself."""
    if not path.is_dir():
        return path
    if (path / "phases").is_dir():
        return path / "phases"
    inside = [folder for folder in sorted(path.iterdir()) if (folder / "phases").is_dir() and name in (None, folder.name)]
    if len(inside) > 1:
        msg = f"{path}: there are several vocabularies ({', '.join(folder.name for folder in inside)}); name one by --vocabulary"
        raise MetricsError(msg)
    return inside[0] / "phases" if inside else path
