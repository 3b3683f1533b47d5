"""What looks wrong while somebody labels, said at the place: it never stops anybody."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.curate.label.events import Instant, Sheet, Span
from scrubin.curate.label.params import EXCLUSIVE, NAMING, TRACKS, TRIPLETS, LabelParams
from scrubin.curate.label.pictures import Pictures
from scrubin.curate.label.several.disputes import runs
from scrubin.curate.label.standing import OfPerson
from scrubin.labels.keyframes import OUTSIDE, Track
from scrubin.ratings import ScoresParams

LONGEST_S = 5.0
"""Of a longer time between two key frames somebody should look whether the straight line is right."""
JUMP_SHARE, JUMP_S = 0.3, 0.2
"""What moves by more of the picture in less time is more likely another instrument."""

LEFT = ("unlabelled", "missing")
"""Rules that say what is not labelled or rated yet."""


@dataclass(frozen=True)
class Finding:
    """Frames ``[first, end)`` of a layer that look wrong; of a rating the whole recording."""

    layer: str
    first: int
    end: int
    rule: str
    says: str


def of_person(mine: OfPerson, pictures: Pictures, p: LabelParams, scores: ScoresParams | None, task: str) -> list[Finding]:
    """Return what looks wrong in the labels of a person, in order of time.

    Parameters
    ----------
    scores, task
        How ratings are made; None where nothing is rated.
    """
    found: list[Finding] = []
    for layer in p.layers:
        spans = mine.spans(layer)
        if layer in EXCLUSIVE:
            found += [*_short(layer, spans, pictures, p), *_unlabelled(layer, spans, pictures)]
            found += _transitions(layer, spans, p) if layer == "phases" else []
        if layer == "actions":
            found += _unknown(spans, p.classes)
        if layer == TRIPLETS:
            found += _of_instants(mine.instants(layer), pictures, p.classes)
        if layer in TRACKS:
            for track in mine.tracks(layer):
                found += _of_track(layer, track, pictures, p.classes)
    if "ratings" in p.layers and scores is not None:
        found += _of_sheet(mine.sheet(), pictures, scores, task)
    return sorted(found, key=lambda one: (one.first, one.layer, one.rule))


def _short(layer: str, spans: Sequence[Span], pictures: Pictures, p: LabelParams) -> Iterator[Finding]:
    for span in spans:
        length_s = pictures.length_s(span.first, span.end)
        if length_s < p.shortest_s:
            yield Finding(layer, span.first, span.end, "short", f"{span.label} lasts {length_s:.2f} s")


def _unlabelled(layer: str, spans: Sequence[Span], pictures: Pictures) -> Iterator[Finding]:
    is_free: npt.NDArray[np.bool_] = np.zeros(pictures.frame_count, np.bool_)
    is_free[pictures.first : pictures.end] = True
    for span in spans:
        is_free[span.first : span.end] = False
    for first, end in runs(is_free):
        yield Finding(layer, first, end, "unlabelled", f"{pictures.length_s(first, end):.1f} s have none of the {layer}")


def _transitions(layer: str, spans: Sequence[Span], p: LabelParams) -> Iterator[Finding]:
    allowed = vocabulary.transitions(p.classes)
    if allowed is None:
        return
    classes = p.classes
    for one, other in itertools.pairwise(spans):
        ids = [classes.find(NAMING[layer], span.label) for span in (one, other)]
        names = [classes.phases[id_] for id_ in ids if id_ is not None]
        if len(set(names)) == 2 and (names[0], names[1]) not in allowed:
            yield Finding(layer, other.first, other.end, "transition", f"{other.label} does not follow {one.label}")


def _unknown(spans: Sequence[Span], classes: Vocabulary) -> Iterator[Finding]:
    for span in spans:
        if not span.verb:
            yield Finding("actions", span.first, span.end, "incomplete", f"{span.label}: no verb and target")
        elif classes.find_triplet(",".join(span.names)) is None:
            yield Finding("actions", span.first, span.end, "triplet", f"{', '.join(span.names)} is no triplet of {classes.name}")
    by_names: dict[tuple[str, ...], list[Span]] = {}
    for span in spans:
        by_names.setdefault(span.names, []).append(span)
    for names, of in by_names.items():
        for one, other in itertools.pairwise(of):
            if other.first < one.end:
                yield Finding(
                    "actions", other.first, min(one.end, other.end), "twice", f"{', '.join(filter(None, names))} is labelled twice here"
                )


def _of_instants(instants: Sequence[Instant], pictures: Pictures, classes: Vocabulary) -> Iterator[Finding]:
    labelled, sampled = {one.frame for one in instants}, set(pictures.sampled)
    for first, end in runs(np.array([frame not in labelled for frame in pictures.sampled], np.bool_)):
        frames = pictures.sampled[first:end]
        many = "1 sampled frame is" if len(frames) == 1 else f"{len(frames)} sampled frames are"
        # Between labelled ones it was more likely passed over.
        where = " between labelled ones" if first and end < len(pictures.sampled) else ""
        yield Finding(TRIPLETS, frames[0], frames[-1] + 1, "gap" if where else "unlabelled", f"{many} not labelled{where}")
    does = {(classes.instruments[instrument], classes.verbs[verb]) for instrument, verb, _ in classes.triplets}
    for one in instants:
        at = one.frame, one.frame + 1
        if pictures.first <= one.frame < pictures.end and one.frame not in sampled:
            yield Finding(TRIPLETS, *at, "not sampled", "this frame is labelled, but is none of the sampled ones")
        for label, verb, target in one.triplets:
            if classes.find("instrument", label) is None:
                yield Finding(TRIPLETS, *at, "name", f"'{label}' is no longer a name of this layer; label it anew")
            elif not verb and classes.triplets:
                yield Finding(TRIPLETS, *at, "incomplete", f"{label}: no verb and target")
                if any(other[0] == label and other[1] for other in one.triplets):
                    yield Finding(TRIPLETS, *at, "twice", f"{label} is there twice, once without what it does")
            elif verb and (label, verb) not in does:
                yield Finding(TRIPLETS, *at, "parts", f"{label} and {verb} go together in no triplet of {classes.name}")
            elif verb and classes.find_triplet(f"{label},{verb},{target}") is None:
                yield Finding(TRIPLETS, *at, "triplet", f"{label}, {verb}, {target} is no triplet of {classes.name}")


def _of_track(layer: str, track: Track, pictures: Pictures, classes: Vocabulary) -> Iterator[Finding]:
    keys, name = track.keys, track.label
    whole = keys[0].frame, keys[-1].frame + 1
    if classes.find("instrument", name) is None:
        yield Finding(layer, *whole, "name", f"'{name}' is no longer a name of this layer; label it anew")
    if len(keys) == 1:
        yield Finding(layer, *whole, "single", f"{name}: there is one key frame, so that it is in this frame only")
    for key in keys:
        x, y, w, h = (*key.place, 0.0, 0.0)[:4] if key.place else (0.0, 0.0, 0.0, 0.0)
        if min(x, y) < 0 or x + w > 1 or y + h > 1:
            yield Finding(layer, key.frame, key.frame + 1, "outside", f"{name}: the box leaves the picture")
    for one, other in itertools.pairwise(keys):
        apart_s = pictures.length_s(one.frame, other.frame)
        if OUTSIDE in (one.state, other.state):
            continue
        if apart_s > LONGEST_S:
            yield Finding(layer, one.frame, other.frame, "long", f"{name}: {apart_s:.1f} s between two key frames are interpolated")
        middles = [[(*key.place, 0.0, 0.0)[at] + (*key.place, 0.0, 0.0)[at + 2] / 2 for at in (0, 1)] for key in (one, other)]
        moved = max(abs(a - b) for a, b in zip(*middles, strict=True))
        if apart_s < JUMP_S and moved > JUMP_SHARE:
            yield Finding(layer, other.frame, other.frame + 1, "jump", f"{name}: it moves by {moved:.0%} of the picture in {apart_s:.2f} s")


def _of_sheet(sheet: Sheet | None, pictures: Pictures, scores: ScoresParams, task: str) -> Iterator[Finding]:
    whole = pictures.first, pictures.end
    if sheet is None:
        yield Finding("ratings", *whole, "missing", "nothing is rated yet")
        return
    missing = [] if sheet.failed else [one for one in scores.aspects if one not in sheet.scores]
    if missing:
        yield Finding("ratings", *whole, "missing", f"not rated: {', '.join(missing)}")
    rule = scores.failure_rules.get(task)
    occurred = rule is not None and sheet.errors.get(rule.error, False)
    if rule is not None and sheet.failed and not occurred:
        yield Finding("ratings", *whole, "failed", f"it is failed, but {rule.error} did not occur")
    if rule is not None and rule.rule == "iff" and occurred and not sheet.failed:
        yield Finding("ratings", *whole, "failed", f"{rule.error} occurred, but it is not failed")


def names_unknown(values: Mapping[str, Sequence[Span]], p: LabelParams) -> list[Finding]:
    """Return the spans whose names the vocabulary no longer has: it was changed since."""
    found = []
    for layer, spans in values.items():
        for span in spans:
            naming = NAMING.get(layer)
            is_unknown = naming is not None and p.classes.find(naming, span.label) is None
            is_unknown |= layer == "actions" and p.classes.find("instrument", span.label) is None
            is_unknown |= layer == "quality" and span.label not in p.quality
            if is_unknown:
                found.append(
                    Finding(layer, span.first, span.end, "name", f"'{span.label}' is no longer a name of this layer; label it anew")
                )
    return found
