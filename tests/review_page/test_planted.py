"""Stills that are checks: what the page can know of them, and what comes of each."""

from __future__ import annotations

import json

import numpy as np
import pytest

import made_once
import review_study
from page_client import SINGLE, decide, facts, lines, picture, post
from scrubin.curate.page.planted import Plants
from scrubin.stages.review import attention, result

LONG_S = 70
URL = "/stills/1/mono?frames={}&height=90&columns=10"


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    return review_study.project(tmp_path_factory.mktemp("long"), single_frames=LONG_S, single_fps=1)


@pytest.fixture
def folder(long, tmp_path, monkeypatch):
    copy = made_once.copy(long, tmp_path / "study")
    review_study.change_params(copy, "checks: 0.02", "checks: 0.1")
    review_study.stop(copy, *(("single", "mono", frame, "scene") for frame in range(2, 60, 3)))
    monkeypatch.chdir(copy)
    return copy


def sprite(page, frames):
    answer = page.get(URL.format(",".join(map(str, frames))))
    assert answer.status_code == 200
    return answer


def planted_of(study, kind):
    """Which frames are checks: only who has the key knows."""
    of_file = study.get().plants._files[SINGLE, "mono"]
    return sorted(frame for frame, plant in of_file.open.items() if plant.kind == kind)


def looked(page, clock, frames, view="sheet"):
    clock.s += attention.needed_s(view, len(frames))
    measured = {"looked_s": attention.needed_s(view, len(frames)), "inputs": 1, "height_px": 90}
    nonce = f"nonce-{view}-{frames[0]:06d}-{int(clock.s * 100)}"
    return post(page, "/api/seen", number=SINGLE, view=view, stills={"mono": list(frames)}, folding={}, nonce=nonce, **measured)


def test_a_check_that_is_passed_is_missed_and_its_true_still_must_be_looked_at(page, study, folder, clock):
    every = range(LONG_S)
    before = picture(sprite(page, every))
    frames = planted_of(study, "person")
    assert len(frames) == pytest.approx(0.1 * LONG_S, abs=2)
    answer = looked(page, clock, every).json()
    assert [(one["frame"], one["outcome"]) for one in answer["checks"]] == [(frame, "missed") for frame in frames]
    assert [(one["frame"], one["kind"], one["outcome"]) for one in facts(folder, "planted")] == [
        (frame, "person", "missed") for frame in frames
    ]
    assert answer["recording"]["summary"]["unseen_s"] == len(frames)
    # As it was shown, for the person who passed it; then as it is.
    assert page.get(f"/check/{SINGLE}/mono/{frames[0]}").status_code == 200
    # Which stills are checks is drawn by chance, so two of them may be neighbours.
    no_check = next(frame for frame in every if frame not in frames)
    assert page.get(f"/check/{SINGLE}/mono/{no_check}").status_code == 404
    after = picture(sprite(page, every))
    changed = [frame for frame in every if np.abs(cell(before, frame).astype(int) - cell(after, frame)).mean() > 4]
    assert changed == frames
    assert looked(page, clock, frames).json()["recording"]["summary"]["unseen_s"] == 0


def test_a_page_whose_answer_was_lost_is_told_again_what_came_of_its_checks_and_no_other_request_is(page, study, folder, clock):
    sprite(page, range(LONG_S))
    one, other = planted_of(study, "person")[:2]
    clock.s += LONG_S
    says = {"number": SINGLE, "view": "sheet", "folding": {}, "looked_s": attention.needed_s("sheet", 1), "inputs": 1, "height_px": 90}

    def told(frame, nonce):
        answer = post(page, "/api/seen", **says, stills={"mono": [frame]}, nonce=nonce)
        assert answer.status_code == 200, answer.json()
        return [(check["frame"], check["outcome"]) for check in answer.json()["checks"]]

    assert told(one, "nonce-one") == [(one, "missed")]
    assert told(one, "nonce-one") == [(one, "missed")]
    assert told(other, "nonce-other") == [(other, "missed")]
    assert told(one, "nonce-one") == [(one, "missed")]
    assert [line["frame"] for line in facts(folder, "planted")] == [one, other]
    assert not facts(folder, "seen")


@pytest.mark.parametrize(("view", "kind"), [("sheet", "person"), ("full", "name")])
def test_a_look_at_a_check_counts_for_no_true_still_that_was_sent_only_now(page, study, folder, clock, view, kind):
    sprite(page, range(LONG_S))
    frame = planted_of(study, kind)[0]
    other = next(one for one in range(LONG_S) if one not in planted_of(study, "person") + planted_of(study, "name"))
    needed_s = attention.needed_s(view, 1)

    def send():
        for one in (frame, other):
            assert page.get(URL.format(one) if view == "sheet" else f"/still/{SINGLE}/mono/{one}").status_code == 200

    def said():
        says = {"number": SINGLE, "view": view, "stills": {"mono": [frame, other]}, "folding": {}, "looked_s": 2 * needed_s}
        return post(page, "/api/seen", **says, inputs=1, height_px=90, nonce="nonce-of-looks")

    send()
    clock.s += 2 * needed_s
    assert post(page, "/api/mark", number=SINGLE, camera="mono", frame=frame).json()["line"]["event"] == "planted"
    send()
    clock.s += needed_s / 2
    assert said().json()["error"].startswith(f"frame {frame} was never sent in this size, or only now, ")
    assert not facts(folder, "seen")
    clock.s += needed_s / 2
    assert said().json()["line"]["event"] == "seen"


def cell(sheet, frame):
    width = sheet.shape[1] // 10
    return sheet[frame // 10 * 90 : (frame // 10 + 1) * 90, frame % 10 * width : (frame % 10 + 1) * width]


@pytest.mark.parametrize("how", ["mark", "draw"])
def test_whoever_points_at_a_check_has_noticed_it_and_no_decision_is_written(page, study, folder, how):
    sprite(page, range(LONG_S))
    frame = planted_of(study, "person")[0]
    if how == "mark":
        answer = post(page, "/api/mark", number=SINGLE, camera="mono", frame=frame)
        # A page whose answer was lost asks again.
        again = post(page, "/api/mark", number=SINGLE, camera="mono", frame=frame)
        assert again.json()["line"] == answer.json()["line"]
    else:
        answer = decide(page, first=frame, last=frame, kind="out_of_body")
    assert answer.json()["line"]["event"] == "planted"
    assert [one["outcome"] for one in answer.json()["checks"]] == ["noticed"]
    # So other pages learn it, too.
    assert page.get(f"/api/recordings/{SINGLE}").json()["settled"] == [["mono", frame]]
    assert [(one["frame"], one["outcome"]) for one in facts(folder, "planted")] == [(frame, "noticed")]
    assert not facts(folder, "decided")


@pytest.mark.parametrize("beside", [(-1, 0), (0, 1), (-4, 4)])
def test_a_span_with_a_check_in_it_is_hidden_as_well(page, study, folder, beside):
    """The frames beside the check are of the recording, and whoever drew the span may have seen somebody there."""
    sprite(page, range(LONG_S))
    frames = planted_of(study, "person")
    frame = next(one for one in frames if 4 <= one < LONG_S - 4)
    first, last = frame + beside[0], frame + beside[1]
    answer = decide(page, first=first, last=last, kind="out_of_body").json()
    assert answer["line"]["event"] == "decided"
    assert frame in [one["frame"] for one in answer["checks"] if one["outcome"] == "noticed"]
    (told,) = facts(folder, "decided")
    assert [(one["what"], one["first"], one["last"]) for one in told["spans"]] == [("add", first, last)]
    hidden = study.get().desk.hidden
    # Something else may hide a part of a frame as well.
    assert all(None in hidden(SINGLE, "mono", float(one)) for one in range(first, last + 1))
    # Asked again for want of an answer, it is the same line.
    assert decide(page, first=first, last=last, kind="out_of_body").json()["line"] == answer["line"]


def test_a_span_that_is_refused_notes_no_check(page, study, folder):
    sprite(page, range(LONG_S))
    frame = next(one for one in planted_of(study, "person") if one)
    (folder / "data/raw/videos/2_mono.mp4").unlink()
    assert decide(page, first=frame - 1, last=frame + 1).status_code == 409
    assert not lines(folder)


def test_a_check_alone_is_noted_once_though_the_page_asks_twice(page, study, folder):
    sprite(page, range(LONG_S))
    frame = planted_of(study, "person")[0]
    first, again = (decide(page, first=frame, last=frame).json()["line"] for _ in range(2))
    assert first == again
    assert not facts(folder, "decided")


def test_what_is_no_check_is_decided_as_ever_and_a_long_span_points_at_none(page, study, folder):
    sprite(page, range(LONG_S))
    free = next(frame for frame in range(1, LONG_S) if frame not in planted_of(study, "person"))
    assert post(page, "/api/mark", number=SINGLE, camera="mono", frame=free).json()["line"] is None
    assert decide(page, first=free, last=free).json()["line"]["event"] == "decided"
    assert decide(page, first=0, last=LONG_S - 1, nonce="another-nonce").json()["line"]["event"] == "decided"
    assert not facts(folder, "planted")


def test_names_stand_in_stills_at_full_size_and_are_noticed_by_a_rectangle(page, study, folder):
    sprite(page, range(LONG_S))
    frames = planted_of(study, "name")
    assert frames
    for frame in frames:
        page.get(f"/still/{SINGLE}/mono/{frame}")
    whole = {"box_xywh": [0, 0, 96, 64], "first": 0, "last": LONG_S - 1, "kind": "text"}
    answer = decide(page, **whole).json()
    assert sorted(one["frame"] for one in answer["checks"]) == frames
    # What else stands there during the recording is to be hidden all the same.
    assert answer["line"]["event"] == "decided"
    assert [one["box_xywh"] for one in facts(folder, "decided")] == [[0, 0, 96, 64]]
    (last,) = {one["kind"] for one in facts(folder, "planted")}
    assert last == "name"


def told(page):
    """What the page is told in JSON; how far the pictures are prepared goes on by itself."""
    answers = [page.get(path).json() for path in ("/api/study", f"/api/recordings/{SINGLE}")]
    return [json.dumps({**answer, "prepared": None}, sort_keys=True) for answer in answers]


@pytest.mark.slow
def test_nothing_but_pixels_tells_a_check(page, study):
    """All that a page gets but the pictures themselves: addresses, headers, JSON and sizes."""
    said = told(page)
    frames = list(range(LONG_S))
    shown = {frame: page.get(f"/stills/1/mono?frames={frame}&height=90&columns=1") for frame in frames}
    full = {frame: page.get(f"/still/1/mono/{frame}") for frame in frames}
    assert planted_of(study, "person")
    assert planted_of(study, "name")
    for answers in (shown, full):
        kinds = {
            (answer.status_code, picture(answer).shape, tuple(sorted((k, v) for k, v in answer.headers.items() if k != "content-length")))
            for answer in answers.values()
        }
        assert len(kinds) == 1
    assert told(page) == said
    assert not any(word in text for text in said for word in ("planted", "person"))


def test_every_session_has_other_checks_and_a_share_of_0_has_none():
    def chosen(plants):
        plants.choose((1, "mono"), range(1000), [], 1000.0)
        return set(plants._files[1, "mono"].open)

    one, other = chosen(Plants(0.02)), chosen(Plants(0.02))
    assert len(one) == len(other) == 20
    assert one != other
    short = Plants(0.02)
    short.choose((1, "mono"), range(10), [], 60.0)
    assert len(short._files[1, "mono"].open) == 1
    assert Plants(0.0).knows((1, "mono"))


def test_hit_rates_stand_in_what_the_stage_review_says(page, study, folder, clock):
    sprite(page, range(LONG_S))
    frames = planted_of(study, "person")
    post(page, "/api/mark", number=SINGLE, camera="mono", frame=frames[0])
    looked(page, clock, [frame for frame in range(LONG_S) if frame != frames[0]])
    now = study.get()
    said = result.document(now.desk.reviewed, now.desk.standing, now.desk.lines(), folder / "data/raw", 0.1)["attention"]
    assert said["checks"]["person"] == {"shown": len(frames), "noticed": 1}
    assert said["checks_share"] == 0.1
    assert (said["sheets"], said["still_height_px"]) == (1, 90)
    assert said["median_sheet_s"] > 15
