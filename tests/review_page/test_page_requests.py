"""What the page asks and decides: stills, what was seen, decisions, the ledger, two pages, tables that change."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest

import page_client
import review_study
from page_client import PAIR, SINGLE, decide, lines, looked, picture, post
from scrubin.audit.expected import withdrawal_memory
from scrubin.base.errors import ReviewError
from scrubin.curate.page.requests import Place
from scrubin.stages.review import LEDGER_PATH, events


def test_nothing_is_written_about_somebody_who_withdrew_while_the_page_was_open(page, folder, clock):
    page.get("/stills/1/mono?frames=0,20&height=90&columns=2")
    review_study.withdraw(folder, "single")
    for starts_anew in (True, False):
        answers = [
            decide(page),
            looked(page, "sheet", {"mono": [0, 20]}, clock=clock),
            post(page, "/api/exclude", number=SINGLE, why="they left"),
        ]
        assert [one.status_code for one in answers] == [409, 409, 409]
        assert all(one.json().get("reload", False) == starts_anew for one in answers)
        page.edition = page.get("/api/study").json()["edition"]
    assert "withdrawn from the study: nothing is written about it" in answers[0].json()["error"]
    assert not lines(folder)
    # Of all others everything goes on.
    assert decide(page, number=PAIR, camera="left").status_code == 200


def test_no_picture_is_sent_of_somebody_who_withdrew_while_the_page_was_open_and_the_page_says_why(page, study, folder):
    """Nor one that is planted in the recordings of others."""
    review_study.propose(folder, [review_study.proposal("single", "mono", 10, 14)])
    plants = study.get().plants
    asks = ["/stills/1/mono?frames=0&height=90&columns=1", "/still/1/mono/0", "/still/1/mono/0?preview=1", "/api/files/1/mono/times"]
    assert [page.get(ask).status_code for ask in asks] == [200] * 4
    review_study.withdraw(folder, "single")
    answers = [page.get(ask) for ask in [*asks, "/check/1/mono/0"]]
    assert [one.status_code for one in answers] == [410] * 5
    assert all("withdrawn from the study: nothing is written about it any more, and nothing of it is shown" in one.text for one in answers)
    assert study.get().plants is not plants
    assert page.get("/still/7/mono/0").status_code == 404
    told = page.get("/api/recordings/1").json()["recording"]
    assert [told[name] for name in ("files", "proposals", "drawn", "log")] == [[]] * 4
    assert (told["summary"]["status"], told["summary"]["done"]) == ("withdrawn", True)
    assert "nothing of it is shown; 'make repro' takes it out" in told["summary"]["reason"]
    assert page.get("/stills/0/left?frames=0&height=90&columns=1").status_code == 200
    # Somebody who never withdrew comes back.
    (folder / withdrawal_memory.PATH).unlink()
    assert page.get(asks[0]).status_code == 200


def test_a_page_whose_answer_was_lost_takes_an_exclusion_back_once(page, folder):
    assert post(page, "/api/exclude", number=SINGLE, why="shaky", nonce="1" * 16).status_code == 200
    answers = [post(page, "/api/include", number=SINGLE, nonce="2" * 16) for _ in range(2)]
    assert [one.status_code for one in answers] == [200, 200]
    assert len({one.json()["line"]["number"] for one in answers}) == 1
    assert [line["event"] for line in lines(folder)] == ["excluded", "withdrawn"]


def test_no_line_that_names_another_line_or_a_clip_is_written_about_somebody_who_withdrew(page, folder):
    assert decide(page).status_code == 200
    assert post(page, "/api/exclude", number=SINGLE, why="shaky", nonce="1" * 16).status_code == 200
    before = lines(folder)
    review_study.withdraw(folder, "single")
    page.edition = page.get("/api/study").json()["edition"]
    answers = [post(page, path, number=SINGLE, nonce=digit * 16) for path, digit in (("/api/undo", "2"), ("/api/include", "3"))]
    assert [one.status_code for one in answers] == [409, 409]
    theirs, others = (events.Clip("quiet", "single", 0.0, 1.0), events.Clip("loud", "pair", 0.0, 1.0))
    with review_study.desk(folder) as desk:
        with pytest.raises(ReviewError, match="withdrawn from the study"):
            desk.check("videos", theirs, events.CLEAN, "")
        with pytest.raises(ReviewError, match="withdrawn from the study"):
            desk.sample(events.Sampled("videos", 1, 2, (others, theirs)))
        assert lines(folder) == before
        desk.sample(events.Sampled("videos", 1, 2, (others,)))
        desk.check("videos", others, events.CLEAN, "")
    # What was said about others can be undone.
    assert decide(page, number=PAIR, camera="left", nonce="4" * 16).status_code == 200
    assert post(page, "/api/undo", number=PAIR, nonce="5" * 16).status_code == 200


def test_stills_come_by_their_numbers_in_rows(page):
    answer = page.get("/stills/1/mono?frames=0,30,60&height=64&columns=2")
    assert answer.headers["content-type"] == "image/jpeg"
    sheet = picture(answer).astype(float)
    assert sheet.shape == (128, 192, 3)
    # Frame n has the luma 16 + 3 n; the fourth place has no still.
    cells = [sheet[y : y + 64, x : x + 96].mean() for y, x in ((0, 0), (0, 96), (64, 0), (64, 96))]
    assert cells[3] < 2
    assert cells[0] + 80 < cells[1] < cells[2] - 80


def test_the_times_of_a_file_are_its_boundaries(page):
    times_s = np.frombuffer(page.get("/api/files/1/mono/times").content, "<f8")
    np.testing.assert_allclose(times_s, np.arange(71) / 20)


def test_a_preview_is_black_where_the_release_will_be_and_does_not_count_as_seen(page):
    shown = picture(page.get("/still/1/mono/45")).astype(int)
    preview = picture(page.get("/still/1/mono/45?preview=1")).astype(int)
    assert shown[8:16, 8:32].min() > 100
    assert preview[9:15, 9:31].max() < 40
    assert preview[30:, 40:].min() > 100
    assert picture(page.get("/still/0/right/25?preview=1")).max() == 0
    answer = looked(page, "full", {"right": [25]}, number=PAIR)
    assert answer.status_code == 409


def test_what_was_never_sent_was_never_seen(page, folder, clock):
    assert looked(page, "sheet", {"mono": [0, 20]}, clock=clock).status_code == 409
    page.get("/stills/1/mono?frames=0,20&height=90&columns=2")
    assert looked(page, "sheet", {"mono": [0, 20, 40]}, clock=clock).status_code == 409
    assert not lines(folder)
    assert looked(page, "sheet", {"mono": [0, 20]}, clock=clock).json()["line"] == {"number": 1, "event": "seen"}
    page.get("/stills/1/mono?frames=40,60&height=64&columns=2")
    # What is so small shows no face on the sheet; in the lens it stands beside its neighbours.
    assert looked(page, "sheet", {"mono": [40, 60]}, clock=clock).status_code == 409
    assert looked(page, "lens", {"mono": [40, 60]}, clock=clock).status_code == 200
    assert looked(page, "full", {"mono": [0]}, clock=clock).status_code == 409
    page.get("/still/1/mono/0")
    assert looked(page, "full", {"mono": [0]}, clock=clock).status_code == 200
    assert [line["facts"]["view"] for line in lines(folder)] == ["sheet", "lens", "full"]


def test_a_page_that_claims_more_looks_than_time_has_passed_is_refused_in_a_sentence(page, folder, clock):
    page.get("/stills/1/mono?frames=0,20,40,60&height=90&columns=4")
    clock.s += 0.4
    answer = looked(page, "sheet", {"mono": [0, 20, 40, 60]})
    assert (answer.status_code, answer.json()["error"]) == (
        409,
        "only 0.4 s have passed in which these stills can have been looked at, not 1.0 s",
    )
    assert (
        looked(page, "sheet", {"mono": [0, 20, 40, 60]}, looked_s=0.4).json()["error"] == "0.6 s more for these 4 stills: each needs 0.25 s"
    )
    assert not lines(folder)
    clock.s += 0.6
    assert looked(page, "sheet", {"mono": [0, 20, 40, 60]}).status_code == 200


@pytest.mark.parametrize(
    ("says", "sentence"),
    [({"height_px": 46}, "stills of 46 px are too small to count: at least 90 px"), ({"inputs": 0}, "before a person goes on from it")],
)
def test_small_stills_and_those_from_which_nobody_went_on_do_not_count(page, folder, clock, says, sentence):
    page.get("/stills/1/mono?frames=0,20&height=90&columns=2")
    answer = looked(page, "sheet", {"mono": [0, 20]}, clock=clock, **says)
    assert answer.status_code == 409
    assert sentence in answer.json()["error"]
    assert not lines(folder)


def test_two_pages_of_one_person_are_not_twice_as_fast(page, inside, study, folder, clock):
    other = inside(study)
    for one in (page, other):
        one.get("/stills/1/mono?frames=0,20,40,60&height=90&columns=4")
    clock.s += 0.5
    assert looked(page, "sheet", {"mono": [0, 20]}).status_code == 200
    assert "only 0.0 s have passed" in looked(other, "sheet", {"mono": [40, 60]}).json()["error"]
    # Nor is a second server: it reads the same ledger.
    again = page_client.opened(folder, clock=clock)
    third = inside(again)
    third.get("/stills/1/mono?frames=0,20,40,60&height=90&columns=4")
    clock.s += 0.5
    assert looked(page, "sheet", {"mono": [40, 60]}).status_code == 200
    assert "only 0.0 s have passed" in looked(third, "sheet", {"mono": [0, 40]}).json()["error"]
    again.close()


def test_a_look_is_written_once_though_the_page_asks_twice(page, folder, clock):
    page.get("/stills/1/mono?frames=0,20&height=90&columns=2")
    first = looked(page, "sheet", {"mono": [0, 20]}, clock=clock)
    assert looked(page, "sheet", {"mono": [0, 20]}).json()["line"] == first.json()["line"]
    (line,) = lines(folder)
    measured = {name: line["facts"][name] for name in ("looked_s", "inputs", "height_px", "sheet")}
    assert measured == {"looked_s": 0.5, "inputs": 1, "height_px": 90, "sheet": True}


def test_a_screen_of_a_pair_is_one_sheet(page, folder, clock):
    for camera in ("left", "right"):
        page.get(f"/stills/0/{camera}?frames=0,20&height=90&columns=2")
    assert looked(page, "sheet", {"left": [0, 20], "right": [0, 20]}, number=PAIR, clock=clock).status_code == 200
    assert [(line["facts"]["camera"], line["facts"]["sheet"], line["facts"]["looked_s"]) for line in lines(folder)] == [
        ("left", True, 0.5),
        ("right", False, 0.5),
    ]


def test_a_decision_is_written_before_it_is_confirmed_and_its_repetition_is_the_same_line(page, folder):
    answer = decide(page)
    (line,) = lines(folder)
    assert (line["event"], line["by"], line["number"]) == ("decided", "ann", answer.json()["line"]["number"])
    assert decide(page).json()["line"] == answer.json()["line"]
    assert len(lines(folder)) == 1
    (drawn,) = answer.json()["recording"]["drawn"]
    assert (drawn["first"], drawn["last"], drawn["kind"]) == (3, 9, "other")
    undone = post(page, "/api/undo", number=SINGLE, nonce="another-nonce").json()
    assert undone["recording"]["drawn"] == []


def test_an_undo_that_is_asked_for_again_after_tables_were_written_anew_undoes_one_decision(page, folder):
    assert decide(page).status_code == 200
    assert decide(page, first=20, last=30, nonce="nonce-of-two").status_code == 200
    path = folder / "data/interim/proposals.parquet"
    answers = []
    for _ in range(2):
        answers.append(post(page, "/api/undo", number=SINGLE, nonce="another-nonce").json())
        path.write_bytes(path.read_bytes())
    assert answers[0]["line"] == answers[1]["line"]
    assert [(span["first"], span["last"]) for span in answers[1]["recording"]["drawn"]] == [(3, 9)]
    assert len(lines(folder)) == 3


@pytest.mark.parametrize(
    ("path", "says", "sentence"),
    [
        ("decide", {"last": 70}, "no span"),
        ("decide", {"box_xywh": [90, 0, 20, 20]}, "not inside"),
        ("decide", {"what": "accept"}, "no longer"),
        ("acknowledge", {"subject": "warning", "key": "no.such.rule", "why": "known", "until": None}, "no warning 'no.such.rule'"),
        ("acknowledge", {"subject": "quarantine", "key": "broken", "why": "known", "until": "2026-11-01"}, "2026-11-01 is over"),
    ],
)
def test_what_is_not_possible_is_answered_with_the_desks_sentence(page, folder, path, says, sentence):
    review_study.set_aside(folder, "broken")
    answer = decide(page, **says) if path == "decide" else post(page, f"/api/{path}", number=PAIR, **says)
    assert answer.status_code == 409
    assert sentence in answer.json()["error"]
    assert not lines(folder)


def test_a_day_is_a_day(page, folder):
    review_study.set_aside(folder, "broken")
    says = {"number": PAIR, "subject": "quarantine", "key": "broken", "why": "known"}
    assert post(page, "/api/acknowledge", **says, until="tomorrow").status_code == 400
    assert post(page, "/api/acknowledge", **says, until="2096-01-31").status_code == 200
    assert lines(folder)[0]["facts"]["until"] == "2096-01-31"


def test_the_place_where_the_page_opens_is_a_number(study, inside):
    page = inside(study, place=Place(1, 2.5))
    assert page.get("/api/study").json()["place"] == {"recording": 1, "time_s": 2.5}


def test_a_chain_that_breaks_while_the_page_is_open_is_said_and_nothing_is_written_behind_it(page, folder):
    assert decide(page).status_code == 200
    assert decide(page, nonce="f" * 16).status_code == 200
    path = folder / LEDGER_PATH
    broken = path.read_bytes().replace(b'"other"', b'"black"', 1)
    path.unlink()
    path.write_bytes(broken)
    for answer in (page.get("/api/study"), page.get(f"/api/recordings/{SINGLE}"), decide(page, nonce="e" * 16)):
        assert answer.status_code in (404, 409)
        assert "line 2: the chain of decisions is broken here" in answer.json()["error"]
    assert path.read_bytes() == broken


def test_a_full_disk_is_said_and_what_was_confirmed_stays(page, folder, monkeypatch):
    assert decide(page).status_code == 200
    before = (folder / LEDGER_PATH).read_bytes()

    def full(file, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("scrubin.stages.review.os.write", full)
    answer = decide(page, nonce="f" * 16)
    monkeypatch.undo()
    assert answer.status_code == 409
    assert "nothing was written (No space left on device)" in answer.json()["error"]
    assert (folder / LEDGER_PATH).read_bytes() == before
    assert decide(page, nonce="e" * 16).status_code == 200


@pytest.mark.slow
def test_four_hours_are_reviewed_as_a_minute_is(tmp_path, inside, monkeypatch, clock):
    folder = review_study.project(tmp_path / "study", single_frames=4 * 3600 + 10, single_fps=1)
    review_study.change_params(folder, "checks: 0.02", "checks: 0")
    monkeypatch.chdir(folder)
    study = page_client.opened(folder, clock=clock)
    try:
        page = inside(study)
        times_s = np.frombuffer(page.get(f"/api/files/{SINGLE}/mono/times").content, "<f8")
        assert len(times_s) == 4 * 3600 + 11
        last = len(times_s) - 2
        frames = range(last - 59, last + 1)
        wanted = ",".join(map(str, frames))
        sprite = picture(page.get(f"/stills/{SINGLE}/mono?frames={wanted}&height=90&columns=60"))
        for place, frame in enumerate(frames):
            middle = sprite[45, place * sprite.shape[1] // 60 + 60]
            assert abs(int(middle[1]) - grey(frame % review_study.LEVELS)) <= 6, frame
        answer = looked(page, "sheet", {"mono": list(frames)}, clock=clock)
        assert answer.status_code == 200
        summary = answer.json()["recording"]["summary"]
        assert summary["unseen_s"] == 4 * 3600 + 10 - 60
    finally:
        study.close()


def grey(level):
    """What a display shows of the luma of a frame of this level."""
    return round((16 + 3 * level - 16) * 255 / 219)


def test_two_pages_lose_nothing_and_see_each_other(folder, inside):
    ann, bo = (inside(page_client.opened(folder, by)) for by in ("ann", "bo"))
    head = bo.get("/api/study").json()["head"]
    assert bo.get(f"/api/changes?head={head}").json()["changed"] is False
    assert decide(ann).status_code == 200
    assert bo.get(f"/api/changes?head={head}").json()["changed"] is True
    assert decide(bo, first=20, last=30, nonce="nonce-of-bo").status_code == 200
    assert [line["by"] for line in lines(folder)] == ["ann", "bo"]
    assert len(ann.get("/api/recordings/1").json()["recording"]["drawn"]) == 2


def test_with_two_reviewers_each_is_asked_for_their_own_part(folder, inside, clock):
    review_study.two_reviewers(folder)
    study = page_client.opened(folder, clock=clock)
    page = inside(study)
    nothing = {"folded": {"mono": []}, "stops": {"mono": []}, "seen": [], "decided": {}}
    assert page.get("/api/recordings/1").json()["mine"] == {"unseen": {"mono": [[0, 3]]}, **nothing}
    frames = list(range(70))
    page.get(f"/stills/1/mono?frames={','.join(map(str, frames))}&height=64&columns=10")
    looked(page, "lens", {"mono": frames}, clock=clock)
    (proposal,) = page.get("/api/recordings/1").json()["recording"]["proposals"]
    says = {"what": "reject", "kind": "text", "first": 40, "last": 49, "box_xywh": [8, 8, 24, 8], "proposal": proposal["key"]}
    answer = decide(page, **says, nonce="another-nonce").json()
    name = f"mono:{proposal['key']}"
    assert answer["mine"] == {"unseen": {"mono": []}, **nothing, "seen": [name], "decided": {name: "rejected"}}
    # One of two is not enough.
    assert answer["recording"]["files"][0]["unseen"] == [[0, 3]]
    assert answer["recording"]["proposals"][0]["decision"] == "unreviewed"
    study.close()


def test_while_tables_are_rewritten_the_page_is_asked_to_come_again(page, folder):
    path = folder / "data/interim/proposals.parquet"
    whole = path.read_bytes()
    path.unlink()
    answer = page.get("/api/study")
    assert (answer.status_code, answer.json()["again"]) == (503, True)
    path.write_bytes(whole[:100])
    answer = decide(page)
    assert (answer.status_code, answer.json()["again"]) == (503, True)
    assert not lines(folder)
    head = "0-before"
    path.write_bytes(whole)
    assert page.get(f"/api/changes?head={head}").json()["changed"] is True
    assert decide(page).status_code == 200


def test_what_was_sent_before_the_pipeline_ran_again_was_seen(page, folder, clock):
    page.get("/stills/1/mono?frames=0,20&height=90&columns=2")
    path = folder / "data/interim/proposals.parquet"
    path.write_bytes(path.read_bytes())
    assert looked(page, "sheet", {"mono": [0, 20]}, clock=clock).status_code == 200
    assert page.get("/api/study").json()["head"].startswith("1-")


def test_other_files_under_the_same_numbers_start_the_page_anew(page, folder):
    path, tables, recordings = folder / "data/interim/recordings.parquet", review_study.io, review_study.RECORDINGS
    rows = [review_study.recording(folder, 9, "another", "mono", 30), *tables.records(tables.read(recordings, path))]
    review_study.write_recordings(folder, rows)
    answer = decide(page)
    assert (answer.status_code, answer.json()["reload"]) == (409, True)
    assert not lines(folder)
    assert page.get("/api/recordings/1", headers={"X-Scrubin-Study": page.edition}).status_code == 409
    page.edition = page.get("/api/study").json()["edition"]
    answer = decide(page, number=2)
    assert answer.status_code == 200, answer.text


def test_a_video_that_was_replaced_or_is_gone_says_so(page, folder):
    path = next((folder / "data/raw/videos").glob("*mono.mp4"))
    whole = path.read_bytes()
    path.unlink()
    answer = page.get("/still/1/mono/0")
    assert answer.status_code == 410
    assert "error" in answer.json()
    assert decide(page).status_code == 409
    path.write_bytes(whole + b"x")
    assert page.get("/still/1/mono/0").status_code == 410
    assert decide(page).status_code == 409
    assert not lines(folder)


def test_undo_is_of_the_recording_that_is_open_and_names_another_one(page, folder):
    assert decide(page).status_code == 200
    answer = post(page, "/api/undo", number=PAIR, nonce="another-nonce")
    assert answer.status_code == 409
    assert "your last decision is about 'single', mono, frames 3 to 9: open it to undo that" in answer.json()["error"]
    assert len(lines(folder)) == 1
