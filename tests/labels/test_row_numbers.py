"""Rows of tables are numbered by what their columns say; by their place only where no column could say otherwise."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import numpy as np
import pytest

from label_examples import faults_of, read_files, said
from score_runs import fault, good, sides
from scrubin import cli
from scrubin.base.errors import AnnotationError, ScrubinError
from scrubin.evaluate.series import paired
from scrubin.evaluate.side import Source
from scrubin.evaluate.tasks import phases
from scrubin.labels.files.detect import detected
from scrubin.labels.files.reader import Options, read_path
from scrubin.labels.rates import fits, likely_fps
from scrubin.labels.registry import format_of

FRAMES = 140
PHASES = [7 * frame // FRAMES for frame in range(FRAMES)]
ORDERS = {
    "as text": sorted(range(FRAMES), key=str),
    "backwards": list(range(FRAMES))[::-1],
    "shuffled": random.Random(0).sample(range(FRAMES), FRAMES),
}
FRAME_NAMES = ("frame_id", "FrameNo", "frame_no", "frame_number", "Frame-Num", "Frame ID", "image_id", "int_frame")
SECOND_NAMES = ("time", "second", "t", "int_time", "Time (s)", "timestamp")


def table(name, order, written=str, phases_of=PHASES):
    return f"{name},phase\n" + "".join(f"{written(frame)},{phases_of[frame]}\n" for frame in order)


def clock(second):
    return f"{second // 3600:02d}:{second % 3600 // 60:02d}:{second % 60:02d}"


def read(text, name="a.csv"):
    """Frames and phases by recording, and the rules of the faults."""
    files = {f"d/{name}": text.encode() if isinstance(text, str) else text}
    recordings = read_files("phase-tables", files).recordings
    return {one.recording: (one.phases.positions.tolist(), one.phases.rows["phase_id"].tolist()) for one in recordings}


def errors(text, name="a.csv", form="phase-tables"):
    files = {f"d/{name}": text.encode() if isinstance(text, str) else text}
    return [one.sentence for one in faults_of(form, files) if one.severity == "error"]


def archive(path, **arrays):
    np.savez(path, **arrays)
    return path.read_bytes()


@pytest.mark.parametrize("order", ORDERS)
def test_every_known_name_of_frames_and_seconds_orders_the_rows(order):
    wanted = {"a": (list(range(FRAMES)), PHASES)}
    for name in (*FRAME_NAMES, *SECOND_NAMES):
        assert read(table(name, ORDERS[order])) == wanted, name
    assert read(table("timestamp", ORDERS[order], clock)) == wanted
    assert read(table("time_ms", ORDERS[order], lambda second: 1000 * second)) == wanted
    assert read(table("Frame ID", ORDERS[order]).replace(",", "\t"), "a.tsv") == wanted
    assert read(table("FRAME_ID", ORDERS[order]).replace(",", ";")) == wanted


def test_a_perfect_prediction_in_any_order_is_perfect_for_every_command(tmp_path, capsys):
    for side, text in (("truth", table("frame", range(FRAMES))), ("found", table("FrameNo", ORDERS["as text"]))):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.csv").write_text(text)
    truth, found = tmp_path / "truth", tmp_path / "found"
    for one, other in ((truth, found), (found, truth)):
        said = good(capsys, "phases", "--ground-truth", one, "--predictions", other, "--json").out
        assert json.loads(said)["results"][0]["overall"]["value"] == 1.0
    assert cli.main(["submission", "check", str(found), "--ground-truth", str(truth)]) == 1  # the name of the column alone
    assert "140 frames looked at; 1 problem: 0 errors, 1 deviation" in capsys.readouterr().out
    rank = ["rank", str(found), "--metric", "phases", "--ground-truth", str(truth), "--resamples", "5", "--json"]
    assert cli.main(rank) == 0
    assert json.loads(capsys.readouterr().out)["teams"][0]["score"] == 1.0


@pytest.mark.parametrize("name", ["foo", "", "Unnamed: 0", "id", "surgeon"])
def test_a_column_that_nobody_understands_stops_rows_from_being_numbered_by_their_place(name):
    (told,) = errors(table(name, ORDERS["shuffled"]))
    column = repr(name) if name else "without a name"
    assert f"nothing known numbers the rows, and the column {column} may do it; call it 'frame'" in told


def test_a_score_of_either_side_is_refused_where_a_column_may_number_the_rows(tmp_path, capsys):
    for side, text in (("truth", table("frame", range(FRAMES))), ("found", table("foo", ORDERS["shuffled"]))):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.csv").write_text(text)
    wanted = "nothing known numbers the rows, and the column 'foo' may do it; call it 'frame'"
    assert wanted in fault(capsys, *sides(tmp_path, "phases"))
    assert wanted in fault(capsys, "phases", "--ground-truth", tmp_path / "found", "--predictions", tmp_path / "truth")


def test_columns_that_cannot_number_rows_do_not_matter():
    assert read(",phase\n0,2\n1,3\n") == {"a": ([0, 1], [2, 3])}  # as pandas counts rows
    assert read('"","phase"\n"1",2\n"2",3\n') == {"a": ([0, 1], [2, 3])}  # as R does
    assert read("phase,confidence,prob_1\n2,0.9,0.1\n3,0.8,0.1\n") == {"a": ([0, 1], [2, 3])}
    assert read("Grasper,frame,phase,surgeon\n0,1,3,x\n0,0,2,y\n") == {"a": ([0, 1], [2, 3])}
    assert read("frame,phase,\n0,2,\n1,3,\n") == {"a": ([0, 1], [2, 3])}
    assert errors("phase,score\n2,1\n3,0\n") == [
        "d/a.csv, line 1: nothing known numbers the rows, and the column 'score' may do it; "
        "call it 'frame', 'seconds' or 'video' if it does, else leave it out"
    ]


def test_a_column_of_videos_makes_several_recordings_and_no_frame_between_two_rows():
    text = "VideoID;FrameNo;Phase\n269;400;2\n270;350;2\n269;1;1\n270;1;1\n269;900;3\n"
    assert read(text) == {"269": ([1, 400, 900], [1, 2, 3]), "270": ([1, 350], [1, 2])}
    assert [one.rule for one in faults_of("phase-tables", {"a.csv": text.encode()})] == ["delimiter", "header", "phase-starts"]
    assert read("int_video,int_time,phase\n1,1,3\n1,0,2\n") == {"a": ([0, 1], [2, 3])}
    assert read("video,phase\nx,2\nx,3\ny,1\n") == {"x": ([0, 1], [2, 3]), "y": ([0], [1])}
    assert "the column 'video' may do it" in errors("video,phase\nx,2\ny,3\nx,1\n")[0]
    assert "'../x' is no name of a video" in errors("video,frame,phase\n../x,0,2\ny,0,2\n")[0]
    assert "may do it" in errors("video,index,phase\nx,0,2\nx,1,2\ny,2,1\n")[0]
    # An id of rows is none of videos.
    assert read("id,frame,phase\n7,1,3\n8,0,2\n") == {"a": ([0, 1], [2, 3])}


@pytest.mark.parametrize(
    "text",
    [
        "timestamp,phase\n00:00:00,a\n00:02:00,b\n00:09:30,c\n",
        "timestamp,phase\n00:00:00,a\n00:02:00,b\n",
        "time_ms,phase\n0,a\n120000,b\n150000,c\n",
        "frame,phase\n0,a\n3000,b\n3600,c\n",
    ],
)
def test_a_list_of_where_phases_start_is_told_to_label_these_frames_only(text):
    (told,) = [fault for fault in faults_of("phase-tables", {"d/a.csv": text.encode()}) if fault.severity == "warning"]
    assert (told.rule, told.fix) == ("phase-starts", "only these frames have a label: write a row per frame")


@pytest.mark.parametrize(
    "text",
    [
        "time,phase\n0,a\n1,b\n",
        "time,phase\n0,a\n0.033,b\n0.067,c\n",
        "time,phase\n0,a\n120,b\n240,c\n",
        "time,phase\n0,a\n120,b\n150,b\n",
        "frame,phase\n0,a\n1,b\n9,c\n",
        "time_s,phase,end\n0,2,1\n1,2,2\n2,3,1e300\n",
    ],
)
def test_rows_of_frames_are_no_list_of_where_phases_start(text):
    assert "phase-starts" not in [fault.rule for fault in faults_of("phase-tables", {"d/a.csv": text.encode()})]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("time,end,phase\n0,10,Preparation\n10.5,20,b\n", "end"),
        ("frame,end_frame,phase\n0,99,Preparation\n100,120,b\n", "end_frame"),
        ("frame,EndTime,phase\n0,00:10,Preparation\n", "EndTime"),
        ("time_s,phase,duration\n0,Preparation,10\n10,b,12\n", "duration"),
        ("frame,phase,end\n0,Preparation,99\n100,b,199\n200,c,299\n", "end"),
        ("frame,phase,end\n0,Preparation,99\n100,Preparation,199\n200,b,299\n", "end"),
        # Windows of one length, the last one shorter or not; spans that tile, of which one is long; times in milliseconds; a gap.
        ("frame,phase,duration\n0,a,250\n250,a,250\n500,a,250\n750,b,180\n", "duration"),
        ("second,phase,duration\n0,a,30\n30,a,30\n60,b,30\n", "duration"),
        ("frame,phase,end\n0,a,1\n1,a,2\n2,a,3\n3,b,900\n", "end"),
        ("frame,phase,end\n0,a,0\n1,a,1\n2,a,2\n3,b,899\n", "end"),
        ("time_ms,phase,end_ms\n0,a,500\n500,a,1000\n1000,b,9000\n", "end_ms"),
        ("frame,phase,end\n0,a,25\n25,a,50\n50,a,75\n200,b,225\n", "end"),
        # Up to 2 s, but not by the second.
        ("time_s,phase,end\n0.0,a,0.8\n0.8,a,1.7\n1.7,b,2.5\n2.5,b,4.4\n", "end"),
        ("time_s,phase,end\n0.0,a,0.5\n0.5,a,1.0\n1.0,b,2.8\n", "end"),
        # Whatever the starts are called, and in a language that nobody knows the ends, too.
        ("start_s;end_s;phase\n0;10,5;a\n10,5;20;b\n", "end_s"),
        ("start;end;phase\n0;10;a\n10;20;b\n20;40;a\n", "end"),
        ("seconds;bis;phase\n0;10;a\n10;25;b\n25;40;a\n", "bis"),
        ("seconds;bis;phase\n0;10,5;a\n10,5;25;b\n25;40;a\n", "bis"),
        ("frame,phase,dauer\n0,a,250\n250,b,100\n350,a,90\n", "dauer"),
        # Also of one length.
        ("seconds;bis;phase\n0;10;a\n10;20;b\n20;30;c\n", "bis"),
        ("seconds;bis;phase\n0;10;a\n10;20;a\n20;30;b\n", "bis"),
        *((f"seconds;{end};phase\n0;8;a\n10;17;a\n20;29;b\n", end) for end in ("ende", "fin", "hasta", "dauer", "dur\u00e9e", "Duree_s")),
        # Not called an end at all.
        ("seconds,x,phase\n0,10,a\n10,25,b\n25,40,a\n40,60,b\n", "x"),
    ],
)
def test_rows_with_an_end_are_spans_and_are_refused(text, name):
    (told,) = errors(text)
    assert f"{name} says where rows end: these are spans, and here a row is one frame; read spans as the format phase-spans" in told


TILING = ((0, 120, "a"), (120, 400, "b"), (400, 520, "c"), (520, 900, "d"), (900, 950, "e"), (950, 1100, "f"), (1100, 1300, "g"))
SHAPES = {
    "tiling": TILING,
    "last frames": [(start, end - 1, phase) for start, end, phase in TILING],
    "one gap": [(start, end - 20 * (start == 520), phase) for start, end, phase in TILING],
    "gaps": [(start, end - 5 * (at % 2), phase) for at, (start, end, phase) in enumerate(TILING)],
    "overlap": [(start, end + 10 * (start == 400), phase) for start, end, phase in TILING],
    "lengths": [(start, end - start, phase) for start, end, phase in TILING],
    "three": TILING[:3],
    "two": TILING[:2],
    "a phase twice": [*TILING[:3], (520, 880, "d"), *TILING[4:], (1300, 1400, "g")],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("start", ["frame", "time", "index"])
@pytest.mark.parametrize("end", ["koniec", "\u7d42\u4e86", "Bis_Frame", "to", "konec", "x"])
def test_spans_are_refused_whatever_their_ends_are_called(start, end, shape):
    named, counted = ("index,from", "{at},") if start == "index" else (start, "")
    rows = "".join(f"{counted.format(at=at)}{since},{until},{phase}\n" for at, (since, until, phase) in enumerate(SHAPES[shape]))
    if (start, shape) == ("index", "lengths") and end != "to" and end not in ("koniec", "\u7d42\u4e86", "Bis_Frame"):
        return  # nothing tells two columns of numbers from starts and lengths
    (told,) = errors(f"{named},{end},phase\n{rows}")
    assert f"{end} says where rows end" in told


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("index,start_time,end_time,phase\n0,0,10,a\n1,10.5,20,b\n", "end_time"),
        ("idx,Start,Stop,Label\n1,00:00,02:00,a\n2,02:00,09:30,b\n", "Stop"),
        ("video,index,from,to,phase\nv,0,0,120,0\nv,1,120,400,1\nw,0,0,90,0\nw,1,90,300,1\n", "to"),
        ("index,from,to,phase\n0,0,100,a\n1,100,200,a\n2,200,300,a\n3,300,400,b\n", "to"),
        ("index,end,phase\n0,120,a\n1,400,b\n2,520,c\n", "end"),
        ("index,from,to,phase\n0,0,10,a\n1,100,110,b\n2,200,210,a\n", "to"),
        ("index,start,end,phase\n0,0,40,a\n", "end"),
        ("index,start,length,phase\n0,0,120,a\n1,120,280,b\n", "length"),
        ("Startzeit,Schluss,Phase\n0,10,a\n10,20,b\n", "Schluss"),
        ("timestamp,x,phase\n0:00:00,0:02:00,a\n0:02:00,0:09:30,b\n0:09:30,0:11:00,c\n", "x"),
    ],
)
def test_an_index_or_a_clock_beside_spans_makes_them_no_frames(text, name):
    (told,) = errors(text)
    assert f"{name} says where rows end" in told


def test_what_stands_beside_an_index_is_said_not_to_be_read():
    (told,) = [one.what for one in faults_of("phase-tables", {"d/a.csv": b"index,at,phase\n0,25,1\n1,50,1\n"}) if one.severity == "warning"]
    assert told == "the rows are numbered by 'index'; not read: at"


PER_FRAME = [25 * row for row in range(40) if row not in (7, 30)]


@pytest.mark.parametrize(
    "name", ["zeit_ms", "uhr", "original", "frame_60", "tools", "confidence", "pulse", "fps", "film_frames", "file_no"]
)
@pytest.mark.parametrize("start", ["frame", "index"])
def test_a_row_per_frame_is_read_whatever_stands_beside_it(start, name):
    cells = {
        "zeit_ms": lambda frame: 40 * frame,
        "uhr": lambda frame: clock(33_000 + frame // 25),
        "original": lambda frame: frame + 13,
        "frame_60": lambda frame: frame * 60 // 25,
        "tools": lambda frame: frame % 4,
        "confidence": lambda frame: 0.9 - frame % 7 / 10,
        "pulse": lambda frame: 60 + frame % 11,
        "fps": lambda frame: 25,
        "film_frames": lambda frame: 1000,
        "file_no": lambda frame: frame + 1,
    }[name]
    header, counted = (start, "") if start == "frame" else ("index,at", "{row},")
    rows = (f"{counted.format(row=row)}{frame},{cells(frame)},{7 * row // 38}\n" for row, frame in enumerate(PER_FRAME))
    assert len(read(f"{header},{name},phase\n{''.join(rows)}")["a"][0]) == 38


def test_a_table_of_names_of_columns_alone_has_no_frames():
    assert errors("index,from,to,phase\n") == ["d/a.csv: has no frames; give a row per frame"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("video,frame,phase,duration\nx,0,2,60\nx,1,2,60\nx,2,3,60\ny,0,2,90\ny,1,3,90\n", "duration"),
        ("video,frame,phase,duration\nx,0,2,60\nx,25,2,60\nx,50,3,60\ny,0,2,90\ny,25,2,90\n", "duration"),
        ("frame,phase,end\n0,2,1\n1,2,2\n2,3,3\n", "end"),
        ("frame,phase,phase_end\n0,2,0\n1,2,0\n2,3,9\n", "phase_end"),
        ("time,phase,frame_end\n0.0,2,25\n1.0,2,50\n", "frame_end"),
        # The last row ends with its film.
        ("time_s,phase,end\n0,2,1\n1,2,2\n2,3,3.4\n", "end"),
        ("time_s,phase,end\n0,2,0.5\n0.5,2,1.0\n1.0,3,1.9\n", "end"),
        ("time_s,phase,end\n0,2,1\n1,2,2\n2,2,3\n4,2,5\n5,3,6.4\n", "end"),
        ("time_s,phase,duration\n0,2,1\n1,2,1\n2,2,1\n4,2,1\n5,3,1.4\n", "duration"),
    ],
)
def test_a_row_per_frame_ends_nothing_whatever_a_column_is_called(text, name):
    (told,) = [one.what for one in faults_of("phase-tables", {"d/a.csv": text.encode()}) if one.rule == "column-end"]
    assert told == f"there is a row per frame; not read: {name}"
    assert read(text)


@pytest.mark.parametrize("name", ["endoscope", "endobag", "end", "Stop", "end_frame"])
def test_a_column_that_ends_nothing_does_not_matter(name):
    cells = {"endoscope": ("3", "4"), "endobag": ("3", "4"), "end": ("0", "1")}.get(name, ("", ""))
    assert read(f"frame,{name},phase\n0,{cells[0]},2\n1,{cells[1]},3\n") == {"a": ([0, 1], [2, 3])}


@pytest.mark.parametrize(
    "text",
    [
        "seconds,age,phase\n0,30,2\n30,30,3\n",
        "seconds,images,phase\n0,12,2\n12,23,3\n35,12,2\n50,20,3\n",
        # The bispectral index of anaesthesia, and finer labels.
        "seconds,BIS,phase\n0,45,2\n10,52,3\n25,41,2\n40,60,3\n",
        "seconds,fine,phase\n0,21,2\n10,33,3\n25,20,2\n40,35,3\n",
    ],
)
def test_a_few_numbers_that_meet_by_chance_are_no_ends(text):
    assert read(text)


def test_two_columns_that_may_number_rows_must_agree_or_it_is_said():
    assert read("frame,time,phase\n25,1,3\n0,0,2\n") == {"a": ([0, 25], [2, 3])}
    assert "line 3: 'time' goes back to 0 where the rows go on" in errors("frame,time,phase\n0,1,2\n1,0,2\n")[0]
    assert read("image_id,frame_no,phase\n1,1,3\n0,0,2\n") == {"a": ([0, 1], [2, 3])}
    assert "image_id, frame_no could all be meant" in errors("image_id,frame_no,phase\n5,1,3\n0,0,2\n")[0]
    rules = [one.rule for one in faults_of("phase-tables", {"a.csv": b"frame,image_id,phase\n1,7,3\n0,9,2\n"})]
    assert rules == ["frame-other"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("time,phase\n01:02,1\n", "'01:02' is no time from 0; write seconds, or 0:01:02.5"),
        ("time,phase\n-1,1\n", "'-1' is no time from 0"),
        ("FrameNo,phase\n-1,1\n", "'-1' is no frame number"),
        ("FrameNo,phase\n1.5,1\n", "'1.5' is no frame number"),
        ("FrameNo,phase\n7,1\n7,2\n", "line 3: frame 7 is also in line 2"),
        ("t,phase\n0.5,1\n0.50,2\n", "line 3: second 0.5 is also in line 2"),
        ("time,phase\n0,1\n1000,1\n2000,2\n", "are whole thousands: seconds, or milliseconds?; call the column time_s or time_ms"),
        ("step\nprep\nprep\ncut\ncut\n", "'step' in the first line stands nowhere else: the name of the column, or a phase of one frame?"),
    ],
)
def test_numbers_that_are_not_clear_are_refused(text, expected):
    assert expected in errors(text)[0]


def predicted(tmp_path, truth, found, **rates):
    """Share of right phases, frame by frame."""
    for side, text in (("truth", truth), ("found", found)):
        (tmp_path / side).mkdir(exist_ok=True)
        (tmp_path / side / "a.csv").write_text(text)
    labelled = phases.truth_of(Source(tmp_path / "truth", fps=rates.get("fps")))
    of_run = phases.predictions_of(Source(tmp_path / "found", fps=rates.get("predictions_fps")), labelled)
    (pair,) = paired(labelled.series, of_run.series).pairs.values()
    return float(np.mean(labelled.series["a"].values[pair.truth] == of_run.series["a"].values[pair.prediction])), len(pair.frames)


def beside(rate, seconds=lambda second: f"{second:.2f}", **columns):
    rows = (f"{frame},{seconds(frame / rate)},{PHASES[frame]}\n" for frame in range(FRAMES))
    return f"frame,{columns.get('name', 'seconds')},phase\n" + "".join(rows)


ROUNDINGS = [
    (1, str),
    (25, str),
    (25, lambda at: f"{int(at)}"),
    (25, round),
    (30, lambda at: f"{at:.3f}"),
    (12.5, str),
    (30000 / 1001, lambda at: f"{at:.2f}"),
    (60, lambda at: f"{at:.2f}"),
    (25, lambda at: f"0:00:{at:05.2f}"),
    (25, lambda at: f"{at + 36000.5:.2f}"),  # of the clock of a recorder
]


@pytest.mark.parametrize(("rate", "seconds"), ROUNDINGS)
def test_seconds_beside_frames_number_nothing_and_fit_their_rate_alone(rate, seconds):
    (labels,) = read_files("phase-tables", {"d/a.csv": beside(rate, seconds).encode()}).recordings
    assert (labels.counts_time, labels.source_fps, labels.phases.positions.tolist()) == (False, None, list(range(FRAMES)))
    assert fits(labels, Fraction(rate).limit_denominator(1001))
    assert [fits(labels, Fraction(other)) for other in (2, 100)] == [False, False]


@pytest.mark.parametrize(("rate", "number"), [(25, "25"), (24.8, "2[45][0-9.]*"), (17.3, "17[0-9.]*"), (30000 / 1001, "30(000/1001)?")])
def test_a_stated_rate_that_the_seconds_beside_frames_contradict_is_refused(tmp_path, rate, number):
    plain = table("frame", range(FRAMES))
    told = (
        f"the seconds beside the frames of a say about {number} per second, not 1; say --fps, or --predictions-fps of predictions: {number}"
    )
    with pytest.raises(ScrubinError, match=told):
        predicted(tmp_path, beside(rate), plain, fps=Fraction(1))
    with pytest.raises(ScrubinError, match=told):
        predicted(tmp_path, plain, beside(rate), predictions_fps=Fraction(1))
    assert predicted(tmp_path, plain, beside(rate)) == (1.0, FRAMES)
    assert predicted(tmp_path, beside(rate), plain) == (1.0, FRAMES)
    (labels,) = read_files("phase-tables", {"d/a.csv": beside(rate).encode()}).recordings
    assert predicted(tmp_path, beside(rate), plain, fps=Fraction(likely_fps(labels))) == (1.0, FRAMES)


@pytest.mark.parametrize(("rate", "number"), [(30000 / 1001, "30000/1001"), (25, "25"), (24.8, "24.8"), (0.2, "0.2"), (17.3456, "17.34")])
def test_the_rate_that_long_films_are_said_to_have_is_the_exact_one(rate, number):
    rows = "".join(f"{frame},{frame / rate:.3f},1\n" for frame in range(0, 60000, 7))
    (labels,) = read_files("phase-tables", {"d/a.csv": f"frame,seconds,phase\n{rows}".encode()}).recordings
    assert likely_fps(labels).startswith(number)
    assert fits(labels, Fraction(likely_fps(labels)))


def test_seconds_beside_frames_are_no_silent_shift_in_what_is_converted(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.csv").write_text(beside(25))
    typed = ["convert", str(tmp_path / "in"), "--vocabulary", "cholec80", "--to", "cholec80", "--out", str(tmp_path / "out")]
    assert cli.main(typed) == 1
    assert "the seconds beside the frames of a say about 25 per second, not 1: say --fps 25" in capsys.readouterr().err
    assert cli.main([*typed, "--fps", "30"]) == 1
    assert "--fps 30: the seconds beside the frames of a say about 25 per second; say --fps 25" in capsys.readouterr().err
    assert cli.main([*typed, "--fps", "25"]) == 0
    assert "\n19\tPreparation\n20\tCalotTriangleDissection\n" in (tmp_path / "out/a-phase.txt").read_text()


def test_videos_of_several_rates_are_to_be_converted_one_by_one_and_few_rows_advise_no_rate(tmp_path, capsys):
    typed = ["convert", str(tmp_path / "in"), "--vocabulary", "cholec80", "--to", "cholec80", "--out", str(tmp_path / "out")]
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.csv").write_text("frame,seconds,phase\n" + "".join(f"{frame},{frame / 15:.1f},0\n" for frame in range(5)))
    assert cli.main([*typed, "--fps", "60"]) == 1
    assert (
        "the seconds beside the frames of a say about 7.5 to 25 per second; say --fps, which few times leave open"
        in capsys.readouterr().err
    )
    for name, rate in (("a", 25), ("b", 30)):
        (tmp_path / f"in/{name}.csv").write_text(beside(rate))
    for rate in ((), ("--fps", "25"), ("--fps", "30")):
        assert cli.main([*typed, *rate]) == 1
        assert "has another rate: convert them one by one" in capsys.readouterr().err


@pytest.mark.filterwarnings("error")
def test_seconds_that_go_back_are_refused_without_a_warning_of_numpy():
    back = "frame,seconds,phase\n" + "".join(f"{frame},{second},{frame}\n" for frame, second in enumerate((2, 1, 3, 4, 5, 6)))
    assert "'seconds' goes back to 1 where the rows go on" in errors(back)[0]


def test_seconds_that_fit_no_rate_are_refused_where_one_is_stated(tmp_path):
    lost = beside(25, lambda at: f"{at + (at > 3) * 2:.2f}")
    with pytest.raises(ScrubinError, match="go on at no steady rate, not 25; correct the frames or the seconds, or leave the seconds out"):
        predicted(tmp_path, lost, lost, fps=Fraction(25))
    assert predicted(tmp_path, lost, lost) == (1.0, FRAMES)


def test_frames_with_times_are_held_against_labels_by_the_rate_that_is_said(tmp_path):
    seconds = "frame,phase\n" + "".join(f"{second},{PHASES[25 * second]}\n" for second in range(-(-FRAMES // 25)))
    rates_of_both = {"fps": Fraction(1), "predictions_fps": Fraction(25)}
    assert predicted(tmp_path, seconds, beside(25), **rates_of_both) == (1.0, -(-FRAMES // 25))
    with pytest.raises(ScrubinError, match="times as far as the labels"):
        predicted(tmp_path, seconds, beside(25))


def test_predictions_of_one_video_are_of_that_which_their_column_names_where_only_that_is_labelled(tmp_path, capsys):
    rows = [f"{frame},{PHASES[frame]}\n" for frame in range(FRAMES)]
    for side, videos in (("truth", ("video01", "video02")), ("found", ("video01",))):
        (tmp_path / side).mkdir()
        every = "".join(f"{video},{row}" for video in videos for row in rows)
        (tmp_path / side / f"{side}s.csv").write_text(f"video,frame,phase\n{every}")
    said = good(capsys, *sides(tmp_path, "phases", "--videos", "video01", "--json")).out
    assert json.loads(said)["results"][0]["overall"]["value"] == 1.0


def test_seconds_beside_frames_are_held_against_the_rate_at_which_frames_are_joined(tmp_path):
    by_seconds = "seconds,phase\n" + "".join(f"{second},{PHASES[25 * second]}\n" for second in range(-(-FRAMES // 25)))
    with pytest.raises(ScrubinError, match="say about 25 per second, not 1 as the other side; say --predictions-fps 25"):
        predicted(tmp_path, by_seconds, beside(25))
    with pytest.raises(ScrubinError, match="say about 25 per second, not 1 as the other side; say --fps 25"):
        predicted(tmp_path, beside(25), by_seconds)
    assert predicted(tmp_path, by_seconds, beside(25), predictions_fps=Fraction(25)) == (1.0, -(-FRAMES // 25))
    told = "say about 1 per second of the labels, and about 25 of the predictions; say --fps 1, and --predictions-fps 25"
    with pytest.raises(ScrubinError, match=told):
        predicted(tmp_path, beside(1), beside(25))
    with pytest.raises(ScrubinError, match="say about 1 per second, not 25 as the other side; say --fps 1"):
        predicted(tmp_path, beside(1), beside(25), predictions_fps=Fraction(25))


def test_seconds_beside_frames_of_both_sides_say_that_both_count_alike(tmp_path):
    part = "".join(beside(25).splitlines(keepends=True)[:50])
    assert predicted(tmp_path, part, beside(25)) == (1.0, 49)
    with pytest.raises(ScrubinError, match="nothing says that both count alike"):
        predicted(tmp_path, part, table("frame", range(FRAMES)))


@pytest.mark.parametrize("name", ["time", "timestamp", "t"])
@pytest.mark.parametrize("unit", [lambda at: f"{at * 1000:.0f}", lambda at: f"{at / 60:.4f}", str])
def test_times_without_a_unit_beside_frames_say_nothing(tmp_path, name, unit):
    long = "frame,phase\n" + "".join(f"{frame},{frame // 900}\n" for frame in range(5000))
    timed = f"frame,{name},phase\n" + "".join(f"{frame},{unit(frame / 25)},{frame // 900}\n" for frame in range(5000))
    assert predicted(tmp_path, long, timed, fps=Fraction(25)) == (1.0, 5000)
    assert predicted(tmp_path, long, timed) == (1.0, 5000)
    assert predicted(tmp_path, long, timed, fps=Fraction(25), predictions_fps=Fraction(25)) == (1.0, 5000)


def test_times_of_both_sides_may_be_rounded_otherwise(tmp_path):
    one, two = (beside(25, lambda at, digits=digits: f"{at:.{digits}f}") for digits in (1, 2))
    ten = [text.splitlines()[:11] for text in (one, two)]
    assert predicted(tmp_path, *("\n".join(lines) for lines in ten)) == (1.0, 10)
    assert predicted(tmp_path, one, two, fps=Fraction(25), predictions_fps=Fraction(25)) == (1.0, FRAMES)


def test_labels_of_a_part_with_seconds_beside_frames_are_scored_by_frames(tmp_path):
    part = "frame,seconds,phase\n" + "".join(f"{frame},{frame / 25:.2f},{frame // 300}\n" for frame in range(1000, 2000))
    film = "frame,phase\n" + "".join(f"{frame},{frame // 300}\n" for frame in range(3000))
    assert predicted(tmp_path, part, film) == (1.0, 1000)
    assert predicted(tmp_path, part, film, fps=Fraction(25)) == (1.0, 1000)


def test_frames_from_1_beside_seconds_from_0_are_still_shifted(tmp_path):
    from_one = "frame,seconds,phase\n" + "".join(f"{frame + 1},{frame},{PHASES[frame]}\n" for frame in range(FRAMES))
    for fps in (None, Fraction(1)):
        with pytest.raises(ScrubinError, match=r"shifted by \+1"):
            predicted(tmp_path, table("frame", range(FRAMES)), from_one, fps=fps, predictions_fps=fps)


def test_a_comma_of_a_decimal_is_told_by_any_other_number_of_the_table():
    assert read("seconds;phase\n0,000;1\n0,500;1\n1,000;2\n") == {"a": ([0, 1, 2], [1, 1, 2])}
    assert "is no time from 0" in errors("seconds;phase\n1,000;1\n2,000;1\n")[0]


def test_columns_of_seconds_and_phases_are_not_told_to_be_frames():
    assert [one.what for one in faults_of("phase-tables", {"d/a.csv": b"seconds,phase\n0,cut\n1,sew\n"}) if one.rule == "header"] == []


def test_times_become_frames_by_a_rate_that_is_known_and_by_none_that_is_not(tmp_path):
    frames, order = table("frame", range(FRAMES)), ORDERS["shuffled"]
    at_25, at_30 = (table("time", order, lambda frame, rate=rate: f"{frame / rate:.3f}") for rate in (25, 30))
    assert predicted(tmp_path, frames, at_25, fps=Fraction(25)) == (1.0, FRAMES)
    assert predicted(tmp_path, frames, at_30, fps=Fraction(30)) == (1.0, FRAMES)  # 0.033 is frame 1
    assert predicted(tmp_path, at_25, frames, predictions_fps=Fraction(25)) == (1.0, FRAMES)
    with pytest.raises(ScrubinError, match="the predictions are numbered by time, and no file says how many frames of the other side"):
        predicted(tmp_path, frames, at_25)
    with pytest.raises(ScrubinError, match="say it to 'scrubin score' by --predictions-fps"):
        predicted(tmp_path, at_25, frames)
    # Two a second against one: the first at or after each second.
    halves = table("seconds", range(FRAMES), lambda half: half / 2)
    seconds = table("second", range(FRAMES // 2), phases_of=PHASES[::2])
    assert predicted(tmp_path, seconds, halves) == (1.0, FRAMES // 2)
    with pytest.raises(ScrubinError, match="its rows are numbered by time, which cannot be frames at 1 per second"):
        cli_check(tmp_path / "truth", table("time", range(FRAMES // 2), lambda half: half / 2), tmp_path)


def test_times_are_frames_of_the_rate_that_is_said_also_where_submissions_are_checked(tmp_path):
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth/a.csv").write_text(table("frame", range(FRAMES)))
    at_30 = table("time", ORDERS["shuffled"], lambda frame: f"{frame / 30:.3f}")
    assert cli_check(tmp_path / "truth", at_30, tmp_path, Fraction(30)).tolist() == list(range(FRAMES))
    with pytest.raises(ScrubinError, match="its rows are numbered by time, which cannot be frames at 1 per second"):
        cli_check(tmp_path / "truth", at_30, tmp_path)


def cli_check(truth, text, folder, fps=None):
    from scrubin.evaluate import submission, submission_truth

    (folder / "team").mkdir(exist_ok=True)
    (folder / "team/a.csv").write_text(text)
    taken = []
    found = submission.check(folder / "team", submission_truth.read(truth, fps=fps), take=lambda _, content, __: taken.append(content))
    AnnotationError.raise_any(fault for fault in found.faults if fault.severity == "error")
    return taken[0].frames


def test_arrays_and_lists_beside_unknown_numbers_are_not_numbered_by_their_place(tmp_path):
    order = ORDERS["shuffled"]
    scores = np.arange(100 * FRAMES).reshape(FRAMES, 100)[order] / 2
    of_phases = np.array(PHASES)[order]
    assert read(archive(tmp_path / "a.npz", frame_id=np.array(order), phases=of_phases), "a.npz") == {"a": (list(range(FRAMES)), PHASES)}
    times = archive(tmp_path / "b.npz", time=np.array(order) / 1.0, phases=of_phases)
    assert read(times, "a.npz") == {"a": (list(range(FRAMES)), PHASES)}
    assert "holds nr, phases" in errors(archive(tmp_path / "c.npz", nr=np.array(order), phases=of_phases), "a.npz")[0]
    (labels,) = read_files("matrices", {"d/a.npz": archive(tmp_path / "d.npz", frame_no=np.array(order), scores=scores)}).recordings
    assert np.array_equal(labels.recognition.scores, np.arange(100 * FRAMES).reshape(FRAMES, 100) / 2)
    for name in ("order", "time"):
        data = archive(tmp_path / "e.npz", **{name: np.array(order)}, predictions=scores)
        assert errors(data, "a.npz", "matrices") == [
            f"d/a.npz: nothing known numbers the rows, and the array '{name}' may do it; call it 'frame' if it does, else leave it out"
        ]
    row = [17, 0, 1.0, 0.1, 0.1, 0.3, 0.3]
    boxes = json.dumps({"frame_id": [1, 0], "list": [[row], []]})
    (of_boxes,) = read_files("box-lists", {"d/a.json": boxes.encode()}).recordings
    assert of_boxes.instances.rows["position"].tolist() == [1]
    assert "the key 'nr' may do it" in errors(boxes.replace("frame_id", "nr"), "a.json", "box-lists")[0]
    assert errors(boxes.replace('"list"', '"frame_id": [0, 1], "list"'), "a.json", "box-lists") == [
        "d/a.json: the key 'frame_id' stands twice in one object; keep one of them"
    ]


def test_files_of_one_name_in_several_folders_are_videos_named_after_the_folders(tmp_path):
    for number in (1, 2):
        (tmp_path / f"video_{number}").mkdir()
        (tmp_path / f"video_{number}/phases.txt").write_text("0,0\n6,1\n12,1\n")
    reading = read_path(tmp_path, None, Options())
    assert [one.recording for one in reading.collection.recordings] == ["video_1", "video_2"]
    assert [one.rule for one in reading.faults] == ["named-by-folder"]
    files = {f"run{run}/video01.csv": b"frame,phase\n0,0\n" for run in (1, 2)}
    assert [one.rule for one in faults_of("phase-tables", files)] == ["file-repeated"]


@pytest.mark.parametrize("header", ["id,start,end,label", "video_id,start,end,phase", "id,frame,phase"])
def test_a_table_of_a_stranger_is_none_of_ours_because_of_its_name(tmp_path, header):
    for name in ("segments.csv", "phases.csv"):
        (tmp_path / name).write_text(f"{header}\nx,0,10,1\n")
        assert detected(tmp_path / name).name == "phase-tables"
    assert "end says where rows end" in errors(f"{header}\nx,0,10,1\nx,10,20,2\n")[0] if "start" in header else True


def test_a_drawn_table_scores_as_it_does_sorted_or_is_refused_by_the_names_of_its_columns(tmp_path):
    draw, scored = random.Random(29), []
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth/a.csv").write_text(table("frame", range(FRAMES)))
    truth = phases.truth_of(Source(tmp_path / "truth"))
    for number in range(60):
        guessed = [phase if draw.random() < 0.8 else draw.randrange(7) for phase in PHASES]
        name = draw.choice([*FRAME_NAMES, *SECOND_NAMES, "nr", "Bild", "position", "", "start", "clip_frame", "FRAME", "idx"])
        name = draw.choice([str, str.upper, str.title, lambda text: text.replace("_", " ")])(name)
        order = draw.sample(range(FRAMES), FRAMES) if draw.random() < 0.8 else list(range(FRAMES))
        columns = {name: str, draw.choice(["phase", "Phase ID", "predicted_phase", "label"]): lambda frame, of=guessed: str(of[frame])}
        for extra in draw.sample(["confidence", "surgeon", "Grasper", "video_id"], draw.randrange(3)):
            columns[extra] = {"confidence": lambda _: f"{draw.random():.3f}", "video_id": lambda _: "7"}.get(extra, lambda _: "1")
        names = draw.sample(list(columns), len(columns))
        lines = [names, *([columns[one](frame) for one in names] for frame in order)]
        separator = draw.choice([",", ";", "\t"])
        found = tmp_path / f"found{number}"
        found.mkdir()
        (found / "a.csv").write_text("\n".join(separator.join(line) for line in lines))
        wrong, run = refused(lambda folder=found: phases.predictions_of(Source(folder, format_of("phase-tables")), truth))
        if run is None:
            assert (f"'{name}'" if name else "without a name") in wrong
        else:
            (pair,) = paired(truth.series, run.series).pairs.values()
            assert run.series["a"].values[pair.prediction].tolist() == guessed, (names, separator)
        scored += [run is not None]
    assert 5 < sum(scored) < 55


def refused(read):
    """Why something cannot be read, or what was read."""
    try:
        return "", read()
    except ScrubinError as error:
        return str(error), None


@pytest.mark.parametrize(
    ("form", "name", "text", "line"),
    [
        ("phase-tables", "a.txt", "1\n1\n\n2\n", 3),
        ("phase-tables", "a.csv", "phase\n1\n1\n\n\n2\n", 4),
        ("phase-tables", "a.csv", "phase\n\n1\n2\n", 2),
        ("phase-tables", "a.txt", "\n1\n2\n", 1),
        ("phase-tables", "a.csv", "phase,score\n1,0.5\n,\n2,0.7\n", 3),
        ("matrices", "a.csv", "1,0,0,0,0,0\r\n\r\n0,0,1,0,0,0\r\n", 2),
        ("matrices", "a.csv", "\n1,0,0,0,0,0\n0,0,1,0,0,0\n", 1),
        ("petraw", "a.txt", "Phase\tStep\nA\tx\n\nB\ty\n", 3),
    ],
)
def test_a_blank_line_between_rows_that_are_numbered_by_their_place_is_an_error(form, name, text, line):
    (sentence,) = errors(text, name, form)
    assert sentence.startswith(f"d/{name}, line {line}: the line is blank, and the rows are numbered by their place")
    assert "remove it, or give the frame a label" in sentence


def test_blank_lines_at_the_end_or_beside_numbers_mean_nothing():
    phases = {"a": ([0, 1], [1, 2])}
    assert read("1\n2\n\n \n", "a.txt") == read("\nphase\n1\n2\n\n") == read("phase,score\n1,1\n2,1\n,\n") == phases
    assert read("frame,phase\n0,1\n\n1,2\n") == read("0 1\n\n1 2\n", "a.txt") == read(",phase\n0,1\n\n1,2\n") == phases
    # As a program on Windows writes line ends that it writes itself.
    assert read("phase\r\r\n1\r\r\n2\r\r\n") == phases
    assert errors("1,0,0,0,0,0\r\r\n0,0,1,0,0,0\r\r\n", form="matrices") == []
    assert errors("1,0,0,0,0,0\n0,0,1,0,0,0\n\n\n", form="matrices") == []
    assert errors("0,1,0,0,0,0,0\n\n2,0,0,1,0,0,0\n", form="matrices") == []
    assert errors("Frame\tPhase\tStep\n0\tA\tx\n\n1\tB\ty\n\n", "a.txt", "petraw") == []


def test_a_video_that_is_called_like_a_folder_is_refused_also_where_it_is_alone_in_its_file():
    files = {"d/a.csv": b"video,frame,phase\nv,0,1\nw,0,1\n", "d/b.csv": b"video,frame,phase\n..,0,1\n"}
    assert "'..' is no name of a video" in said("phase-tables", files)


def test_a_comma_in_a_clock_is_that_of_a_decimal():
    assert read("time;phase\n0:00:10,250;1\n0:00:10,500;1\n") == read("time;phase\n0:00:10.250;1\n0:00:10.500;1\n")


def test_a_video_of_judgements_that_is_called_like_a_folder_is_refused():
    assert "'..' is no name of a video" in said("mark-tables", {"d/a.csv": b"video,frame,C1\n..,0,1\n"})
