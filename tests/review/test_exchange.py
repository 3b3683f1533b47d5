from __future__ import annotations

import errno
import hashlib
import itertools
import os
from dataclasses import replace

import pytest

import review_study
from scrubin.base.errors import ManifestError, ReviewError
from scrubin.base.tables import io
from scrubin.base.tables.private import PARTS, RECORDINGS
from scrubin.curate.by_hand import ledger
from scrubin.stages.review import Ledger, exchange, result, study
from scrubin.stages.review.events import Decided, DecidedSpan, facts

HEADER = review_study.SHEET


@pytest.fixture
def folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def state():
    of = study.load(1, 0.2, study.Path("data/raw"))
    standing = of.standing()
    standing.apply(Ledger().lines())
    return of, standing


def read(text, *others):
    of, standing = state()
    return exchange.read_sheet(text.encode(), of, standing, study.FrameTimes(study.Path("data/raw"), of.files), "ann", set(others))


def take(text, *others):
    done = read(text, *others)
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


@pytest.mark.parametrize("row", ["single,,other,3.5,4,,,,,add", "single,,other,1,2,90,0,10,4,add", "single,,other,1,2,90,0,,4,add"])
def test_a_row_that_cannot_be_used_is_refused_with_the_name_of_the_file_that_was_passed(folder, row):
    (folder / "typed.csv").write_text(HEADER + row + "\n")
    with pytest.raises(ManifestError, match=r"^typed\.csv, line 2: .*(lies behind the end|reaches beyond the picture|the rectangle is)"):
        ledger.take(study.Path("typed.csv"), "ann")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("before", ["", "single,,other,0.5,1.0,,,,,add\n"])
@pytest.mark.parametrize("end_s", [1.001, 1.0005])
def test_an_added_row_of_a_millisecond_hides_the_frame_that_is_on_the_screen_in_it(before, end_s):
    take(HEADER + before)
    assert take(HEADER + f"single,,other,1.0,{end_s},,,,,add\n").events[0].spans[0].first == 20
    assert ("single", "mono", "other", 1.0, end_s, "curator", "accepted") in hidden()


def test_a_sheet_that_was_not_imported_hides_what_it_adds_and_one_that_was_says_no_more(folder):
    text = HEADER + "single,,other,0.4,0.8,,,,,add\npair,,out_of_body,0,3,,,,,reject\n"
    assert said_of_sheet() is None
    in_place(folder, text)
    assert "what 2 rows of it would hide is proposed, what they reject counts nothing" in said_of_sheet()
    assert ("single", "mono", "other", 0.4, 0.8, "sheet", "unreviewed") in hidden()
    assert ("pair", "left", "out_of_body", 1.0, 1.5, "appearance", "unreviewed") in hidden()
    take(text)
    assert said_of_sheet() is None
    assert ("single", "mono", "other", 0.4, 0.8, "curator", "accepted") in hidden()
    assert not [row for row in hidden() if row[5] == "sheet"]
    in_place(folder, text + "single,,other,1.4,1.8,,,,,add\n")
    assert [row[3:] for row in asked()] == [(1.4, 1.8)]


TABLES = {"recordings": RECORDINGS, "parts": PARTS}


def change_tables(folder, change):
    """Write the tables of ingest anew, and return what puts them back."""
    paths = {folder / f"data/interim/{name}.parquet": table for name, table in TABLES.items()}
    before = {path: path.read_bytes() for path in paths}
    for path, table in paths.items():
        io.write(table, change(io.read(table, path)), path)
    return lambda: [path.write_bytes(data) for path, data in before.items()]


def in_place(folder, text):
    (folder / "data/raw/redactions.csv").write_text(text)
    return text


def said_of_sheet():
    return result.document(*state(), Ledger().lines(), study.Path("data/raw"))["sheet"]


def asked():
    return [row[:5] for row in hidden() if row[5] == "sheet"]


def test_rows_of_a_recording_that_is_set_aside_are_told_and_proposed_when_it_comes_back(folder):
    text = in_place(folder, HEADER + "single,,other,0.4,0.8,,,,,add\npair,left,other,1,2,,,,,add\n")
    back = change_tables(folder, lambda rows: rows[rows.recording != "single"].reset_index(drop=True))
    path = folder / "data/interim/quarantine_ingest.parquet"
    none = path.read_bytes()
    review_study.set_aside(folder, "single")
    assert take(text, "single").passed_over == ("'single': 1 row",)
    back()
    path.write_bytes(none)
    assert asked() == [("single", "mono", "other", 0.4, 0.8)]
    assert said_of_sheet() == (
        "redactions.csv was imported before 1 file came or was replaced: what it would hide there is proposed; "
        "run: .venv/bin/scrubin review --import data/raw/redactions.csv"
    )
    take(text)
    assert (asked(), said_of_sheet()) == ([], None)
    assert ("single", "mono", "other", 0.4, 0.8, "curator", "accepted") in hidden()


def test_a_row_for_all_cameras_is_proposed_in_one_that_joins_after_the_import(folder):
    text = in_place(folder, HEADER + "pair,,text,,,1,2,30,4,add\n")
    back = change_tables(folder, lambda rows: rows[rows.camera != "right"].reset_index(drop=True))
    take(text)
    assert asked() == []
    back()
    assert asked() == [("pair", "right", "text", 0.0, 3.0)]


def test_what_an_imported_sheet_wants_hidden_is_proposed_again_in_a_file_that_was_replaced(folder):
    text = in_place(folder, HEADER + "single,,other,0.4,0.8,1,2,30,4,add\nsingle,,text,,,8,8,24,8,accept\nsingle,,black,0,1,,,,,reject\n")
    take(text)
    change_tables(folder, lambda rows: rows.assign(sha256=rows.sha256.where(rows.recording != "single", "f" * 64)))
    assert sorted(asked()) == [("single", "mono", "other", 0.4, 0.8), ("single", "mono", "text", 0.0, 3.5)]


def test_what_somebody_took_back_after_the_import_is_not_proposed_again(folder):
    text = in_place(folder, HEADER + "single,,other,0.4,0.8,,,,,add\npair,,other,0.4,0.8,1,2,30,4,add\n")
    take(text)
    take_back(*(line.number for line in Ledger().lines() if line.event == "decided"))
    assert (asked(), [row for row in hidden() if row[2] == "other"]) == ([], [])


def test_what_was_only_accepted_on_the_page_and_taken_back_is_proposed_again(folder):
    in_place(folder, HEADER + "single,,other,0.4,0.8,,,,,add\n")
    key = asked_key("single", "mono")
    answer("mono", "other", (0.4, 0.8), what="accept", proposal=key, recording="single")
    assert ("single", "mono", "other", 0.4, 0.8, "curator", "accepted") in hidden()
    take_back()
    assert asked() == [("single", "mono", "other", 0.4, 0.8)]


def answer(camera, kind, span, *, box=None, what="add", proposal="", recording="pair"):
    of, _ = state()
    file = of.files[recording, camera]
    first, last = int(span[0] * 20), int(span[1] * 20) - 1
    spans = (DecidedSpan(what, first, last, *span),)
    event = Decided(recording, camera, file.sha256, kind, spans, box, "", proposal, "1")
    Ledger().append("decided", facts(event), by="ann", session="page")


def asked_key(*file):
    of, standing = state()
    (key,) = [one.key for one in of.proposed(file, standing) if one.source == "sheet"]
    return key


def take_back(*numbers):
    """Let people take back lines, or the last one."""
    for number in numbers or [Ledger().lines()[-1].number]:
        Ledger().append("withdrawn", {"line": number, "why": ""}, by="ann", session="page")


def proposed_right(*, whole):
    of, standing = state()
    return next(one.key for one in of.proposed(("pair", "right"), standing) if one.source == "pair" and (one.box_xywh is None) == whole)


def hidden_boxes():
    return {(row["camera"], row["x"]) for row in result.redactions(*state()) if row["decision"] != "rejected" and row["kind"] == "other"}


@pytest.mark.parametrize("is_of_rows", [False, True])
def test_a_rectangle_that_stands_beside_the_rejection_of_a_whole_frame_is_exported_and_stays_hidden_elsewhere(folder, is_of_rows):
    box, span = (10, 6, 20, 8), (2.0, 2.5)
    if is_of_rows:
        answer("left", "other", span, box=box)
    answer("right", "other", span, box=box, what="accept", proposal=proposed_right(whole=False) if is_of_rows else "")
    answer("left", "other", span)
    answer("right", "other", span, what="reject", proposal=proposed_right(whole=True))
    here = hidden_boxes()
    assert ("right", 10) in here
    text = exchange.sheet_text(*state())
    assert f"pair,right,other,2.0,2.5,{','.join(map(str, box))},accept\n" in text
    left_out = [said.partition(";")[0] for said in ledger.text("ann").left_out]
    (folder / "data/private/decisions.jsonl").unlink()
    take(text)
    if is_of_rows:
        # As the other camera hides something there, all of its rows are hidden.
        assert (left_out, here - hidden_boxes(), ("right", 0) in hidden_boxes()) == ([], {("right", 10)}, True)
    else:
        assert left_out == ["left out: 1 rejection that a sheet cannot say, or that would show elsewhere what is hidden here"]
        assert here <= hidden_boxes()


def test_what_was_rejected_of_a_rectangle_that_the_other_camera_proposes_can_be_imported_again(folder):
    """Not what was, before it was proposed as wide as its rows: no sheet says that these were meant, so they are asked about."""
    box, rows, span = (10, 6, 20, 8), (0, 0, 96, 21), (2.0, 2.5)
    for answered, after in ((rows, "rejected"), (box, "unreviewed")):
        answer("left", "out_of_body", span, box=box)
        answer("right", "out_of_body", span, box=answered, what="reject", proposal=proposed_right(whole=False))
        text, before = exchange.sheet_text(*state()), hidden()
        assert ("pair", "right", "out_of_body", *span, "pair", "rejected") in before
        (folder / "data/private/decisions.jsonl").unlink()
        take(text)
        assert hidden() == [(*row[:6], after) if row[1] == "right" and row[3:5] == span else row for row in before]
        (folder / "data/private/decisions.jsonl").unlink()


def test_what_was_taken_back_before_an_import_does_not_answer_the_sheet(folder):
    text = in_place(folder, HEADER + "single,,other,0.4,0.8,,,,,add\n")
    answer("mono", "other", (0.4, 0.8), recording="single")
    take_back()
    # As where the recording was set aside when the sheet was imported.
    Ledger().append("imported", {"sha256": hashlib.sha256(text.encode()).hexdigest(), "rows": 0}, by="ann", session="import")
    assert asked() == [("single", "mono", "other", 0.4, 0.8)]


def test_an_export_does_not_replace_a_sheet_that_wants_hidden_what_nobody_decided(folder):
    sheet = folder / "data/raw/redactions.csv"
    text = in_place(folder, HEADER + "single,,other,0.4,0.8,,,,,add\n")
    with pytest.raises(ReviewError, match=r"nobody has decided, of 'single'; import it first, or export into another file"):
        ledger.write(sheet, "ann")
    assert sheet.read_text() == text
    take(text)
    assert (ledger.write(sheet, "ann").rows, ledger.text("ann").left_out) == (1, ())


def test_what_a_detector_proposes_is_no_decision_in_place_of_a_sheet(folder):
    """Somebody may reject the proposal, and then nobody would know that the text was to be hidden."""
    in_place(folder, HEADER + "pair,left,text,1.1,1.4,8,8,24,8,add\n")
    with pytest.raises(ReviewError, match=r"nobody has decided, of 'pair'; import it first"):
        ledger.write(folder / "data/raw/redactions.csv", "ann")
    answer("left", "other", (1.0, 1.5))
    assert ledger.write(folder / "data/raw/redactions.csv", "ann").rows == 1


def test_an_export_names_the_recordings_whose_decisions_it_leaves_out(folder):
    answer("mono", "other", (0.4, 0.8), recording="single")
    answer("mono", "other", (1.4, 1.8), recording="single")
    take_back()
    review_study.set_aside(folder, "single")
    change_tables(folder, lambda rows: rows[rows.recording != "single"].reset_index(drop=True))
    said = ledger.write(folder / "out.csv", "ann")
    assert said.rows == 0
    assert said.left_out == ("left out: what is decided about recordings that are not reviewed now: 'single' (1 line)",)


@pytest.mark.usefixtures("folder")
def test_where_two_must_agree_the_import_of_each_is_their_own():
    text = (HEADER + "pair,left,out_of_body,1.0,1.5,,,,,reject\n").encode()
    of, standing = state()
    of = replace(of, reviewers=2)
    for person in ("ann", "ben"):
        done = exchange.read_sheet(text, of, standing, study.FrameTimes(study.Path("data/raw"), of.files), person)
        lines = [Ledger().append("decided", facts(event), by=person, session="import") for event in done.events[:-1]]
        assert len(lines) == 1
        standing.apply(lines)
    (row,) = of.redactions(("pair", "left"), standing)
    assert row["decision"] == "rejected"


@pytest.mark.usefixtures("folder")
def test_whole_frames_of_text_that_were_accepted_are_exported_as_something_that_an_import_takes():
    answer("mono", "text", (2.0, 2.5), what="accept", recording="single")
    text = exchange.sheet_text(*state())
    assert "single,mono,text,2.0,2.5,,,,,add\n" in text
    read(text)


def test_an_imported_sheet_says_no_more_once_what_it_asks_in_a_file_that_came_later_is_rejected(folder):
    text = in_place(folder, HEADER + "pair,,text,,,1,2,30,4,add\n")
    back = change_tables(folder, lambda rows: rows[rows.camera != "right"].reset_index(drop=True))
    take(text)
    back()
    key = asked_key("pair", "right")
    assert said_of_sheet() is not None
    answer("right", "text", (0.0, 3.0), box=(1, 2, 30, 4), what="reject", proposal=key)
    assert said_of_sheet() is None


def test_an_open_page_asks_no_longer_what_an_import_without_new_decisions_has_answered(folder):
    answer("mono", "other", (0.4, 0.8), recording="single")
    # As somebody read it off a player.
    in_place(folder, HEADER + "single,mono,other,0.4004,0.8,,,,,add\n")
    with review_study.desk(folder) as desk:
        assert [one.source for one in desk.recording(1).proposals] == ["sheet", "text"]
        assert ledger.take(folder / "data/raw/redactions.csv", "ann")[0].endswith("0 new decisions")
        assert [one.source for one in desk.recording(1).proposals] == ["text"]


def test_a_recording_whose_excluded_file_is_put_back_is_excluded_again(folder):
    digest = state()[0].files["single", "mono"].sha256
    Ledger().append("excluded", {"recording": "single", "sha256": {"mono": digest}, "why": "consent"}, by="ann", session="page")
    assert state()[1].excludes("single") is not None
    Ledger().append("excluded", {"recording": "single", "sha256": {"mono": "0" * 64}, "why": "another film"}, by="ann", session="page")
    line, event = state()[1].excludes("single")
    assert (line.number, event.why) == (1, "consent")


BIG, SMALL = "0,0,40,40", "8,8,24,8"
"""A rectangle around the proposed text, and the proposed one."""


def says_of_text():
    return {row[6] for row in hidden() if row[2] == "text"}


@pytest.mark.usefixtures("folder")
def test_a_sheet_that_is_imported_again_after_another_one_means_what_it_says():
    accepting = HEADER + f"single,,text,2,2.5,{SMALL},accept\n"
    rejecting = HEADER + f"single,,text,0,3.5,{BIG},reject\n"
    for text, decision in ((accepting, "accepted"), (rejecting, "rejected"), (accepting, "accepted"), (rejecting, "rejected")):
        assert len(take(text).events) == 2
        assert says_of_text() == {decision}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("place", [BIG, SMALL, ",,,"])
def test_a_sheet_whose_rejection_beats_its_acceptance_says_nothing_new_the_second_time(place):
    text = HEADER + f"single,,text,2,2.5,{SMALL},accept\nsingle,,text,0,3.5,{place},reject\n"
    take(text)
    assert says_of_text() == {"rejected"}
    assert len(take(text).events) == 1
    assert says_of_text() == {"rejected"}
    take(HEADER + f"single,,text,2,2.5,{SMALL},accept\n")
    assert says_of_text() == {"accepted"}
    assert take(text).changes == (f"'single', mono: accept text from 2.000 to 2.500 s, rectangle {SMALL}",)
    assert says_of_text() == {"rejected"}


def test_what_was_rejected_of_an_excluded_recording_is_not_exported_and_that_is_said(folder):
    with review_study.desk(folder) as desk:
        (proposal,) = desk.recording(1).proposals
        desk.decide(1, "mono", "reject", "text", proposal.first, proposal.last, box_xywh=proposal.box_xywh, proposal_key=proposal.key)
        desk.decide(1, "mono", "add", "other", 8, 15)
        assert ledger.text("ann").text.endswith(",8,8,24,8,reject\n")
        desk.exclude(1, "no consent")
    said = ledger.text("ann")
    assert said.text == HEADER + "single,mono,other,0.4,0.8,,,,,add\n"
    assert said.left_out == (
        "left out: that these are excluded, which no sheet says, and what was rejected in them; exclude them there, too: 'single'",
    )


def test_what_a_sheet_that_was_not_imported_wants_hidden_stays_hidden_where_the_export_is_imported(folder):
    in_place(folder, HEADER + "single,,other,0.4,0.8,1,2,30,4,add\nsingle,,other,0,1,,,,,add\n")
    of, standing = state()
    key = next(one.key for one in of.proposed(("single", "mono"), standing) if one.kind == "other" and one.box_xywh is None)
    answer("mono", "other", (0.0, 1.0), what="reject", proposal=key, recording="single")
    is_hidden = ("single", "mono", "other", 0.4, 0.8, "sheet", "unreviewed")
    assert is_hidden in hidden()
    text = exchange.sheet_text(*state())
    (folder / "data/private/decisions.jsonl").unlink()
    take(text)
    assert is_hidden in hidden()


def test_an_export_replaces_a_sheet_of_which_everything_was_rejected_but_none_that_alone_hides_something(folder):
    sheet = folder / "data/raw/redactions.csv"
    in_place(folder, HEADER + "single,,other,0.4,0.8,1,2,30,4,add\n")
    key = asked_key("single", "mono")
    # Who accepts a part of a rectangle has not drawn the rest of it.
    answer("mono", "other", (0.4, 0.8), box=(1, 2, 10, 4), what="accept", proposal=key, recording="single")
    with pytest.raises(ReviewError, match="nobody has decided, of 'single'"):
        ledger.write(sheet, "ann")
    take_back(1)
    answer("mono", "other", (0.4, 0.8), box=(1, 2, 30, 4), what="reject", proposal=key, recording="single")
    before = hidden()
    assert ledger.write(sheet, "ann").rows == 1
    assert [row for row in before if row[6] != "rejected"] == hidden()


@pytest.mark.usefixtures("folder")
def test_a_disk_that_is_full_in_the_middle_of_an_import_is_told_with_what_was_taken(monkeypatch):
    sheet = HEADER + "single,,other,0.4,0.8,,,,,add\nsingle,,other,1.4,1.8,,,,,add\n"
    write, count = os.write, itertools.count()

    def full(file, data):
        if next(count) == 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data)

    with review_study.desk(study.Path()) as desk:
        done = exchange.read_sheet(sheet.encode(), desk.reviewed, desk.standing, desk.times_s, "ann")
        with monkeypatch.context() as disk:
            disk.setattr(os, "write", full)
            with pytest.raises(ReviewError, match="1 of 2 decisions of the sheet were written before: import it again"):
                desk.append_all(done.events)
    assert [line.event for line in Ledger().lines()] == ["decided"]
