"""What an instrument does from when to when, however a file says it, is written at the same time by every format that holds spans."""

from __future__ import annotations

import json
from fractions import Fraction

from each import each
from scrubin.base.vocabulary import vocabulary
from scrubin.cli import main
from scrubin.labels import instance_spans
from scrubin.labels.files import loss
from scrubin.labels.files.loss import Fit
from scrubin.labels.files.output import writer_of
from scrubin.labels.files.reader import Options, read_path
from scrubin.labels.model import Clock, Collection, Labels, segment_rows, span_rows
from scrubin.labels.rates import Numbering, covered, of_clock
from scrubin.labels.registry import WRITERS

OF_SPANS = sorted(name for name, writer in WRITERS.items() if "spans" in writer.holds)
OF_TIME = [name for name in OF_SPANS if WRITERS[name].phases_as_spans]
FIRST, END = 21, 120
HEADER = "instrument,instance,start_{0},end_{0},verb,target,vocabulary\n"
OF_PAGE = {"scrubin_labels": 1, "vocabulary": "cholect50", "frames": 500}
ACTION = {"actions": [{"first": FIRST, "end": END, "label": "grasper"}]}
PHASES = {"phases": [{"first": 0, "end": 50, "label": "preparation"}], "steps": []}
SHOWN = {"shown": [FIRST, END], "interpolation": "linear"}
BOX = SHOWN | {"boxes": [{"track": 1, "frame": frame, "label": "grasper", "box": [0.1, 0.1, 0.5, 0.5]} for frame in (FIRST, END - 1)]}
POINT = SHOWN | {"points": [{"track": 1, "frame": at, "label": "grasper", "point": "tip", "at": [0.1, 0.2]} for at in (FIRST, END - 1)]}
INSTANTS = {"triplets": [{"frame": frame, "triplets": [{"label": "grasper"}]} for frame in range(FIRST, END)]}


def of_page(said, fps=None):
    return "op.labels.json", json.dumps(OF_PAGE | said | ({} if fps is None else {"fps": fps}))


def of_rows(unit, start, end):
    return "op.csv", f"{HEADER.format(unit)}grasper,0,{start},{end},,,cholect50\n"


SAID = {
    "frames of a file that states its rate": (of_page(ACTION, "25"), (), "25"),
    "frames of a rate that is no whole number": (of_page(ACTION, "30000/1001"), (), "30000/1001"),
    "frames beside phases": (of_page(ACTION | PHASES, "25"), (), "25"),
    "frames whose rate somebody says": (of_page(ACTION), ("--fps", "50"), "50"),
    "rows of frames": (of_rows("frame", FIRST, END), ("--fps", "25"), "25"),
    "rows of frames from 1": (of_rows("frame", FIRST + 1, END + 1), ("--fps", "25", "--first-frame", "1"), "25"),
    "rows of seconds": (of_rows("s", 0.84, 4.8), ("--fps", "30"), "25"),
    "rows of milliseconds": (of_rows("ms", 840, 4800), (), "25"),
    "boxes of every frame": (of_page(BOX, "25"), (), "25"),
    "points of every frame": (of_page(POINT, "30000/1001"), (), "30000/1001"),
    "sets of every frame": (of_page(INSTANTS, "25"), (), "25"),
}


def converted(folder, file, to, *more):
    """Convert a file, and return its exit code."""
    name, text = file
    (folder / name).write_text(text, encoding="utf-8")
    return main(["convert", str(folder / name), "--to", to, "--out", str(folder / "out"), *more])


def in_frames(folder, fps):
    """The frames at a rate in which something is written to be in view."""
    (labels,) = read_path(folder / "out", None, Options()).collection.recordings
    table = labels.spans if labels.spans is not None else instance_spans.of_layer(labels.instances)
    of, to = of_clock(labels.clock, None), Numbering(Fraction(fps))
    table = table[table["instrument_id"].notna()]
    return [covered(start, end, of, to) for start, end in zip(table["start"].tolist(), table["end"].tolist(), strict=True)]


PAIRS = {(said, to) for said in SAID for to in ("elan", "tables-csv")}
PAIRS |= {(said, to) for to in OF_SPANS for said in ("frames of a rate that is no whole number", "rows of seconds")}


@each("said, to", sorted(PAIRS))
def test_a_span_is_written_at_its_time(tmp_path, said, to):
    file, more, fps = SAID[said]
    exact = ("--to-fps", fps) if to == "tables-csv" else ()
    assert converted(tmp_path, file, to, *more, *exact) == 0
    assert in_frames(tmp_path, fps) == [(FIRST, END)]


def test_frames_of_a_known_rate_are_seconds_in_a_table_of_spans(tmp_path, capsys):
    assert converted(tmp_path, of_page(ACTION, "25"), "spans") == 0
    assert (tmp_path / "out" / "op.csv").read_text().splitlines()[1].startswith("grasper,0,0.84,4.8,")
    assert "which no file of it states" not in capsys.readouterr().err


UNKNOWN = {"of the page": of_page(ACTION | PHASES), "in rows": of_rows("frame", FIRST, END)}


@each("file", UNKNOWN)
def test_frames_of_an_unknown_rate_stay_frames_and_are_never_taken_for_seconds(tmp_path, capsys, file):
    assert converted(tmp_path, UNKNOWN[file], "spans") == 0
    header, row = (tmp_path / "out" / "op.csv").read_text().splitlines()
    assert (header.split(",")[2:4], row.split(",")[2:4]) == (["start_frame", "end_frame"], [str(FIRST), str(END)])
    capsys.readouterr()
    for to, more in (*((name, ()) for name in OF_TIME), ("spans", ("--to-fps", "5")), ("spans", ("--only-instruments",))):
        assert converted(tmp_path, UNKNOWN[file], to, *more) == 1
        assert "numbered by frames of a source whose rate no file states" in capsys.readouterr().err


def test_phases_of_an_unknown_rate_are_refused_as_seconds_and_one_a_second_is_a_rate(tmp_path, capsys):
    assert converted(tmp_path, of_page(PHASES), "elan") == 1
    assert "say how many frames per second the videos have by --fps" in capsys.readouterr().err
    assert converted(tmp_path, of_page(PHASES), "elan", "--fps", "1") == 0


def test_frames_before_the_first_one_are_refused(tmp_path, capsys):
    assert converted(tmp_path, of_rows("frame", 0, 5), "elan", "--fps", "25", "--first-frame", "1") == 1
    assert "a span starts at 0, before the first number, 1; correct --first-frame" in capsys.readouterr().err


def test_phases_and_actions_of_one_file_are_counted_from_the_same_first_frame():
    words = vocabulary.load("cholect50")
    second = {"start": 26, "end": 51}
    spans = span_rows([{"instrument_id": 0, "instance": 0, **second}])
    labels = Labels(
        "op",
        "made",
        words,
        Clock(Fraction(1, 25)),
        segments=segment_rows([("phase", *second.values(), 0)]),
        spans=spans,
        detail="instrument",
    )
    for to, fps in (("tables", Fraction(25)), ("tables", None), ("elan", Fraction(25))):
        (kept,) = loss.fitted(Collection((labels,)), writer_of(to), Fit("made", to_fps=fps, first=1))[0].recordings
        segments, instances = kept.segments, kept.instances
        rate, own = 1 / kept.clock.period_s, 1 / (kept.segments_clock or kept.clock).period_s
        assert segments[["start", "end"]].to_numpy().tolist() == [[own, 2 * own]]
        assert instances.positions.tolist() == list(range(int(rate), int(2 * rate)))
