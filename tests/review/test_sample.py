"""A random sample of released clips: what is drawn, whose word counts, and what the ledger keeps of it."""

from __future__ import annotations

import datetime
import hashlib
import subprocess
from collections import Counter

import pytest

import review_study
import sampled_release
from scrubin.base.errors import ReviewError
from scrubin.stages.release import released_clips
from scrubin.stages.review import Ledger, events, sample
from scrubin.stages.review.events import CLEAN, FINDING, Checked, Clip, Sampled

VIDEOS = "f" * 64
CLIPS = tuple(Clip("abelo", "Rec 1", 5.0 * number, 5.0 * number + 5) for number in range(30))


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "decisions.jsonl", clock=lambda: datetime.datetime(2026, 5, 1, tzinfo=datetime.UTC))


def note(ledger, event, by="ann"):
    name = "sampled" if isinstance(event, Sampled) else "checked"
    return ledger.append(name, events.facts(event), by=by, session="s")


def drawn(count, seed=0, videos=VIDEOS):
    return Sampled(videos, seed, len(CLIPS), sample.draw(CLIPS, count, seed, videos))


def check(ledger, of, outcome=CLEAN, by="ann", clips=None, why=""):
    for clip in of.clips if clips is None else clips:
        note(ledger, Checked(of.videos, clip, outcome, why), by)


def test_a_larger_sample_begins_with_the_smaller_one_and_the_order_of_the_clips_does_not_matter():
    few, many = sample.draw(CLIPS, 5, 0, VIDEOS), sample.draw(reversed(CLIPS), 20, 0, VIDEOS)
    assert many[:5] == few
    assert len(set(many)) == 20
    assert set(sample.draw(CLIPS, 99, 0, VIDEOS)) == set(CLIPS)


def test_another_seed_and_other_videos_are_another_draw():
    draws = {sample.draw(CLIPS, 5, seed, videos) for seed in (0, 1) for videos in ("a", "b")}
    assert len(draws) == 4


def test_whoever_has_the_release_can_draw_again():
    def place(clip):
        return hashlib.sha256(f"7:{VIDEOS}:{clip.id}:{clip.start_s:g}".encode()).hexdigest()

    assert sample.draw(CLIPS, 30, 7, VIDEOS) == tuple(sorted(CLIPS, key=place))


def test_every_clip_is_as_likely_as_every_other_one():
    seen = Counter(clip for seed in range(1500) for clip in sample.draw(CLIPS, 10, seed, VIDEOS))
    assert len(seen) == len(CLIPS)
    # 500 are expected of each; the standard deviation is 18.
    assert 400 < min(seen.values()) <= max(seen.values()) < 600


def test_the_last_clip_is_what_is_left_and_what_is_black_in_all_cameras_is_no_clip():
    def starts(*black):
        return [(clip.start_s, clip.end_s) for clip in released_clips.clips_of("abelo", "Rec 1", 12.5, black)]

    assert starts([]) == [(0, 5), (5, 10), (10, 12.5)]
    assert starts([(4.0, 12.5)]) == [(0, 5)]
    assert starts([(5.0, 9.96)]) == [(0, 5), (5, 10), (10, 12.5)]
    assert starts([(0.0, 12.5)], [(5.0, 10.0)]) == [(0, 5), (10, 12.5)]


def test_before_every_clip_was_looked_at_a_sample_proves_nothing(ledger):
    of = drawn(6)
    note(ledger, of)
    check(ledger, of, clips=of.clips[:5])
    (one,) = sample.samples(ledger.lines())
    stated = sample.proof(one)
    assert (one.checked, one.is_complete, stated["share_up_to"], stated["clips_up_to"]) == (5, False, None, None)
    assert "proves nothing" in sample.sentence(stated)
    check(ledger, of, clips=of.clips[5:], by="bea")
    stated = sample.proof(sample.samples(ledger.lines())[0])
    assert (stated["checked"], stated["people"], stated["findings"]) == (6, 2, 0)
    assert stated["share_up_to"] == pytest.approx(1 - 0.05 ** (1 / 6), abs=2e-6)
    assert "6 of 30 clips were drawn at random (seed 0) and looked at: 0 findings" in sample.sentence(stated)


def test_what_anybody_sees_is_a_finding_until_they_take_it_back(ledger):
    of = drawn(3)
    note(ledger, of)
    check(ledger, of)
    check(ledger, of, FINDING, "bea", of.clips[:1], "a name")
    check(ledger, of, CLEAN, "ann", of.clips[:1])
    (one,) = sample.samples(ledger.lines())
    assert [(finding.by, finding.why) for finding in one.findings] == [("bea", "a name")]
    assert sample.proof(one)["share_up_to"] == pytest.approx(0.8647, abs=1e-4)
    check(ledger, of, CLEAN, "bea", of.clips[:1])
    assert not sample.samples(ledger.lines())[0].findings


def test_what_is_said_about_a_clip_counts_in_every_draw_of_the_same_videos(ledger):
    few, many, other = drawn(3), drawn(5), drawn(3, videos="e" * 64)
    for one in (few, many, other):
        note(ledger, one)
    check(ledger, few)
    assert [one.checked for one in sample.samples(ledger.lines())] == [3, 3, 0]
    assert [len(one.drawn.clips) for one in sample.latest_per_seed(sample.samples(ledger.lines())[:2])] == [3]
    check(ledger, many)
    assert [len(one.drawn.clips) for one in sample.latest_per_seed(sample.samples(ledger.lines())[:2])] == [5]


def test_the_ledger_returns_what_was_written(ledger):
    of = drawn(2)
    said = Checked(VIDEOS, of.clips[0], FINDING, "a face")
    assert events.event_of(note(ledger, of)) == of
    assert events.event_of(note(ledger, said)) == said


@pytest.fixture
def folder(study_released, enter):
    return enter(study_released)


def population(folder):
    with review_study.desk(folder) as desk:
        videos = released_clips.load_released(folder)
        return released_clips.population(folder, videos, desk.times_s)


def test_the_clips_of_a_release_are_those_that_show_something(folder):
    assert [(clip.id, clip.start_s, clip.end_s) for clip in population(folder)] == sampled_release.CLIPS


def test_the_videos_have_the_hash_that_the_certificate_says_how_to_compute(folder):
    videos = released_clips.load_released(folder)
    released_clips.require_finished(folder, videos)
    command = "grep '  videos/' SHA256SUMS | sha256sum"
    done = subprocess.run(["sh", "-c", command], cwd=folder / "data/release", capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == released_clips.sha256_of_release(videos)


def test_only_a_finished_release_of_these_videos_is_sampled(folder):
    sums = folder / "data/release/SHA256SUMS"
    sums.write_text(sums.read_text().replace("a", "b"))
    with pytest.raises(ReviewError, match="other videos than the pipeline has rendered since"):
        released_clips.require_finished(folder, released_clips.load_released(folder))
    sums.unlink()
    with pytest.raises(ReviewError, match="no finished release"):
        released_clips.require_finished(folder, released_clips.load_released(folder))


def test_a_sample_decides_nothing_and_is_not_undone(folder):
    of = drawn(2)
    with review_study.desk(folder) as desk:
        desk.decide(1, "mono", "add", "other", 1, 2)
        desk.sample(of)
        desk.check(of.videos, of.clips[0], FINDING, "a face")
        assert desk.undo().facts["line"] == 1
        assert desk.undo() is None
        for outcome, why, says in ((FINDING, " ", "say what there is to see"), ("dirty", "", "a clip is clean")):
            with pytest.raises(ReviewError, match=says):
                desk.check(of.videos, of.clips[0], outcome, why)
