"""Through another format and back: every label that the losses do not name is the same, by frame, by name and by box."""

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest

from label_examples import EXAMPLES, rate_of, read_files, write_files
from label_makers import MAKERS
from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import fold
from scrubin.labels import instance_spans, registry
from scrubin.labels.files import loss
from scrubin.labels.files.loss import Fit
from scrubin.labels.files.output import render, writer_of
from scrubin.labels.model import SOURCE_FRAMES, Clock, Collection
from scrubin.labels.registry import WRITERS, format_of

WITH_WORDS = ("cholec80", "cholect45", "cholect50", "labelme", "multibypass140", "spans", "boris", "elan", "via3", "vidat")

OF_TIME = ("boris", "elan", "via3", "vidat")
"""Formats of spans of time: they are compared at the rate that they come from."""


def named(collection, fps):
    """Return instances and phases by recording and second, with names instead of ids."""
    instances, phases = [], []
    for labels in collection.recordings:
        words, period_s = labels.vocabulary, labels.clock.period_s or 1 / fps
        if labels.instances is not None:
            for row in labels.instances.rows.astype(object).where(labels.instances.rows.notna(), None).to_dict("records"):
                kinds = {"instrument": words.instruments, "verb": words.verbs, "target": words.targets}
                parts = tuple(None if row[f"{kind}_id"] is None else fold(names[row[f"{kind}_id"]]) for kind, names in kinds.items())
                where = None if row["x"] is None else tuple(row[side] for side in "xywh")
                instances.append((labels.recording, row["position"] * period_s, parts, where))
        if labels.phases is not None:
            for frame, phase in labels.phases.rows.itertuples(index=False, name=None):
                phases.append((labels.recording, frame * period_s, words.phases[phase]))
    return instances, phases


def through(name, target, seed):
    files, _ = MAKERS[name](random.Random(seed))
    first = read_files(name, files)
    fit = Fit(name, source_fps=rate_of(name), image_size=(1280, 720))
    kept, losses = loss.fitted(first, writer_of(target), fit)
    out = render(kept, writer_of(target))
    words = {"vocabulary": kept.recordings[0].vocabulary.name} if target in WITH_WORDS else {}
    if words.get("vocabulary", "").startswith("own-"):
        pytest.skip("such words are only in the file that they come from")
    again = read_files({"tables-csv": "tables"}.get(target, target), {f"out/{file}": data for file, data in out.files.items()}, **words)
    form = format_of("tables" if target == "tables-csv" else target).by_hand
    # Where no file states the rate, it is told by hand.
    fps = 1 / kept.recordings[0].clock.period_s if form.fps_unstated or target in OF_TIME else form.fps or 1
    if target == "spans":
        again = replace(again, recordings=tuple(in_frames(labels, fps) for labels in again.recordings))
    elif target in OF_TIME:
        again, _ = loss.fitted(again, writer_of("tables"), Fit(target, source_fps=fps, to_fps=fps))
    elif form.fps_unstated:
        again = replace(again, recordings=tuple(replace(labels, clock=SOURCE_FRAMES) for labels in again.recordings))
    return first, again, losses + out.losses, fps


def in_frames(labels, source_fps):
    """Spans at every source frame, or every second, that they cover."""
    return instance_spans.with_frames(labels, writer_of("tables"), source_fps, None, 0, Counter())


@pytest.mark.slow
@pytest.mark.parametrize("target", sorted(WRITERS))
@pytest.mark.parametrize("name", MAKERS)
def test_labels_come_back_or_are_counted_as_lost(name, target):
    try:
        first, again, losses, fps = through(name, target, seed=3)
    except AnnotationError as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        assert any(words in refused for words in ("make sense", "needs", "numbers its videos", "cannot hold")), refused
        return
    (instances, phases), (got, got_phases) = named(first, format_of(name).by_hand.fps or 1), named(again, fps)
    boxes = {(recording, time_s, parts): [] for recording, time_s, parts, _ in got}
    for recording, time_s, parts, where in got:
        boxes[recording, time_s, parts].append(where)
    lost = 0
    for recording, time_s, parts, where in instances:
        candidates = next(
            (boxes[key] for key in ((recording, time_s, parts), (recording, time_s, (parts[0], None, None))) if boxes.get(key)), []
        )
        near = [one for one in candidates if where is None or one is None or one == pytest.approx(where, abs=1e-4)]
        lost += not near
        if near:
            candidates.remove(near[0])
    told = sum(count for what, count in losses.items() if "instances" in what and "verbs" not in what and "'" not in what)
    told += sum(count for what, count in losses.items() if "without a name" in what)
    left_out = any("left out" in what or "other rate" in what for what in losses)
    assert lost == 0 or told, (lost, dict(losses))
    assert lost <= told or left_out, (lost, dict(losses))
    assert not any(boxes.values()), "made up"
    if got_phases and not any("phases" in what for what in losses):
        folded = {(recording, time_s): phase.casefold().replace("-", "").replace("and", "") for recording, time_s, phase in got_phases}
        for recording, time_s, phase in phases:
            wanted = phase.casefold().replace("-", "").replace("and", "")
            assert folded[recording, time_s].replace("retraction", "extraction") == wanted.replace("retraction", "extraction")


def lacking_an_instrument(rows):
    return rows.assign(instrument_id=rows["instrument_id"].where(rows.index > 0), triplet_id=None)


def three_times(rows):
    return pd.concat([rows.head(1)] * 3, ignore_index=True)


@pytest.mark.parametrize(
    ("source", "target", "changed", "lost"),
    [("cholect50", "spans", lacking_an_instrument, 1), ("pitvis", "pitvis", three_times, 1), ("masks-png", "masks-png", three_times, 2)],
)
def test_instances_that_have_no_place_are_not_counted_as_written(source, target, changed, lost):
    first, *_ = read_files(source, EXAMPLES[source]).recordings
    layer = replace(first.instances, rows=changed(first.instances.rows))
    assert write_files(target, Collection((replace(first, instances=layer),))).unwritten["instance"] == lost


def test_ratings_of_further_raters_are_not_counted_as_written():
    scores = read_files("jigsaws", EXAMPLES["jigsaws"]).scores
    ratings = pd.concat([scores.ratings, scores.ratings.assign(rater="second")], ignore_index=True)
    assert write_files("jigsaws", Collection(scores=replace(scores, ratings=ratings))).unwritten == {"rating": len(scores.ratings)}


def test_spans_within_a_millisecond_are_not_counted_as_written():
    first, *_ = read_files("elan", EXAMPLES["elan"]).recordings
    rows = first.segments.assign(end=first.segments["start"] + 1)
    assert write_files("elan", Collection((replace(first, segments=rows, spans=None),))).unwritten == {"span": len(rows)}


def test_what_instances_do_within_a_millisecond_is_lost_and_is_no_row_of_spans():
    first, *_ = read_files("cholect50", EXAMPLES["cholect50"]).recordings
    out = write_files("elan", Collection((replace(first, clock=Clock(Fraction(1, 10**5)), phases=None, segments=None),)))
    assert out.losses["spans within a millisecond"]
    assert out.unwritten["span"] == 0


def test_a_writer_that_names_its_vocabulary_takes_no_other_unless_it_says_so(monkeypatch):
    monkeypatch.setattr(registry, "WRITERS", {})
    registry.writes("named", holds=("phases",), vocabulary="cholec80")(lambda collection, out: None)
    registry.writes("any", holds=("phases",))(lambda collection, out: None)
    autolaparo = vocabulary.load("autolaparo")
    assert not registry.WRITERS["named"].is_for(autolaparo)
    assert registry.WRITERS["any"].is_for(autolaparo)
