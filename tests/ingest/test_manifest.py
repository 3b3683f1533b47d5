from __future__ import annotations

import csv
import io
import os
import shlex
import subprocess
import unicodedata
from pathlib import Path

import imageio_ffmpeg
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ManifestError
from scrubin.base.text.naming import is_of_spreadsheet
from scrubin.media.source import View
from scrubin.stages.ingest.manifest import COPIED, TaskParams, files_without_row, look, parse
from scrubin.stages.recordings_list import COLUMNS, files_below

TASKS = {"PegTransfer": TaskParams(("left", "right"), 360, "exclude"), "Cholecystectomy": TaskParams(("mono",), None, "exclude")}
LEFT = {"recording": "r", "participant": "p", "task": "PegTransfer", "camera": "left", "path": "videos/l.mkv"}
LEFT |= {"start_s": "1", "end_s": "5.5"}
RIGHT = LEFT | {"camera": "right", "path": "videos/r.mkv"}


def manifest(*rows: dict[str, str], columns: tuple[str, ...] = COLUMNS) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def messages(*rows: dict[str, str]) -> list[str]:
    parsed = parse(manifest(*rows), TASKS)
    assert "r" not in parsed.recordings
    return [str(problem.error) for problem in parsed.problems]


def test_a_pair_becomes_one_recording_with_a_row_per_camera():
    parsed = parse(manifest(RIGHT, LEFT), TASKS)
    assert parsed.problems == []
    assert [(row.camera, row.line, row.start_s, row.end_s) for row in parsed.recordings["r"]] == [
        ("left", 3, 1.0, 5.5),
        ("right", 2, 1.0, 5.5),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "PegTransfr"}, "line 2: 'PegTransfr' is no task; use one of Cholecystectomy, PegTransfer"),
        ({"camera": "mono"}, "line 2: 'mono' is no camera of PegTransfer; its cameras are left and right"),
        ({"start_s": "5.5"}, "line 2: start_s 5.5 is not before end_s 5.5"),
        ({"start_s": "7"}, "line 2: start_s 7 is not before end_s 5.5"),
        ({"start_s": "1,5"}, "line 2: start_s is '1,5'; give seconds"),
        ({"end_s": "-2"}, "line 2: end_s is '-2'; give seconds"),
        ({"end_s": "nan"}, "line 2: end_s is 'nan'; give seconds"),
        ({"end_s": "1_5"}, "line 2: end_s is '1_5'; give seconds"),
        ({"path": "../secret.mkv"}, "path '../secret.mkv' does not lie in videos/"),
        ({"path": "videos/../../secret.mkv"}, "does not lie in videos/"),
        ({"path": "/etc/passwd"}, "path '/etc/passwd' does not lie in videos/"),
        ({"path": "elsewhere/l.mkv"}, "does not lie in videos/"),
        ({"participant": " "}, "line 2: 'participant' is empty; fill it in"),
        ({"participant": "N/A"}, "line 2: 'participant' is empty: 'N/A' names nobody; fill it in"),
        ({"participant": "-"}, "line 2: 'participant' is empty: '-' names nobody; fill it in"),
        ({"participant": "Unknown"}, "line 2: 'participant' is 'Unknown', which names nobody; fill it in"),
        ({"participant": "?"}, "line 2: 'participant' is '?', which names nobody; fill it in"),
        ({"participant": "--"}, "line 2: 'participant' is '--', which names nobody; fill it in"),
        ({"participant": "Nobody"}, "line 2: 'participant' is 'Nobody', which names nobody; fill it in"),
        ({"participant": "\u200b"}, "line 2: 'participant' is empty; fill it in"),
        ({"participant": "#REF!"}, "line 2: 'participant' is '#REF!', of a spreadsheet and no name; fill it in"),
        ({"participant": "=B2"}, "line 2: 'participant' is '=B2', of a spreadsheet and no name; fill it in"),
        ({"exclude": "FALSE"}, "line 2: 'exclude' is 'FALSE', which is no reason; leave it empty to keep the recording, or write why"),
        *[
            ({"exclude": cell}, f"line 2: 'exclude' is '{cell}', which is no reason")
            for cell in ("no", "0", "-", "n", "false", "0.0", "none", "?")
        ],
        ({"exclude": "#REF!"}, "line 2: 'exclude' is '#REF!', an error or a formula of a spreadsheet"),
        ({"recording": "r\n3"}, r"line 2: 'recording' is 'r\n3', which holds a line break; write the name on one line"),
        ({"participant": "P\n01"}, r"line 2: 'participant' is 'P\n01', which holds a line break; write the name on one line"),
        ({"participant": "P\t01"}, r"'participant' is 'P\t01', which holds a tab"),
        ({"participant": "P\x0701"}, r"'participant' is 'P\x0701', which holds the control character U+0007"),
        ({"site": "#N/A"}, "line 2: 'site' is '#N/A', an error or a formula of a spreadsheet; write the value itself"),
    ],
)
def test_a_wrong_cell_takes_its_recording_out_and_says_where(change, message):
    assert any(message in text for text in messages(LEFT | change, RIGHT))


@pytest.mark.parametrize("column", ["recording", "participant"])
@pytest.mark.parametrize("other", ["P\u200b01", "\ufeffP01", "P01\u200e", "P\u00ad01", "P\u206001", "P01\ufe00"])
def test_a_name_that_looks_like_another_is_refused_because_one_person_would_be_two(column, other):
    single = {"task": "Cholecystectomy", "camera": "mono"}
    rows = [single | {"recording": f"r{n}", "participant": f"p{n}", "path": f"videos/{n}.mkv"} for n in range(3)]
    rows[0][column], rows[2][column] = "P01", other
    parsed = parse(manifest(*rows), TASKS)
    assert len(parsed.recordings) == 2
    says = f"line 4: {column} {other!a} looks like 'P01' in line 2, and is another; write the name anew"
    assert says in str(parsed.problems[0].error)


@pytest.mark.parametrize("name", ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647", "\u0915\u094d\u200d\u0937", "O\u2019Hara"])
def test_a_name_may_hold_what_joins_its_letters(name):
    parsed = parse(manifest(LEFT | {"participant": name}, RIGHT | {"participant": name}), TASKS)
    assert not parsed.problems
    assert parsed.recordings["r"][0].participant == name


PARTED = (*COLUMNS, "part", "rig", "clock")
FILES = ["videos/case/10.mp4", "videos/case/9.mp4", "videos/case/old/1.mp4", "videos/r_2.mkv", "videos/r_11.mkv", "videos/r.mkv"]


def parted(*rows: dict[str, str]):
    return parse(manifest(*rows, columns=PARTED), TASKS)


def named(*rows: dict[str, str]):
    return parse(manifest(*rows, columns=PARTED), TASKS, files=FILES)


def test_files_of_one_camera_are_its_parts_in_the_order_of_their_numbers():
    rows = [LEFT | {"part": str(part), "path": f"videos/{part}.mkv"} for part in (3, 1, 2)]
    parsed = parted(*rows, RIGHT | {"rig": ""})
    assert parsed.problems == []
    assert [(row.camera, row.part, row.path) for row in parsed.recordings["r"]] == [
        ("left", 1, "videos/1.mkv"),
        ("left", 2, "videos/2.mkv"),
        ("left", 3, "videos/3.mkv"),
        ("right", 1, "videos/r.mkv"),
    ]


def numbered(*parts: str) -> list[dict[str, str]]:
    return [*(LEFT | {"part": part, "path": f"videos/{n}.mkv"} for n, part in enumerate(parts)), RIGHT]


def views(left: str, right: str) -> list[dict[str, str]]:
    return [row | {"camera": camera, "path": "videos/both.mkv"} for row, camera in ((LEFT, left), (RIGHT, right))]


REFUSED = {
    "a part between": (numbered("1", "3"), "'r' has no part 2 of camera left, but part 3; add the row of the missing file"),
    "a part before": (numbered("2", "1000000000"), "'r' has no part 1 of camera left"),
    "a part twice": (numbered("1", "2", "2"), "'r' has 2 rows for camera left, part 2; keep one"),
    "a part in words": (numbered("1", "zwei"), "part 'zwei' is no number; number the files of a camera 1, 2, 3"),
    "part 0": (numbered("0", "1"), "part '0' is no number"),
    "two rigs": ([LEFT | {"rig": "tower 1"}, RIGHT | {"rig": "tower 2"}], "'r' has different 'rig'; make them equal"),
    "another clock": ([LEFT | {"clock": "watch"}, RIGHT | {"clock": "none"}], "clock 'watch' is none; use one of none, creation_time"),
    "a file twice": ([LEFT, RIGHT | {"path": "videos/l.mkv"}], "'videos/l.mkv' stands in several rows"),
    "a file twice, by a pattern": ([LEFT | {"path": "videos/r*.mkv"}, RIGHT], "'videos/r.mkv' stands in several rows"),
    "a pattern of none": (
        [LEFT | {"path": "videos/none_*.mp4"}, RIGHT],
        "no file is named by 'videos/none_*.mp4'; correct the folder or pattern",
    ),
    "an empty folder": ([LEFT | {"path": "videos/empty/"}, RIGHT], "no file is named by 'videos/empty/'"),
    "a folder as one part": (
        [LEFT | {"path": "videos/case", "part": "2"}, RIGHT],
        "'videos/case' names 2 files, but has one part; leave 'part' empty",
    ),
    "three numbers": (
        views("left=crop(0 0 960)", "right"),
        "camera 'left=crop(0 0 960)' is not understood; write the rectangle as left=crop(0 0 960 1080)",
    ),
    "a view in words": (views("left=half", "right"), "camera 'left=half' is not understood"),
    "a view of no camera": (views("up=crop(0 0 960 540)", "right"), "'up' is no camera of "),
    "a view twice": (views("left=crop(0 0 96 96)", "right=crop(0 0 96 96)"), "'videos/both.mkv' stands in several rows"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_rows_that_cannot_be_meant_are_named(case):
    rows, says = REFUSED[case]
    assert any(says in str(problem.error) for problem in named(*rows).problems)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([LEFT], "recordings.csv: 'r' has no row for camera right; add it, or exclude the recording"),
        ([LEFT, RIGHT | {"participant": "q"}], "recordings.csv, lines 2, 3: 'r' has different 'participant'; make them equal"),
    ],
)
def test_rows_of_a_pair_that_are_missing_or_contradict_each_other_are_one_problem(rows, says):
    assert messages(*rows) == [says]


def test_a_repeated_row_is_named_with_both_mends():
    assert (
        "recordings.csv, line 2: 'r' has 2 rows for camera left; keep one, or number the files of one recording 1, 2, 3 in a column 'part'"
        in messages(LEFT, LEFT | {"path": "videos/other.mkv"}, RIGHT)
    )


def test_a_draft_is_refused_until_somebody_has_confirmed_it():
    with pytest.raises(ManifestError, match=r"line 1: it is a draft that nobody has confirmed: .*; check what each row guesses"):
        parse(manifest(LEFT, RIGHT, columns=(*COLUMNS, "part", "confirm")), TASKS)


@pytest.mark.parametrize("cell", ["P1; P2", "P1/P2", "P2 + P7", "P1 & P2", "P1, P2", "P9 and p2"])
def test_a_participant_who_is_several_people_takes_the_recording_out_because_subsets_would_take_them_for_one(cell):
    def mono(name, participant):
        cells = {"recording": name, "participant": participant, "path": f"videos/{name}.mp4"}
        return {"task": "Cholecystectomy", "camera": "mono", **cells}

    rows = [mono("one", "P2"), mono("r", cell), mono("team", "A/B team"), mono("doe", "Doe, Jane"), mono("other", "Doe, John")]
    parsed = parse(manifest(*rows), TASKS)
    assert set(parsed.recordings) == {"one", "team", "doe", "other"}
    (problem,) = parsed.problems
    part = "p2" if "p2" in cell else "P2"
    assert str(problem.error).startswith(
        f"recordings.csv, line 3: participant '{cell}' names several people: '{part}' stands in line 2, too; write one person, whom subsets"
    )
    assert parse(manifest(rows[0], rows[1] | {"exclude": "unusable"}), TASKS).problems == []


def test_a_recording_of_several_people_of_whom_one_withdrew_stays_out():
    row = {"recording": "r", "participant": "P1; P2", "task": "Cholecystectomy", "camera": "mono", "path": "videos/r.mp4"}
    parsed = parse(manifest(row), TASKS, Memory().with_participants(["P2"]))
    assert parsed.recordings == {}
    assert "participant 'P1; P2' names several people: one of them withdrew; write one person" in str(parsed.problems[0].error)
    assert set(parse(manifest(row), TASKS).recordings) == {"r"}


def test_one_bad_recording_never_stops_the_others():
    other = {"recording": "c", "participant": "x", "task": "Cholecystectomy", "camera": "mono", "path": "videos/c.mp4"}
    parsed = parse(manifest(LEFT | {"task": "?"}, RIGHT, other), TASKS)
    assert list(parsed.recordings) == ["c"]
    assert parsed.recordings["c"][0].start_s is None


@given(name=st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp")), min_size=1).filter(str.strip))
def test_any_file_name_and_recording_name_passes_through_unchanged(name):
    row = {
        "recording": name,
        "participant": "x",
        "task": "Cholecystectomy",
        "camera": "mono",
        "path": f"videos/{name.replace('/', '')}\n\x07x",
    }
    if "." in name or is_of_spreadsheet(name):
        return
    parsed = parse(manifest(row), TASKS)
    assert parsed.recordings[name.strip()][0].path == row["path"]


def test_a_row_with_too_many_cells_is_named():
    data = manifest(LEFT, RIGHT).replace(b"videos/l.mkv", b"videos/l,1.mkv")
    problems = parse(data, TASKS).problems
    assert "line 2: expected 10 cells, but got 11: 'r,p,,,PegTransfer,left,videos/l,1.mkv,1,5.5,'; put cells that hold commas" in str(
        problems[0].error
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            manifest(LEFT, columns=COLUMNS).replace(b"camera", b"kamera"),
            r"line 1: column 'camera' is missing; did you mean 'kamera'\?\n.* line 1: column 'kamera' is unknown; did you mean 'camera'\?",
        ),
        (b"", "recordings.csv: it is empty"),
    ],
)
def test_a_file_that_is_no_manifest_is_refused_as_a_whole(data, message):
    with pytest.raises(ManifestError, match=message):
        parse(data, TASKS)


def test_a_blank_behind_a_name_is_dropped_but_one_in_the_name_of_a_file_is_not():
    ((row, _),) = parse(manifest(LEFT | {"participant": "p ", "path": "videos/l.mkv "}, RIGHT), TASKS).recordings.values()
    assert (row.participant, row.path) == ("p", "videos/l.mkv ")


def test_a_file_that_no_row_names_is_not_lost(tmp_path):
    (tmp_path / "videos" / "deep").mkdir(parents=True)
    for name in ("l.mkv", "r.mkv", "deep/new.mkv", ".DS_Store"):
        (tmp_path / "videos" / name).touch()
    problems = files_without_row(tmp_path, manifest(LEFT, RIGHT))
    assert [str(problem.error) for problem in problems] == [
        "videos/deep/new.mkv: no row of recordings.csv names this file; add a row for it, or move it out of videos/"
    ]


def test_a_file_whose_name_is_no_utf8_is_named_as_tables_can_hold_it(tmp_path):
    (tmp_path / "videos/a").mkdir(parents=True)
    Path(os.fsdecode(os.fsencode(tmp_path / "videos/a") + b"/caf\xe9.mkv")).touch()
    (problem,) = files_without_row(tmp_path, manifest(LEFT, RIGHT))
    assert problem.recording == r"videos/a/caf\xe9.mkv"
    assert str(problem.error).encode()
    row = LEFT | {"path": "videos/a"}
    assert files_without_row(tmp_path, manifest(row)) == []
    (problem,) = look(manifest(row), TASKS, files=files_below(tmp_path))[0].problems
    assert r"line 2: 'videos/a' names 'videos/a/caf\xe9.mkv', whose name is no UTF-8; rename the file" in str(problem.error)


@pytest.mark.parametrize(("listed", "there"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_a_name_in_other_code_points_than_the_file_has_is_named_as_that(listed, there):
    name = "videos/Übung 1.mkv"
    files = ["videos/r.mkv", unicodedata.normalize(there, name)]
    rows = [LEFT | {"path": unicodedata.normalize(listed, name)}, RIGHT | {"path": "videos/r.mkv"}]
    (problem,) = parse(manifest(*rows), TASKS, files=files).problems
    assert "and the name of the file look the same and are not: one of them writes letters and their marks apart" in str(problem.error)
    assert parse(manifest(*rows), TASKS, files=[unicodedata.normalize(listed, file) for file in files]).problems == []
    assert parse(manifest(*(row | {"exclude": "bad"} for row in rows)), TASKS, files=files).problems == []


@pytest.mark.parametrize("folder", ["videos/case", "videos/case/", "videos/case/*.mp4", "videos/c?se/*"])
def test_a_folder_or_pattern_names_its_files_in_the_order_of_their_numbers(folder):
    parsed = named(LEFT | {"path": folder}, RIGHT | {"path": "videos/r_*.mkv"})
    assert parsed.problems == []
    assert [(row.camera, row.part, row.path) for row in parsed.recordings["r"]] == [
        ("left", 1, "videos/case/9.mp4"),
        ("left", 2, "videos/case/10.mp4"),
        ("right", 1, "videos/r_2.mkv"),
        ("right", 2, "videos/r_11.mkv"),
    ]


STILLS = [f"videos/stills/{number:06d}.jpg" for number in range(3)]


@pytest.mark.parametrize(
    ("path", "what", "named"),
    [
        ("videos/stills", "names 3 pictures and no video", "videos/stills/*.jpg"),
        ("videos/stills/", "names 3 pictures and no video", "videos/stills/*.jpg"),
        ("videos/stills/*", "names 3 pictures and no video", "videos/stills/*.jpg"),
        ("videos/st?lls/0*", "names 3 pictures and no video", "videos/stills/0*.jpg"),
        ("videos/st*/0*.jpg", "names 3 pictures and no video", "videos/stills/0*.jpg"),
        ("videos/stills/000001.jpg", "is a picture and no video", "videos/stills/000001.jpg"),
    ],
)
def test_pictures_are_no_video_and_how_to_make_one_of_them_is_said(path, what, named):
    (problem,) = parse(manifest(LEFT | {"path": path}, RIGHT, columns=PARTED), TASKS, files=sorted([*FILES, *STILLS])).problems
    assert str(problem.error) == (
        f"recordings.csv, line 2: '{path}' {what}; make a video of them, with the rate at which they were taken as RATE, in data/raw: "
        f"ffmpeg -framerate RATE -pattern_type glob -i '{named}' -c copy videos/NAME.mkv; "
        "then name that file, and move the pictures out of videos/"
    )


def fix_of_pictures(path: str, files: list[str]) -> str:
    (problem,) = parse(manifest(LEFT | {"path": path}, RIGHT, columns=PARTED), TASKS, files=sorted(files)).problems
    return problem.error.fix


UNPADDED = [f"videos/f/frame_{number}.jpg" for number in range(1, 13)]
ZEROS = "number them with leading zeros, such as 000001.jpg, because ffmpeg takes 'videos/f/frame_10.jpg' before 'videos/f/frame_2.jpg'"
OWN_FOLDER = "put them alone into one folder whose name has letters, digits, blanks, - and _ only, and name that folder"


@pytest.mark.parametrize(
    ("path", "files", "first"),
    [
        ("videos/f", UNPADDED, ZEROS),
        ("videos/f/frame_*.jpg", UNPADDED, ZEROS),
        ("videos/f", ["videos/f/1.bmp"], "turn them into .png, because no .bmp can be copied into a video"),
        ("videos/f", ["videos/f/1.jpg", "videos/f/2.TIF"], "turn them into .png, because no .TIF can be copied into a video"),
        ("videos/f", ["videos/f/a.JPG", "videos/f/b.png"], "let all be of one kind and end alike: they end in .JPG, .png"),
        ("videos/f", ["videos/f/a.JPG", "videos/f/b.jpg"], "let all be of one kind and end alike: they end in .JPG, .jpg"),
        ("videos/f [1]", ["videos/f [1]/1.jpg"], OWN_FOLDER),
        ("videos/it's", ["videos/it's/1.jpg"], OWN_FOLDER),
        ("videos/f*", ["videos/f*/1.jpg"], OWN_FOLDER),
        ("videos/f*/*.jpg", ["videos/f1/1.jpg", "videos/f2/1.jpg"], OWN_FOLDER),
        ("videos/f/?.jpg", ["videos/f/1.jpg", "videos/f/2.jpg"], OWN_FOLDER),
        ("videos/f/*.jp*", ["videos/f/1.jpg"], OWN_FOLDER),
        ("videos/it's/1*.jpg", ["videos/it's/1.jpg", "videos/it's/10.jpg", "videos/it's/11.jpg", "videos/it's/1_.jpg"], OWN_FOLDER),
    ],
)
def test_a_command_that_would_take_pictures_in_another_order_or_not_all_of_them_is_not_named(path, files, first):
    fix = fix_of_pictures(path, files)
    assert fix.startswith("make a video of them, but first ")
    assert first in fix
    assert fix.endswith("; then this line says how")
    assert "-framerate" not in fix


@pytest.mark.parametrize("suffix", [*COPIED, ".JPG"])
def test_the_named_command_makes_a_video_of_all_pictures_in_their_order_bit_for_bit(suffix, tmp_path):
    folder = tmp_path / "videos/case 12, (left) é"
    folder.mkdir(parents=True)
    coder = "png" if suffix == ".png" else "mjpeg"
    clips.ffmpeg(
        "-f", "lavfi", "-i", "testsrc=size=64x48:rate=1:duration=12", "-c:v", coder, "-f", "image2", folder / f"frame_%02d{suffix}"
    )
    files = [path.relative_to(tmp_path).as_posix() for path in folder.iterdir()]
    fix = fix_of_pictures(folder.relative_to(tmp_path).as_posix(), files)
    command = shlex.split(fix.partition("in data/raw: ")[2].partition("; then")[0].replace("RATE", "25"))
    subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), *command[1:]], cwd=tmp_path, check=True, capture_output=True)
    clips.ffmpeg("-i", tmp_path / "videos/NAME.mkv", "-c", "copy", "-f", "rawvideo", tmp_path / "made")
    assert (tmp_path / "made").read_bytes() == b"".join((folder / f"frame_{number:02d}{suffix}").read_bytes() for number in range(1, 13))


def test_pictures_that_were_numbered_as_the_message_says_have_a_command():
    assert "-framerate" not in fix_of_pictures("videos/f", UNPADDED)
    assert "-i 'videos/f/*.jpg'" in fix_of_pictures("videos/f", [f"videos/f/{number:06d}.jpg" for number in range(1, 13)])


def test_a_picture_among_the_files_of_a_folder_is_named():
    files = sorted([*FILES, "videos/case/cover.PNG"])
    (problem,) = parse(manifest(LEFT | {"path": "videos/case"}, RIGHT, columns=PARTED), TASKS, files=files).problems
    assert "'videos/case' names 3 files, and pictures are among them, such as 'videos/case/cover.PNG'; move them out" in str(problem.error)


def test_what_lies_among_pictures_and_is_none_is_named():
    fix = fix_of_pictures("videos/c_*", ["videos/c_1.jpg", "videos/c_2.jpg", "videos/c_notes.txt"])
    assert fix == "move them out of videos/, or, where they are the recording, whatever is no picture, such as 'videos/c_notes.txt'"


def test_pictures_of_a_recording_that_is_left_out_are_nobodys_fault():
    rows = [LEFT | {"path": "videos/stills", "exclude": "stills"}, RIGHT | {"exclude": "stills"}]
    assert parse(manifest(*rows, columns=PARTED), TASKS, files=STILLS).problems == []


def test_a_folder_that_names_the_files_of_other_rows_is_one_line_per_row_and_says_which():
    problems = named(LEFT | {"path": "videos/case"}, RIGHT | {"path": "videos/case/9.mp4"}).problems
    said = [str(problem.error) for problem in problems if "several rows" in str(problem.error)]
    assert said == [
        "recordings.csv, line 2: 'videos/case/9.mp4' stands in several rows, also in line 3; name each file once",
        "recordings.csv, line 3: 'videos/case/9.mp4' stands in several rows, also in line 2; name each file once",
    ]


@pytest.mark.parametrize("wrong", [{"part": "two"}, {"start_s": "x"}])
def test_a_row_that_cannot_be_read_is_not_called_missing(wrong):
    rows = [
        LEFT | {"part": "1"},
        LEFT | {"part": "2", "path": "videos/l2.mkv"} | wrong,
        LEFT | {"part": "3", "path": "videos/l3.mkv"},
        RIGHT,
    ]
    (problem,) = parted(*rows).problems
    assert problem.error.place == "line 3"


def test_files_that_a_folder_or_pattern_names_are_not_lost_and_others_are(tmp_path):
    for path in (*FILES, "videos/case/Thumbs.db"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    lost = files_without_row(tmp_path, manifest(LEFT | {"path": "videos/case"}, RIGHT | {"path": "videos/r_*.mkv"}))
    assert [problem.recording for problem in lost] == ["videos/case/Thumbs.db", "videos/case/old/1.mp4", "videos/r.mkv"]


def test_two_views_of_one_file_are_two_cameras():
    rows = [LEFT | {"camera": "left=crop(0 0 960 1080)", "path": "videos/both.mkv"}, RIGHT | {"camera": "right=crop(960, 0, 960, 1080)"}]
    parsed = named(rows[0], rows[1] | {"path": "videos/both.mkv"})
    assert parsed.problems == []
    assert [(row.camera, row.view) for row in parsed.recordings["r"]] == [
        ("left", View(0, 0, 960, 1080)),
        ("right", View(960, 0, 960, 1080)),
    ]


def test_times_with_decimal_commas_are_read_where_the_semicolon_separates_cells():
    data = manifest(LEFT | {"start_s": "1.25"}, RIGHT | {"start_s": "1.25"}).decode()
    data = data.replace(",", ";").replace("1.25", "1,25").replace("5.5", "5,5")
    parsed = parse(data.encode(), TASKS)
    assert not parsed.problems
    assert [(row.start_s, row.end_s) for row in parsed.recordings["r"]] == [(1.25, 5.5)] * 2


def test_a_time_that_can_be_read_in_two_ways_is_a_problem_with_its_line():
    data = manifest(LEFT, RIGHT | {"end_s": "5.500"}).decode().replace(",", ";").replace("5.500", "5,500")
    (problem,) = parse(data.encode(), TASKS).problems
    assert problem.error.place == "line 3"
    assert "end_s is '5,500': a decimal separator, or one of thousands?" in str(problem.error)


def test_wrong_columns_do_not_hide_what_is_wrong_with_rows():
    columns = tuple("participnt" if column == "participant" else column for column in COLUMNS)
    rows = [{("participnt" if name == "participant" else name): value for name, value in row.items()} for row in (LEFT, RIGHT)]
    data = manifest(rows[0], rows[1] | {"task": "x"}, columns=columns)
    seen, wrong = look(data, TASKS)
    assert {fault.rule for fault in wrong} == {"column-missing", "column-unknown"}
    assert any("'x' is no task" in str(problem.error) for problem in seen.problems)
    with pytest.raises(ManifestError, match="did you mean 'participnt'"):
        parse(data, TASKS)
