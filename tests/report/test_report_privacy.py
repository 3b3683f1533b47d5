from __future__ import annotations

import base64
import copy
import dataclasses
import html as markup
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import clips
import reported_study
import synthetic_study
from compared_tables import compared
from reported_study import GREY_PER_FRAME, PARAMS, RELEASE, Numbered
from screen_params import SCREEN
from scrubin.base.errors import StageError, VideoError
from scrubin.base.files import sha256_of
from scrubin.base.store import store
from scrubin.base.tables import io
from scrubin.media.source import Source
from scrubin.stages.release.release_params import NoReview, ReviewedSample
from scrubin.stages.report import FileKey, RawFiles, ReportedStudy, extracted_frames, page, recordings
from scrubin.stages.report import privacy as report_privacy
from scrubin.stages.report.document import document
from scrubin.stages.report.privacy import privacy
from scrubin.stages.screen import screening

PROCEDURE, EXERCISE = "Rec_Cholecystectomy_9", "Rec_PegTransfer_2"
IMAGE = re.compile(r'<img src="data:image/jpeg;base64,([A-Za-z0-9+/=]+)" alt="Frame (\d+) of ([^"]*), (\w+)">')


def with_review(study: ReportedStudy, **facts: Any) -> ReportedStudy:
    return dataclasses.replace(study, review={**study.review, **facts})


def with_file(study: ReportedStudy, recording: str, camera: str, **facts: Any) -> ReportedStudy:
    """The study in which the review of one file is not done."""
    review = copy.deepcopy(dict(study.review))
    one = next(one for one in review["recordings"] if one["recording"] == recording)
    one["files"] = [file if file["camera"] != camera else reported_study.reviewed_file(recording, camera, **facts) for file in one["files"]]
    return dataclasses.replace(study, review=review)


def with_spans(study: ReportedStudy, rows: Sequence[dict[str, Any]]) -> ReportedStudy:
    """The study with these spans and no others."""
    nothing = {"x": None, "y": None, "w": None, "h": None, "score": None, "faces": None, "text": None}
    full = [{"recording": PROCEDURE, "camera": "mono", "kind": "other", "source": "curator", **nothing, **row} for row in rows]
    for row in full:
        row["accepted"] = row["decision"] != "rejected"
    return dataclasses.replace(study, redactions=io.frame_of(synthetic_study.BY_NAME["redactions"], full))


def section(page: str, name: str) -> str:
    start = page.index(f'<section id="{name}">')
    return page[start : page.index("</section>", start)]


def decoded(uri: str) -> np.ndarray:
    picture = cv2.imdecode(np.frombuffer(base64.b64decode(uri.partition("base64,")[2]), np.uint8), cv2.IMREAD_COLOR)
    return picture.astype(np.int16)


def images_of(study: ReportedStudy, group: str) -> list[np.ndarray]:
    """The pictures of the spans that are visible, or hidden, in order."""
    shown = page.pictured(study, document(study, PARAMS), PARAMS)[group]
    return [decoded(picture["image"]) for one in shown for row in one["rows"] for picture in row["pictures"]]


def test_what_could_identify_a_person_comes_before_everything_but_the_overview(plain_page):
    page = plain_page
    places = [page.index(f'id="{name}"') for name in ("overview", "privacy", "hidden", "quarantined", "attention", "quality")]
    assert places == sorted(places)


@pytest.mark.slow
def test_when_everything_was_seen_the_page_says_by_how_many_and_warns_of_nothing(study, plain_page):
    said = privacy(study)
    assert (said["warnings"], said["unseen"]) == ([], [])
    assert "Stills of all 12 recordings were looked at" in said["said"]
    assert "2 people looked in all" in said["said"]
    assert said["said"].endswith("The pictures between were looked at by programs only.")
    page = plain_page
    assert "WARNING" not in page
    assert "<dd>complete</dd>" in page


def test_a_recording_that_nobody_saw_is_a_warning_with_the_command_that_opens_it(study, release):
    unseen = with_file(study, EXERCISE, "right", unseen=[[7, 9]], unseen_s=3)
    unseen = with_review(unseen, warnings=["1 of 12 recordings not seen by as many people as review.reviewers asks for"])
    said = privacy(unseen)
    assert [(one["recording"], one["command"]) for one in said["unseen"]] == [(EXERCISE, f".venv/bin/scrubin review --at {EXERCISE}:7")]
    assert "all 12" not in said["said"]
    text = section(reported_study.page_without_pictures(unseen, release), "privacy")
    assert text.index("WARNING") < text.index("1 of 12 recordings not seen") < text.index("right: 3 s unseen") < text.index("<h3>")


@pytest.mark.parametrize("share", [{"unseen_lenses": [2.0], "lenses": 1}, {"unseen": [[0, 11]], "unseen_s": 12}])
def test_the_incomplete_files_come_first_in_the_coverage(study, share):
    last = with_file(study, "Rec_SutureAndKnot_7", "right", **share)
    first, *others = privacy(last)["coverage"]
    assert (first["recording"], first["camera"]) == ("Rec_SutureAndKnot_7", "right")
    assert (first["seen_s"], first["lenses_seen"]) == ((12, 0) if "lenses" in share else (0, 1))
    assert all((row["seen_s"], row["required_s"], row["lenses_seen"], row["people"]) == (12, 12, 1, 2) for row in others)
    assert len(others) == 19
    assert privacy(last)["totals"]["seen_s"] == 20 * 12 - (12 - first["seen_s"])


def test_seconds_that_were_folded_are_counted_apart_from_those_that_were_seen(study, release, plain_page):
    folded = with_file(study, EXERCISE, "left", folded_s=5)
    said = privacy(folded)
    assert (said["totals"]["seen_s"], said["totals"]["folded_s"]) == (20 * 12 - 5, 5)
    assert "one of every second at least but for 5 s that were folded" in said["said"]
    text = section(reported_study.page_without_pictures(folded, release), "privacy")
    assert "5 s were folded: looked at by too few" in text
    assert "7 of 12, 5 folded" in text
    assert "folded" not in section(plain_page, "privacy")


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (
            NoReview("none", "recorded in a box"),
            "Nobody was required to look at the recordings before this release. The reason: recorded in a box",
        ),
        (ReviewedSample("reviewed-sample", 3, "no time"), "Only a sample of 3 of the 12 recordings had to be seen by a person"),
    ],
)
def test_a_weaker_rule_is_a_warning_in_plain_words_and_hides_nothing_that_is_unseen(study, release, rule, sentence):
    weaker = dataclasses.replace(
        with_file(study, EXERCISE, "left", unseen=[[0, 0]], unseen_s=1), release=dataclasses.replace(RELEASE, review=rule)
    )
    said = privacy(weaker)
    assert sentence in said["warnings"][0]
    assert [one["recording"] for one in said["unseen"]] == [EXERCISE]
    assert "must be seen" not in said["said"]
    assert sentence in markup.unescape(section(reported_study.page_without_pictures(weaker, release), "privacy"))


def test_disputed_proposals_and_replaced_files_are_named(study, release):
    of = with_file(with_file(study, EXERCISE, "right", disputed=1, disputed_at_s=[2.5]), PROCEDURE, "mono", lost=3)
    of = with_review(of, warnings=["people disagree about 1 proposals, so they are hidden"])
    text = section(reported_study.page_without_pictures(of, release), "privacy")
    assert f"{EXERCISE}, right, 2.500 s: <code>.venv/bin/scrubin review --at {EXERCISE}:2.5</code>" in text
    assert f"{PROCEDURE}, mono: 3 lines of the ledger count no longer" in text
    assert text.index("WARNING") < text.index(EXERCISE) < text.index("Stills of all 12 recordings were looked at")


def test_nobody_is_said_to_have_looked_when_a_program_did_or_when_nobody_did(study):
    assert "not by a person" in privacy(with_review(study, synthetic=True))["said"]
    nobody = copy.deepcopy(list(study.review["recordings"]))
    for one in nobody:
        one["seen_by"] = []
        one["files"] = [{**file, "unseen": [[0, 11]], "unseen_s": 12} for file in one["files"]]
    assert privacy(with_review(study, recordings=nobody))["said"].startswith("Nobody has looked at anything yet")
    assert privacy(with_review(study, recordings=[]))["said"] == "There is no recording to look at."


def test_people_their_time_and_their_agreement_are_on_the_page(study, release, plain_page):
    text = section(plain_page, "privacy")
    assert ">1 h 2 min<" in text
    assert "Two people agree on 3 of 4 proposals that both decided (75 %)" in text
    alone = with_review(study, agreement={"shared": 0, "agreed": 0, "share": None, "pairs": []})
    assert "agree is undefined" in section(reported_study.page_without_pictures(alone, release), "privacy")


def test_spans_are_not_searched_once_for_each_file(study, monkeypatch):
    seen = compared(monkeypatch, rows=len(study.recordings))
    assert report_privacy.unlike(study)
    assert not seen


def test_a_recording_that_a_reviewer_excluded_is_excluded_not_lost_and_needs_no_look(study):
    review = copy.deepcopy(list(study.review["recordings"]))
    one = next(one for one in review if one["recording"] == EXERCISE)
    one["excluded"] = {"by": "ann", "why": "a face all the time"}
    ids = study.linkage.loc[study.linkage.recording == EXERCISE, "id"]
    without = dataclasses.replace(with_review(study, recordings=review), videos=study.videos[~study.videos.id.isin(ids)])
    assert [recordings.overview(without)[name] for name in ("excluded", "lost")] == [2, 0]
    assert [row["reason"] for row in recordings.excluded(without) if row["recording"] == EXERCISE] == [
        "a face all the time (reviewer: ann)"
    ]
    assert EXERCISE not in {row["recording"] for row in privacy(without)["coverage"]}
    assert EXERCISE not in {row["recording"] for row in report_privacy.unlike(without)}


def test_every_span_has_its_first_middle_and_last_source_frame(study):
    spans = {(row["recording"], row["camera"]): row for row in report_privacy.spans(study)}
    assert spans[PROCEDURE, "mono"]["pictures"] == [
        {"frame": 50, "time_s": 2.0},
        {"frame": 81, "time_s": 3.24},
        {"frame": 112, "time_s": 4.48},
    ]
    assert [one["frame"] for one in spans[EXERCISE, "right"]["pictures"]] == [0, 149, 299]
    short = with_spans(study, [{"start_s": 1.01, "end_s": 1.02, "decision": "accepted"}])
    assert [one["frame"] for one in report_privacy.spans(short)[0]["pictures"]] == [25]


ROOM = {"source": "scene", "kind": "out_of_body", "start_s": 2.0, "end_s": 6.0, "decision": "accepted"}
TEXT = {"source": "text", "kind": "text", "x": 0, "y": 0, "w": 8, "h": 8, "start_s": 1.5, "end_s": 7.0, "decision": "unreviewed"}


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("rows", "undecided", "not_asked"),
    [
        pytest.param([ROOM, TEXT], 0, 1, id="in a room"),
        pytest.param([{**ROOM, "decision": "unreviewed"}, TEXT], 1, 1, id="in a room that is undecided"),
        pytest.param([ROOM, {**TEXT, "end_s": 4.0}, {**TEXT, "start_s": 4.0}], 0, 2, id="in parts"),
        pytest.param([ROOM, {**TEXT, "end_s": 7.5}], 1, 0, id="longer than the room"),
        pytest.param([{**ROOM, "decision": "rejected"}, TEXT], 1, 0, id="in a room that is shown"),
        pytest.param([{**ROOM, "source": "curator"}, TEXT], 1, 0, id="in what a person drew"),
        pytest.param([{**ROOM, "camera": "left", "recording": EXERCISE}, TEXT], 1, 0, id="in a room of another file"),
        pytest.param([ROOM, {**TEXT, "end_s": 4.0}, {**TEXT, "start_s": 4.0, "decision": "rejected"}], 1, 0, id="half decided"),
        pytest.param([TEXT], 1, 0, id="alone"),
    ],
)
def test_a_rectangle_that_nobody_is_asked_for_is_not_undecided(study, release, rows, undecided, not_asked):
    """As the page of the review, which does not ask for what lies in pictures that are hidden as a whole."""
    spanned = with_spans(study, rows)
    assert sum(row["undecided"] for row in report_privacy.redactions(spanned)) == undecided
    within = [row for row in report_privacy.spans(spanned) if row["decision"] == report_privacy.WITHIN]
    assert [(row["source"], row["accepted"]) for row in within] == [("text", True)] * not_asked
    text = section(reported_study.page_without_pictures(spanned, release), "hidden")
    assert ("not asked, as its pictures are hidden" in text) == bool(not_asked)
    assert ("undecided</span>" in text) == bool(undecided)


def test_every_picture_shows_the_frame_that_its_label_names(plain_page):
    text = section(plain_page, "hidden")
    shown = IMAGE.findall(text)
    assert {(name, camera) for _, _, name, camera in shown} >= {(PROCEDURE, "mono"), (EXERCISE, "left"), (EXERCISE, "right")}
    assert len(shown) == 3 * 3 + 2 + 12
    for data, frame, _, _ in shown:
        assert abs(float(np.median(decoded(f"base64,{data}"))) - int(GREY_PER_FRAME * int(frame))) <= 2, frame
    for label in (
        "frame 81, 3.240 s",
        f".venv/bin/scrubin review --at {PROCEDURE}:2<",
        "proposed by appearance, score 0.93",
        "undecided</span>",
    ):
        assert label in text


def test_hidden_and_shown_spans_are_told_apart(plain_page):
    text = section(plain_page, "hidden")
    start = text.index("Shown, because a person rejected it")
    end = text.index("<h3>Hidden</h3>")
    assert EXERCISE in text[start:end]
    assert PROCEDURE not in text[start:end]
    assert PROCEDURE in text[end:]


@pytest.mark.slow
def test_a_rejected_span_is_pictured_as_the_release_shows_it(study):
    corner = {"x": 0, "y": 0, "w": 480, "h": 270}
    rejected = {"start_s": 10.0, "end_s": 10.04, "decision": "rejected", "source": "black"}
    (bare,) = images_of(with_spans(study, [rejected]), "visible")
    assert bare.min() >= GREY_PER_FRAME * 250 - 3
    over = {"start_s": 9.0, "end_s": 11.0, "decision": "accepted", **corner}
    (partly,) = images_of(with_spans(study, [rejected, over]), "visible")
    middle = [side // 2 for side in partly.shape[:2]]
    assert partly[: middle[0] - 3, : middle[1] - 3].max() <= 6
    assert abs(float(partly[middle[0] + 4 :].mean()) - GREY_PER_FRAME * 250) < 3
    same_frame = {**over, "start_s": 10.0, "end_s": 10.04}
    assert np.array_equal(images_of(with_spans(study, [rejected, same_frame]), "visible")[0], partly)
    (black,) = images_of(with_spans(study, [rejected, {"start_s": 9.0, "end_s": 11.0, "decision": "unreviewed"}]), "visible")
    assert black.max() <= 3
    other_time = {**over, "start_s": 10.04}
    assert images_of(with_spans(study, [rejected, other_time]), "visible")[0].min() >= GREY_PER_FRAME * 250 - 3


def test_a_hidden_rectangle_is_outlined_and_what_it_will_hide_is_seen(study):
    row = {"start_s": 10.0, "end_s": 10.04, "decision": "accepted", "x": 240, "y": 135, "w": 480, "h": 270}
    (picture,) = images_of(with_spans(study, [row]), "hidden")
    height, width = picture.shape[:2]
    assert np.ptp(picture[height // 2, width // 2]) <= 2
    assert np.ptp(picture[height // 2, width // 4 - 1]) > 40
    assert np.ptp(picture[height // 2, 4]) <= 4


def test_a_near_miss_is_in_no_span_and_within_the_kept_interval(study):
    rows = {row["recording"]: row for row in report_privacy.unlike(study)}
    assert len(rows) == 12
    assert (rows["Rec_PegTransfer_0"]["frame"], rows["Rec_PegTransfer_0"]["distance"]) == (60, 0.8)
    assert (rows[PROCEDURE]["frame"], rows[PROCEDURE]["time_s"], rows[PROCEDURE]["distance"]) == (200, 8.0, 0.27)
    # The left camera proposed frame 60; of the right one only a rectangle is hidden.
    assert (rows[EXERCISE]["camera"], rows[EXERCISE]["frame"]) == ("right", 60)
    late = dataclasses.replace(study, recordings=study.recordings.assign(start_s=5.0))
    assert {row["frame"] for row in report_privacy.unlike(late)} == {200}
    assert [row["distance"] for row in report_privacy.unlike(study)] == [0.8] * 11 + [0.27]


def test_the_least_sure_proposals_are_those_with_the_lowest_scores(study):
    rows = [
        {"start_s": float(n), "end_s": n + 0.5, "decision": "unreviewed", "source": source, "score": score, "recording": recording}
        for n, (source, score, recording) in enumerate(
            [
                ("black", 0.9, "Rec_Cholecystectomy_8"),
                ("appearance", 0.4, PROCEDURE),
                ("appearance", 0.3, PROCEDURE),
                ("pair", 0.1, PROCEDURE),
            ]
        )
    ]
    found = report_privacy.least_sure(
        report_privacy.spans(with_spans(study, [*rows, {"start_s": 5.0, "end_s": 6.0, "decision": "accepted"}]))
    )
    assert [(row["recording"], row["score"]) for row in found] == [(PROCEDURE, 0.3), ("Rec_Cholecystectomy_8", 0.9)]


class Away(Numbered):
    def pictures(self, key: FileKey, frames: Sequence[int]) -> list[np.ndarray]:
        raise VideoError("a.mp4", "the file is missing", "put it there")


def test_a_file_that_cannot_be_read_has_a_sentence_instead_of_pictures(study, release):
    text = section(reported_study.page_without_pictures(dataclasses.replace(study, sources=Away()), release), "hidden")
    assert not IMAGE.findall(text)
    assert text.count("No picture: the file is missing.") == 3 + 2 + 12
    assert f".venv/bin/scrubin review --at {PROCEDURE}:2<" in text


def test_when_there_are_too_many_spans_what_is_shown_keeps_its_pictures_and_the_page_says_how_many_have_none(study, release, monkeypatch):
    monkeypatch.setattr(page, "MOST_SPANS", 1)
    monkeypatch.setattr(page, "MOST_UNLIKE", 10)
    text = section(reported_study.page_without_pictures(study, release), "hidden")
    assert "2 more spans without pictures" in text
    assert "2 more recordings, even less unlike" in text
    assert "Shown, because" in text
    assert "<h3>Hidden</h3>" not in text
    assert len(IMAGE.findall(text)) == 3 + 2 + 10


def test_worst_frames_are_labelled_by_released_and_by_source_time(study, plain_page):
    frames = extracted_frames.worst_frames(study, 4)
    names = dict(zip(study.linkage.id, study.linkage.recording, strict=True))
    for frame in frames:
        source = frame["source"]
        assert (source["recording"], source["frame"]) == (names[frame["id"]], 10 + 25 * frame["frame"])
        assert source["time_s"] == pytest.approx(frame["time_s"] + 0.4)
    text = section(plain_page, "quality")
    assert f"{frames[0]['source']['recording']}, frame {frames[0]['source']['frame']} at {frames[0]['source']['time_s']:.3f} s" in text
    assert f"--at {frames[0]['source']['recording']}:{frames[0]['time_s'] + 0.4:.1f}<" in text


def test_a_hostile_name_of_a_recording_is_text_and_one_argument(study, release):
    hostile = "<img src=x onerror=alert(1)>'; rm -rf /"
    review = copy.deepcopy(list(study.review["recordings"]))
    for one in review:
        if one["recording"] == EXERCISE:
            one["recording"] = hostile
            one["files"] = [{**file, "recording": hostile, "unseen": [[1, 1]], "unseen_s": 1} for file in one["files"]]
    renamed = {
        name: getattr(study, name).replace({"recording": {EXERCISE: hostile}}) for name in ("recordings", "redactions", "linkage", "cuts")
    }
    text = reported_study.page_without_pictures(dataclasses.replace(with_review(study, recordings=review), **renamed), release)
    assert "<img src=x" not in text
    assert """--at '<img src=x onerror=alert(1)>'"'"'; rm -rf /:1'""" in markup.unescape(text)


def test_row_order_changes_no_picture(study):
    mixed = dataclasses.replace(study, redactions=study.redactions.iloc[::-1], cuts=study.cuts.iloc[::-1])
    one, other = (page.pictured(of, document(of, PARAMS), PARAMS) for of in (study, mixed))
    assert one == other


@pytest.fixture
def raw(tmp_path, monkeypatch) -> RawFiles:
    """A raw file that was screened: frame n has the luma 16 + 3 n."""
    monkeypatch.chdir(tmp_path)
    path = clips.numbered(tmp_path / "raw/a.mp4", 60)
    files = {("Rec", "mono"): Source.of_file("a.mp4", sha256_of(path))}
    file = screening.FileToScreen("Rec", "mono", files["Rec", "mono"], "Task")
    screening.screen(Path("raw"), file, SCREEN)
    return RawFiles(Path("raw"), files, SCREEN)


def test_pictures_of_raw_files_come_from_the_store_without_the_file(raw):
    key = ("Rec", "mono")
    (raw.raw / "a.mp4").unlink()
    greys = [float(picture.mean()) for picture in raw.pictures(key, [3, 40, 20])]
    assert greys == pytest.approx([(3 * n) * 255 / 219 for n in (3, 40, 20)], abs=3)
    assert raw.times_s(key)[40] == pytest.approx(2.0)
    distance = raw.distance(key)
    assert distance is not None
    assert distance.shape == (60,)


@pytest.mark.slow
def test_a_page_is_the_same_from_a_warm_and_from_an_empty_store(raw):
    key = ("Rec", "mono")

    def everything() -> list[np.ndarray]:
        return [np.asarray(raw.distance(key)), raw.times_s(key), *raw.pictures(key, range(0, 60, 7))]

    before = everything()
    shutil.rmtree(store.STORE_PATH)
    after = everything()
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))
    shutil.rmtree(store.STORE_PATH)
    assert np.array_equal(raw.pictures(key, [7])[0], before[3])


def test_a_file_that_is_neither_there_nor_in_the_store_is_an_error_that_names_it(raw):
    (raw.raw / "a.mp4").unlink()
    shutil.rmtree(store.STORE_PATH)
    with pytest.raises(StageError, match=r"a\.mp4 was ingested, and now the file is missing"):
        raw.pictures(("Rec", "mono"), [0])


def test_frames_are_compared_only_when_a_detector_did(raw):
    without = dataclasses.replace(raw, screen=dataclasses.replace(SCREEN, detectors=("text",)))
    assert without.distance(("Rec", "mono")) is None
