from __future__ import annotations

import shutil

import pytest

import review_study
from scrubin.base.errors import ManifestError, RecordingError
from scrubin.stages.review import exchange, result, study
from scrubin.stages.review.events import facts
from scrubin.stages.review.ledger import Ledger

HEADER = review_study.SHEET


@pytest.fixture
def folder(study_to_review, tmp_path, monkeypatch):
    copy = shutil.copytree(study_to_review, tmp_path / "study")
    monkeypatch.chdir(copy)
    return copy


def state():
    of = study.load(1, 0.2, study.Path("data/raw"))
    standing = of.standing()
    standing.apply(Ledger().lines())
    return of, standing


def read(text):
    of, standing = state()
    return exchange.read_sheet(text.encode(), of, standing, study.FrameTimes(study.Path("data/raw"), of.files))


def take(text):
    done = read(text)
    for event in done.events[:-1]:
        Ledger().append("decided", facts(event), by="ann", session="import")
    Ledger().append("imported", facts(done.events[-1]), by="ann", session="import")
    return done


def hidden():
    of, standing = state()
    names = ("recording", "camera", "kind", "start_s", "end_s", "source", "decision")
    return [tuple(row[name] for name in names) for row in result.redactions(of, standing)]


@pytest.mark.usefixtures("folder")
def test_an_imported_sheet_hides_and_shows_what_it_says():
    take(HEADER + "pair,,out_of_body,1.0,1.5,,,,,reject\nsingle,,other,0.4,0.8,,,,,add\n")
    assert hidden() == [
        ("pair", "left", "out_of_body", 1.0, 1.5, "appearance", "rejected"),
        ("single", "mono", "text", 2.0, 2.5, "text", "unreviewed"),
        ("single", "mono", "other", 0.4, 0.8, "curator", "accepted"),
    ]


@pytest.mark.usefixtures("folder")
def test_an_exported_sheet_that_is_imported_again_changes_nothing():
    take(HEADER + "pair,left,out_of_body,1.0,1.5,,,,,reject\nsingle,,other,0.4,0.8,1,2,30,4,add\nsingle,,text,,,8,8,24,8,accept\n")
    text = exchange.sheet_text(*state())
    again = read(text)
    assert (len(again.events), again.changes, again.absent, again.unmet) == (1, (), (), ())
    assert text.count("\n") == 4


@pytest.mark.usefixtures("folder")
def test_a_rejection_in_a_sheet_beats_an_acceptance_wherever_it_stands():
    take(HEADER + "pair,left,out_of_body,0,3,,,,,reject\npair,left,out_of_body,1.0,1.5,,,,,accept\n")
    assert ("pair", "left", "out_of_body", 1.0, 1.5, "appearance", "rejected") in hidden()


@pytest.mark.usefixtures("folder")
def test_what_a_sheet_overrules_leaves_out_or_rejects_in_vain_is_said():
    take(HEADER + "pair,left,out_of_body,1.0,1.5,,,,,accept\nsingle,,other,0.4,0.8,,,,,add\n")
    done = read(HEADER + "pair,left,out_of_body,1.0,1.5,,,,,reject\npair,left,black,0,1,,,,,reject\n")
    assert done.changes == ("'pair', left: accept out_of_body from 1.000 to 1.500 s",)
    assert done.absent == ("'single', mono: add other from 0.400 to 0.800 s",)
    assert done.unmet == ("'pair', left: reject black from 0.000 to 1.000 s",)


@pytest.mark.parametrize("row", ["single,,text,,,1,2,30,,add", "single,mono,face,1,2,,,,,add", "singel,,text,,,1,2,30,4,add"])
def test_a_sheet_with_one_wrong_row_is_not_taken_at_all(folder, row):
    with pytest.raises(ManifestError, match=r"redactions\.csv, line 3"):
        take(HEADER + "pair,left,out_of_body,1.0,1.5,,,,,accept\n" + row + "\n")
    assert not (folder / "data/private/decisions.jsonl").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("row", ["single,,other,3.5,4,,,,,add", "single,,other,1,2,90,0,10,4,add"])
def test_a_row_outside_the_video_or_the_picture_is_refused(row):
    with pytest.raises(RecordingError, match=r"redactions.csv, line 2: .*(lies behind the end|reaches beyond the picture)"):
        read(HEADER + row + "\n")


def test_a_sheet_that_was_not_imported_hides_what_it_adds_and_one_that_was_says_no_more(folder):
    sheet = folder / "data/raw/redactions.csv"

    def said():
        of, standing = state()
        return result.document(of, standing, Ledger().lines(), study.Path("data/raw"))["sheet"]

    text = HEADER + "single,,other,0.4,0.8,,,,,add\npair,,out_of_body,0,3,,,,,reject\n"
    assert said() is None
    sheet.write_text(text)
    assert "what 3 rows of it would hide is proposed, what they reject counts nothing" in said()
    assert ("single", "mono", "other", 0.4, 0.8, "sheet", "unreviewed") in hidden()
    assert ("pair", "left", "out_of_body", 1.0, 1.5, "appearance", "unreviewed") in hidden()
    take(text)
    assert said() is None
    assert ("single", "mono", "other", 0.4, 0.8, "curator", "accepted") in hidden()
    assert not [row for row in hidden() if row[5] == "sheet"]
    sheet.write_text(text + "single,,other,1.4,1.8,,,,,add\n")
    assert [row[3:5] for row in hidden() if row[5] == "sheet"] == [(1.4, 1.8)]
