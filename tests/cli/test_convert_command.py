import itertools
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import clips
from label_examples import EXAMPLES, shape
from scrubin import cli
from scrubin.base.vocabulary import vocabulary
from scrubin.labels.files.loss import Fit, fitted
from scrubin.labels.files.output import render, writer_of
from scrubin.labels.model import Clock, Collection, Labels, segment_rows
from scrubin.labels.registry import WRITERS, readable


@pytest.fixture
def folder(tmp_path):
    """Write the example of a format and return its folder."""

    def folder(name, **more):
        for file, data in {**EXAMPLES[name], **more}.items():
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return tmp_path / name

    return folder


def convert(*arguments):
    return cli.main(["convert", *map(str, arguments)])


def test_a_cholect50_file_comes_back_byte_for_byte(folder, tmp_path, capsys):
    source = folder("cholect50") / "labels/VID07.json"
    assert convert(source, "--from", "cholect50", "--to", "cholect50", "--out", tmp_path / "again.json") == 0
    assert (tmp_path / "again.json").read_bytes() == source.read_bytes()
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"{source}: read as cholect50: 1 file, 1 recording; frames that count: 4 for recognition, 3 for detection, 3 for phases",
        f"{tmp_path / 'again.json'}: 1 file, 1 recording, 3 instances, 3 phases",
    ]
    assert err == ""


def test_error_labels_alone_are_rows_that_are_counted(tmp_path, capsys):
    (tmp_path / "errors.csv").write_text("id,task,error,occurred\na,Peg,dropped,True\na,Peg,cut,False\nb,Peg,dropped,True\n")
    assert convert(tmp_path / "errors.csv", "--from", "tables", "--to", "tables", "--out", tmp_path / "out") == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"{tmp_path / 'out'}: 1 file, 3 error labels"


def test_what_the_target_cannot_hold_is_told_and_counted(folder, tmp_path, capsys):
    assert convert(folder("cholect50"), "--from", "cholect50", "--to", "cholect45", "--out", tmp_path / "o") == 0
    told = capsys.readouterr().err.splitlines()
    assert told == ["scrubin convert: not in cholect45: boxes: 2", "scrubin convert: not in cholect45: phases: 3"]
    rows = (tmp_path / "o/triplet/VID07.txt").read_text().splitlines()
    assert [row.split(",")[0] for row in rows] == ["16", "23", "24", "40"]
    assert rows[0].split(",")[1:].count("1") == 2
    assert (tmp_path / "o/dict/maps.txt").read_text().splitlines()[1] == "0,0,2,1,2,1"


def test_a_box_beyond_the_image_is_cut_for_other_formats(folder, tmp_path, capsys):
    assert convert(folder("cholect50"), "--from", "cholect50", "--to", "yolo", "--out", tmp_path / "o") == 0
    errors = capsys.readouterr().err
    assert "not in yolo: boxes cut to the image: 1" in errors
    # The frame of the instance without a box is not there: an empty file would say that nothing is.
    assert "not in yolo: frames left out because of instances without a box: 1" in errors
    assert sorted(path.name for path in (tmp_path / "o/labels").iterdir()) == ["VID07_000016.txt", "VID07_000023.txt", "VID07_000024.txt"]


def test_cholec80_becomes_cholect50_at_one_label_per_second(folder, tmp_path, capsys):
    assert convert(folder("cholec80"), "--from", "cholec80", "--to", "cholect50", "--out", tmp_path / "o") == 0
    document = json.loads((tmp_path / "o/video01.json").read_text())
    assert document["fps"] == 1
    assert [len(document["annotations"][key]) for key in ("0", "1", "2")] == [2, 1, 1]
    assert document["annotations"]["1"][0][:2] == [-1, -1]  # no instrument
    assert [vector[1] for vector in document["annotations"]["2"]] == [0]  # the bag is no instrument of CholecT50
    assert [vector[1] for vector in document["annotations"]["0"]] == [0, 2]
    errors = capsys.readouterr().err
    assert "instruments of instances without a name in 'cholect50': SpecimenBag: 1" in errors


def test_phases_of_one_per_second_are_repeated_for_cholec80(folder, tmp_path):
    assert convert(folder("cholect50"), "--from", "cholect50", "--to", "cholec80", "--out", tmp_path / "o") == 0
    rows = [row.split("\t") for row in (tmp_path / "o/VID07-phase.txt").read_text().splitlines()[1:]]
    assert [int(frame) for frame, _ in rows] == [*range(400, 425), *range(575, 600), *range(1000, 1025)]
    assert {name for _, name in rows} == {"CalotTriangleDissection", "GallbladderRetraction"}


def test_milliseconds_become_phases_and_what_is_laid_over_counts(folder, tmp_path, capsys):
    assert convert(folder("multibypass140"), "--from", "multibypass140", "--to", "tables-csv", "--out", tmp_path / "o") == 0
    rows = [row.split(",") for row in (tmp_path / "o/phases.csv").read_text().splitlines()[1:]]
    assert [int(row[4]) for row in rows] == [*[0] * 5, *[12] * 3, *[0] * 46, *[1] * 6]
    assert capsys.readouterr().err == ""
    spans = [row.split(",") for row in (tmp_path / "o/segments.csv").read_text().splitlines()[1:]]
    assert [row[2] for row in spans] == ["phase", "phase", "phase", "mark", "step", "step"]
    assert spans[3] == ["BBP01", "3", "mark", "54000", "54500", "1000", "multibypass140", "severe_index", "0"]


def test_frames_have_the_phase_at_the_end_of_their_second_as_the_authors_have_it(folder, tmp_path):
    source, arguments = folder("multibypass140"), ("--to", "tables-csv", "--instant", "end", "--out", tmp_path / "o")
    assert convert(source, *arguments) == 0
    rows = [row.split(",") for row in (tmp_path / "o/phases.csv").read_text().splitlines()[1:]]
    # Frame 4 is at 4,999 ms, after 4,301 ms; frame 59 at 59,999 ms, before 60,000 ms.
    assert [int(row[4]) for row in rows] == [*[0] * 4, *[12] * 3, *[0] * 46, *[1] * 7]
    assert convert(tmp_path / "o", "--to", "tables-csv", "--out", tmp_path / "again") == 0
    assert (tmp_path / "again/phases.csv").read_bytes() == (tmp_path / "o/phases.csv").read_bytes()


def test_the_label_map_tells_what_was_merged(folder, tmp_path, capsys):
    shapes = [shape("scissors", "dissect", "lymph node", [[1, 1], [5, 5]])]
    more = {"prostatd/pwhv1/000009.json": json.dumps({"shapes": shapes, "imageWidth": 10, "imageHeight": 10}).encode()}
    source = folder("labelme", **more)
    assert convert(source, "--from", "labelme", "--to", "yolo4", "--out", tmp_path / "o") == 1
    assert "'lymph node' is no target" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
    assert convert(source, "--from", "labelme", "--to", "yolo4", "--out", tmp_path / "o", "--label-map", "prostatd") == 0
    assert "merged: scissors,dissect,lymph node -> scissors,dissect,fascias: 1 instances" in capsys.readouterr().err
    assert (tmp_path / "o/labels/pwhv1_000009.txt").read_text() == "20 0 3 4 0.300000 0.300000 0.400000 0.400000\n"


def test_an_impossible_pair_says_which_make_sense(folder, tmp_path, capsys):
    assert convert(folder("lasana"), "--from", "lasana", "--to", "coco", "--out", tmp_path / "o") == 1
    message = capsys.readouterr().err
    assert "nothing of these lasana files can be written as coco" in message
    assert message.endswith("formats that make sense: aixsuture, jigsaws, lasana, tables, tables-csv\n")
    assert convert(folder("multibypass140"), "--from", "multibypass140", "--to", "yolo", "--out", tmp_path / "o") == 1
    sensible = "boris, cataract101, elan, label-studio, multibypass140, tables, tables-csv, via3, vidat"
    assert f"formats that make sense: {sensible}" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_files_without_any_label_are_refused(folder, tmp_path, capsys):
    source = folder("cholect50") / "labels/VID07.json"
    source.write_text(json.dumps({**json.loads(source.read_text()), "annotations": {}}))
    assert convert(source, "--from", "cholect50", "--to", "tables", "--out", tmp_path / "o") == 1
    assert "these cholect50 files hold no label: no frame or span of 1 recordings is labelled" in capsys.readouterr().err


def test_sizes_are_asked_for_where_a_format_needs_them(folder, tmp_path, capsys):
    source = folder("cholect50")
    assert convert(source, "--from", "cholect50", "--to", "coco", "--out", tmp_path / "o") == 1
    assert "VID07: the size of its images is not known, and the format needs it; give --image-size WIDTHxHEIGHT" in capsys.readouterr().err
    assert convert(source, "--from", "cholect50", "--to", "coco", "--out", tmp_path / "o", "--image-size", "1000x500") == 0
    document = json.loads((tmp_path / "o/annotations.json").read_text())
    assert document["annotations"][0]["bbox"] == [100.0, 100.0, 300.0, 200.0]
    assert document["annotations"][0]["category_id"] == 18


def test_png_numbers_from_one_are_counted_from_zero(tmp_path):
    source = tmp_path / "labels/video01_000003.txt"
    source.parent.mkdir()
    source.write_text("20 0.5 0.5 0.5 0.5\n")
    arguments = ("--from", "yolo", "--to", "tables-csv", "--out", tmp_path / "o", "--first-frame", "1")
    assert convert(source.parent, *arguments) == 0
    assert (tmp_path / "o/triplets.csv").read_text().splitlines()[1].split(",")[:2] == ["video01", "2"]
    (tmp_path / "labels/video01_000000.txt").write_text("")
    assert convert(source.parent, *arguments) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--from", "cholect5", "--to", "coco"], "'cholect5' is no format that can be read; did you mean 'cholect50'?"),
        (["--from", "cholect50", "--to", "cocoo"], "'cocoo' is no format that can be written; did you mean 'coco'?"),
        (["--from", "cholect50", "--to", "cholectriplet2022"], "'cholectriplet2022' can only be read"),
        (["--from", "cholect50", "--to", "tables", "--vocabulary", "cholec8"], "'cholec8' is no vocabulary; did you mean 'cholec80'?"),
        (["--from", "cholect50", "--to", "tables", "--to-fps", "0"], "--to-fps 0: give a rate above 0"),
        (["--from", "cholect50", "--to", "coco", "--image-size", "854"], "--image-size 854: give width and height in px, such as 854x480"),
        (["--from", "cholect50", "--to", "tables", "--box-tolerance", "3"], "--box-tolerance 3: give a share in 0..0.2"),
        (["--from", "cholect50", "--to", "tables", "--first-frame", "-1"], "--first-frame -1: give 0 or more"),
    ],
)
def test_arguments_that_no_file_could_make_right_are_named_with_the_mend(folder, tmp_path, capsys, arguments, message):
    assert convert(folder("cholect50"), *arguments, "--out", tmp_path / "o") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--from", "tables-csv", "--to", "coco"], "there is no file of the format tables in it"),
        (
            ["--from", "multibypasst40", "--to", "coco", "--vocabulary", "cholect50"],
            "the files of multibypasst40 name their own vocabulary",
        ),
        (
            ["--from", "cholec80", "--to", "coco"],
            "there is no file of the format cholec80 in it (there is labels/VID07.json); expected <recording>-phase.txt",
        ),
        (["--from", "cholect50", "--to", "tables", "--fps", "25"], "--fps 25: cholect50 states the rate of its labels; leave --fps out"),
        (
            ["--from", "cholect50", "--to", "tables", "--label-map", "nothing"],
            "nothing: no such label map; name a CSV file, or one of prostatd",
        ),
    ],
)
def test_arguments_that_do_not_fit_the_files_are_named_with_the_mend(folder, tmp_path, capsys, arguments, message):
    assert convert(folder("cholect50"), *arguments, "--out", tmp_path / "o") == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_what_is_read_is_never_overwritten(folder, capsys):
    source = folder("cholect50") / "labels"
    before = (source / "VID07.json").read_bytes()
    assert convert(source, "--from", "cholect50", "--to", "cholect50", "--out", source) == 1
    assert "this is what is read, which is never overwritten" in capsys.readouterr().err
    assert (source / "VID07.json").read_bytes() == before


def test_a_missing_path_and_a_file_in_the_way_are_named(folder, tmp_path, capsys):
    assert convert(tmp_path / "nothing", "--from", "cholect50", "--to", "tables", "--out", tmp_path / "o") == 1
    assert "nothing: there is no such file or folder" in capsys.readouterr().err
    (tmp_path / "o").write_text("mine")
    assert convert(folder("cholect50"), "--from", "cholect50", "--to", "tables", "--out", tmp_path / "o") == 1
    assert "it is a file, but 5 files are written; name a folder" in capsys.readouterr().err
    assert (tmp_path / "o").read_text() == "mine"


def test_a_recording_cannot_lead_out_of_the_folder(folder, tmp_path, capsys):
    source = folder("coco") / "coco/annotations.json"
    document = json.loads(source.read_text())
    document["images"][0]["file_name"] = ".._000004.png"
    del document["images"][0]["recording"]
    source.write_text(json.dumps(document))
    code = convert(source, "--from", "coco", "--to", "labelme", "--out", tmp_path / "a/b")
    assert code == 1
    assert "leads out of the folder" in capsys.readouterr().err
    assert not list(Path(tmp_path).rglob("000004.json"))


@pytest.mark.slow
def test_the_same_files_give_the_same_bytes(folder, tmp_path):
    source = folder("cholectrack20")
    for target in ("tables", "coco", "labelme", "cholect50"):
        extra = ("--image-size", "854x480", "--only-instruments") if target == "coco" else ()
        codes = [convert(source, "--from", "cholectrack20", "--to", target, "--out", tmp_path / f"{target}{k}", *extra) for k in range(2)]
        if codes == [0, 0]:
            files = [
                sorted(path.relative_to(tmp_path / f"{target}{k}") for path in (tmp_path / f"{target}{k}").rglob("*.*")) for k in range(2)
            ]
            assert files[0] == files[1]
            assert all((tmp_path / f"{target}0" / name).read_bytes() == (tmp_path / f"{target}1" / name).read_bytes() for name in files[0])


def test_help_names_every_format(capsys):
    with pytest.raises(SystemExit) as stopped:
        convert("--help")
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert all(f"  {name} " in text for name in {*readable(), *WRITERS})
    assert "default" in text


ROUNDED = b"time,phase_id\n0.033,0\n0.133,1\n0.233,2\n"


@pytest.mark.parametrize("rates", [["--fps", "30", "--to-fps", "30"], ["--to-fps", "30"], ["--fps", "30"]])
def test_rows_by_rounded_times_are_frames_at_the_rate_that_is_said(tmp_path, rates):
    (tmp_path / "v.csv").write_bytes(ROUNDED)
    named = ["--from", "phase-tables", "--vocabulary", "cholec80", "--to", "heichole", "--out", tmp_path / "o"]
    assert convert(tmp_path / "v.csv", *named, *rates) == 0
    assert (tmp_path / "o/v_Annotation_Phase.csv").read_text().split() == ["1,0", "4,1", "7,2"]


def test_rows_by_time_that_cannot_be_frames_at_the_rate_are_refused(tmp_path, capsys):
    (tmp_path / "v.csv").write_bytes(ROUNDED)
    named = ["--from", "phase-tables", "--vocabulary", "cholec80", "--to", "heichole", "--out", tmp_path / "o"]
    assert convert(tmp_path / "v.csv", *named, "--fps", "25") == 1
    assert "--fps 25: its rows are numbered by time, which cannot be frames at 25 per second" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_a_phase_between_two_frames_of_the_other_rate_is_counted(tmp_path, capsys):
    names = ("Preparation", "CalotTriangleDissection", "ClippingCutting")
    edges = zip((0, 2200, 2900), (2200, 2900, 6000), names, range(3), strict=True)
    rows = [{"start": start, "end": end, "label_name": name, "label_id": id_} for start, end, name, id_ in edges]
    (tmp_path / "v.mp4.json").write_text(json.dumps({"vocabulary": "cholec80", "phases": rows, "steps": []}))
    assert convert(tmp_path / "v.mp4.json", "--from", "multibypass140", "--to", "heichole", "--to-fps", "1", "--out", tmp_path / "o") == 0
    assert "not in heichole: spans between two frames of the other rate: 1\n" in capsys.readouterr().err
    assert convert(tmp_path / "v.mp4.json", "--from", "multibypass140", "--to", "tables-csv", "--to-fps", "1", "--out", tmp_path / "t") == 0
    assert "between two frames" not in capsys.readouterr().err  # segments.csv has the phase as a span


@pytest.mark.parametrize("edges", [(0, 2001, 2039), (0, 2001, 2039, 4000)], ids=["at the end", "in between"])
def test_a_phase_that_holds_no_frame_is_left_out_and_counted_so_that_the_files_are_read_back(tmp_path, capsys, edges):
    names = ("Preparation", "CalotTriangleDissection")
    spans = [(start, end, at % 2) for at, (start, end) in enumerate(itertools.pairwise(edges))]
    rows = [{"start": start, "end": end, "label_name": names[id_], "label_id": id_} for start, end, id_ in spans]
    (tmp_path / "v.mp4.json").write_text(json.dumps({"vocabulary": "cholec80", "phases": rows, "steps": []}))
    to = ["--to", "cataract101", "--to-fps", "25", "--out", tmp_path / "o"]
    assert convert(tmp_path / "v.mp4.json", "--from", "multibypass140", *to) == 0
    assert "not in cataract101: spans between two frames of the other rate: 1\n" in capsys.readouterr().err
    assert convert(tmp_path / "o", "--to", "cataract101", "--out", tmp_path / "again") == 0
    begins = (tmp_path / "again" / "annotations.csv").read_text().splitlines()[1:]
    assert begins == ["v;0;1", "v;51;1"][: len(spans) - 1]


@pytest.mark.parametrize("target", ["elan", "boris", "vidat", "via3"])
def test_the_skill_of_recordings_is_counted_where_a_format_has_no_ratings_either(folder, tmp_path, capsys, target):
    convert(folder("jigsaws"), "--to", target, "--out", tmp_path / "o")
    assert re.search(r"facts of recordings: skill_level(: | \()[1-9]", capsys.readouterr().err)


@pytest.mark.cases(3)
@pytest.mark.parametrize("target", ["elan", "boris", "via3", "vidat", "cataract101"])
def test_spans_that_our_tables_have_to_the_millisecond_are_written_so(tmp_path, capsys, target):
    edges = (0, 12_400, 30_100, 61_337)
    names = ("Preparation", "CalotTriangleDissection", "ClippingCutting")
    rows = [{"start": a, "end": b, "label_name": names[at], "label_id": at} for at, (a, b) in enumerate(itertools.pairwise(edges))]
    (tmp_path / "v.mp4.json").write_text(json.dumps({"vocabulary": "cholec80", "phases": rows, "steps": []}))
    steps = [("multibypass140", "v.mp4.json", "tables", "t"), ("tables", "t", target, "o"), (target, "o", "multibypass140", "again")]
    for source, of, form, out in steps:
        named = ["--vocabulary", "cholec80"] if source == target else []
        assert convert(tmp_path / of, "--from", source, "--to", form, "--out", tmp_path / out, *named) == 0
    (again,) = (tmp_path / "again").rglob("*.json")
    assert [(one["start"], one["end"]) for one in json.loads(again.read_text())["phases"]] == list(itertools.pairwise(edges))


def test_steps_of_any_clock_become_the_seconds_whose_instants_they_hold(tmp_path, capsys):
    words = vocabulary.load("pitvis")
    segments = segment_rows([("step", 0, 1_400, 3), ("step", 1_400, 1_401, 5), ("step", 1_401, 4_000, 2)])
    labels = Labels("07", "elan", words, Clock(Fraction(1, 1000)), segments=segments)
    kept, losses = fitted(Collection((labels,)), writer_of("pitvis"), Fit("elan"))
    written = render(kept, writer_of("pitvis"))
    said = {"exact start or end of spans, which is between two frames here": 2, "spans between two frames of the other rate": 1}
    assert (losses, written.losses, written.unwritten) == ({}, said, {"span": 1})
    rows = written.files["annotations_07.csv"].decode().splitlines()[1:]
    assert [tuple(map(int, row.split(",")[1:3])) for row in rows] == [(0, 4), (1, 4), (2, 3), (3, 3)]


def phase_table(path, frames, of=lambda frame: int(frame > 25)):
    path.write_text("frame,phase_id\n" + "".join(f"{frame},{of(frame)}\n" for frame in frames))
    return [path, "--from", "phase-tables", "--fps", "25"]


@pytest.mark.parametrize(("rate", "told"), [([], True), (["--to-fps", "25"], False), (["--to-fps", "1"], False)])
def test_frames_at_a_time_between_two_seconds_are_counted_where_nobody_names_a_rate(folder, tmp_path, capsys, rate, told):
    assert convert(folder("cholecseg8k"), "--to", "tables-csv", "--out", tmp_path / "out", *rate) == 0
    said = "exact time of labelled frames, which is between two frames here (--to-fps can keep it): 1"
    assert (said in capsys.readouterr().err) == told


@pytest.mark.parametrize("target", ["cholec80", "m2cai"])
def test_phases_from_frame_1_on_are_refused_where_they_would_be_read_as_numbered_from_1(tmp_path, capsys, target):
    table = phase_table(tmp_path / "v.csv", range(1, 60))
    assert convert(*table, "--vocabulary", target, "--to", target, "--out", tmp_path / "o") == 1
    assert "v: frame 0 has no phase and frame 1 has one" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
    assert convert(*table, "--vocabulary", target, "--first-frame", "1", "--to", target, "--out", tmp_path / "o") == 0


def test_phases_with_gaps_are_written_for_heichole_with_a_note_and_read_back_as_they_were(tmp_path, capsys):
    table = phase_table(tmp_path / "v.csv", [2, 3, 7])
    assert convert(*table, "--vocabulary", "cholec80", "--to", "heichole", "--out", tmp_path / "o") == 0
    assert "v: 5 frames without a phase before the last one: files of this format have a line for every frame" in capsys.readouterr().err
    assert (tmp_path / "o/v_Annotation_Phase.csv").read_text() == "2,0\n3,0\n7,0\n"
    whole = phase_table(tmp_path / "v.csv", range(8))
    assert convert(*whole, "--vocabulary", "cholec80", "--to", "heichole", "--out", tmp_path / "w") == 0
    assert "without a phase" not in capsys.readouterr().err


def test_phases_of_a_lower_rate_are_repeated_until_the_next_one_is_due_and_gaps_stay(tmp_path, capsys):
    (tmp_path / "v.csv").write_text("frame,phase_id\n0,0\n1,1\n4,2\n")
    by_second = [tmp_path / "v.csv", "--from", "phase-tables", "--fps", "1", "--vocabulary", "cholec80"]
    assert convert(*by_second, "--to", "heichole", "--to-fps", "2", "--out", tmp_path / "o") == 0
    assert (tmp_path / "o/v_Annotation_Phase.csv").read_text() == "0,0\n1,0\n2,1\n3,1\n8,2\n9,2\n"
    assert "v: 4 frames without a phase before the last one" in capsys.readouterr().err


def test_phases_with_gaps_are_written_for_cholec80_with_a_note_and_read_back_as_they_were(tmp_path, capsys):
    table = phase_table(tmp_path / "v.csv", [2, 3, 7])
    assert convert(*table, "--vocabulary", "cholec80", "--to", "cholec80", "--out", tmp_path / "o") == 0
    assert "v: 5 frames without a phase before the last one: such a file is read with a warning" in capsys.readouterr().err
    assert convert(tmp_path / "o", "--to", "tables-csv", "--to-fps", "25", "--out", tmp_path / "t") == 0
    assert [row.split(",")[1] for row in (tmp_path / "t/phases.csv").read_text().splitlines()[1:]] == ["2", "3", "7"]


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
def test_a_recording_comes_back_from_m2cai_under_its_name(tmp_path, capsys, recording, file):
    table = phase_table(tmp_path / f"{recording}.csv", range(30))
    assert convert(*table, "--vocabulary", "m2cai", "--to", "m2cai", "--out", tmp_path / "o") == 0
    assert [path.name for path in (tmp_path / "o").iterdir()] == [file]
    assert "read back as" not in capsys.readouterr().err
    assert convert(tmp_path / "o", "--to", "tables-csv", "--out", tmp_path / "t") == 0
    assert {row.split(",")[0] for row in (tmp_path / "t/phases.csv").read_text().splitlines()[1:]} == {recording}


def test_a_recording_that_m2cai_cannot_name_is_said_or_refused(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    table = phase_table(tmp_path / "in/07.csv", range(30))
    assert convert(*table, "--vocabulary", "m2cai", "--to", "m2cai", "--out", tmp_path / "o") == 0
    assert "m2cai: '07' is written as workflow_video_07.txt, and is read back as 'workflow_video_07'" in capsys.readouterr().err
    phase_table(tmp_path / "in/workflow_video_07.csv", range(30))
    phase_table(tmp_path / "in/07x.csv", range(30))
    assert convert(tmp_path / "in", *table[1:], "--vocabulary", "m2cai", "--to", "m2cai", "--out", tmp_path / "p") == 1
    errors = capsys.readouterr().err
    assert "workflow_video_07: another recording is written as workflow_video_07.txt, too" in errors
    assert "07x: no file of the format is read as '07x'" in errors
    assert not (tmp_path / "p").exists()


def test_labels_by_frame_are_refused_where_the_video_has_another_rate_until_that_is_said(tmp_path, capsys):
    names = ["Preparation"] * 30 + ["CalotTriangleDissection"] * 30
    (tmp_path / "v-phase.txt").write_text("Frame\tPhase\n" + "".join(f"{frame}\t{name}\n" for frame, name in enumerate(names)))
    named = [tmp_path / "v-phase.txt", "--from", "cholec80", "--to", "tables-csv", "--to-fps", "1"]
    right, other = (clips.clip(tmp_path / f"{n}.mkv", seconds=2.4 * 25 / n, fps=str(n)) for n in (25, 50))
    assert convert(*named, "--video", right, "--out", tmp_path / "o") == 0
    capsys.readouterr()
    assert convert(*named, "--video", other, "--out", tmp_path / "p") == 1
    told = capsys.readouterr().err
    assert "the labels have 25 frames per second, the video has 50: frame 2 is at 0.08 s by them, and at 0.04 s in the video" in told
    assert not (tmp_path / "p").exists()
    assert convert(*named, "--video", other, "--fps", "50", "--out", tmp_path / "p") == 0
    assert [row.split(",")[1] for row in (tmp_path / "p/phases.csv").read_text().splitlines()[1:]] == ["0", "1"]


def test_labels_by_frame_are_refused_where_the_rate_of_the_video_varies(tmp_path, capsys):
    (tmp_path / "v-phase.txt").write_text("Frame\tPhase\n" + "".join(f"{frame}\tPreparation\n" for frame in range(30)))
    video = clips.numbered(tmp_path / "v.mkv", 30, pts=[n * 40 for n in range(20)] + [n * 40 + 300 for n in range(20, 30)])
    named = [tmp_path / "v-phase.txt", "--from", "cholec80", "--to", "tables-csv", "--to-fps", "1", "--out", tmp_path / "o"]
    assert convert(*named, "--video", video) == 1
    assert "frame 20 is at 0.8 s by them, and at 1.1 s in the video" in capsys.readouterr().err


def test_what_a_tool_file_has_no_row_for_is_not_counted_as_written(tmp_path, capsys):
    rows = [{"image_id": frame, "category_id": 1, "id": frame, "bbox": [0, 0, 5, 5], "area": 25, "iscrowd": 0} for frame in range(1, 60)]
    images = [{"id": frame, "file_name": f"VID07/{frame - 1:06d}.png", "width": 64, "height": 48} for frame in range(1, 60)]
    (tmp_path / "a.json").write_text(
        json.dumps({"images": images, "annotations": rows, "categories": [{"id": 1, "name": "grasper"}], "info": {"fps": 25}})
    )
    same = ("--from", "coco", "--fps", "25", "--vocabulary", "cholec80", "--to", "cholec80")
    assert convert(tmp_path / "a.json", *same, "--out", tmp_path / "o", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    (tools,) = (tmp_path / "o").glob("*-tool.txt") if (tmp_path / "o").is_dir() else (tmp_path / "o",)
    ones = sum(line.split("\t")[1:].count("1") for line in tools.read_text().splitlines()[1:])
    assert document["written"]["rows"]["instance"] == ones == 3
    assert document["not_written"]["labelled frames between every 25th frame"] == 56
