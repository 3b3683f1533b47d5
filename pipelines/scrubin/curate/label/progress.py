"""How far the labelling of a study is: who did how much, what is settled, how far people agree; and the export of what is complete.

Annotators are numbers. What is exported of a recording says how its labels were made; the sheets of ratings are those of every rater.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from scrubin.base import params
from scrubin.base.errors import ReviewError
from scrubin.base.faults import count_text
from scrubin.base.params import PARAMS_PATH
from scrubin.curate.label import settling, written
from scrubin.curate.label.events import Instant, Sheet, Span
from scrubin.curate.label.params import TRACKS, TRIPLETS
from scrubin.curate.label.settling import SPAN_LAYERS, Settlement
from scrubin.curate.label.several import agreement
from scrubin.curate.label.several.agreement import TwiceSampled, TwiceSpanned, TwiceTracked
from scrubin.curate.label.standing import OfPerson
from scrubin.curate.label.workbench import Recording, Workbench
from scrubin.curate.label.written import Written
from scrubin.labels.formats.plain.label_files import SUFFIX
from scrubin.labels.keyframes import Track, cut
from scrubin.ratings.agreement import LEAST_VALUES

SHOWN = ("kappa", "f1_at_10", "f1_at_50", "edge_s", "f1", "iou", "apart", "jaccard", "both")
LEAST_RECORDINGS = LEAST_RATERS = 2
COMPARED = (*SPAN_LAYERS, *TRACKS, TRIPLETS)
Said = TypeVar("Said")
T = TypeVar("T")


def document(bench: Workbench) -> dict[str, Any]:
    """Return how far a study is, as a JSON value."""
    standing = bench.standing()
    settlements = {one.id: bench.settlement(one) for one in bench.recordings.values()}
    names, closed = {one.name for one in bench.recordings.values()}, bench.closed()
    return {
        "recordings": {
            "all": len(settlements),
            "assigned": sum(bool(one.annotators) for one in settlements.values()),
            "several": sum(len(one.annotators) > 1 for one in settlements.values()),
            "finished": sum(bool(one.annotators) and not one.missing for one in settlements.values()),
            "complete": sum(bool(one.annotators) and one.is_complete for one in settlements.values()),
        },
        "annotators": {
            str(number): {
                "assigned": sum(number in one.annotators for one in settlements.values()),
                "finished": len(standing.done.get(number, set()) & names),
                "worked_s": sum(seconds for (person, _), seconds in standing.worked_s.items() if person == number),
            }
            for number in bench.annotators()
        },
        "open": {id_: [[one.layer, one.first, one.end] for one in of.open] for id_, of in settlements.items() if of.open},
        "differ": {id_: list(of.differ) for id_, of in settlements.items() if of.differ},
        "apart": sorted(one.id for one in bench.recordings.values() if standing.apart(one.about)),
        "agreement": {layer: _agreement(bench, settlements, layer, closed) for layer in bench.p.layers if layer in COMPARED},
        "ratings": agreement.of_sheets(_sheets(bench, settlements)) if "ratings" in bench.p.layers else None,
        "closed": closed,
    }


def lines(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the same as lines of a terminal."""
    of = document["recordings"]
    yield f"{of['all']} recordings, {of['assigned']} assigned, {of['several']} to several people"
    yield f"{of['finished']} finished by everybody who labels them, {of['complete']} complete"
    for number, one in document["annotators"].items():
        yield f"annotator {number}: {one['finished']} of {one['assigned']} finished, {_duration(one['worked_s'])}"
    open_ = sum(map(len, document["open"].values()))
    if open_ or document["differ"]:
        yield f"to be settled: {open_} spans in {len(document['open'])} recordings, ratings of {len(document['differ'])} recordings"
    if document["apart"]:
        yield f"{len(document['apart'])} recordings have labels of another file than the present one; they are kept apart"
    for id_, why in document["closed"].items():
        yield f"{id_}: {why}"
    for layer, one in document["agreement"].items():
        if one["recordings"]:
            every = one["all"]
            said = ", ".join(f"{name.replace('_', ' ')} {_value(every[name])}" for name in SHOWN if name in every)
            yield f"agreement on {layer}, {one['recordings']} recordings: {said}"
    ratings = document["ratings"] or {"aspects": {}, "errors": {}}
    for aspect, one in ratings["aspects"].items():
        yield f"agreement on {aspect}, {count_text(one['icc']['n'], 'recording')}: {_icc(one['icc'])}, {_alpha(one['alpha'])}"


def export(bench: Workbench) -> tuple[Written, dict[str, str]]:
    """Write the labels of complete recordings and the sheets of finished ratings; return what was written, and by id what others wait for.

    Of a recording that is closed, what an earlier export wrote stays; its sheets go out as long as nothing of them is to be settled.

    Raises
    ------
    ReviewError
        When a file of somebody else is in the way.
    """
    standing, files, waiting = bench.standing(), dict[str, bytes](), dict[str, str]()
    sheets: dict[str, dict[int, dict[str, Sheet]]] = {}
    raw = bench.folder / params.raw_folder(bench.folder / PARAMS_PATH)
    longest, before, kept = written.longest_name(raw), written.exported(bench.folder / written.EXPORTED_PATH), set[str]()
    for one in bench.recordings.values():
        settlement, name = bench.settlement(one), f"{one.name}{SUFFIX}"
        path = f"{written.LABELS_FOLDER}/{name}"
        if not settlement.annotators or not settlement.is_complete:
            waiting[one.id] = settlement.waits_for
            if not settlement.closed or path not in before:
                continue
            kept.add(path)
            if settlement.differ:
                continue
        elif settlement.outcomes and len(os.fsencode(name)) > longest:
            waiting[one.id] = written.too_long(name, longest)
        elif settlement.outcomes:
            places = sum(len(of.settled) for of in settlement.outcomes.values())
            made = settling.provenance(one.pictures, standing, settlement.annotators, places)
            files[path] = written.label_file(settlement, bench.p.vocabulary, made)
        for rater, sheet in settlement.sheets.items():
            sheets.setdefault(one.task, {}).setdefault(rater, {})[one.name] = sheet
    if bench.scores is not None:
        for task, of_task in sorted(sheets.items()):
            files |= {f"{written.RATINGS_FOLDER}/{name}": data for name, data in written.sheets(of_task, task, bench.scores).items()}
    return written.write(raw, files, bench.folder / written.EXPORTED_PATH, kept), waiting


def _agreement(bench: Workbench, settlements: Mapping[str, Settlement], layer: str, closed: dict[str, str]) -> dict[str, Any]:
    """Return how far people agree on a layer; a recording whose film is another one by now is left out, and noted in ``closed``."""
    standing = bench.standing()
    if layer in TRACKS:
        tracks = _twice(bench, settlements, lambda one, by: _tracks(standing.of(one.about, by), layer, one), TwiceTracked)
        return agreement.of_tracks(layer, tracks)
    if layer == TRIPLETS:
        instants = _twice(bench, settlements, lambda one, by: _instants(standing.of(one.about, by), layer, one), TwiceSampled)
        return agreement.of_instants(instants)

    def twice(id_: str, one: list[Span], other: list[Span]) -> TwiceSpanned | None:
        try:
            return TwiceSpanned(id_, one, other, np.asarray(bench.released_times_s(id_)))
        except ReviewError as error:
            closed.setdefault(id_, str(error))
            return None

    return agreement.of_spans(_twice(bench, settlements, lambda one, by: _shown(standing.of(one.about, by).spans(layer), one), twice))


def _twice(
    bench: Workbench,
    settlements: Mapping[str, Settlement],
    said: Callable[[Recording, int], Said],
    twice: Callable[[str, Said, Said], T | None],
) -> dict[tuple[int, int], list[T]]:
    """Return by two people what both finished labelling; ``said`` is what the released video shows of it."""
    pairs: dict[tuple[int, int], list[T]] = {}
    for id_, settlement in settlements.items():
        finished = {by: said(bench.recordings[id_], by) for by in settlement.annotators if by not in settlement.missing}
        for a, b in itertools.combinations(finished, 2):
            if (both := twice(id_, finished[a], finished[b])) is not None:
                pairs.setdefault((a, b), []).append(both)
    return pairs


def _tracks(mine: OfPerson, layer: str, one: Recording) -> list[Track]:
    inside = (cut(track, one.pictures.first, one.pictures.end) for track in mine.tracks(layer))
    return [track for track in inside if track is not None]


def _instants(mine: OfPerson, layer: str, one: Recording) -> list[Instant]:
    return [of for of in mine.instants(layer) if one.pictures.first <= of.frame < one.pictures.end]


def _shown(spans: list[Span], one: Recording) -> list[Span]:
    """Return spans in frames of the released video, without what it does not show."""
    first, count = one.pictures.first, one.pictures.end - one.pictures.first
    cut = [(max(span.first - first, 0), min(span.end - first, count), span) for span in spans]
    return [Span(start, end, *span.names) for start, end, span in cut if start < end]


def _sheets(bench: Workbench, settlements: Mapping[str, Settlement]) -> dict[tuple[str, int], Sheet]:
    return {
        (id_, person): settlement.sheets[person]
        for id_, settlement in settlements.items()
        for person in settlement.annotators
        if person in settlement.sheets and person not in settlement.missing
    }


def _value(one: Mapping[str, float | None]) -> str:
    if one["value"] is None:
        return "undefined"
    interval = "" if one["low"] is None or one["high"] is None else f" ({one['low']:.2f} to {one['high']:.2f})"
    return f"{one['value']:.2f}{interval}"


def _icc(of: Mapping[str, Any]) -> str:
    """Return ICC(2,1) with its interval, or why it is undefined."""
    if of["ICC(2,1)"]["value"] is not None:
        return f"ICC(2,1) {_value(of['ICC(2,1)'])}"
    if of["k"] < LEAST_RATERS or of["n"] < LEAST_RECORDINGS or of["n"] * of["k"] < LEAST_VALUES:
        scored = f"{count_text(of['n'], 'recording')} that all of {count_text(of['k'], 'rater')} scored"
        why = f"{scored} are too few: it takes 2 recordings, 2 raters and {LEAST_VALUES} scores"
    else:
        why = "all scores are equal, or differ no more between recordings than within them"
    return f"ICC(2,1) is undefined ({why})"


def _alpha(of: Mapping[str, Any]) -> str:
    """Return alpha, or why it is undefined."""
    if of["alpha"] is not None:
        return f"alpha {of['alpha']:.2f}"
    why = "all scores are equal" if of["n"] else "no recording has two scores"
    return f"alpha is undefined ({why})"


def _duration(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    return f"{hours} h {rest // 60} min" if hours else f"{rest // 60} min"
