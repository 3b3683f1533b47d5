"""Spans as a source of the stage: on the frames of a cut release, with their numbers, windows and what the report says."""

import json
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrubin import cli
from scrubin.base.errors import AnnotationError, ParamsError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.formats.plain import spans
from scrubin.labels.formats.triplets import cholect50
from scrubin.labels.model import SOURCE_FRAMES, Clock, Labels, Layer, phase_rows, segment_rows
from scrubin.stages.annotations import label_tables, report, sources
from scrubin.stages.annotations.details import HiddenAreas
from scrubin.stages.annotations.label_tables import ReleasedRecording
from scrubin.stages.annotations.params import AnnotationsParams, SourceParams, WindowsParams

PAPER = WindowsParams(2.0, 2.0, 2.0, ("clip",))
MILLISECONDS = Clock(Fraction(1, 1000))
SECONDS = "instrument,instance,start_s,end_s,verb,target"
FRAMES = "instrument,instance,start_frame,end_frame,verb,target"


@pytest.fixture
def known(make):
    """A source of 20 s at 25 fps of which [6 s, 16 s) is released."""
    areas = HiddenAreas((320, 240), (320, 240))
    return {
        "case one": ReleasedRecording(
            "mabolu", make.line(n=10, offset_s=Fraction(6)), np.array([1]), 500, 20.0, (320, 240), frozenset(), areas
        )
    }


@pytest.fixture
def read(make):
    def read(*lines, header=SECONDS):
        text = "".join(f"{line}\n" for line in (header, *lines))
        return spans.read(make.named({"annotations/spans/case one.csv": text.encode()}))

    return read


def made(labels, known, windows=None, faults=None):
    return label_tables.tables(labels, known, (), 1.0, faults or Faults(), windows and windows.windows())


def rows(tables):
    table = tables.spans
    return list(zip(table["instrument"], table["instance"], table["start_frame"], table["end_frame"], table["verb"], strict=True))


@pytest.mark.parametrize("header", [SECONDS, FRAMES])
def test_spans_are_cut_to_the_release_and_keep_their_numbers(read, known, header):
    scale = 25 if header == FRAMES else 1
    lines = [("grasper", 4, 0, 9), ("grasper", 1, 7, 18), ("hook", 0, 16, 20), ("hook", 0, 0, 6)]
    verbs = {"grasper": "retract,gallbladder", "hook": "dissect,gallbladder"}
    labels = read(*(f"{name},{number},{a * scale},{b * scale},{verbs[name]}" for name, number, a, b in lines), header=header)
    tables = made([labels], known)
    assert rows(tables) == [("grasper", 1, 1, 10, "retract"), ("grasper", 4, 0, 3, "retract")]
    assert tables.triplets.groupby("frame").size().tolist() == [1, 2, 2, 1, 1, 1, 1, 1, 1, 1]
    assert tables.triplets.loc[tables.triplets["frame"] == 1, "instance"].tolist() == [0, 1]
    entry = tables.report["ids"]["mabolu"]["instances"]
    assert (entry["labels_before_cut"], entry["labels_after_cut"], entry["labels_between_frames"]) == (1, 1, 0)
    assert (entry["runs"], entry["labelled_hidden_frames"], entry["largest_shift_s"]) == ([[0, 10]], 1, 0.0)
    assert tables.report["ids"]["mabolu"]["warnings"] == []


def test_what_no_row_says_is_not_labelled_and_nothing_in_view_is(read, known):
    tables = made([read("hook,0,6,8,dissect,gallbladder", ",,10,12,,")], known)
    entry = tables.report["ids"]["mabolu"]["instances"]
    assert (entry["runs"], entry["unlabelled_frames"], entry["rows"]) == ([[0, 2], [4, 6]], 6, 2)


def test_contacts_become_actions_and_the_rest_of_the_view_is_null(read, known):
    labels = read(
        "hook,0,6,10,null_verb,null_target",
        "hook,0,10,11,dissect,gallbladder",
        "hook,0,11,16,null_verb,null_target",
        "clipper,0,9,9.5,clip,cystic_duct",
    )
    assert rows(made([labels], known)) == [
        ("clipper", 0, 3, 4, "clip"),
        ("hook", 0, 0, 4, "null_verb"),
        ("hook", 0, 4, 5, "dissect"),
        ("hook", 0, 5, 10, "null_verb"),
    ]
    # Clip is momentary, [7 s, 11.5 s); dissect goes on until 13 s.
    assert rows(made([labels], known, PAPER)) == [
        ("clipper", 0, 1, 6, "clip"),
        ("hook", 0, 0, 4, "null_verb"),
        ("hook", 0, 4, 7, "dissect"),
        ("hook", 0, 7, 10, "null_verb"),
    ]


def test_windows_of_spans_by_frame_are_those_by_time(read, known):
    by_time = read("hook,0,10,11,dissect,gallbladder", "clipper,0,9,9.48,clip,cystic_duct")
    by_frame = read("hook,0,250,275,dissect,gallbladder", "clipper,0,225,237,clip,cystic_duct", header=FRAMES)
    pd.testing.assert_frame_equal(made([by_time], known, PAPER).triplets, made([by_frame], known, PAPER).triplets)


def test_windows_reach_into_the_release_from_a_contact_before_it(read, known):
    assert rows(made([read("hook,0,3,4.5,dissect,gallbladder")], known, PAPER)) == [("hook", 0, 0, 1, "dissect")]
    assert rows(made([read("hook,0,3,4,dissect,gallbladder")], known, PAPER)) == []


def test_spans_longer_than_the_video_are_refused_with_both_lengths(read, known):
    with pytest.raises(AnnotationError, match="case one, last of the spans: the labels end at 30 s, the video at 20 s"):
        made([read("hook,0,6,30,dissect,gallbladder")], known)


def test_the_first_source_counts_and_other_numbers_are_made_as_before(read, known, make):
    frames = {str(k): [make.vector(17)] for k in range(20)}
    boxes = cholect50.read(make.named({"annotations/cholect50/case one.json": make.cholect50(frames)}))
    tables = made([read("grasper,4,0,20,retract,gallbladder"), boxes], known)
    assert rows(tables) == [("grasper", 4, 0, 10, "retract")]
    assert "instruments: spans counts; cholect50 differs in 0 of 10 shared frames" in tables.report["ids"]["mabolu"]["comparisons"]
    assert rows(made([boxes, read("grasper,4,0,20,retract,gallbladder")], known))[0][:2] == ("grasper", 0)


def phases_of(segments, clock=MILLISECONDS, **more):
    return Labels("case one", "elan", load("cholect50"), clock, segments=segment_rows(segments), **more)


edges_ms = st.tuples(st.integers(0, 19_000), st.integers(1, 4_000)).map(lambda pair: (pair[0], min(sum(pair), 20_000)))


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(["phase", "step"]), edges_ms, st.integers(0, 6)), max_size=8), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_frame_has_the_phase_of_the_last_span_of_the_file_that_holds_its_instant(known, listed, by_frame):
    """Released frame k shows second 6 + k of the source, its frame 150 + 25 k."""
    unit, clock, instants = (40, SOURCE_FRAMES, range(150, 400, 25)) if by_frame else (1, MILLISECONDS, range(6_000, 16_000, 1000))
    segments = [(kind, a // unit, b // unit, label) for kind, (a, b), label in listed]
    tables = made([phases_of(segments, clock)], known)
    holding = [[label for kind, a, b, label in segments if kind == "phase" and a <= instant < b] for instant in instants]
    expected = {frame: labels[-1] for frame, labels in enumerate(holding) if labels}
    assert dict(zip(tables.phases["frame"], tables.phases["phase_id"], strict=True)) == expected
    assert tables.labelled.loc[tables.labelled["layer"] == "phases", "frame"].tolist() == list(expected)
    competing = sum(len(set(labels)) > 1 for labels in holding)
    steps = sum(kind == "step" for kind, *_ in segments)
    said = [f"elan: frames in which two phases overlap, of which the later counts: {competing}"] * bool(competing)
    said += [f"elan: not in the release: spans of steps: {steps}"] * bool(steps)
    assert tables.report["ids"]["mabolu"]["warnings"] == said


def test_spans_of_phases_outside_the_release_or_between_its_frames_are_counted(known):
    entry = made([phases_of([("phase", 0, 6000, 0), ("phase", 6100, 6900, 1), ("phase", 16_000, 20_000, 2)])], known).report["ids"][
        "mabolu"
    ]
    counts = (entry["phases"][f"labels_{where}"] for where in ("before_cut", "between_frames", "after_cut"))
    assert (*counts, entry["phases"]["labelled_frames"]) == (1, 1, 1, 0)


def test_phases_by_frame_count_before_spans_of_phases_of_the_same_file(known):
    by_frame = Layer("a.txt", np.array([150]), phase_rows([150], [3]))
    tables = made([phases_of([("phase", 0, 500, 1)], SOURCE_FRAMES, phases=by_frame)], known)
    assert tables.phases["phase_id"].tolist() == [3]
    assert "elan: not in the release: spans of phases beside phases by frame: 1" in tables.report["ids"]["mabolu"]["warnings"]


@pytest.mark.parametrize("name", ["elan", "boris", "via3", "label-studio"])
def test_timelines_of_programs_are_released_as_the_commands_read_them(name, tmp_path, known):
    names = load("cholec80").phases
    rows = "".join(f"{frame}\t{names[(frame // 33) % 7]}\n" for frame in range(500))
    (tmp_path / "case one-phase.txt").write_text(f"Frame\tPhase\n{rows}")
    folder = tmp_path / "annotations" / name
    assert cli.main(["convert", str(tmp_path / "case one-phase.txt"), "--to", name, "--fps", "25", "--out", str(folder)]) == 0
    rate = ["--fps", "25"] if name == "label-studio" else []
    assert cli.main(["convert", str(folder), "--to", "tables", "--to-fps", "1", *rate, "--out", str(tmp_path / "tables")]) == 0
    faults = Faults()
    source = SourceParams(name, f"annotations/{name}", "cholec80", fps="25" if rate else None)
    (batch,) = sources.find(tmp_path, (source,), {"case one"}, faults)
    (labels,) = sources.read_all(tmp_path, 0.02, batch)
    released = made([labels], known, faults=faults).phases
    commands = pd.read_parquet(tmp_path / "tables/phases.parquet").query("6 <= frame < 16")
    assert released["phase"].tolist() == commands["phase"].tolist() != []
    assert released["frame"].tolist() == list(range(10))


def of_label_studio(folder, *, boxes, fps=None):
    """Return what the stage reads of a timeline of frames 193 to 240, of 24 per second, that is 8 s to 10 s."""
    results = [{"type": "timelinelabels", "value": {"ranges": [{"start": 193, "end": 240}], "timelinelabels": ["preparation"]}}]
    at_8_s = {"frame": 193, "time": 193 / 24, "enabled": False, "x": 10, "y": 10, "width": 20, "height": 20}
    value = {"framesCount": 480, "duration": 20.0, "sequence": [at_8_s], "labels": ["hook"]}
    results += [{"type": "videorectangle", "value": value}] * boxes
    (folder / "annotations/ls").mkdir(parents=True)
    task = {"data": {"video": "case one.mp4"}, "annotations": [{"result": results}]}
    (folder / "annotations/ls/x.json").write_text(json.dumps([task]))
    (batch,) = sources.find(folder, (SourceParams("label-studio", "annotations/ls", "cholect50", fps=fps),), {"case one"}, Faults())
    (labels,) = sources.read_all(folder, 0.02, batch)
    return labels


@pytest.mark.parametrize(("boxes", "fps"), [(True, None), (True, "24"), (True, "source"), (False, "24")])
def test_frames_that_label_studio_counted_are_placed_by_their_times(tmp_path, known, boxes, fps):
    # The video has 25 per second, of which the second from 8 s on is frame 2 of the release.
    tables = made([of_label_studio(tmp_path, boxes=boxes, fps=fps)], known)
    assert tables.phases["frame"].tolist() == [2, 3]
    assert tables.triplets.dropna(subset="x")["frame"].tolist() == [2] * boxes


@pytest.mark.parametrize(
    ("boxes", "fps", "said"),
    [
        (
            True,
            "30",
            "annotations/ls/x.json: the file of case one states 24 frames per second, and fps of 'annotations/ls' .* is 30; leave it",
        ),
        (False, None, "annotations/ls/x.json: no file .* of case one; say it as fps of 'annotations/ls' in .*24 where that says none"),
    ],
)
def test_a_rate_that_contradicts_label_studio_or_that_nobody_says_is_refused(tmp_path, boxes, fps, said):
    assert re.search(said, str(of_label_studio(tmp_path, boxes=boxes, fps=fps)))


def test_a_rate_of_a_source_is_for_the_recordings_that_state_none_beside_those_that_do_which_is_said(tmp_path):
    stated = of_label_studio(tmp_path, boxes=True)
    (task,) = json.loads((tmp_path / "annotations/ls/x.json").read_text())
    alone = {"data": {"video": "case two.mp4"}, "annotations": [{"result": task["annotations"][0]["result"][:1]}]}
    (tmp_path / "annotations/ls/x.json").write_text(json.dumps([task, alone]))
    source = SourceParams("label-studio", "annotations/ls", "cholect50", fps="30")
    (batch,) = sources.find(tmp_path, (source,), {"case one", "case two"}, Faults())
    one, two = sources.read_all(tmp_path, 0.02, batch)
    assert (one.clock, two.clock.period_s) == (stated.clock, Fraction(1, 30))
    said = "the file of case one states 24 frames per second, and keeps them: fps of 'annotations/ls' is for those that state none"
    assert [fault.what for fault in one.faults if fault.rule == "rate-kept"] == [said]


def test_a_rate_of_a_source_that_contradicts_a_sequence_of_mot_is_refused(tmp_path):
    folder = tmp_path / "annotations/mot/case one"
    folder.mkdir(parents=True)
    (folder / "seqinfo.ini").write_text("[Sequence]\nimWidth=320\nimHeight=240\nframeRate=25\n")
    (folder.parent / "case one.txt").write_text("1,4,85.4,48,170.8,96,0.98,0,1\n")

    def read(fps):
        (batch,) = sources.find(tmp_path, (SourceParams("mot", "annotations/mot", "cholect50", fps=fps),), {"case one"}, Faults())
        return sources.read_all(tmp_path, 0.02, batch)[0]

    assert "the file of case one states 25 frames per second, and fps of 'annotations/mot'" in str(read("30"))
    assert [read(fps).clock.period_s for fps in (None, "source", "25")] == [None, None, Fraction(1, 25)]
    # MOT writes whole numbers.
    (folder / "seqinfo.ini").write_text("[Sequence]\nimWidth=320\nimHeight=240\nframeRate=30\n")
    assert read("30000/1001").clock.period_s == Fraction(1001, 30_000)


def test_a_folder_of_spans_is_a_source(tmp_path):
    folder = tmp_path / "annotations" / "spans"
    folder.mkdir(parents=True)
    (folder / "case one.csv").write_text(f"{SECONDS}\nhook,0,6,8,dissect,gallbladder\n")
    source = SourceParams("spans", "annotations/spans", "cholect50")
    faults = Faults()
    (batch,) = sources.find(tmp_path, (source,), {"case one"}, faults)
    AnnotationError.raise_any(faults)
    assert len(sources.read(tmp_path, 0.02, batch).spans) == 1


def test_the_report_says_how_actions_were_made_and_stays_as_it_was_without():
    assert report.document({"ids": {}}, [], None) == {"ids": {}}
    said = report.document({"ids": {}}, [{"map": "m"}], PAPER)
    assert json.loads(json.dumps(said))["windows"]["momentary"] == ["clip"]
    assert said["label_maps"] == [{"map": "m"}]


def test_windows_without_spans_are_refused():
    source = SourceParams("cholect50", "annotations/cholect50", "cholect50")
    with pytest.raises(ParamsError, match=r"'annotations.windows' is for spans, but no source has the format spans; set it to null"):
        AnnotationsParams((source,), 0.02, 1.0, PAPER)
