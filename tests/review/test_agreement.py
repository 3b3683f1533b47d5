from __future__ import annotations

from collections.abc import Sequence

import pytest

from scrubin.media.source import Source
from scrubin.stages.review import Line
from scrubin.stages.review.events import ACCEPT, REJECT, Decided, DecidedSpan
from scrubin.stages.review.outcome import Proposed
from scrubin.stages.review.result import agreement
from scrubin.stages.review.standing import Standing
from scrubin.stages.review.study import ReviewedStudy, SheetThere, StudyFile

SPANS = ((1.0, 3.0), (5.0, 6.0), (8.0, 9.0))


def file(camera: str) -> StudyFile:
    return StudyFile("Rec", camera, Source.of_file(f"{camera}.mp4", camera), (96, 64), 250, 10.0, (0.0, 10.0), "25", variable_rate=False)


def study(cameras: Sequence[str] = ("left",)) -> ReviewedStudy:
    files = {("Rec", camera): file(camera) for camera in cameras}
    proposals = {("Rec", "left"): [Proposed("out_of_body", "appearance", span, score=0.5) for span in SPANS]}
    return ReviewedStudy(files, proposals, {}, "1", 2, 0.2, SheetThere("", {}, 0, ""))


def standing(of: ReviewedStudy, decisions: Sequence[tuple[str, str, tuple[float, float]]], camera: str = "left") -> Standing:
    """Of decisions (person, what, interval), in this order."""
    state = of.standing()
    for number, (by, what, (start, end)) in enumerate(decisions):
        span = DecidedSpan(what, int(start * 25), int(end * 25) - 1, start, end)
        decided = Decided("Rec", camera, camera, "out_of_body", (span,), None, "", "key", "1")
        state.decided.setdefault(("Rec", camera), {})[number] = by, decided
    return state


def test_agreement_is_undefined_when_nobody_shares_a_span():
    of = study()
    found = agreement(of, standing(of, [("ann", ACCEPT, SPANS[0]), ("bo", ACCEPT, SPANS[1])]))
    assert found == {"shared": 0, "agreed": 0, "share": None, "pairs": []}
    assert agreement(of, standing(of, []))["share"] is None


def test_agreement_is_the_share_of_the_spans_that_both_decided():
    of = study()
    ann = [("ann", ACCEPT, SPANS[0]), ("ann", REJECT, SPANS[1]), ("ann", ACCEPT, SPANS[2])]
    found = agreement(of, standing(of, [*ann, ("bo", ACCEPT, SPANS[0]), ("bo", ACCEPT, SPANS[1])]))
    assert (found["shared"], found["agreed"], found["share"]) == (2, 1, 0.5)
    assert found["pairs"] == [{"people": ["ann", "bo"], "shared": 2, "agreed": 1, "share": 0.5}]


def test_three_people_are_three_pairs():
    of = study()
    found = agreement(of, standing(of, [(by, what, SPANS[0]) for by, what in (("ann", ACCEPT), ("bo", ACCEPT), ("cy", REJECT))]))
    assert [(pair["people"], pair["share"]) for pair in found["pairs"]] == [(["ann", "bo"], 1.0), (["ann", "cy"], 0.0), (["bo", "cy"], 0.0)]
    assert found["share"] == pytest.approx(1 / 3)


def test_a_persons_latest_decision_counts_not_the_one_before():
    of = study()
    found = agreement(of, standing(of, [("ann", REJECT, SPANS[0]), ("bo", ACCEPT, SPANS[0]), ("ann", ACCEPT, SPANS[0])]))
    assert found["share"] == 1.0


def test_halves_of_a_span_that_two_people_decided_are_not_shared_and_one_differing_instant_is_disagreement():
    of = study()
    halves = [("ann", ACCEPT, (1.0, 2.0)), ("bo", REJECT, (2.0, 3.0))]
    assert agreement(of, standing(of, halves))["shared"] == 0
    assert agreement(of, standing(of, [*halves, ("ann", ACCEPT, (2.0, 2.4)), ("bo", ACCEPT, (1.0, 2.0))]))["share"] == 0.0


def test_decisions_about_an_excluded_recording_do_not_count():
    of = study()
    state = standing(of, [("ann", ACCEPT, SPANS[0]), ("bo", ACCEPT, SPANS[0])])
    facts = {"recording": "Rec", "sha256": {"left": "left"}, "why": "a face all the time"}
    state.apply([Line(9, "", "2026-01-01T00:00:00Z", "ann", "s", "n", "excluded", facts, "")])
    assert agreement(of, state)["shared"] == 0
