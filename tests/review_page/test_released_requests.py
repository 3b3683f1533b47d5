"""Released videos and drawn samples: shown by their own frames, judged clip by clip, never decided."""

from __future__ import annotations

import secrets
import shutil

import pandas as pd
import pytest

import clips
import made_once
import review_study
import sampled_release
from page_client import SINGLE, decide, lines, looked, post
from scrubin.audit.expected import withdrawal_memory
from scrubin.base.errors import ReviewError
from scrubin.base.files import sha256_of
from scrubin.base.layout import RECORDINGS_PATH, quarantine_path
from scrubin.base.tables import io
from scrubin.base.tables.private import QUARANTINE, RECORDINGS
from scrubin.cli import review
from scrubin.curate.page import released_study
from scrubin.curate.page.open_study import RELEASED_TABLES, TABLES, StudyNow
from scrubin.stages.release import released_clips
from scrubin.stages.review import LEDGER_PATH, Ledger, rewriting
from scrubin.stages.review.sample import judgements


@pytest.fixture
def released(folder, inside, monkeypatch, clock):
    """Frames 20 to 59 of the single recording are released, and nothing of the pair."""
    path = clips.numbered(folder / "data/release/videos/quiet-otter.mp4", 40, fps=20)
    video = released_clips.ReleasedVideo("quiet", "videos/quiet-otter.mp4", sha256_of(path), 20, 40)
    monkeypatch.setattr(released_clips, "load_released", lambda folder: {("single", "mono"): video})
    now = StudyNow(
        lambda generation: released_study.open_released(folder, "ann", generation, clock), tuple(folder / path for path in TABLES)
    )
    yield inside(now, released=True)
    now.close()


def test_released_files_are_shown_by_their_own_frames_and_noted_by_those_of_the_source(released, folder, clock):
    pair, single = released.get("/api/study").json()["recordings"]
    assert (pair["status"], pair["reason"], pair["done"]) == ("excluded", "it is not in the release", True)
    assert (single["unseen_s"], single["duration_s"], single["undecided"]) == (2, 2.0, 0)
    (file,) = released.get("/api/recordings/1").json()["recording"]["files"]
    assert (file["frame_count"], file["unseen"]) == (40, [[0, 1]])
    assert released.get("/stills/1/mono?frames=40&height=64&columns=1").status_code == 404
    assert released.get("/still/0/left/0").status_code == 404
    released.get("/stills/1/mono?frames=3,24&height=90&columns=2")
    answer = looked(released, "sheet", {"mono": [3, 24]}, clock=clock)
    assert answer.json()["recording"]["files"][0]["unseen"] == []
    (line,) = lines(folder)
    assert (line["facts"]["view"], line["facts"]["stills"]) == ("released", [[23, 21, 2]])


def test_what_only_waits_for_a_release_is_not_shown_as_released(released, folder):
    (folder / "data/unreleased").mkdir()
    (folder / "data/release").rename(folder / "data/unreleased/release")
    with pytest.raises(ReviewError, match=r"data/release: there is no release of these videos"):
        released_study.open_released(folder, "ann", 0)


def test_released_files_can_be_looked_at_but_not_decided(released, folder):
    assert decide(released).status_code in (404, 405)
    assert post(released, "/api/undo", number=SINGLE).status_code in (404, 405)
    assert not lines(folder)


def test_no_released_picture_is_sent_of_somebody_who_withdrew(released, folder):
    review_study.withdraw(folder, "single")
    page = released_study.open_released(folder, "ann", 0)
    assert not page.videos
    assert [one.status for one in page.recordings()] == ["excluded", "withdrawn"]


@pytest.fixture
def sampled(study_released, tmp_path, inside, monkeypatch, clock):
    """All four clips of a finished release, drawn with seed 0; what people do is written into its ``folder``."""
    folder = made_once.copy(study_released, tmp_path / "released")
    monkeypatch.chdir(folder)
    drawn = review.draw_clips(9, 0, "ann")
    now = StudyNow(
        lambda generation: released_study.open_sampled(folder, "ann", generation, drawn, clock),
        tuple(folder / path for path in RELEASED_TABLES),
        folder / withdrawal_memory.PATH,
    )
    page = inside(now, sampled=True)
    page.drawn, page.clock = drawn, clock
    page.number = {(clip.id, clip.start_s): number for number, clip in enumerate(drawn.clips)}
    page.folder = folder
    yield page
    now.close()


def look(page, number, camera, frames):
    """Have stills sent and in view."""
    named = ",".join(map(str, frames))
    assert page.get(f"/stills/{number}/{camera}?frames={named}&height=90&columns=8").status_code == 200
    answer = looked(page, "sheet", {camera: list(frames)}, number=number, clock=page.clock, nonce=secrets.token_hex(8))
    assert answer.status_code == 200, answer.text


def judge(page, number, outcome="clean", why=""):
    return post(page, "/api/check", number=number, outcome=outcome, why=why, nonce=secrets.token_hex(8))


def test_the_list_of_a_sample_is_its_clips_in_the_order_of_the_draw(sampled):
    entries = sampled.get("/api/study").json()["recordings"]
    assert [entry["number"] for entry in entries] == [0, 1, 2, 3]
    assert {entry["name"].partition(": ")[2] for entry in entries} == {"pair, 0:00", "single, 0:00", "single, 0:10", "single, 0:15"}
    number = sampled.number["borunga", 10.0]
    (file,) = sampled.get(f"/api/recordings/{number}").json()["recording"]["files"]
    assert (file["interval_s"], file["duration_s"], file["unseen"]) == ([10, 15], 16.0, [[10, 14]])


def test_a_clip_is_clean_only_after_a_still_of_every_fifth_of_a_second_of_every_camera(sampled):
    number = sampled.number["abelo", 0.0]
    assert "left: look at all of the clip first" in judge(sampled, number).json()["error"]
    look(sampled, number, "left", range(0, 60, 4))
    assert "right: look at all of the clip first" in judge(sampled, number).json()["error"]
    look(sampled, number, "right", [*range(0, 24, 4), *range(28, 60, 4)])
    refused = judge(sampled, number)
    assert refused.status_code == 409
    assert "nothing was seen of 0:01.2" in refused.json()["error"]
    look(sampled, number, "right", [27])
    answer = judge(sampled, number)
    assert answer.status_code == 200, answer.text
    assert answer.json()["mine"]["judged"] == {"outcome": "clean", "why": ""}
    facts = lines(sampled.folder)[-1]["facts"]
    assert (facts["outcome"], facts["clip"]["recording"], facts["videos"]) == ("clean", "pair", sampled.drawn.videos)


def test_stills_of_other_seconds_are_no_look_at_a_clip(sampled):
    number = sampled.number["borunga", 10.0]
    look(sampled, number, "mono", range(0, 200, 4))
    assert judge(sampled, number).status_code == 409
    look(sampled, number, "mono", range(200, 300, 4))
    assert judge(sampled, number).status_code == 200
    seen = [line["facts"] for line in lines(sampled.folder) if line["event"] == "seen"]
    assert (seen[-1]["view"], seen[-1]["stills"]) == ("released", [[220, 4, 25]])


def test_a_finding_needs_no_full_look_but_says_what_and_names_the_place_in_the_raw_review(sampled):
    number = sampled.number["borunga", 10.0]
    assert "say what there is to see" in judge(sampled, number, "finding").json()["error"]
    answer = judge(sampled, number, "finding", "a name on the screen")
    assert answer.json()["mine"]["raw"] == ".venv/bin/scrubin review --at single:11"
    assert answer.json()["recording"]["summary"]["reason"] == "finding"
    assert judge(sampled, 4, "finding", "x").status_code in (404, 409)
    assert judge(sampled, number, "dirty").status_code == 400


def test_people_share_a_sample_and_what_anybody_saw_stands_in_the_list_of_all(sampled):
    number = sampled.number["borunga", 10.0]
    clip = sampled.drawn.clips[number]
    with review_study.desk(sampled.folder, "bea") as desk:
        desk.check(sampled.drawn.videos, clip, "finding", "a face")
    look(sampled, number, "mono", range(200, 300, 4))
    assert judge(sampled, number).json()["mine"]["judged"]["outcome"] == "clean"
    entry = sampled.get("/api/study").json()["recordings"][number]
    assert (entry["done"], entry["reason"]) == (True, "finding")
    other = sampled.number["abelo", 0.0]
    with review_study.desk(sampled.folder, "bea") as desk:
        desk.check(sampled.drawn.videos, sampled.drawn.clips[other], "clean", "")
    answer = sampled.get(f"/api/recordings/{other}").json()
    assert (answer["recording"]["summary"]["done"], answer["mine"]["judged"]) == (True, None)
    assert sampled.get("/api/study").json()["progress"]["done"] == 2


def test_a_sample_goes_on_without_somebody_who_withdrew_and_says_who_is_gone(sampled, capsys):
    gone, other = sampled.number["abelo", 0.0], sampled.number["borunga", 10.0]
    look(sampled, other, "mono", range(200, 300, 4))
    assert judge(sampled, other).status_code == 200
    review_study.withdraw(sampled.folder, "pair", id_="abelo")
    assert judge(sampled, gone, "finding", "a face").json()["reload"]
    answer = sampled.get("/api/study").json()
    sampled.edition = answer["edition"]
    assert [one["status"] for one in answer["recordings"]].count("kept") == 3
    entry = answer["recordings"][gone]
    assert (entry["status"], entry["name"], entry["done"]) == ("withdrawn", f"{gone + 1}: pair, 0:00", True)
    assert (answer["progress"]["done"], answer["progress"]["left"]) == (1, 2)
    assert sampled.get(f"/api/recordings/{gone}").json()["recording"]["files"] == []
    refused = sampled.get(f"/stills/{gone}/left?frames=0&height=90&columns=1")
    assert (refused.status_code, "withdrawn from the study" in refused.json()["error"]) == (410, True)
    assert "withdrawn from the study" in judge(sampled, gone, "finding", "a face").json()["error"]
    # Whoever draws again draws of the others, and what was said of them stands.
    capsys.readouterr()
    drawn = review.draw_clips(9, 0, "ann")
    assert capsys.readouterr().out.startswith("'pair' was withdrawn from the study: no clip of it is drawn or shown.\n3 of 3 clips")
    assert {clip.recording for clip in drawn.clips} == {"single"}
    assert [one.clip for one in judgements(Ledger(sampled.folder / LEDGER_PATH).lines(), drawn)] == [sampled.drawn.clips[other]]


@pytest.mark.parametrize("change", ["the tables", "somebody else withdraws"])
def test_what_was_seen_of_a_clip_stays_seen_whatever_else_changes_while_the_page_is_open(sampled, change):
    """The browser does not ask for it again."""
    number = sampled.number["borunga", 10.0]
    look(sampled, number, "mono", range(200, 300, 4))
    if change == "the tables":
        path = sampled.folder / RELEASED_TABLES[0]
        path.write_bytes(path.read_bytes())
    else:
        review_study.withdraw(sampled.folder, "pair")
    sampled.edition = sampled.get("/api/study").json()["edition"]
    (file,) = sampled.get(f"/api/recordings/{number}").json()["recording"]["files"]
    assert file["unseen"] == []
    assert judge(sampled, sampled.number["borunga", 0.0]).status_code == 409
    assert judge(sampled, number).status_code == 200


@pytest.mark.parametrize("how", ["quarantined", "taken out"])
def test_a_sample_waits_when_what_was_released_of_a_clip_is_no_longer_in_the_study(sampled, how):
    number = sampled.number["borunga", 10.0]
    look(sampled, number, "mono", range(200, 300, 4))
    path, before = leave(sampled.folder, "pair", how)
    refused = judge(sampled, sampled.number["abelo", 0.0])
    says = "no longer in the study since: 'pair', left; 'pair', right; run: make repro"
    assert (refused.status_code, says in refused.json()["error"]) == (503, True)
    with pytest.raises(ReviewError, match=says):
        review.draw_clips(9, 1, "ann")
    # Where it comes back, for instance a file on a disk that was not there, what was seen stays seen.
    path.write_bytes(before)
    assert judge(sampled, number).status_code == 200


def leave(folder, name, how):
    """Have a later run of the pipeline set a recording aside, or take it out; return the table and what it was."""
    path = folder / (quarantine_path("screen") if how == "quarantined" else RECORDINGS_PATH)
    before = path.read_bytes()
    if how == "quarantined":
        row = {"recording": name, "camera": "left", "stage": "screen", "path": "a.mp4", "reason": "cannot be decoded", "mend": "copy it"}
        io.write(QUARANTINE, pd.DataFrame([row]), path)
    else:
        table = io.read(RECORDINGS, path)
        io.write(RECORDINGS, table[table.recording != name], path)
    return path, before


def test_a_sample_of_which_somebody_withdrew_says_to_draw_again_and_counts_nothing_that_was_said_of_them(sampled, capsys):
    for clip in sampled.drawn.clips:
        outcome = "finding" if clip.recording == "pair" else "clean"
        with review_study.desk(sampled.folder, "bea") as desk:
            desk.check(sampled.drawn.videos, clip, outcome, "a face" if outcome == "finding" else "")
    withdrawn = withdrawal_memory.Memory().with_recording("pair", "consent", {"id": ["abelo"]}, ["pair"])
    withdrawal_memory.write(withdrawn, sampled.folder)
    for is_forgotten in (False, True):
        if is_forgotten:
            rewriting.forget(Ledger(sampled.folder / LEDGER_PATH), withdrawn)
        capsys.readouterr()
        assert review.conclude(sampled.drawn) == 0
        said = capsys.readouterr().out
        assert "run the same command again" in said
        assert "a face" not in said
        assert ("proves nothing" in said) is not is_forgotten
    drawn = review.draw_clips(9, 0, "ann")
    assert review.conclude(drawn) == 0
    said = capsys.readouterr().out
    assert "3 of 3 clips were drawn at random (seed 0) and looked at: 0 findings" in said
    assert "run the same command again" not in said


def test_outcomes_are_taken_in_a_sample_alone_and_decisions_never(sampled, page):
    assert judge(page, 0).status_code in (404, 405)
    assert decide(sampled).status_code in (404, 405)


def test_a_sample_of_videos_that_were_rendered_anew_is_over(sampled):
    sampled_release.release(sampled.folder, levels=47)
    answer = sampled.get("/api/study")
    assert answer.status_code == 503
    assert "start 'scrubin review --sample' again" in answer.json()["error"]


def test_a_finding_can_be_taken_back_where_it_keeps_these_videos_from_being_released(study_released, tmp_path, inside, monkeypatch):
    """The stage has taken the release out of its place; the videos wait."""
    folder = made_once.copy(study_released, tmp_path / "released")
    monkeypatch.chdir(folder)
    drawn = review.draw_clips(9, 0, "ann")
    with review_study.desk(folder, "ann") as desk:
        desk.check(drawn.videos, drawn.clips[0], "finding", "a face")
    (folder / "data/unreleased").mkdir(parents=True, exist_ok=True)
    (folder / "data/release/videos").rename(folder / "data/unreleased/videos")
    shutil.rmtree(folder / "data/release")
    with pytest.raises(ReviewError, match="no finished release"):
        review.draw_clips(2, 1, "ann")
    assert review.draw_clips(9, 0, "ann") == drawn
    now = StudyNow(
        lambda generation: released_study.open_sampled(folder, "ann", generation, drawn),
        tuple(folder / path for path in RELEASED_TABLES),
    )
    page = inside(now, sampled=True)
    (file, *_) = page.get("/api/recordings/0").json()["recording"]["files"]
    assert page.get(f"/stills/0/{file['camera']}?frames=0&height=90&columns=1").status_code == 200
    now.close()
