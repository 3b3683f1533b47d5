"""Phases of other layouts are read as what they are: the rate from the file or asked for, never guessed without a word."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fault_lines import sentences
from label_examples import EXAMPLES, changed, dumps, faults_of, read_files, said, write_files
from scrubin import cli
from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary import vocabulary
from scrubin.labels.files import detect
from scrubin.labels.model import SOURCE_FRAMES, Clock, Collection, Labels, segment_rows
from scrubin.labels.parse import timed_rows
from scrubin.labels.registry import Output, readable
from verdict_cases import write_files as put

RUNS = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 9)), min_size=1, max_size=12)


class TestSarRarp50:
    def test_frames_are_those_of_a_video_of_60_per_second_and_videos_are_called_like_their_folders(self):
        first, second = read_files("sarrarp50", EXAMPLES["sarrarp50"]).recordings
        assert (first.recording, second.recording) == ("video_1", "video_2")
        assert first.clock == SOURCE_FRAMES
        assert first.phases.positions.tolist() == [0, 6, 12, 18]
        assert [first.vocabulary.phases[one] for one in first.phases.rows["phase_id"]][-1] == "Picking up the needle"

    def test_six_frames_of_it_are_a_tenth_of_a_second(self, tmp_path, capsys):
        path = put(tmp_path / "in", EXAMPLES["sarrarp50"])
        assert cli.main(["convert", str(path), "--to", "tables-csv", "--to-fps", "10", "--out", str(tmp_path / "out")]) == 0
        rows = (tmp_path / "out" / "phases.csv").read_text().splitlines()
        assert [row.split(",")[:2] for row in rows[1:5]] == [["video_1", str(tenth)] for tenth in range(4)]
        assert "not in" not in capsys.readouterr().err


class TestHeiChole:
    def test_nothing_is_converted_until_somebody_says_the_rate(self, tmp_path, capsys):
        path = put(tmp_path / "in", EXAMPLES["heichole"])
        convert = ["convert", str(path), "--to", "cholect50", "--out", str(tmp_path / "out")]
        assert cli.main(convert) != 0
        assert "no file of heichole states the rate of its frames; say how many frames per second the videos have by --fps" in (
            capsys.readouterr().err
        )
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize(("fps", "kept"), [(25, 1), (2, 3)])
    def test_the_rate_that_is_said_counts(self, fps, kept, tmp_path):
        path = put(tmp_path / "in", EXAMPLES["heichole"])
        asked = ["convert", str(path), "--to", "tables-csv", "--fps", str(fps), "--to-fps", "1", "--out", str(tmp_path / "out")]
        assert cli.main(asked) == 0
        assert len((tmp_path / "out" / "phases.csv").read_text().splitlines()) == 1 + kept

    def test_validate_says_that_the_rate_is_not_known(self, tmp_path, capsys):
        assert cli.main(["validate", str(put(tmp_path, EXAMPLES["heichole"]))]) == 0
        assert "heichole: no file states the rate; frames are taken as 1 per second; `convert` and `score` ask" in capsys.readouterr().out

    def test_a_frame_without_a_row_is_said(self):
        faults = faults_of("heichole", changed("heichole", ".csv", "2,0\n", ""))
        assert "1 frames have no row" in "\n".join(sentences(faults, "warning"))

    def test_the_tables_of_instruments_beside_them_are_not_taken_for_phases(self, tmp_path):
        files = {**EXAMPLES["heichole"], "hei/Hei-Chole1_Annotation_Instrument.csv": b"0," + b",".join([b"0"] * 21) + b"\n"}
        folder = detect.label_folder(put(tmp_path, files), None)
        assert (folder.form.name, len(folder.contents), len(folder.others)) == ("heichole", 1, 1)

    def test_the_other_file_of_its_authors_is_no_plain_table_of_seconds(self, tmp_path):
        folder = put(tmp_path, {"video_1/action_continues.txt": b"000000000,0\n000000001,0\n000000002,1\n"})
        with pytest.raises(AnnotationError, match="this looks like no format of labels"):
            detect.detected(folder)


class TestCataract101:
    def test_a_phase_lasts_until_the_next_one_and_the_last_until_the_end_of_the_video(self):
        first, second = read_files("cataract101", EXAMPLES["cataract101"]).recordings
        assert first.clock == Clock(Fraction(1, 25))
        assert first.segments.drop(columns="kind").to_numpy().tolist() == [[68, 1043, 0], [1043, 1228, 1], [1228, 1500, 2]]
        assert second.segments["label_id"].tolist() == [0, 1, 1]

    def test_without_the_table_of_videos_there_is_no_rate_and_none_is_guessed(self):
        files = {name: data for name, data in EXAMPLES["cataract101"].items() if not name.endswith("videos.csv")}
        one = said("cataract101", files)
        assert "there is no videos.csv beside it, which says the frames per second of each video; put videos.csv" in one

    def test_phases_have_the_names_that_the_files_give(self):
        files = dict(EXAMPLES["cataract101"]) | {"cataract/phases.csv": b"Phase;Meaning\n1;Opening\n2;Middle game\n3;End game\n"}
        first, _ = read_files("cataract101", files).recordings
        assert first.vocabulary.phases == ("Opening", "Middle game", "End game")

    def test_a_gap_cannot_be_written(self, tmp_path, capsys):
        spans = b'{"phases": [{"start": 0, "end": 1000, "label_name": "preparation", "label_id": 0}, ' + (
            b'{"start": 2000, "end": 3000, "label_name": "omentum_division", "label_id": 2}]}'
        )
        path = put(tmp_path / "in", {"a.mp4.json": spans})
        out = str(tmp_path / "out")
        assert cli.main(["convert", str(path), "--to", "cataract101", "--to-fps", "25", "--out", out]) != 0
        assert "needs phases without gap or overlap, but one ends at frame 25, and the next begins at 50" in capsys.readouterr().err

    @given(RUNS, st.integers(0, 30), st.sampled_from([1, 25, 30, 60]))
    def test_what_is_written_is_read_back(self, runs, first, fps):
        begins, frame = [], first
        for phase, length in runs:
            begins.append(f"7;{frame};{phase + 1}\n")
            frame += length
        files = {"c/annotations.csv": f"VideoID;FrameNo;Phase\n{''.join(begins)}", "c/videos.csv": f"VideoID;Frames;FPS\n7;{frame};{fps}\n"}
        data = {name: text.encode() for name, text in files.items()}
        written = write_files("cataract101", read_files("cataract101", data)).files
        assert {name: written[name.removeprefix("c/")] for name in data} == data


class TestPitVis:
    def test_steps_are_spans_of_seconds_and_instruments_are_in_view_by_second(self):
        (labels,) = read_files("pitvis", EXAMPLES["pitvis"]).recordings
        assert labels.clock == Clock(Fraction(1))
        steps = [(start, end, labels.vocabulary.steps[id_]) for _, start, end, id_ in labels.segments.itertuples(index=False)]
        assert steps == [(1, 3, "nasal corridor creation"), (3, 4, "sphenoid sinus clearance")]
        tools = labels.instances.rows
        names = [labels.vocabulary.instruments[id_] for id_ in tools["instrument_id"]]
        assert (tools["position"].tolist(), names) == ([2, 3, 3], ["suction", "ring curette", "suction"])
        assert labels.instances.positions.tolist() == [0, 1, 2, 3, 4]

    def test_a_step_outside_the_patient_is_said(self):
        faults = faults_of("pitvis", changed("pitvis", ".csv", "1,2,1,16,-2", "1,2,-1,16,-2"))
        assert "line 4: step -1 does not go with the instruments 16 and -2" in "\n".join(sentences(faults, "warning"))

    @given(
        st.lists(st.tuples(st.integers(1, 14), st.lists(st.integers(1, 18), max_size=2).map(sorted)) | st.none(), min_size=1, max_size=30)
    )
    def test_what_is_written_is_read_back(self, seconds):
        rows = ["int_video,int_time,int_step,int_instrument1,int_instrument2\n"]
        for second, one in enumerate(seconds):
            step, tools = (-1, [-1, -2]) if one is None else (one[0], [*(one[1] or [0]), -2][:2])
            rows.append(f"3,{second},{step},{tools[0]},{tools[1]}\n")
        data = {"annotations_03.csv": "".join(rows).encode()}
        assert write_files("pitvis", read_files("pitvis", {f"in/{name}": of for name, of in data.items()})).files == data


class TestSurch:
    def test_segments_are_spans_of_milliseconds(self):
        first, second = read_files("surch", EXAMPLES["surch"]).recordings
        assert first.clock == Clock(Fraction(1, 1000))
        assert first.segments["end"].tolist() == [27_000, 31_500, 40_173]
        assert [second.vocabulary.phases[one] for one in second.segments["label_id"]] == ["NVB"]

    def test_seconds_with_all_decimals_of_a_float_are_read(self):
        files = {"surch/segments.csv": b"VideoID,StartTime,EndTime,labelID\nvideo001,0,8.633333333333333,etc\n"}
        assert read_files("surch", files).recordings[0].segments["end"].tolist() == [8_633]

    def test_what_is_finer_than_a_millisecond_is_said(self):
        told = ("surch/segments.csv: kept to the millisecond: 1 times with more than three decimals",)
        assert sentences(faults_of("surch", changed("surch", ".csv", "40.173", "40.173885")), "warning") == told

    @given(st.lists(st.tuples(st.integers(1, 10**7), st.sampled_from(["BN", "etc", "PA"])), min_size=1, max_size=20))
    def test_what_is_written_is_read_back(self, lengths):
        rows, start = [], 0
        for length, label in lengths:
            times = [f"{at // 1000}.{at % 1000:03d}".rstrip("0").rstrip(".") for at in (start, start + length)]
            rows.append(f"v,{times[0]},{times[1]},{label}\n")
            start += length
        data = {"segments.csv": f"VideoID,StartTime,EndTime,labelID\n{''.join(rows)}".encode()}
        assert write_files("surch", read_files("surch", {f"in/{name}": of for name, of in data.items()})).files == data


class TestCataract1K:
    def test_the_times_count_and_a_phase_ends_before_its_end(self):
        (labels,) = read_files("cataract1k", EXAMPLES["cataract1k"]).recordings
        assert (labels.recording, labels.clock) == ("case_4687", Clock(Fraction(1, 1000)))
        assert labels.segments.to_numpy().tolist() == [["phase", 2000, 5000, 0], ["phase", 5167, 10000, 6]]

    def test_a_file_that_somebody_renamed_may_be_of_any_one_case_but_not_of_two(self):
        (data,) = EXAMPLES["cataract1k"].values()
        files = {"c/cat 04_annotations_phases.csv": data}
        assert not said("cataract1k", files)
        two = {"c/cat 04_annotations_phases.csv": data.replace(b"4687,Capsule", b"4688,Capsule")}
        assert "line 3: caseId is '4688', and line 2 is of 4687" in said("cataract1k", two)

    def test_a_row_that_stands_twice_counts_once_and_is_told(self):
        ((name, data),) = EXAMPLES["cataract1k"].items()
        files = {name: data + data.splitlines()[1] + b"\n"}
        assert len(read_files("cataract1k", files).recordings[0].segments) == 2
        assert sentences(faults_of("cataract1k", files), "warning") == (f"{name}: rows that stand twice, which count once: 1; remove them",)


def without_boxes(document):
    """Return what GraSP calls long-term annotations: phases and steps of images, under keys in the plural."""
    renamed = {"phase_categories": "phases_categories", "step_categories": "steps_categories"}
    of_image = {one["image_id"]: {"phases": one["phase"], "steps": one["step"]} for one in document["annotations"]}
    annotations = [{"id": i, "image_id": image, **marks} for i, (image, marks) in enumerate(of_image.items())]
    return {**{renamed.get(key, key): value for key, value in document.items()}, "annotations": annotations}


class TestGrasp:
    def test_key_frames_have_a_phase_a_step_and_boxes(self):
        (labels,) = read_files("grasp", EXAMPLES["grasp"]).recordings
        assert (labels.recording, labels.clock) == ("CASE021", SOURCE_FRAMES)
        assert labels.phases.rows.to_numpy().tolist() == [[1, 0], [36, 1]]
        assert labels.segments.to_numpy().tolist() == [["step", 1, 2, 0], ["step", 36, 37, 2]]
        assert labels.instances.rows["position"].tolist() == [1, 1, 36]
        assert (labels.vocabulary.phases, labels.vocabulary.steps[2]) == (("Idle", "LPIL"), "Suction")

    def test_a_file_without_boxes_does_not_say_that_nothing_is_there(self):
        ((name, data),) = EXAMPLES["grasp"].items()
        (labels,) = read_files("grasp", {name: dumps(without_boxes(json.loads(data)))}).recordings
        assert labels.instances is None
        assert labels.phases.rows.to_numpy().tolist() == [[1, 0], [36, 1]]


class TestPetraw:
    def test_a_row_is_a_frame_of_the_video_with_its_phase_and_step(self):
        (labels,) = read_files("petraw", EXAMPLES["petraw"]).recordings
        assert (labels.recording, labels.clock) == ("001", SOURCE_FRAMES)
        assert labels.phases.positions.tolist() == [0, 1, 2]
        steps = [(start, end, labels.vocabulary.steps[id_]) for _, start, end, id_ in labels.segments.itertuples(index=False)]
        assert steps == [(0, 2, "Block 1"), (2, 3, "Block 2")]

    def test_what_the_hands_do_is_not_kept_and_it_is_said(self):
        assert sentences(faults_of("petraw", EXAMPLES["petraw"]), "warning") == ("petraw/001.txt: not kept: Verb_Left, Verb_Right",)

    def test_misaw_has_the_same_columns_under_another_name_and_may_have_none_of_frames(self):
        data = b"Phase\tStep\tVerb_Left\nSuturing\tNeedle holding\tHold\nKnot tying\t1 knot\tHold\n"
        (labels,) = read_files("petraw", {"m/1_1_annotation.txt": data}).recordings
        assert (labels.recording, labels.vocabulary.phases) == ("1_1", ("Knot tying", "Suturing"))

    def test_names_stand_in_the_order_of_letters_and_digits_and_the_last_spelling_stays(self):
        (labels,) = read_files("petraw", {"m/a.txt": b"Phase\tStep\nPhase 1-1\tBlock\nPhase 10\tblock\nPhase 1-2\tblock\n"}).recordings
        assert (labels.vocabulary.phases, labels.vocabulary.steps) == (("Phase 10", "Phase 1-1", "Phase 1-2"), ("block",))

    def test_names_that_a_point_between_digits_tells_apart_are_two_and_those_that_could_be_two_are_refused(self):
        rows = "Phase\tStep\n{}\tS1.1\nP11\tS11\n"
        (labels,) = read_files("petraw", {"m/a.txt": rows.format("P1.1").encode()}).recordings
        assert (labels.vocabulary.phases, labels.vocabulary.steps) == (("P1.1", "P11"), ("S1.1", "S11"))
        with pytest.raises(AnnotationError, match=r"m/a.txt: the phases 'P\.11' and 'P11' would be one name"):
            read_files("petraw", {"m/a.txt": rows.format("P.11").encode()})

    @pytest.mark.parametrize(
        ("times", "line"),
        [
            (("0", "1", "2", "3", "10", "11", "12"), 6),
            (("0", "1", "2", "4"), 5),
            (("0", "1000", "2000", "4000", "5000"), 5),
            ((*(f"{frame / 30:.2f}" for frame in range(90)), f"{91 / 30:.2f}", f"{92 / 30:.2f}"), 92),
            (("0:00:00.0", "0:00:00.5", "0:00:01.0", "0:00:02.0"), 5),
        ],
    )
    def test_a_jump_in_times_is_an_error_as_one_in_frames(self, times, line):
        rows = "".join(f"{time}\tA\tx\n" for time in times)
        one = said("petraw", {"p/2.txt": f"Timestamp\tPhase\tStep\n{rows}".encode()})
        assert f"line {line}: Timestamp is '{times[line - 2]}', so that this row is not the frame of its place" in one

    @pytest.mark.parametrize(("rate", "decimals"), [(30, 1), (25, 2), (29.97, 2), (50, 2), (60, 2), (70, 2), (30, 3), (60, 6), (0.7, 0)])
    def test_steps_of_times_may_differ_as_much_as_they_are_rounded(self, rate, decimals):
        rows = "".join(f"{frame / rate:.{decimals}f}\tA\tx\n" for frame in range(200))
        told = said("petraw", {"p/2.txt": f"Timestamp\tPhase\tStep\n{rows}".encode()})
        # At 30 per second, tenths of a second stand still.
        assert bool(told) == (decimals == 1)

    def test_where_only_times_number_the_rows_the_rate_that_they_tell_and_a_late_begin_are_said(self):
        rows = "".join(f"{5 + frame / 12.5:.2f}\tA\tx\n" for frame in range(50))
        (told,) = sentences(faults_of("petraw", {"p/2.txt": f"Timestamp\tPhase\tStep\n{rows}".encode()}), "warning")
        assert "by Timestamp there are 12.5 rows a second, and the first row, at 5.00, is read as frame 0" in told
        numbered = "".join(f"{frame}\t{row}\n" for frame, row in enumerate(rows.splitlines()))
        assert faults_of("petraw", {"p/2.txt": f"Frame\tTimestamp\tPhase\tStep\n{numbered}".encode()}) == ()


class TestAvos:
    HEADER = b",video_id,labeler_1,label,start_seconds,end_seconds\n"

    def test_an_action_ends_where_the_next_one_begins(self):
        first, second = read_files("avos", EXAMPLES["avos"]).recordings
        assert (first.recording, second.recording) == ("-3gFrKiC99I", "EgVI5o-fS6o")
        names = first.vocabulary.phases
        spans = [(start, end, names[id_]) for start, end, id_ in first.segments[["start", "end", "label_id"]].itertuples(index=False)]
        assert spans == [(0, 30000, "background"), (30000, 61500, "cutting")]

    def test_what_nobody_decided_is_no_label_and_is_counted(self, tmp_path):
        files = {"a.csv": self.HEADER + b"0,v,cutting,cutting,0.0,5.0\n1,v,tying,abstain,5.0,9.0\n2,v,,none,9.0,12.0\n"}
        (labels,) = read_files("avos", files).recordings
        assert labels.segments["end"].tolist() == [5000]
        told = said("avos", files, "warning")
        assert "a.csv: 2 rows of which nobody decided (abstain, none) are not labelled" in told
        assert "not kept: labeler_1" in told
        assert detect.detected(put(tmp_path, files)).name == "avos"


class TestEgoSurgery:
    def test_picture_one_is_the_first_and_each_takes_two_seconds(self):
        (labels,) = read_files("egosurgery", EXAMPLES["egosurgery"]).recordings
        assert (labels.recording, labels.clock.period_s) == ("01_1", 2)
        assert labels.phases.positions.tolist() == [0, 1, 8, 9]
        names = [labels.vocabulary.phases[id_] for id_ in labels.phases.rows["phase_id"]]
        assert names == [*["disinfection"] * 2, "incision", "closure"]
        told = said("egosurgery", EXAMPLES["egosurgery"], "warning")
        assert "picture 1 is taken as the first of the video, and each as two seconds" in told

    def test_a_table_of_phases_whose_frames_are_numbers_is_another_format(self, tmp_path):
        assert detect.detected(put(tmp_path, {"b.csv": b"Frame,Phase\n1,Preparation\n"})).name == "phase-tables"


@given(RUNS, st.integers(0, 9))
@pytest.mark.parametrize(
    ("form", "name", "line"), [("sarrarp50", "v/action_discrete.txt", "{:09d},{}"), ("heichole", "v_Annotation_Phase.csv", "{},{}")]
)
def test_lines_of_frame_and_class_are_written_as_they_are_read(form, name, line, runs, first):
    ids = [phase for phase, length in runs for _ in range(length)]
    data = "".join(f"{line.format(frame, id_)}\n" for frame, id_ in enumerate(ids, start=first)).encode()
    assert write_files(form, read_files(form, {f"in/{name}": data})).files == {name: data}


def test_of_these_formats_no_file_states_the_rate_so_that_it_is_asked_for():
    asked = {"cvat-video", "dsad", "grasp", "heichole", "heichole-instruments", "label-studio", "masks-png", "petraw", "phase-spans"}
    assert {name for name, form in readable().items() if form.by_hand.asks_fps} == asked


def test_what_is_no_phase_is_counted_and_never_written_as_one():
    names = vocabulary.load("multibypass140")
    segments = segment_rows([("phase", 0, 1500, 0), ("step", 0, 900, 1), ("mark", 100, 200, 0)])
    labels = Labels("v", "x", names, timed_rows.MILLISECOND, segments=segments)
    out = Output()
    written = timed_rows.table(Collection((labels,)), ("video", "start", "end", "label"), out)
    assert written.decode() == f"video,start,end,label\nv,0,1.5,{names.phases[0]}\n"
    assert sum(out.losses.values()) == 2


NO_NAMES = ("3", "0.0", "-1", "2.5", "nan", "None", "n/a", "")


def phase_spans(text, file="op 1.csv", **options):
    """Spans of phases of a plain table by video, in nanoseconds, or the frames of each phase."""
    read = read_files("phase-spans", {f"d/{file}": text.encode()}, **options).recordings
    return {
        one.recording: [(start, end, one.vocabulary.phases[id_]) for _, start, end, id_ in one.segments.itertuples(index=False)]
        if one.phases is None
        else [(row.position, one.vocabulary.phases[row.phase_id]) for row in one.phases.rows.itertuples()]
        for one in read
    }


@pytest.mark.parametrize(
    "text",
    [
        "start_s,end_s,phase\n0,10.5,cut\n10.5,90,sew\n",
        "Start (s);End (s);Phase\n0;10,5;cut\n10,5;90;sew\n",
        "phase,startTime_ms,endTime_ms,surgeon\nsew,10500,90000,x\ncut,0,10500,x\n",
        "from,to,phase_name\n0:00:00,0:00:10.5,cut\n0:00:10.5,0:01:30,sew\n",
        "Start,End,PhaseName\n00:00,00:10.5,cut\n00:10.5,01:30,sew\n",
        "VideoName,start_sec,stop_sec,label\nop 1,0,10.5,cut\nop 1,10.5,90,sew\n",
        "Beginn;Ende;Phase\n0:00:00,000;0:00:10,500;cut\n0:00:10,500;0:01:30;sew\n",
        "t_start,t_end,phase\n0:00,0:10.5,cut\n0:10.5,1:30,sew\n",
        "Start (mm:ss),End (mm:ss),phase\n0:00,0:10.5,cut\n0:10.5,1:30,sew\n",
    ],
)
def test_spans_of_phases_with_names_of_their_own_are_read_from_a_plain_table(text):
    assert phase_spans(text) == {"op 1": [(0, 10_500_000_000, "cut"), (10_500_000_000, 90_000_000_000, "sew")]}


@pytest.mark.parametrize(
    "text",
    [
        "start_frame,end_frame,phase\n0,2,cut\n2,3,sew\n5,6,cut\n",
        "start_frame,end_frame,phase\n0,1,cut\n2,2,sew\n5,5,cut\n",
        "StartFrame,last_frame,phase\n0,1,cut\n2,2,sew\n5,5,cut\n",
        "first_frame,last_frame,phase\n0,1,cut\n2,2,sew\n5,5,cut\n",
        "frame_start,frame_end_exclusive,phase\n0,2,cut\n2,3,sew\n5,6,cut\n",
    ],
)
def test_ends_of_frames_are_the_last_ones_or_those_behind_as_the_rows_or_the_column_say(text):
    assert phase_spans(text) == {"op 1": [(0, "cut"), (1, "cut"), (2, "sew"), (5, "cut")]}


def test_a_column_of_videos_makes_several_recordings_of_spans_and_a_known_vocabulary_is_told_by_its_phases():
    text = "videoName,PhaseName,Start,End\nb,Preparation,0:00:00,0:02:00\na,clipping and cutting,0:00:00,0:01:00\n"
    assert {video: spans[0][2] for video, spans in phase_spans(text).items()} == {"a": "ClippingCutting", "b": "Preparation"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "start,end,phase\n0,10,cut\n10,20,sew\n",
            "line 1: 'start' and 'end' do not say what they count: seconds, milliseconds or frames?; call",
        ),
        ("starts,ends,phase\n0,10.5,cut\n", "do not say what they count"),
        ("start_s,end_frame,phase\n0,10,cut\n", "line 1: 'start_s' and 'end_frame' do not count the same"),
        ("start_s,phase\n0,cut\n", "line 1: the columns are start_s, phase: expected one of starts, one of ends and 'phase'"),
        ("start_frame,end_frame,phase\n0,10,cut\n15,20,sew\n", "nothing tells whether 'end_frame' is the last frame of a phase"),
        ("start_frame,end_frame,phase\n0,10,cut\n10,20,sew\n21,30,cut\n", "(1 reach to the next start, 1 to the frame before it)"),
        ("start_s,end_s,phase\n0,10,cut\n9,20,sew\n", "lines 2 and 3: the phases 'cut' and 'sew' lie over each other"),
        ("start_frame,last_frame,phase\n0,10,cut\n10,20,sew\n", "lines 2 and 3: the phases"),
        ("start_s,end_s,phase\n10,10,cut\n", "line 2: it ends at 10, but starts at 10"),
        ("start_frame,end_frame_exclusive,phase\n10,10,cut\n", "line 2: it starts and ends at frame 10"),
        *((f"start_s,end_s,phase\n0,10,{cell}\n", f"line 2: the phase is '{cell}'; write the name of a phase") for cell in NO_NAMES),
        ("start_s,end_s,phase,prediction\n0,10,cut,sew\n", "line 1: the columns phase, prediction could all be meant; keep one"),
        ("start_s,end_s,label,pred\n0,10,cut,sew\n", "line 1: the columns label, pred could all be meant; keep one"),
        ("case,video,start_s,end_s,phase\n1,2,0,10,cut\n", "line 1: the columns case, video could all be meant; keep one"),
        ("start_s,end_s_inclusive,phase\n0,9.5,cut\n", "'end_s_inclusive' is called the last instant of a phase, and times have none"),
        ("start_s,last_s,phase\n0,9.5,cut\n", "'last_s' is called the last instant of a phase"),
        ("start_ms,end_ms_inclusive,phase\n0,9,cut\n", "'end_ms_inclusive' is called the last instant of a phase"),
        ("start_s,end_s,phase\n0,119,a\n120,399,b\n400,520,c\n", "2 of 2 phases end a second before the next one starts, as if 'end_s'"),
        ("start_s,end_s,phase\n0,29,a\n30,74,b\n75,120,a\n121,437.48,b\n", "3 of 3 phases end a second before the next one starts"),
        ("start_s,end_s,phase\n0.00,9.96,a\n10.00,19.96,b\n20,30,a\n", "2 of 2 phases end a frame before the next one starts"),
        ("start_s,end_s,phase\n0,9.97,a\n10.00,19.96,b\n20,30,a\n", "as if 'end_s' were their last frame"),
        ("start_ms,end_ms,phase\n0,9000,a\n10000,20000,b\n", "call it end_ms_exclusive"),
        ("start,end,phase\n0:00:00,0:01:59,a\n0:02:00,0:03:00,b\n", "call it end_exclusive"),
        ("start_ms;end_ms;phase\n0;60.000;cut\n", "'60.000': a decimal separator, or one of thousands?; write them without a point"),
        ("start_frame,end_frame_exclusive,phase\n0,1.500,cut\n", "'1.500': a decimal separator, or one of thousands?"),
        ("start_frame,end_frame,phase\n0,100,a\n120,199,b\n200,299,c\n310,320,d\n", "(0 reach to the next start, 1 to the frame before"),
        ("start_s end_s phase\n0 10 cut\n", "separate the cells by commas, semicolons or tabs, not by blanks"),
        ("start_s,end_s,phase_id\n0,10,3\n", "write the name of each phase in a column 'phase'"),
        *((f"video,start_s,end_s,phase\n{name},0,10,cut\n", f"line 2: '{name}' is no name of a video") for name in ("..", ".x", "a/b")),
        ("video,start_s,end_s,phase\n../a,0,10,cut\n", "line 2: '../a' is no name of a video"),
        ("start_s,end_s,phase\n-1,10,cut\n", "'-1' is not seconds from 0"),
        ("start_s,end_s,phase\n", "has no rows"),
    ],
)
def test_spans_of_phases_that_could_be_read_in_two_ways_are_refused(text, told):
    assert told in said("phase-spans", {"d/a.csv": text.encode()})


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("start_s,end_s", "0,9,cut\n10,19,sew\n"),
        ("start_s,end_s", "0,12,cut\n10,20,sew\n"),
        ("start_s,end_s", "20,10,cut\n"),
        ("start_s,end_s", "x,10,cut\n"),
        ("start_s,end_s", "0,10,nan\n"),
        ("start_frame,end_frame", "0,10,cut\n10,20,sew\n21,30,cut\n"),
    ],
)
def test_predicted_spans_of_a_video_without_labels_stop_nothing(header, rows):
    whole = f"video,{header},phase\na,0,10,cut\na,10,20,sew\n" + "".join(f"b,{row}\n" for row in rows.splitlines())
    named = {"d/a.csv": f"{header},phase\n0,10,cut\n10,20,sew\n".encode(), "d/b.csv": f"{header},phase\n{rows}".encode()}
    for files in ({"d/all.csv": whole.encode()}, named):
        read = read_files("phase-spans", files, labelled_videos=frozenset({"a"}))
        assert [one.what for one in read.faults if one.severity == "error"] == []
        assert "a" in [one.recording for one in read.recordings]
        with pytest.raises(AnnotationError):
            read_files("phase-spans", files)


@pytest.mark.parametrize("end", ["end_s_exclusive", "until_s"])
def test_gaps_of_a_second_are_read_where_the_column_says_that_ends_lie_behind_the_phase(end):
    assert phase_spans(f"start_s,{end},phase\n0,9,cut\n10,20,sew\n")["op 1"][0] == (0, 9 * 10**9, "cut")


def test_ends_of_frames_are_told_by_another_file_with_the_same_columns():
    files = {"d/a.csv": b"start_frame,end_frame,phase\n0,1,cut\n2,3,sew\n", "d/b.csv": b"start_frame,end_frame,phase\n5,6,cut\n"}
    one, other = read_files("phase-spans", files).recordings
    assert (one.phases.positions.tolist(), other.phases.positions.tolist()) == ([0, 1, 2, 3], [5, 6])


def test_a_video_of_spans_that_stands_in_two_files_is_read_from_neither():
    rows = b"video,start_s,end_s,phase\n"
    files = {"d/a.csv": rows + b"v,0,10,cut\n", "d/b.csv": rows + b"v,10,20,sew\n"}
    refused = faults_of("phase-spans", files)
    assert [(one.file, one.rule) for one in refused] == [("d/a.csv", "file-repeated"), ("d/b.csv", "file-repeated")]


def test_minutes_may_be_more_than_an_hour_of_them():
    assert phase_spans("Start,End,Phase\n00:00,75:30,cut\n")["op 1"] == [(0, 4530 * 10**9, "cut")]


def test_predicted_spans_are_of_the_phases_of_the_labels_in_any_order_and_may_have_further_ones(tmp_path, capsys):
    head = b"start_s,end_s,phase\n"
    put(tmp_path / "truth", {"a.csv": head + b"0,5,zeta\n5,10,alpha\n10,15,mid\n"})
    accuracies = []
    for number, rows in enumerate((b"0,5,zeta\n5,15,mid\n", b"0,5,alpha\n5,10,zeta\n10,15,mid\n", b"0,5,zeta\n5,10,other\n10,15,mid\n")):
        path = put(tmp_path / f"found{number}", {"a.csv": head + rows})
        assert cli.main(["score", "phases", "--ground-truth", str(tmp_path / "truth"), "--predictions", str(path), "--json"]) == 0
        accuracies.append(json.loads(capsys.readouterr().out)["results"][0]["overall"]["value"])
    assert accuracies == [pytest.approx(2 / 3), pytest.approx(1 / 3), pytest.approx(2 / 3)]


def test_labels_beside_predicted_spans_are_said_not_to_be_read():
    (told,) = [one for one in faults_of("phase-spans", {"d/a.csv": b"start_s,end_s,pred,gt\n0,10,cut,sew\n"}) if one.severity == "warning"]
    assert (told.rule, told.what) == ("column-truth", "the phases are those of the column 'pred'; not read: gt")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("start_s,end_s,phase\n0,10,cut\n", "phase-spans"),
        ("videoName,PhaseName,Start,End\na,cut,00:00,02:00\n", "phase-spans"),
        ("start,end,phase\n0,10,cut\n", "phase-tables"),
        ("frame,start_s,end_s,phase\n0,0,10,cut\n", "phase-tables"),
        ("frame,start_s,end_s,phase\n0,0,10,cut\n1,10,50,sew\n", "phase-tables"),
    ],
)
def test_a_table_is_one_of_spans_where_its_columns_say_what_they_count_else_it_is_told_how(tmp_path, text, form):
    path = put(tmp_path, {"a.csv": text.encode()})
    assert detect.detected(path).name == form
    told = "read spans as the format phase-spans (--from, --predictions-from), with columns such as start_s,end_s,phase"
    assert told in said("phase-tables", {"d/a.csv": text.encode()})
