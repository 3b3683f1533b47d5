"""Read, write, read: equal tables, and equal bytes where the spelling of a format is ours; also of files that no writer of ours made."""

import random
from dataclasses import replace
from functools import cache

import pandas as pd
import pytest

from each import each
from label_examples import EXAMPLES, rate_of, read_files, write_files
from label_makers import MAKERS
from scrubin.base.errors import AnnotationError
from scrubin.labels.files import loss
from scrubin.labels.files.loss import Fit
from scrubin.labels.files.output import render, writer_of
from scrubin.labels.rates import of_clock
from scrubin.labels.registry import WRITERS, readable

WRITABLE = [name for name in EXAMPLES if name in WRITERS]
OF_OTHER_SPELLING = {"aixsuture", "boris", "cvat-images", "cvat-video", "elan", "jigsaws", "label-studio", "labelme"}
OF_OTHER_SPELLING |= {"masks-png", "via3", "vidat", "yolo-pose", "yolo-seg"}
"""Those spelled by tools of their own: LabelMe's keys, the XML of a workbook, irregular tabs, lists in no fixed order."""
OF_TABLES = [name for name in EXAMPLES if name not in ("aixsuture", "cvschallenge", "endoscapescvs", "jigsaws", "lasana")]
"""Those that our tables hold: a test of its own looks closely at each."""
OF_SPANS = ("boris", "elan", "spans", "via3", "vidat")
"""Formats that have spans of instruments."""
SAID = {"yolo-seg": {"image_size": (640, 480)}}
"""What a user has to say of a format, which no file does."""
OF_PIXELS = ("yolo-seg",)
"""Corners anywhere become edges of pixels; from then on, all is the same."""


@cache
def example(name):
    """Read the example of a format, once: what is made of it must leave it as it was."""
    first = read_files(name, EXAMPLES[name], **SAID.get(name, {}))
    return again(name, write_files(name, first)) if name in OF_PIXELS else first


def again(name, out):
    """Read what was written."""
    return read_files(name, {f"out/{file}": data for file, data in out.files.items()}, **SAID.get(name, {}))


def assert_same(one, other):
    assert [labels.recording for labels in one.recordings] == [labels.recording for labels in other.recordings]
    for a, b in zip(one.recordings, other.recordings, strict=True):
        assert a.vocabulary.name == b.vocabulary.name
        assert a.clock == b.clock
        assert a.detail == b.detail
        for name in ("phases", "instances", "marks"):
            layer, again = getattr(a, name), getattr(b, name)
            assert (layer is None) == (again is None), name
            if layer is not None:
                assert layer.positions.tolist() == again.positions.tolist()
                pd.testing.assert_frame_equal(layer.rows, again.rows)
        for name in ("segments", "frames", "spans"):
            frame, again = getattr(a, name), getattr(b, name)
            assert (frame is None) == (again is None), name
            if frame is not None:
                pd.testing.assert_frame_equal(frame, again)
    assert (one.scores is None) == (other.scores is None)
    if one.scores is not None:
        for name in ("ratings", "facts", "errors", "skill"):
            key = [column for column in ("task", "id", "rater", "aspect", "error") if column in getattr(one.scores, name)]
            first, second = (getattr(scores, name).sort_values(key, ignore_index=True) for scores in (one.scores, other.scores))
            pd.testing.assert_frame_equal(first, second)


def test_every_format_has_an_example():
    of_scores = {"matrices", "box-lists", "phase-tables", "coco-results", "mark-tables", "cvschallenge-outputs", "ground-truth"}
    of_scores |= {"cholectrack20-txt", "phase-spans"}
    assert set(readable()) == {*EXAMPLES, "tables", *of_scores}
    assert set(WRITERS) == {*WRITABLE, "tables", "tables-csv"}


@pytest.mark.slow
@each("name", WRITABLE)
def test_what_was_written_reads_the_same(name):
    first = example(name)
    out = write_files(name, first)
    assert not out.losses
    assert_same(first, again(name, out))


@each("name", [name for name in WRITABLE if name not in OF_OTHER_SPELLING])
def test_what_was_written_has_the_same_bytes(name):
    out = write_files(name, example(name))
    ours = {
        file.rsplit("/", 1)[-1] if name not in ("cholect45", "cvschallenge", "endoscapes", "sarrarp50", "yolo", "yolo4") else file: data
        for file, data in out.files.items()
    }
    for file, data in EXAMPLES[name].items():
        found = next(of for of in ours if file.endswith(of))
        assert ours[found] == data, file


@each("name", WRITABLE)
def test_a_second_round_changes_no_byte(name):
    once = write_files(name, example(name)).files
    twice = write_files(name, read_files(name, {f"out/{file}": data for file, data in once.items()}, **SAID.get(name, {}))).files
    assert once == twice


@pytest.mark.slow
@pytest.mark.parametrize("target", ["tables", pytest.param("tables-csv", marks=pytest.mark.slow)])
@each("name", OF_TABLES)
def test_our_tables_hold_what_they_say_they_hold(name, target):
    first = example(name)
    fps = rate_of(name)
    kept, losses = loss.fitted(first, writer_of(target), Fit(name, source_fps=fps))
    out = render(kept, writer_of(target))
    assert all(count > 0 for count in (losses + out.losses).values())
    again = read_files("tables", {f"t/{file}": data for file, data in out.files.items()})
    for a, b in zip(kept.recordings, again.recordings, strict=True):
        for layer in ("phases", "instances"):
            one, other = getattr(a, layer), getattr(b, layer)
            assert (one is None) == (other is None)
            if one is not None:
                assert one.positions.tolist() == other.positions.tolist()
                # Given numbers of instances are in the table spans.
                rows = one.rows.drop(columns="number", errors="ignore")
                if "points" in rows:  # a table has them in the order of their names
                    rows["points"] = [value if value is None else tuple(sorted(value)) for value in rows["points"]]
                pd.testing.assert_frame_equal(rows, other.rows, check_like=True)
        assert a.vocabulary.triplets == b.vocabulary.triplets


@pytest.mark.cases(8)
@pytest.mark.parametrize("name", EXAMPLES)
@each("target", WRITERS)
def test_every_pair_is_converted_or_refused_with_the_pairs_that_make_sense(name, target):
    if name in OF_TABLES and target in ("tables", "tables-csv"):
        return
    collection = example(name)
    fit = Fit(name, source_fps=rate_of(name), image_size=(854, 480))
    writer, refused = writer_of(target), ""
    try:
        kept, losses = loss.fitted(collection, writer, fit)
        out = render(kept, writer)
    except AnnotationError as error:
        refused = str(error)
    if refused:
        known = ("make sense", "needs", "numbers its videos", "no column for the task", "cannot hold", "one by one", "by --to-fps")
        assert any(words in refused for words in known), refused
        return
    assert all(count > 0 for count in (losses + out.losses).values())
    options = (
        {"vocabulary": kept.recordings[0].vocabulary.name}
        if target in ("labelme", "multibypass140", "cholect45", "cholect50", "spans")
        else {}
    )
    if options.get("vocabulary", "").startswith("own-"):
        return  # such words are only in the file that they come from
    again = read_files({"tables-csv": "tables"}.get(target, target), {f"out/{file}": data for file, data in out.files.items()}, **options)
    assert len(again.recordings) == len(kept.recordings)
    if target in OF_SPANS and name != target and kept.recordings[0].spans is None:
        # Spans are compared frame by frame, at the rate that they come from.
        rate = of_clock(kept.recordings[0].clock, fit.source_fps).per_second
        (kept, _), (again, _) = (loss.fitted(one, writer_of("tables"), replace(fit, to_fps=rate)) for one in (kept, again))
        for a, b in zip(kept.recordings, again.recordings, strict=True):
            assert [None if one.phases is None else one.phases.positions.tolist() for one in (a, b)].count(None) in (0, 2)
            assert a.phases is None or a.phases.rows.equals(b.phases.rows)
    for a, b in zip(kept.recordings, again.recordings, strict=True):
        counts = [None if labels.instances is None else len(labels.instances.rows) for labels in (a, b)]
        if counts[0] is None and counts[1] == 0:
            assert any("look as if there were none" in what for what in out.losses)
        elif not any("labelled frames between every" in what for what in out.losses):
            # A picture of classes has all instances of a class as one.
            joined = 0 if target != "masks-png" else int(a.instances.rows.duplicated(["position", "instrument_id"]).sum())
            assert counts[0] == (counts[1] if not joined else counts[1] + joined)
        assert (a.phases is None) == (b.phases is None)


SEEDS = range(6)


def stated(labels):
    """Return what labels say, as the makers state it."""
    rows = labels.instances.rows.astype(object)
    rows = rows.where(rows.notna(), None)
    ids = rows[["position", "instrument_id", "verb_id", "target_id", "triplet_id"]].itertuples(index=False, name=None)
    boxes = rows[["x", "y", "w", "h"]].itertuples(index=False, name=None)
    instances = sorted(((*one, None if where[0] is None else list(where)) for one, where in zip(ids, boxes, strict=True)), key=str)
    phases = {} if labels.phases is None else dict(labels.phases.rows[["position", "phase_id"]].itertuples(index=False, name=None))
    return {"instances": instances, "frames": labels.instances.positions.tolist(), "phases": phases}


def assert_said(labels, expected, seed):
    found = stated(labels)
    assert found["frames"] == expected["frames"], seed
    assert found["phases"] == expected["phases"], seed
    assert len(found["instances"]) == len(expected["instances"]), seed

    # Shares are rounded in pixels or in six digits: sorted by ids, boxes are near to those made.
    def key(one):
        return (*(-1 if part is None else part for part in one[:5]), [] if one[5] is None else [round(side, 2) for side in one[5]])

    for one, other in zip(sorted(found["instances"], key=key), sorted(expected["instances"], key=key), strict=True):
        assert one[:5] == other[:5], seed
        assert (one[5] is None) == (other[5] is None), seed
        if one[5] is not None:
            assert one[5] == pytest.approx(other[5], abs=2e-6), seed


@pytest.mark.cases(10)
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_made_file_is_read_as_what_it_was_made_of_and_so_is_what_is_written(name, seed):
    files, expected = MAKERS[name](random.Random(seed))
    collection = read_files(name, files)
    assert [labels.recording for labels in collection.recordings] == sorted(expected)
    for labels in collection.recordings:
        assert_said(labels, expected[labels.recording], seed)
    written = write_files(name, collection)
    assert not written.losses
    again = read_files(name, {f"out/{file}": data for file, data in written.files.items()})
    for labels in again.recordings:
        assert_said(labels, expected[labels.recording], seed)
    assert write_files(name, again).files == written.files
