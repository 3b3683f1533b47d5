import itertools
import json
import re
from fractions import Fraction

import pytest

import clips
from label_examples import EXAMPLES, shape
from scrubin import cli
from scrubin.base.vocabulary import vocabulary
from scrubin.labels.files.loss import Fit, fitted
from scrubin.labels.files.output import render, writer_of
from scrubin.labels.model import Clock, Collection, Labels, segment_rows
from verdict_cases import write_files


@pytest.fixture
def folder(tmp_path):
    """Write the example of a format and return its folder."""
    return lambda name, **more: write_files(tmp_path / name, {**EXAMPLES[name], **more})


@pytest.fixture
def convert(folder, tmp_path, capsys):
    """Convert a path, or the example of a format by its name, with an exit code that must be; return what is printed."""

    def convert(source, to, *more, out="o", code=0):
        given = (folder(source), "--from", source) if isinstance(source, str) else (source,)
        assert cli.main(["convert", *map(str, (*given, "--to", to, "--out", tmp_path / out, *more))]) == code
        assert code == 0 or not (tmp_path / out).is_dir()
        return capsys.readouterr()

    return convert


def cells(path, delimiter=","):
    """The cells of a table below its header."""
    return [row.split(delimiter) for row in path.read_text().splitlines()[1:]]


def test_a_cholect50_file_comes_back_byte_for_byte(folder, convert, tmp_path):
    source = folder("cholect50") / "labels/VID07.json"
    said = convert(source, "cholect50", "--from", "cholect50", out="again.json")
    assert (tmp_path / "again.json").read_bytes() == source.read_bytes()
    assert said.out.splitlines() == [
        f"{source}: read as cholect50: 1 file, 1 recording; frames that count: 4 for recognition, 3 for detection, 3 for phases",
        f"{tmp_path / 'again.json'}: 1 file, 1 recording, 3 instances, 3 phases",
    ]
    assert said.err == ""


def test_error_labels_alone_are_rows_that_are_counted(convert, tmp_path):
    (tmp_path / "errors.csv").write_text("id,task,error,occurred\na,Peg,dropped,True\na,Peg,cut,False\nb,Peg,dropped,True\n")
    said = convert(tmp_path / "errors.csv", "tables", "--from", "tables")
    assert said.out.splitlines()[-1] == f"{tmp_path / 'o'}: 1 file, 3 error labels"


def test_what_the_target_cannot_hold_is_told_and_counted(convert, tmp_path):
    told = convert("cholect50", "cholect45").err.splitlines()
    assert told == ["scrubin convert: not in cholect45: boxes: 2", "scrubin convert: not in cholect45: phases: 3"]
    rows = (tmp_path / "o/triplet/VID07.txt").read_text().splitlines()
    assert [row.split(",")[0] for row in rows] == ["16", "23", "24", "40"]
    assert rows[0].split(",")[1:].count("1") == 2
    assert (tmp_path / "o/dict/maps.txt").read_text().splitlines()[1] == "0,0,2,1,2,1"


def test_a_box_beyond_the_image_is_cut_for_other_formats(convert, tmp_path):
    told = convert("cholect50", "yolo").err
    assert "not in yolo: boxes cut to the image: 1" in told
    # The frame of the instance without a box is not there: an empty file would say that nothing is.
    assert "not in yolo: frames left out because of instances without a box: 1" in told
    assert sorted(path.name for path in (tmp_path / "o/labels").iterdir()) == ["VID07_000016.txt", "VID07_000023.txt", "VID07_000024.txt"]


def test_cholec80_becomes_cholect50_at_one_label_per_second(convert, tmp_path):
    assert "instruments of instances without a name in 'cholect50': SpecimenBag: 1" in convert("cholec80", "cholect50").err
    document = json.loads((tmp_path / "o/video01.json").read_text())
    assert document["fps"] == 1
    assert [len(document["annotations"][key]) for key in ("0", "1", "2")] == [2, 1, 1]
    assert document["annotations"]["1"][0][:2] == [-1, -1]  # no instrument
    # The bag is no instrument of CholecT50.
    assert [[vector[1] for vector in document["annotations"][key]] for key in ("0", "2")] == [[0, 2], [0]]


def test_phases_of_one_per_second_are_repeated_for_cholec80(convert, tmp_path):
    convert("cholect50", "cholec80")
    rows = cells(tmp_path / "o/VID07-phase.txt", "\t")
    assert [int(frame) for frame, _ in rows] == [*range(400, 425), *range(575, 600), *range(1000, 1025)]
    assert {name for _, name in rows} == {"CalotTriangleDissection", "GallbladderRetraction"}


def test_milliseconds_become_phases_and_what_is_laid_over_counts(convert, tmp_path):
    assert convert("multibypass140", "tables-csv").err == ""
    assert [int(row[4]) for row in cells(tmp_path / "o/phases.csv")] == [*[0] * 5, *[12] * 3, *[0] * 46, *[1] * 6]
    spans = cells(tmp_path / "o/segments.csv")
    assert [row[2] for row in spans] == ["phase", "phase", "phase", "mark", "step", "step"]
    assert spans[3] == ["BBP01", "3", "mark", "54000", "54500", "1000", "multibypass140", "severe_index", "0"]


def test_frames_have_the_phase_at_the_end_of_their_second_as_the_authors_have_it(folder, convert, tmp_path):
    convert(folder("multibypass140"), "tables-csv", "--instant", "end")
    # Frame 4 is at 4,999 ms, after 4,301 ms; frame 59 at 59,999 ms, before 60,000 ms.
    assert [int(row[4]) for row in cells(tmp_path / "o/phases.csv")] == [*[0] * 4, *[12] * 3, *[0] * 46, *[1] * 7]
    convert(tmp_path / "o", "tables-csv", out="again")
    assert (tmp_path / "again/phases.csv").read_bytes() == (tmp_path / "o/phases.csv").read_bytes()


def test_the_label_map_tells_what_was_merged(folder, convert, tmp_path):
    shapes = [shape("scissors", "dissect", "lymph node", [[1, 1], [5, 5]])]
    more = {"prostatd/pwhv1/000009.json": json.dumps({"shapes": shapes, "imageWidth": 10, "imageHeight": 10}).encode()}
    named = (folder("labelme", **more), "yolo4", "--from", "labelme")
    assert "'lymph node' is no target" in convert(*named, code=1).err
    told = convert(*named, "--label-map", "prostatd").err
    assert "merged: scissors,dissect,lymph node -> scissors,dissect,fascias: 1 instances" in told
    assert (tmp_path / "o/labels/pwhv1_000009.txt").read_text() == "20 0 3 4 0.300000 0.300000 0.400000 0.400000\n"


def test_files_without_any_label_are_refused(folder, convert):
    source = folder("cholect50") / "labels/VID07.json"
    source.write_text(json.dumps({**json.loads(source.read_text()), "annotations": {}}))
    told = convert(source, "tables", "--from", "cholect50", code=1).err
    assert "these cholect50 files hold no label: no frame or span of 1 recordings is labelled" in told


def test_sizes_are_asked_for_where_a_format_needs_them(convert, tmp_path):
    said = "VID07: the size of its images is not known, and the format needs it; give --image-size WIDTHxHEIGHT"
    assert said in convert("cholect50", "coco", code=1).err
    convert("cholect50", "coco", "--image-size", "1000x500")
    first = json.loads((tmp_path / "o/annotations.json").read_text())["annotations"][0]
    assert (first["bbox"], first["category_id"]) == ([100.0, 100.0, 300.0, 200.0], 18)


def test_png_numbers_from_one_are_counted_from_zero(convert, tmp_path):
    named = (
        write_files(tmp_path / "labels", {"video01_000003.txt": b"20 0.5 0.5 0.5 0.5\n"}),
        "tables-csv",
        "--from",
        "yolo",
        "--vocabulary",
        "prostatd",
    )
    convert(*named, "--first-frame", "1")
    assert cells(tmp_path / "o/triplets.csv")[0][:2] == ["video01", "2"]
    (tmp_path / "labels/video01_000000.txt").write_text("")
    convert(*named, "--first-frame", "1", out="p", code=1)


@pytest.mark.parametrize(
    ("form", "to", "more", "code", "message"),
    [
        ("cholect5", "coco", [], 2, "'cholect5' is no format that can be read; did you mean 'cholect50'?"),
        ("cholect50", "cocoo", [], 2, "'cocoo' is no format that can be written; did you mean 'coco'?"),
        ("cholect50", "cholectriplet2022", [], 2, "'cholectriplet2022' can only be read"),
        ("cholect50", "tables", ["--vocabulary", "cholec8"], 2, "'cholec8' is no vocabulary; did you mean 'cholec80'?"),
        ("cholect50", "tables", ["--to-fps", "0"], 2, "--to-fps 0: give a rate above 0"),
        ("cholect50", "coco", ["--image-size", "854"], 2, "--image-size 854: give width and height in px, such as 854x480"),
        ("cholect50", "tables", ["--box-tolerance", "3"], 2, "--box-tolerance 3: give a share in 0..0.2"),
        ("cholect50", "tables", ["--first-frame", "-1"], 2, "--first-frame -1: give 0 or more"),
        ("tables-csv", "coco", [], 1, "there is no file of the format tables in it"),
        ("multibypasst40", "coco", ["--vocabulary", "cholect50"], 1, "the files of multibypasst40 name their own vocabulary"),
        ("cholec80", "coco", [], 1, "of the format cholec80 in it (there is labels/VID07.json); expected <recording>-phase.txt"),
        ("cholect50", "tables", ["--fps", "25"], 1, "--fps 25: cholect50 states the rate of its labels; leave --fps out"),
        ("cholect50", "tables", ["--label-map", "nothing"], 1, "nothing: no such label map; name a CSV file, or one of prostatd"),
    ],
)
def test_arguments_that_are_wrong_or_do_not_fit_the_files_are_named_with_the_mend(folder, convert, form, to, more, code, message):
    assert message in convert(folder("cholect50"), to, "--from", form, *more, code=code).err


@pytest.mark.parametrize(
    ("form", "to", "sensible"),
    [
        ("lasana", "coco", "aixsuture, jigsaws, lasana, tables, tables-csv"),
        ("multibypass140", "yolo", "boris, cataract101, elan, label-studio, multibypass140, tables, tables-csv, via3, vidat"),
    ],
)
def test_an_impossible_pair_says_which_make_sense(convert, form, to, sensible):
    told = convert(form, to, code=1).err
    assert f"nothing of these {form} files can be written as {to}" in told
    assert told.endswith(f"formats that make sense: {sensible}\n")


def test_a_missing_path_and_a_file_in_the_way_are_named(convert, tmp_path):
    told = convert(tmp_path / "nothing", "tables", "--from", "cholect50", code=1).err
    assert "nothing: there is no such file or folder" in told
    (tmp_path / "o").write_text("mine")
    assert "it is a file, but 5 files are written; name a folder" in convert("cholect50", "tables", code=1).err
    assert (tmp_path / "o").read_text() == "mine"


def test_a_recording_cannot_lead_out_of_the_folder(folder, convert, tmp_path):
    source = folder("coco") / "coco/annotations.json"
    document = json.loads(source.read_text())
    document["images"][0]["file_name"] = ".._000004.png"
    del document["images"][0]["recording"]
    source.write_text(json.dumps(document))
    assert "leads out of the folder" in convert(source, "labelme", "--from", "coco", out="a/b", code=1).err
    assert not list(tmp_path.rglob("000004.json"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "more"),
    [("tables", ()), ("coco", ("--image-size", "854x480", "--only-instruments")), ("labelme", ()), ("cholect50", ())],
)
def test_the_same_files_give_the_same_bytes(folder, tmp_path, target, more):
    source, outs = folder("cholectrack20"), (tmp_path / "one", tmp_path / "other")
    codes = [cli.main(["convert", str(source), "--from", "cholectrack20", "--to", target, "--out", str(out), *more]) for out in outs]
    assert codes[0] == codes[1]
    one, other = ({path.relative_to(out): path.read_bytes() for path in out.rglob("*.*")} for out in outs)
    assert one == other


ROUNDED = b"time,phase_id\n0.033,0\n0.133,1\n0.233,2\n"
BY_TIME = ("heichole", "--from", "phase-tables", "--vocabulary", "cholec80")


@pytest.mark.parametrize("rates", [["--fps", "30", "--to-fps", "30"], ["--to-fps", "30"], ["--fps", "30"]])
def test_rows_by_rounded_times_are_frames_at_the_rate_that_is_said(convert, tmp_path, rates):
    convert(write_files(tmp_path, {"v.csv": ROUNDED}) / "v.csv", *BY_TIME, *rates)
    assert (tmp_path / "o/v_Annotation_Phase.csv").read_text().split() == ["1,0", "4,1", "7,2"]


def test_rows_by_time_that_cannot_be_frames_at_the_rate_are_refused(convert, tmp_path):
    told = convert(write_files(tmp_path, {"v.csv": ROUNDED}) / "v.csv", *BY_TIME, "--fps", "25", code=1).err
    assert "--fps 25: its rows are numbered by time, which cannot be frames at 25 per second" in told


@pytest.fixture
def spans(tmp_path):
    """Write phases of Cholec80, each from one instant in ms to the next, as MultiBypass140 has them; return the file."""

    def spans(*edges, names=("Preparation", "CalotTriangleDissection", "ClippingCutting"), ids=itertools.count):
        of = zip(itertools.pairwise(edges), ids(), strict=False)
        rows = [{"start": start, "end": end, "label_name": names[id_], "label_id": id_} for (start, end), id_ in of]
        (tmp_path / "v.mp4.json").write_text(json.dumps({"vocabulary": "cholec80", "phases": rows, "steps": []}))
        return tmp_path / "v.mp4.json"

    return spans


BETWEEN = "spans between two frames of the other rate: 1\n"


def test_a_phase_between_two_frames_of_the_other_rate_is_counted(convert, spans):
    named = ("--from", "multibypass140", "--to-fps", "1")
    assert f"not in heichole: {BETWEEN}" in convert(spans(0, 2200, 2900, 6000), "heichole", *named).err
    # segments.csv has the phase as a span
    assert "between two frames" not in convert(spans(0, 2200, 2900, 6000), "tables-csv", *named, out="t").err


@pytest.mark.parametrize("edges", [(0, 2001, 2039), (0, 2001, 2039, 4000)], ids=["at the end", "in between"])
def test_a_phase_that_holds_no_frame_is_left_out_and_counted_so_that_the_files_are_read_back(convert, spans, tmp_path, edges):
    source = spans(*edges, ids=lambda: itertools.cycle((0, 1)))
    assert f"not in cataract101: {BETWEEN}" in convert(source, "cataract101", "--from", "multibypass140", "--to-fps", "25").err
    convert(tmp_path / "o", "cataract101", out="again")
    begins = (tmp_path / "again" / "annotations.csv").read_text().splitlines()[1:]
    assert begins == ["v;0;1", "v;51;1"][: len(edges) - 2]


@pytest.mark.parametrize("target", ["elan", "boris", "vidat", "via3"])
def test_the_skill_of_recordings_is_counted_where_a_format_has_no_ratings_either(folder, convert, target):
    assert re.search(r"facts of recordings: skill_level(: | \()[1-9]", convert(folder("jigsaws"), target).err)


@pytest.mark.cases(3)
@pytest.mark.parametrize("target", ["elan", "boris", "via3", "vidat", "cataract101"])
def test_spans_that_our_tables_have_to_the_millisecond_are_written_so(convert, spans, tmp_path, target):
    edges = (0, 12_400, 30_100, 61_337)
    convert(spans(*edges), "tables", "--from", "multibypass140", out="t")
    convert(tmp_path / "t", target, "--from", "tables")
    convert(tmp_path / "o", "multibypass140", "--from", target, "--vocabulary", "cholec80", out="again")
    (again,) = (tmp_path / "again").rglob("*.json")
    assert [(one["start"], one["end"]) for one in json.loads(again.read_text())["phases"]] == list(itertools.pairwise(edges))


def test_steps_of_any_clock_become_the_seconds_whose_instants_they_hold():
    words = vocabulary.load("pitvis")
    segments = segment_rows([("step", 0, 1_400, 3), ("step", 1_400, 1_401, 5), ("step", 1_401, 4_000, 2)])
    labels = Labels("07", "elan", words, Clock(Fraction(1, 1000)), segments=segments)
    kept, losses = fitted(Collection((labels,)), writer_of("pitvis"), Fit("elan"))
    written = render(kept, writer_of("pitvis"))
    said = {"exact start or end of spans, which is between two frames here": 2, "spans between two frames of the other rate": 1}
    assert (losses, written.losses, written.unwritten) == ({}, said, {"span": 1})
    rows = written.files["annotations_07.csv"].decode().splitlines()[1:]
    assert [tuple(map(int, row.split(",")[1:3])) for row in rows] == [(0, 4), (1, 4), (2, 3), (3, 3)]


@pytest.mark.parametrize(("rate", "told"), [([], True), (["--to-fps", "25"], False), (["--to-fps", "1"], False)])
def test_frames_at_a_time_between_two_seconds_are_counted_where_nobody_names_a_rate(folder, convert, rate, told):
    said = "exact time of labelled frames, which is between two frames here (--to-fps can keep it): 1"
    assert (said in convert(folder("cholecseg8k"), "tables-csv", *rate).err) == told


@pytest.fixture
def of_frames(convert, tmp_path):
    """Convert a table of phases at frames of 25 per second, the second phase from frame 26 on, to a format of a vocabulary."""

    def of_frames(frames, to, *more, name="v", words=None, **how):
        path = tmp_path / f"{name}.csv"
        path.write_text("frame,phase_id\n" + "".join(f"{frame},{int(frame > 25)}\n" for frame in frames))
        return convert(path, to, "--from", "phase-tables", "--fps", "25", "--vocabulary", words or to, *more, **how)

    return of_frames


@pytest.mark.parametrize("target", ["cholec80", "m2cai"])
def test_phases_from_frame_1_on_are_refused_where_they_would_be_read_as_numbered_from_1(of_frames, target):
    assert "v: frame 0 has no phase and frame 1 has one" in of_frames(range(1, 60), target, code=1).err
    of_frames(range(1, 60), target, "--first-frame", "1")


def test_phases_with_gaps_are_written_for_heichole_with_a_note_and_read_back_as_they_were(of_frames, tmp_path):
    told = of_frames([2, 3, 7], "heichole", words="cholec80").err
    assert "v: 5 frames without a phase before the last one: files of this format have a line for every frame" in told
    assert (tmp_path / "o/v_Annotation_Phase.csv").read_text() == "2,0\n3,0\n7,0\n"
    assert "without a phase" not in of_frames(range(8), "heichole", words="cholec80", out="w").err


def test_phases_of_a_lower_rate_are_repeated_until_the_next_one_is_due_and_gaps_stay(convert, tmp_path):
    source = write_files(tmp_path, {"v.csv": b"frame,phase_id\n0,0\n1,1\n4,2\n"}) / "v.csv"
    assert "v: 4 frames without a phase before the last one" in convert(source, *BY_TIME, "--fps", "1", "--to-fps", "2").err
    assert (tmp_path / "o/v_Annotation_Phase.csv").read_text() == "0,0\n1,0\n2,1\n3,1\n8,2\n9,2\n"


def test_phases_with_gaps_are_written_for_cholec80_with_a_note_and_read_back_as_they_were(of_frames, convert, tmp_path):
    told = of_frames([2, 3, 7], "cholec80").err
    assert "v: 5 frames without a phase before the last one: such a file is read with a warning" in told
    convert(tmp_path / "o", "tables-csv", "--to-fps", "25", out="t")
    assert [row[1] for row in cells(tmp_path / "t/phases.csv")] == ["2", "3", "7"]


@pytest.mark.parametrize(
    ("recording", "file"),
    [
        ("workflow_video_07", "workflow_video_07.txt"),
        ("test_workflow_video_03", "test_workflow_video_03.txt"),
        ("case1", "workflow_video_case1.txt"),
        ("workflow_video_x", "workflow_video_workflow_video_x.txt"),
        ("test_workflow_video_x", "workflow_video_test_workflow_video_x.txt"),
    ],
)
def test_a_recording_comes_back_from_m2cai_under_its_name(of_frames, convert, tmp_path, recording, file):
    assert "read back as" not in of_frames(range(30), "m2cai", name=recording).err
    assert [path.name for path in (tmp_path / "o").iterdir()] == [file]
    convert(tmp_path / "o", "tables-csv", out="t")
    assert {row[0] for row in cells(tmp_path / "t/phases.csv")} == {recording}


def test_a_recording_that_m2cai_cannot_name_is_said_or_refused(of_frames, convert, tmp_path):
    (tmp_path / "in").mkdir()
    told = of_frames(range(30), "m2cai", name="in/07").err
    assert "m2cai: '07' is written as workflow_video_07.txt, and is read back as 'workflow_video_07'" in told
    for name in ("workflow_video_07", "07x"):
        (tmp_path / f"in/{name}.csv").write_bytes((tmp_path / "in/07.csv").read_bytes())
    told = convert(tmp_path / "in", "m2cai", "--from", "phase-tables", "--fps", "25", "--vocabulary", "m2cai", out="p", code=1).err
    assert "workflow_video_07: another recording is written as workflow_video_07.txt, too" in told
    assert "07x: no file of the format is read as '07x'" in told


def by_frame(tmp_path, names):
    rows = "".join(f"{frame}\t{name}\n" for frame, name in enumerate(names))
    return write_files(tmp_path, {"v-phase.txt": f"Frame\tPhase\n{rows}".encode()}) / "v-phase.txt"


TO_SECONDS = ("tables-csv", "--from", "cholec80", "--to-fps", "1", "--video")


def test_labels_by_frame_are_refused_where_the_video_has_another_rate_until_that_is_said(convert, tmp_path):
    labels = by_frame(tmp_path, ["Preparation"] * 30 + ["CalotTriangleDissection"] * 30)
    right, other = (clips.clip(tmp_path / f"{n}.mkv", seconds=2.4 * 25 / n, fps=str(n)) for n in (25, 50))
    convert(labels, *TO_SECONDS, right)
    told = convert(labels, *TO_SECONDS, other, out="p", code=1).err
    assert "the labels have 25 frames per second, the video has 50: frame 2 is at 0.08 s by them, and at 0.04 s in the video" in told
    convert(labels, *TO_SECONDS, other, "--fps", "50", out="p")
    assert [row[1] for row in cells(tmp_path / "p/phases.csv")] == ["0", "1"]


def test_labels_by_frame_are_refused_where_the_rate_of_the_video_varies(convert, tmp_path):
    video = clips.numbered(tmp_path / "v.mkv", 30, pts=[n * 40 for n in range(20)] + [n * 40 + 300 for n in range(20, 30)])
    told = convert(by_frame(tmp_path, ["Preparation"] * 30), *TO_SECONDS, video, code=1).err
    assert "frame 20 is at 0.8 s by them, and at 1.1 s in the video" in told


def test_what_a_tool_file_has_no_row_for_is_not_counted_as_written(convert, tmp_path):
    rows = [{"image_id": frame, "category_id": 1, "id": frame, "bbox": [0, 0, 5, 5], "area": 25, "iscrowd": 0} for frame in range(1, 60)]
    images = [{"id": frame, "file_name": f"VID07/{frame - 1:06d}.png", "width": 64, "height": 48} for frame in range(1, 60)]
    document = {"images": images, "annotations": rows, "categories": [{"id": 1, "name": "grasper"}], "info": {"fps": 25}}
    source = write_files(tmp_path, {"a.json": json.dumps(document).encode()}) / "a.json"
    said = json.loads(convert(source, "cholec80", "--from", "coco", "--fps", "25", "--vocabulary", "cholec80", "--json").out)
    (tools,) = (tmp_path / "o").glob("*-tool.txt") if (tmp_path / "o").is_dir() else (tmp_path / "o",)
    assert said["written"]["rows"]["instance"] == sum(row[1:].count("1") for row in cells(tools, "\t")) == 3
    assert said["not_written"]["labelled frames between every 25th frame"] == 56
