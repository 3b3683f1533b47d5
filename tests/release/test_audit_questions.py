"""What the audit sees in pictures and nobody decided about becomes a question, and an answer lets exactly that pass."""

from __future__ import annotations

import json
from dataclasses import replace

import cv2
import pytest

import toy_release
from scrubin import cli
from scrubin.audit.expected import Finding, private_strings
from scrubin.audit.expected.plan import LIKE, Answered, Plan
from scrubin.audit.expected.private_strings import Private
from scrubin.audit.pictures import looks
from scrubin.audit.pictures.looks import Looked, Sighting
from scrubin.audit.pictures.shown import Judge, Pictures
from scrubin.audit.run import audit, refuse
from scrubin.base.errors import PrivacyError
from scrubin.base.tables import io
from scrubin.base.tables.private import CUTS
from scrubin.media.networks.faces import Face
from scrubin.media.networks.reading import Reading
from scrubin.stages.release import audit_questions, audited_project
from scrubin.stages.review import Ledger
from scrubin.stages.review.events import ADD, REJECT, Decided, DecidedSpan, facts
from scrubin.stages.review.questions import Question, Sight
from toy_release import IDS, write_project

BOX = (10, 20, 30, 16)
ASKED = Question("r", "mono", "", Sight("face", 0, 1, BOX, ""), "id", 0, 1, 0.0, 1.0, 0.5, None)
PRIVATE = private_strings.with_requested(Private(), ["Grünwaldner"])


@pytest.fixture
def folder(release, tmp_path, monkeypatch):
    """A project with its release; sources are twice as large, and begin a frame earlier."""
    path = write_project(release, tmp_path / "project")
    cuts = release.tables["cuts"].assign(
        recording=list(toy_release.recordings().recording), source_width=192, source_height=128, first_source_frame=1, offset_s="1/20"
    )
    io.write(CUTS, cuts, path / "data/interim/cuts.parquet")
    (path / "data/interim/review.json").write_text(json.dumps({"reviewers": 1}))
    monkeypatch.chdir(path)
    return path


def shown(monkeypatch, *, faces=(), texts=()):
    """Let every picture but black ones show this."""
    monkeypatch.setattr(looks, "faces", lambda picture: list(faces) if picture.mean() > 20 else [])
    monkeypatch.setattr(looks, "read", lambda picture: list(texts) if picture.mean() > 20 else [])


def audited(release):
    """Findings of an audit of the project as it is now, its questions, and the pictures."""
    study = audited_project.load()
    pictures = Pictures(study.private)
    findings = audit(release.folder, study.private, study.plan, pictures=pictures).findings
    return findings, audit_questions.questions(pictures.judge, study.plan, study.sources), pictures


def answer(question, what, *, sight=None, sha256=None, by="ann", number=0):
    sight = sight or question.sight
    span = DecidedSpan(what, sight.first, sight.last, 0.0, 1.0)
    decided = Decided(question.recording, question.camera, sha256 or question.sha256, "other", (span,), sight.box_xywh, "", sight.key, "")
    return Ledger().append("decided", facts(decided), by=by, session="s", nonce=f"{by}{what}{number}{question.recording}")


def test_a_face_that_stays_is_one_question_in_the_frames_and_pixels_of_the_source(release, folder, monkeypatch):
    shown(monkeypatch, faces=[Face(BOX, 0.5)])
    findings, asked, _ = audited(release)
    assert {finding.rule for finding in findings} == {"picture-face"}
    assert len(findings) > len(asked)
    assert [(one.recording, one.id) for one in asked] == sorted(zip(toy_release.recordings().recording, IDS, strict=True))
    for one in asked:
        assert one.sight.kind == "face"
        assert (one.sight.first, one.first_s) == (one.released_first + 1, round(one.released_first / 20 + 0.05, 6))
        assert one.sight.box_xywh == (20, 40, 60, 32)
        assert one.sha256 == toy_release.recordings().set_index("recording").sha256[one.recording]


def test_a_refusal_names_each_question_with_the_command_that_opens_it_and_no_proposal(release, folder, monkeypatch):
    shown(monkeypatch, faces=[Face(BOX, 0.5)], texts=[Reading((1, 2, 40, 10), "Grunwa1dner", 0.9)])
    findings, asked, _ = audited(release)
    with pytest.raises(PrivacyError) as refused:
        refuse(findings, audit_questions.lines(asked))
    said = str(refused.value)
    assert "proposal" not in said
    assert "the audit asks people about 8 places; answer with A (hide it) or R (it may be seen), then: make repro" in said
    for one in asked:
        assert f"open: .venv/bin/scrubin review --at {one.recording}:0.0" in said.replace("'", "")
    assert "a face (confidence 0.50)" in said
    assert "'Grunwa1dner', which is like the private word" in said


def test_a_refusal_names_the_recordings_whose_videos_are_the_reason(release, folder, monkeypatch):
    """A released id says nothing to a curator, and one video that cannot be released stops all others."""
    study = audited_project.load()
    first, second, *_ = study.plan.videos
    findings = [
        Finding(first.path, "Tracks", "container", "odd"),
        Finding(second.path, "", "picture-face", "a face"),
        Finding("x", "", "y", "z"),
    ]
    recordings = [study.sources.recording(video) for video in (first, second)]
    asked = [replace(ASKED, recording=recordings[1], camera=second.camera)]
    assert audit_questions.lines_of_recordings(findings, study.plan, study.sources, asked) == [
        f"{first.path} is of '{recordings[0]}', {first.camera}: to go on without it, say why in its column 'exclude' of recordings.csv"
    ]
    assert recordings == list(toy_release.recordings().recording)[:2]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["face", "text"])
def test_what_people_said_may_be_seen_passes_and_is_counted_and_nothing_else_does(release, folder, monkeypatch, kind):
    seen = {"face": {"faces": [Face(BOX, 0.5)]}, "text": {"texts": [Reading(BOX, "Mechthild", 0.9)]}}[kind]
    shown(monkeypatch, **seen)
    _, asked, _ = audited(release)
    for one in asked[1:]:
        answer(one, REJECT)
    _, left, pictures = audited(release)
    assert left == asked[:1]
    assert "let through by people" in pictures.sentence()
    assert cli.main(["audit", str(release.folder)]) == 1
    answer(asked[0], REJECT)
    findings, left, pictures = audited(release)
    assert (findings, left) == ([], [])
    counts = pictures.as_json()
    assert counts[f"{kind}s_let_through"] >= len(asked)
    assert cli.main(["audit", str(release.folder)]) == 0
    # Somebody says the contrary afterwards.
    answer(asked[0], ADD)
    assert audited(release)[1] == asked[:1]


@pytest.mark.slow
def test_an_answer_about_another_file_place_or_time_lets_nothing_pass(release, folder, monkeypatch):
    shown(monkeypatch, faces=[Face(BOX, 0.5)])
    _, asked, _ = audited(release)
    question = asked[0]
    sight = question.sight
    others = [
        {"sha256": "f" * 64},
        {"sight": replace(sight, box_xywh=(100, 100, 20, 20))},
        {"sight": replace(sight, first=sight.last + 1, last=sight.last + 9)},
        {"sight": replace(sight, kind="text", word="mechthild")},
    ]
    for number, other in enumerate(others):
        answer(question, REJECT, number=number, **other)
    assert audited(release)[1] == asked


@pytest.mark.slow
def test_of_two_reviewers_both_must_let_it_pass(release, folder, monkeypatch):
    (folder / "data/interim/review.json").write_text(json.dumps({"reviewers": 2}))
    shown(monkeypatch, faces=[Face(BOX, 0.5)])
    _, asked, _ = audited(release)
    for one in asked:
        answer(one, REJECT)
    assert audited(release)[1] == asked
    for one in asked:
        answer(one, REJECT, by="bo")
    assert audited(release)[1] == []


@pytest.mark.slow
def test_a_face_in_an_extracted_frame_alone_is_a_question_about_its_video(release, folder, monkeypatch):
    name = f"frames/{toy_release.TASK}/mono/{IDS[0]}/000000.jpg"
    picture = cv2.imread(str(release.path(name)))
    cv2.rectangle(picture, (70, 30), (90, 50), (0, 255, 0), -1)
    cv2.imwrite(str(release.path(name)), picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
    monkeypatch.setattr(looks, "faces", lambda one: [Face((70, 30, 20, 20), 0.5)] if tuple(one[40, 80] // 128) == (0, 1, 0) else [])
    monkeypatch.setattr(looks, "read", lambda _: [])
    release.seal()
    findings, asked, _ = audited(release)
    assert name in {finding.file for finding in findings}
    assert [(one.id, one.sight.first) for one in asked] == [(IDS[0], 1)]
    answer(asked[0], REJECT)
    assert audited(release)[1] == []


def line(text: str, frame: int = 30, box=BOX) -> Sighting:
    return Sighting("", frame, frame / 20, box, 0.7, text)


def test_who_saw_what_is_only_like_a_word_has_not_seen_the_word(tmp_path):
    like, exact = (Answered("text", 30, 30, BOX, word) for word in (f"{LIKE}Grünwaldner", "Grünwaldner"))
    for answered, text, passes in (
        (like, "Grunwa1dner", True),
        (like, "GRÜNWALDNER", False),
        (exact, "GRÜNWALDNER", True),
        (exact, "Grunwa1dner", True),
    ):
        judge = Judge(PRIVATE)
        faults = judge.faults("a.mkv", Looked((line(text),)), answered=[answered])
        assert (faults == [], judge.texts_let_through) == (passes, int(passes))
        assert judge.texts() == []


def test_sightings_are_one_question_as_long_as_every_look_in_between_saw_them(release, folder):
    study = audited_project.load()
    (name, *_) = study.plan.video_at
    judge = Judge(PRIVATE)
    faces = tuple(
        Sighting("", frame, frame / 20, box, 0.5) for frame, box in ((2, BOX), (6, (14, 22, 30, 16)), (12, BOX), (12, (60, 2, 9, 9)))
    )
    judge.faults(name, Looked(faces, faces_at=(0, 2, 6, 9, 12)))
    asked = audit_questions.questions(judge, study.plan, study.sources)
    assert [(one.released_first, one.released_last) for one in asked] == [(2, 6), (12, 12), (12, 12)]
    assert asked[0].sight == Sight("face", 3, 7, (20, 40, 68, 36))


def test_questions_say_nothing_of_files_that_belong_to_no_video():
    judge = Judge(PRIVATE)
    judge.faults("stills/a.png", Looked((line("Grünwaldner"),)))
    assert judge.unanswered
    empty = audit_questions.Sources(io.frame_of(CUTS, []), toy_release.recordings())
    assert audit_questions.questions(judge, Plan(), empty) == []
    assert audit_questions.lines([]) == []
