"""Phase recognition: both sides from files, every named choice of rates, relaxed boundaries, segments, events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np

from scrubin.base.errors import AnnotationError, MetricsError
from scrubin.base.faults import Fault, Faults, error, ranges_text, warning
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Vocabulary, alphabetical, fold, known, load, related
from scrubin.evaluate import released_truth, side
from scrubin.evaluate.computation import ComparedPhases, Computation, Computed, Scoring, drawn_videos, refuse_foreign, with_alone
from scrubin.evaluate.metrics import phases, variants
from scrubin.evaluate.metrics.bootstrap import Draw
from scrubin.evaluate.metrics.phases import PhaseVideo, averaging, compat, rates, relaxed, segments
from scrubin.evaluate.metrics.phases.compat import CHOLEC80, M2CAI
from scrubin.evaluate.metrics.phases.relaxed import cholec80
from scrubin.evaluate.metrics.result import Result
from scrubin.evaluate.metrics.variants import FRAMES, KNOWN_ORDER, NO_BACKGROUND, PHASE_CHOICES
from scrubin.evaluate.series import IntArray, Pair, Series, listed, paired, series_of
from scrubin.evaluate.side import Predictions, Side, Source
from scrubin.labels.files.reader import SPANS_FPS, NumberedLabels
from scrubin.labels.formats.ground_truth import is_subset
from scrubin.labels.formats.plain import phase_spans, phase_tables
from scrubin.labels.parse import columns
from scrubin.labels.rows import phase_vector

OF_FRAMES = ("scope", "undefined", "averaged", "bessel", "every", "omega", "relaxed-undefined", "window", "crosses", "counted", "above-one")
OF_KIND: Mapping[str, Sequence[str]] = {
    FRAMES: OF_FRAMES,
    "segments": ("overlap", "background", "bessel"),
    "events": ("background",),
    "videos": ("undefined", "bessel"),
}
WITH_BACKGROUND = tuple(kind for kind, choices in OF_KIND.items() if "background" in choices)


def computation(
    videos: Sequence[PhaseVideo], truth: Truth, frames: Mapping[str, IntArray], fps: Fraction, choice: Mapping[str, str]
) -> Computation:
    """Return what is to be computed.

    Parameters
    ----------
    truth
        With the names of the phases.
    frames, fps
        By video, the number of each frame, and how many there are per second.
    choice
        With a ``kind`` other than frames; no ``background`` leaves nothing out.

    Raises
    ------
    MetricsError
        For an overlap or a background that there is not.
    """
    names, kind, bessel = truth.names, choice["kind"], choice["bessel"] == "yes"
    if kind == "videos":
        confusions, undefined = _confusions(videos, truth), cast("Any", choice["undefined"])
        return lambda draw: rates.spread_results(confusions if draw is None else confusions.take(draw), undefined, bessel=bessel)
    background = _background(choice["background"], truth.vocabulary) if "background" in choice else ""
    if kind == "events":
        times_s = {name: of_video / float(fps) for name, of_video in frames.items()}
        found = segments.events_of_videos(videos, names, times_s, background, {"fps": str(fps)})
        return lambda draw: segments.event_results(found if draw is None else found.take(draw))
    counts = segments.count(videos, names, _overlaps(choice["overlap"]), background)
    return lambda draw: segments.segment_results(counts if draw is None else counts.take(draw), bessel=bessel)


def notes_of_kind(kind: str, rate: Fraction | None) -> list[str]:
    """Return what is assumed: where nothing states a rate, times are those of our frame contract."""
    return ["no file states a rate: frames are taken as one per second; say another by --fps"] * (kind == "events" and rate is None)


def _background(text: str, vocabulary: Vocabulary) -> str:
    """Return the name of the phase that a choice leaves out, "" for the word that leaves nothing out.

    Raises
    ------
    MetricsError
        When there is no such phase, or one is called as nothing is.
    """
    names = vocabulary.phases
    called_so = vocabulary.find("phase", NO_BACKGROUND)
    if fold(text) == NO_BACKGROUND and called_so is not None:
        what = f"a phase is called '{names[called_so]}', and '{NO_BACKGROUND}' leaves nothing out"
        fix = f"say background={called_so} for that phase, or leave background out where every phase counts"
        raise MetricsError(f"--variant background={text}: {what}; {fix}")
    if fold(text) == NO_BACKGROUND:
        return ""
    id_ = int(text) if text.isascii() and text.isdigit() and text not in names else vocabulary.find("phase", text)
    if id_ is None or id_ >= len(names):
        # Such as a variable of the shell that is not set: what is left out must be said.
        known = names if text or called_so is not None else (*names, NO_BACKGROUND)
        raise MetricsError(f"--variant background={text}: the phases are {', '.join(known)}")
    return names[id_]


def _overlaps(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and 0 < int(part) <= 100 for part in parts):
        raise MetricsError(f"--variant overlap={text}: give percent with commas, whole numbers from 1 to 100, such as 10,25,50")
    return tuple(dict.fromkeys(map(int, parts)))


AT_ANY_RATE = ("cholec80",)
"""Formats in which people write predictions at another rate than the format has: nothing says which."""

FRAMES_SHOWN = 10
"""So many runs of frames of a file are named in a message."""
PROGRAMS = {CHOLEC80.phases: ("Cholec80", CHOLEC80), M2CAI.phases: ("M2CAI", M2CAI)}


@dataclass(frozen=True, eq=False)
class Truth:
    """Annotated phases.

    Parameters
    ----------
    series
        Phase ids by video.
    vocabulary
        Names of the phases; the position is the id.
    is_named
        Whether that is a vocabulary, and not just what the files say.
    faults, notes, line
        What stops nothing, what was assumed, and as what the files were read.
    is_ordered
        Whether somebody said the order of names that are no vocabulary.
    fps
        Frames per second, where the release states them.
    labelled
        Ids of the phases that take part; None: all. Where only names say which vocabulary it is, they are those that occur in the files.
    at_end
        Whether spans of time were read at the end of the period of a frame.
    """

    series: Mapping[str, Series]
    vocabulary: Vocabulary
    is_named: bool
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    line: str = ""
    is_ordered: bool = False
    fps: Fraction | None = None
    labelled: frozenset[int] | None = None
    at_end: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The phases."""
        return self.vocabulary.phases

    @property
    def has_order(self) -> bool:
        """Whether the ids stand in the order of the operation: names that are just what files say stand in that of the alphabet."""
        return self.is_named or self.is_ordered or all(map(phase_tables.is_id, self.names))


def truth_of(source: Source) -> Truth:
    """Return the annotated phases.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or without phases.
    """
    read = side.read_true_phases(source)
    if not read.videos:
        what, fix = f"no phase is labelled in these {read.form.name} files", "give labels of phases"
        if is_subset(read.paths):
            what = "a subset has no phases of its own"
            fix = "name the whole ground truth, and the subset by --videos SPLIT.csv --subset NAME"
        raise MetricsError([error(str(source.path), "no-labels", what, fix), *read.faults])
    if predicted := [fault for fault in read.faults if fault.rule == columns.COLUMN_TRUTH]:
        what = "a column of predictions would be taken for the ground truth"
        raise MetricsError([error(one.file, "truth-predicted", f"{what}: {one.what}", one.fix) for one in predicted])
    vocabulary = side.one_vocabulary(source, read, read.videos)
    is_named = not phase_tables.is_of_files(vocabulary) or not phase_spans.are_of_names(read.form.name)
    at_end = any(labels.instant == "end" and labels.segments is not None for labels in read.of_frames.found)
    notes = (*_assumed_rate(read, source), *(["frames have the phase at the end of their period, not at its start"] * at_end))
    series = _series(read.videos)
    is_found = source.vocabulary is None and phase_spans.are_named_alone(read.form.name, read.paths)
    labelled = frozenset(id_ for one in series.values() for id_ in np.unique(one.values).tolist()) if is_found and is_named else None
    fps = released_truth.stated_rate(source.path)
    return Truth(series, vocabulary, is_named, read.faults, notes, read.line, fps=fps, labelled=labelled, at_end=at_end)


def in_order(truth: Truth, source: Source, order: str) -> Truth:
    """Return the truth with phases in the order of the operation: published rules excuse a phase by how many steps ahead or back it is.

    Parameters
    ----------
    order
        `KNOWN_ORDER`, or the names of all phases with commas, also of those that do not occur.

    Raises
    ------
    MetricsError
        When the order is not known, is known otherwise, or is not of these phases.
    """
    file = str(source.path)
    if order == KNOWN_ORDER:
        if not truth.has_order:
            what = f"the published program counts steps from phase to phase, but the order of {_quoted(truth.names)} is not known"
            raise MetricsError([error(file, "order-unknown", what, _how_to_order(len(truth.names)))])
        return truth
    if truth.has_order:
        of = f"that of '{truth.vocabulary.name}'" if truth.is_named else "that of their ids"
        raise MetricsError([error(file, "order-known", f"the order of these phases is known, {of}", "leave --variant order= out")])
    try:
        vocabulary = own_categories.vocabulary_of({"phase": [name.strip() for name in order.split(",")]})
    except AnnotationError as refused:
        what = f"--variant order={order}: {refused.faults[0].what}"
        raise MetricsError([error(file, "order-form", what, "name every phase once")]) from refused
    missing = [name for name in truth.names if vocabulary.find("phase", name) is None]
    if missing:
        what = f"--variant order={order}: it lacks {_quoted(missing)}"
        raise MetricsError([error(file, "order-form", what, "name every phase of the files once, with commas")])
    new_ids = np.array([vocabulary.id_of("phase", name) for name in truth.names], np.int64)
    series = {name: replace(of_video, values=new_ids[of_video.values]) for name, of_video in truth.series.items()}
    return replace(truth, series=series, vocabulary=vocabulary, is_ordered=True)


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _how_to_order(phases: int) -> str:
    known_sets = [name for name in known() if phases <= len(load(name).phases) in PROGRAMS]
    by_name = f"name the vocabulary by --vocabulary ({', '.join(known_sets)})" if known_sets else "name the vocabulary by --vocabulary"
    return f"{by_name}, all phases in their order by --variant 'order=FIRST,SECOND,...', or write ids from 0 instead of names"


def predictions_of(source: Source, truth: Truth) -> Predictions:
    """Return the predicted phases in those of the truth.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or phases that the truth does not have, unless its phases are just those that occur in it.
    """
    read = side.read_predicted_phases(source, truth.vocabulary, truth.series, truth.fps, may_have_further=not truth.is_named)
    if not read.videos:
        return Predictions({}, read.faults, read.line)
    vocabulary = side.one_vocabulary(source, read, read.videos)
    known, further = vocabulary.phases[: len(truth.names)], vocabulary.phases[len(truth.names) :]
    if known != truth.names or (further and truth.is_named):
        what = f"the predictions are phases of '{vocabulary.name}', the ground truth has {', '.join(truth.names)}"
        raise MetricsError([error(str(source.path), "classes-other", what, "predict these"), *read.faults])
    is_unsaid = read.form.name in AT_ANY_RATE and source.fps is None
    videos = [replace(video, numbering=None) for video in read.videos] if is_unsaid else read.videos
    return Predictions(_series(videos), read.faults, read.line, further, source.path)


def _series(videos: Sequence[NumberedLabels]) -> dict[str, Series]:
    layers = [(video, layer) for video in videos if (layer := video.labels.phases) is not None]
    return {video.name: series_of(video, layer.file, *phase_vector(layer)) for video, layer in layers}


def _assumed_rate(read: Side, source: Source) -> tuple[str, ...]:
    by_hand = read.form.by_hand
    if by_hand.fps is None or by_hand.fps_unstated or source.fps is not None:
        return ()
    return (f"labels are read as {by_hand.fps} per second, the rate of {read.form.name}",)


def computed(truth: Truth, predictions: Sequence[Predictions], semantics: str, choice: Mapping[str, str]) -> Scoring:
    """Return what is to be computed of truth and the predictions of one or more runs.

    A phase that only predictions have is one more: nowhere right, so its precision is 0, and its recall is undefined.

    Raises
    ------
    MetricsError
        When they do not fit each other, or a choice does not fit the phases.
    """
    further, runs = _in_one_numbering(predictions, len(truth.names))
    joined = [paired(truth.series, one) for one in runs]
    names = tuple(joined[0].pairs)
    videos = [_video(name, truth.series[name], [one.pairs[name] for one in joined], [run[name] for run in runs]) for name in names]
    videos, further = _that_occur(videos, further, len(truth.names))
    rate = _rate(truth.series, runs)
    step = min((int(np.diff(pair.frames).min()) for pair in joined[0].pairs.values() if len(pair.frames) > 1), default=1)
    omega = _omega(choice["omega"], rate, step)
    faults = [fault for one in joined for fault in one.faults]
    if further:
        MetricsError.raise_any([*faults, *_from_one(videos, len(truth.names), further, runs)])
        vocabulary_of_both = own_categories.vocabulary_of({"phase": [*truth.names, *further]})
        truth = replace(truth, vocabulary=vocabulary_of_both, labelled=truth.labelled or frozenset(range(len(truth.names))))
    faults += _false_frames(videos, truth, predictions)
    if further and semantics == "compat":
        what = f"the published program does not know phases that no labelled video has, such as '{further[0]}'"
        raise MetricsError([*faults, error("", "phase-further", what, "name all phases by --vocabulary, or use the semantics 'paper'")])
    vocabulary = truth.vocabulary.name if truth.is_named else ""
    # Relaxed boundaries are defined for the workflow of Cholec80 only.
    is_cholec80 = truth.is_named and related(truth.vocabulary.name, "cholec80") and len(truth.names) == CHOLEC80.phases
    compared = ComparedPhases(videos, {name: pair.frames for name, pair in joined[0].pairs.items()}, truth.names)
    if semantics == "paper":
        refuse_foreign(choice, PHASE_CHOICES["paper"], OF_KIND)
    if semantics == "compat":
        # The script counts what is annotated.
        results = _compat(videos, truth.names, round(omega / step))
        notes = [*_assumed_program(truth), *_assumed_omega(choice["omega"], omega, rate)]
    elif choice["kind"] != variants.FRAMES:
        results = computation(videos, truth, compared.frames, rate or Fraction(SPANS_FPS), choice)
        notes = notes_of_kind(choice["kind"], rate)
    else:
        results = _paper(videos, truth, omega if is_cholec80 else None, choice)
        left_out = ["relaxed boundaries are defined for the seven phases of Cholec80 only, and left out"]
        notes = _assumed_omega(choice["omega"], omega, rate) if is_cholec80 else left_out
    if semantics == "paper":
        results = with_alone(results, "phases", choice, lambda draw: (drawn_videos(videos, draw), truth.names))
    return Scoring([Computed(names, results, {}, joined[0].frames, vocabulary, compared)], faults, notes)


def _in_one_numbering(predictions: Sequence[Predictions], known: int) -> tuple[tuple[str, ...], list[Mapping[str, Series]]]:
    """Return the phases that only predictions have, of all runs together, and the runs with ids of these behind the known ones."""
    spelled = {fold(name): name for one in predictions for name in one.further}
    order = sorted(spelled, key=lambda folded: (int(folded) if phase_tables.is_id(folded) else 0, alphabetical(folded)))
    runs: list[Mapping[str, Series]] = []
    for one in predictions:
        ids = np.array([*range(known), *(known + order.index(fold(name)) for name in one.further)], np.int64)
        runs.append(
            {name: replace(series, values=ids[series.values]) for name, series in one.series.items()} if one.further else one.series
        )
    return tuple(spelled[folded] for folded in order), runs


def _that_occur(videos: Sequence[PhaseVideo], further: tuple[str, ...], known: int) -> tuple[list[PhaseVideo], tuple[str, ...]]:
    """Return only those of the further phases that are predicted in frames that count, and the videos with their ids."""
    if not further:
        return list(videos), ()
    used = sorted({id_ for video in videos for id_ in np.unique(np.asarray(video.predictions)).tolist() if id_ >= known})
    ids = np.zeros(known + len(further), np.int64)
    ids[[*range(known), *used]] = np.arange(known + len(used))
    return [replace(video, predictions=ids[np.asarray(video.predictions)]) for video in videos], tuple(further[id_ - known] for id_ in used)


def _from_one(
    videos: Sequence[PhaseVideo], known: int, further: tuple[str, ...], runs: Sequence[Mapping[str, Series]]
) -> tuple[Fault, ...]:
    """Return the errors of runs whose ids seem to be numbered from 1, each phase that is too large with its frames.

    Labels have 0 and such a run has not, some id is too large, and the ids agree more often with the labels when 1 is subtracted, or as
    often and the largest is just one too many. That the rarest phase is never predicted and that there is one that no label has is all
    honest, and only agreement tells it.
    """
    faults = Faults()
    truth = np.concatenate([np.asarray(video.annotation) for video in videos])
    if not all(map(phase_tables.is_id, further)) or 0 not in truth:
        return ()
    numbers = np.array([*range(known), *map(int, further)], np.int64)
    for at, run in enumerate(runs):
        of_videos = {video.name: numbers[np.asarray(video.predictions)[at]] for video in videos}
        ids = np.concatenate(list(of_videos.values()))
        as_they_are, from_one = np.count_nonzero(ids == truth), np.count_nonzero(ids - 1 == truth)
        # Where the largest is just one too many, they are from 1 unless they agree better as they are.
        if ids.min() == 0 or ids.max() < known or as_they_are > from_one or (as_they_are == from_one and ids.max() > known):
            continue
        for video in videos:
            for id_ in np.unique(of_videos[video.name][of_videos[video.name] >= known]).tolist():
                frames = np.asarray(video.numbers)[of_videos[video.name] == id_].tolist()
                file, what = run[video.name].file or video.name, f"phase {id_} is not in 0..{known - 1}"
                faults.error(file, "id-range", what, phase_tables.FROM_ONE, place=run[video.name].place, frames=frames, count=len(frames))
    return faults.all()


def _false_frames(videos: Sequence[PhaseVideo], truth: Truth, runs: Sequence[Predictions]) -> tuple[Fault, ...]:
    """Return the warning of phases that only predictions have: each with its frames, as one, so that none hides behind another."""
    if truth.labelled is None:
        return ()
    places: dict[int, list[str]] = {}
    for video in videos:
        for number, (predicted, run) in enumerate(zip(np.asarray(video.predictions), runs, strict=True), 1):
            where = run.series[video.name].where(video.name, run.source)
            told = where if len(runs) == 1 else f"run {number}: {where}"
            note_places(places, told, predicted, np.asarray(video.numbers), truth.labelled)
    return of_no_label(places, truth.names, truth.labelled)


def note_places(places: dict[int, list[str]], file: str, predicted: IntArray, frames: IntArray, labelled: Collection[int]) -> None:
    """Add to the places of each phase that no label has the frames of a video, of this file, in which it is predicted."""
    for id_ in sorted({*np.unique(predicted).tolist()}.difference(labelled)):
        places.setdefault(id_, []).append(f"{file} {ranges_text(frames[predicted == id_].tolist(), FRAMES_SHOWN)}")


def of_no_label(places: Mapping[int, Sequence[str]], names: Sequence[str], labelled: Collection[int]) -> tuple[Fault, ...]:
    """Return the warning of phases that are predicted and no labelled video has: their places by id, all names, and which are labelled."""
    every = [f"'{names[id_]}' ({listed(places[id_])})" for id_ in sorted(places)]
    what = f"no labelled video has these phases, so their frames are false: {listed(every)}"
    known = _quoted([names[id_] for id_ in sorted(labelled)])
    return (warning("", "phase-further", what, f"the labels have {known}; correct what is one of them"),) if every else ()


def _assumed_omega(text: str, omega: int, rate: Fraction | None) -> list[str]:
    """Return a note of what seconds are taken for where no file states a rate."""
    is_assumed = rate is None and text.endswith("s")
    return [f"no file states a rate: omega={text} is {omega} frames, as of one per second; say another by --fps"] * is_assumed


def _assumed_program(truth: Truth) -> list[str]:
    """Return a note of the published program that phases without a vocabulary are scored by.

    The highest id that occurs decides on it: a last phase that no video has would choose the other one.
    """
    program = PROGRAMS.get(len(truth.names))
    if program is None:
        return []
    if truth.is_named:
        rules = f"the published program knows {len(truth.names)} phases as those of {program[0]} only; its rules by position are applied"
        return [] if related(truth.vocabulary.name, "cholec80") else [f"the phases are those of '{truth.vocabulary.name}': {rules}"]
    last = "in the order that --variant names" if truth.is_ordered else "none missing at the end"
    return [f"no vocabulary is named: these {len(truth.names)} phases are taken for those of {program[0]}, {last}"]


def _confusions(videos: Sequence[PhaseVideo], truth: Truth) -> phases.Confusions:
    whole = phases.confusions_of_videos(videos, truth.names)
    if truth.labelled is None:
        return whole
    predicted = set(np.flatnonzero(whole.counts.sum(axis=(0, 1, 2))).tolist())
    there = np.array([*sorted(truth.labelled), *sorted(predicted - truth.labelled)], np.int64)
    names = tuple(truth.names[at] for at in there.tolist())
    return phases.Confusions(whole.counts[..., there, :][..., there], whole.videos, names, further=len(there) - len(truth.labelled))


def _paper(videos: Sequence[PhaseVideo], truth: Truth, omega: int | None, choice: Mapping[str, str]) -> Computation:
    names, confusions = truth.names, _confusions(videos, truth)
    crosses, window = cast("Any", choice["crosses"].replace("-", " ")), cast("Any", choice["window"])
    counts = None if omega is None else relaxed.count(videos, omega, cholec80(crosses), window=window, phases=names)
    scope, undefined, order = (cast("Any", choice[name]) for name in ("scope", "undefined", "averaged"))
    chosen = rates.PhaseChoice(scope, undefined, order, choice["bessel"] == "yes")

    def results(draw: Draw | None) -> list[Result]:
        counted = confusions if draw is None else confusions.take(draw)
        values = list(rates.results_of_every_choice(counted)) if choice["every"] == "yes" else rates.results_of_choice(counted, chosen)
        if counts is not None:
            values += _relaxed(counts if draw is None else counts.take(draw), choice, chosen)
        return values

    return results


def _relaxed(counts: relaxed.Relaxed, choice: Mapping[str, str], chosen: rates.PhaseChoice) -> list[Result]:
    strategy, counted, above_one = (cast("Any", choice[name]) for name in ("relaxed-undefined", "counted", "above-one"))
    every = [relaxed.accuracy(counts)]
    every += [relaxed.elements(counts, rate, strategy, counted=counted, above_one=above_one) for rate in relaxed.RELAXED_RATES]
    results = []
    for elements in every:
        results.append(averaging.mean(elements, chosen.averaged))
        results.append(averaging.spread(elements, "videos", bessel=chosen.bessel))
        results += [averaging.spread(elements, "phases", bessel=chosen.bessel)] if elements.phases else []
    return results


def _compat(videos: Sequence[PhaseVideo], names: tuple[str, ...], omega: int) -> Computation:
    program = PROGRAMS.get(len(names))
    if program is None:
        msg = f"the published relaxed evaluation knows 7 phases (Cholec80) or 8 (M2CAI), not {len(names)}; use the semantics 'paper'"
        raise MetricsError(msg)
    whole = compat.evaluations(videos, omega, program[1])
    return lambda draw: compat.results(compat.summarised(whole if draw is None else whole.take(draw)), names)


def _video(name: str, truth: Series, pairs: Sequence[Pair], runs: Sequence[Series]) -> PhaseVideo:
    frames = pairs[0].frames
    if any(not np.array_equal(pair.frames, frames) for pair in pairs):
        raise MetricsError(f"{name}: the runs are at different rates; predict the same frames in every run")
    predictions = np.stack([run.values[pair.prediction] for run, pair in zip(runs, pairs, strict=True)])
    return PhaseVideo(name, truth.values[pairs[0].truth], predictions, frames)


def _rate(truth: Mapping[str, Series], runs: Sequence[Mapping[str, Series]]) -> Fraction | None:
    """Return the frames per second of the joined series, where a file says it."""
    rates = {of_video.numbering.per_second for one in (truth, *runs) for of_video in one.values() if of_video.numbering is not None}
    return min(rates) if rates else None


def _omega(text: str, fps: Fraction | None, step: int) -> int:
    """Return omega in frames as they are numbered; where only every ``step``-th is annotated, somebody who says frames means those."""
    number = text.removesuffix("s")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise MetricsError(f"--variant omega={text}: give seconds, such as 10s, or frames, such as 10")
    # Where nothing states a rate, frames are those of our frame contract by default: one per second.
    return round(value * float(fps or SPANS_FPS)) if text.endswith("s") else relaxed.check_omega(value) * step
