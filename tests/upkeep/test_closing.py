"""The end of a run in a few lines."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import review_study
from scrubin.base.tables import io
from scrubin.base.tables.private import HIDDEN, QUARANTINE, RECORDINGS, of_recordings
from scrubin.base.tables.public import VIDEOS
from scrubin.curate.preflight import preflight
from scrubin.curate.project import closing
from scrubin.stages.review import FIRST, result, study

PROJECT = Path(__file__).parents[2]
BAD = {"recording": "bad", "camera": "mono", "stage": "ingest", "path": "videos/bad.mkv", "reason": "damaged", "mend": "copy it"}
STRAY = {"recording": "videos/x.mkv", "camera": "", "stage": "ingest", "path": "videos/x.mkv", "reason": "no row", "mend": "add one"}


def row(table, **values):
    empty = {"str": "", "int64": 0, "Int64": None, "float64": 0.0, "Float64": None, "bool": False, "boolean": None}
    return {column.name: values.get(column.name, empty.get(column.dtype, "")) for column in table.columns}


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    interim = Path("data/interim")
    videos = [
        row(
            VIDEOS,
            id=id_,
            task="Peg",
            camera="mono",
            path=id_,
            width=8,
            height=8,
            duration_s=5.0,
            frame_count=100,
            fps="20",
            sha256="0" * 64,
        )
        for id_ in "ab"
    ]
    io.write(VIDEOS, io.frame_of(VIDEOS, videos), Path("data/tables/videos.parquet"))
    hidden = [row(HIDDEN, id="a", camera="mono", first_frame=0, last_frame=9, x=None, y=None, w=None, h=None)]
    io.write(HIDDEN, io.frame_of(HIDDEN, hidden), interim / "hidden.parquet")
    io.write(RECORDINGS, io.frame_of(RECORDINGS, []), interim / "recordings.parquet")
    for stage, rows in (("ingest", [BAD, STRAY]), ("screen", []), ("render", [])):
        io.write(QUARANTINE, io.frame_of(QUARANTINE, rows), interim / f"quarantine_{stage}.parquet")
    (interim / "excluded.json").write_text("[]")
    missing = {"camera": "mono", "unseen_lenses": [], "unseen_stops": [], "unlooked": 0, "lost": 0}
    files = [{**missing, "unseen": [[0, 1]], "undecided": 1}, {**missing, "unseen": [], "undecided": 0}]
    review = {
        "recordings": [{"recording": str(number), "excluded": None, "files": [file]} for number, file in enumerate(files)],
        "reviewers": 1,
        "head": FIRST,
        "lines": 0,
    }
    (interim / "review.json").write_text(json.dumps(review))
    return preflight.check_all(PROJECT / "params.yaml")["release"]


def test_a_finished_run_says_what_came_of_it_and_what_is_next(project):
    said = closing.lines([], project, is_named=True)
    assert said == [
        "released: 2 recordings of 1 task, 2 videos, as scrub-in-demo 1.0.0",
        "hidden: 5.0 % of the frames as a whole; something in 1 of 2 videos",
        "set aside: 1 recording that cannot be used, 1 file that no row names; why, and the mend: reports/index.html",
        "to be looked at: 1 of 2 recordings that too few people saw, 1 proposal that nobody decided, so hidden; open: "
        ".venv/bin/scrubin review",
        "next: look at reports/index.html, then: make release VERSION=...",
    ]


def test_what_was_folded_is_said_at_the_end(project):
    path = Path("data/interim/review.json")
    review = json.loads(path.read_text())
    review["recordings"][1]["files"][0]["folded_s"] = 7
    path.write_text(json.dumps(review))
    assert "folded: 7 s that fewer people looked at than must, because a still like them stood for them (review.folds)" in closing.lines(
        [], project, is_named=True
    )


def test_a_refused_release_says_how_to_go_on(project):
    said = closing.lines(["release"], project, is_named=True)
    assert said[0] == "released: nothing yet; ready: 2 recordings of 1 task, 2 videos"
    assert said[-1].endswith("run `make repro` again to go on; what was finished is kept")


def test_a_run_of_single_stages_that_left_no_release_named_says_so(project):
    said = closing.lines([], project, is_named=False)
    assert said[0] == "released: nothing yet; ready: 2 recordings of 1 task, 2 videos"
    assert said[-1] == "next: run `make repro`, so that there is a release of this"


def test_a_stage_that_failed_earlier_counts_nothing_and_what_is_done_lists_what_it_set_aside(project):
    go_on = "next: put that right, then run `make repro` again to go on; what was finished is kept"
    said = closing.lines(["scores"], project, is_named=True)
    assert said == ["set aside: 'bad': videos/bad.mkv: damaged; copy it", "set aside: 'videos/x.mkv': videos/x.mkv: no row; add one", go_on]
    assert closing.lines(["ingest"], project, is_named=True, waiting=["screen", "render"]) == [go_on]


def test_what_stopped_a_run_is_one_block_with_every_reason():
    said = closing.stopped({"scores": "2 faults:\n  a.csv, line 3: no\n  b.csv: no", "stereo": ""}, ["release", "splits"], 9)
    assert said == [
        "stopped in stage scores: 2 faults:\n  a.csv, line 3: no\n  b.csv: no",
        "stopped in stage stereo: see above what is wrong",
        "not run, because they need that: release, splits",
        "done: 5 of 9 stages",
    ]


def test_a_file_without_a_row_is_no_recording():
    rows = io.frame_of(QUARANTINE, [BAD, STRAY])
    assert of_recordings(rows).recording.tolist() == ["bad"]


def test_what_people_saw_since_the_stage_ran_is_no_longer_to_be_looked_at(project, tmp_path, monkeypatch):
    """The pipeline takes hours, and the page is open meanwhile: what the stage review noted is old at the end of the run."""
    review_study.project(tmp_path / "study")
    shutil.copytree(tmp_path / "data/tables", tmp_path / "study/data/tables")
    for name in ("hidden", "quarantine_render"):
        shutil.copy(tmp_path / f"data/interim/{name}.parquet", tmp_path / "study/data/interim")
    (tmp_path / "study/data/interim/excluded.json").write_text("[]")
    monkeypatch.chdir(tmp_path / "study")
    of = study.load(1, 0.2, Path("data/raw"))
    (tmp_path / "study/data/interim/review.json").write_text(json.dumps(result.document(of, of.standing(), [], Path("data/raw"))))
    unseen = "to be looked at: 2 of 2 recordings that too few people saw, 3 proposals that nobody decided, so hidden; open: "
    assert closing.lines(["release"], project, is_named=True)[-2].startswith(unseen)
    with review_study.desk(tmp_path / "study") as desk:
        review_study.see_all(desk)
    said = closing.lines(["release"], project, is_named=True)
    assert said[-3].startswith("to be looked at: 3 proposals that nobody decided, so hidden; open: ")
    assert said[-2] == "since this run began, people looked or decided: run `make repro` again, so that release and report follow"
