"""`scrubin review --verify`, `--import` and `--export` as a curator types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import review_study
from scrubin import cli
from scrubin.base.errors import ManifestError, ReviewError
from scrubin.cli import review
from scrubin.stages.review import LEDGER_PATH, Ledger

ROW = "single,,other,0.4,0.8,,,,,add\n"


@pytest.fixture
def folder(study_to_review, enter):
    return enter(study_to_review)


@pytest.mark.slow
def test_a_sheet_goes_in_once_and_comes_out_as_it_was(folder, capsys):
    sheet = folder / "data/raw/redactions.csv"
    sheet.write_text(review_study.SHEET + ROW)
    assert review.take_sheet(sheet, "ann") == 0
    assert "1 new decision\n" in capsys.readouterr().out
    review.take_sheet(sheet, "ann")
    assert "0 new decisions" in capsys.readouterr().out
    review.write_sheet("-", "ann")
    assert capsys.readouterr().out == review_study.SHEET + "single,mono,other,0.4,0.8,,,,,add\n"
    assert [line.event for line in Ledger().lines()] == ["decided", "imported", "imported"]


def test_a_wrong_sheet_leaves_the_ledger_alone(folder):
    sheet = folder / "data/raw/redactions.csv"
    sheet.write_text(review_study.SHEET + ROW + "single,,other,2,1,,,,,add\n")
    with pytest.raises(ManifestError, match="line 3"):
        review.take_sheet(sheet, "ann")
    assert not LEDGER_PATH.exists()
    with pytest.raises(ReviewError, match="cannot be read"):
        review.take_sheet(Path("nothing.csv"), "ann")


def test_an_exported_sheet_counts_as_known(folder):
    with review_study.desk(folder) as desk:
        desk.decide(1, "mono", "add", "other", 8, 15)
    review.write_sheet("data/raw/redactions.csv", "ann")
    with review_study.desk(folder) as desk:
        assert len(desk.standing.sheets) == 1
    assert (folder / "data/raw/redactions.csv").read_text().splitlines()[1:] == ["single,mono,other,0.4,0.8,,,,,add"]


@pytest.mark.usefixtures("folder")
def test_verify_tells_who_did_what_and_finds_lines_that_were_cut_off(capsys):
    with review_study.desk(Path()) as desk:
        review_study.see_all(desk)
        desk.decide(1, "mono", "add", "other", 8, 15)
    assert review.verify_ledger() == 0
    said = capsys.readouterr().out
    assert "4 lines by 1 person, the chain holds" in said
    assert "ann: 1 decided, 3 seen" in said
    Path("data/interim/review.json").write_text(json.dumps({"head": Ledger().lines()[-1].sha256, "lines": 4}))
    assert review.verify_ledger() == 0
    lines = LEDGER_PATH.read_bytes().splitlines(keepends=True)
    LEDGER_PATH.write_bytes(b"".join(lines[:3]))
    with pytest.raises(ReviewError, match="lines were taken out or written anew; restore the file"):
        review.verify_ledger()


def test_the_command_takes_writes_and_verifies_without_a_page(folder, capsys):
    sheet = folder / "data/raw/redactions.csv"
    sheet.write_text(review_study.SHEET + ROW)
    assert cli.main(["review", "--import", str(sheet), "--by", "ann"]) == 0
    assert cli.main(["review", "--export", "-"]) == 0
    assert "single,mono,other,0.4,0.8" in capsys.readouterr().out
    assert cli.main(["review", "--verify"]) == 0
    LEDGER_PATH.write_bytes(LEDGER_PATH.read_bytes().replace(b"other", b"black", 1))
    assert cli.main(["review", "--verify"]) == 1
    assert "the chain of decisions is broken here" in capsys.readouterr().err
