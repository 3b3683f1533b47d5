"""Phases of all videos from files: ground truth and predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from scrubin.errors import AnnotationError, MetricsError
from scrubin.evaluation import label_files
from scrubin.evaluation.ground_truth import part_of, vocabulary_of
from scrubin.evaluation.label_files import Asked
from scrubin.evaluation.series import Track
from scrubin.labels import detect
from scrubin.labels.export.timing import retimed
from scrubin.labels.formats import phase_tables
from scrubin.labels.model import Labels
from scrubin.labels.rates import CHOLEC80_FRAMES, Numbering
from scrubin.labels.registry import WRITERS, DatasetFormat, Format
from scrubin.vocabulary import vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

SPANS_FPS = Fraction(1)


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
    path = part_of(asked.path, "phases", asked.vocabulary)
    form = _format_of(path, asked)
    if form is None:
        return _of_tables(path, asked)
    collection, _ = label_files.collection_of(Asked(path, form.name, asked.vocabulary, asked.fps))
    label_files.check_vocabulary(asked, collection)
    tracks, words = _tracks(collection.recordings, form, asked)
    if not tracks or words is None:
        msg = f"{path}: no phase is labelled in these {form.name} files; give labels of phases"
        raise MetricsError(msg)
    return Truth(tracks, words.phases, words, (*_rate_note(form, asked), *label_files.notes_of(collection)))


def predictions_of(asked: Asked, truth: Truth) -> tuple[dict[str, Track], tuple[str, ...]]:
    """Return the predicted phases in those of the truth, and what the user should know.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or phases that the truth does not have.
    """
    path = part_of(asked.path, "phases", truth.words.name if truth.words else None)
    form = _format_of(path, asked)
    if form is not None:
        given = asked.vocabulary or (truth.words.name if truth.words else None)
        collection, _ = label_files.collection_of(Asked(path, form.name, given, asked.fps))
        tracks, words = _tracks(collection.recordings, form, asked)
        if words is not None and words.phases != truth.names:
            msg = f"{path}: the predictions are phases of '{words.name}', the ground truth has {', '.join(truth.names)}; predict these"
            raise MetricsError(msg)
        return tracks, label_files.notes_of(collection)
    numbering = None if asked.fps is None else Numbering(asked.fps)
    return {
        name: Track(cells.frames, phase_tables.ids_of(cells, truth.names, truth.words), numbering)
        for name, cells in phase_tables.read_all(path).items()
    }, ()


def _format_of(path: Path, asked: Asked) -> Format | DatasetFormat | None:
    """Return the format of label files; None for plain tables, those of Cholec80 included."""
    if asked.format is not None:
        return None if asked.format == "cholec80" else detect.format_of_path(path, asked.format)
    tables = phase_tables.files_in(path)
    try:
        form = detect.format_of_path(path, None)
    except AnnotationError:
        if tables:
            return None
        raise
    return None if form.name == "cholec80" or (tables and form.name in ("lasana", "yolo", "yolo4")) else form


def _of_tables(path: Path, asked: Asked) -> Truth:
    cells = phase_tables.read_all(path)
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
    named = vocabulary_of(path)
    if named is not None or is_cholec80:
        return vocabulary.load(named or "cholec80")
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
        found[one.recording] = Track(
            rows["position"].to_numpy(np.int64), rows["phase_id"].to_numpy(np.int64), numbering, label_files.file_of(of, of.phases)
        )
        if words is not None and words.name != of.vocabulary.name:
            msg = f"{asked.path}: there are several vocabularies ({words.name}, {of.vocabulary.name}); score them one by one"
            raise MetricsError(msg)
        words = of.vocabulary
    return found, words


def _rate_note(form: Format | DatasetFormat, asked: Asked) -> tuple[str, ...]:
    if form.by_hand.fps is None or form.by_hand.fps_unstated or asked.fps is not None:
        return ()
    return (f"labels are read as {form.by_hand.fps} per second, the rate of {form.name}",)
