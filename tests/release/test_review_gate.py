from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import made_once
import review_study
from scrubin.base import params
from scrubin.base.errors import ParamsError, ReleaseError
from scrubin.base.layout import LINKAGE_PATH
from scrubin.base.tables import io
from scrubin.base.tables.private import LINKAGE, QUARANTINE
from scrubin.stages.release import gates
from scrubin.stages.release.release_params import NoReview, ReleaseParams, ReviewedSample
from scrubin.stages.review import LEDGER_PATH, Ledger, result, study, text

PARAMS = ReleaseParams("x", "X", "1.0.0", "CC0-1.0", archives=False, on_quarantine="continue", review="required")
TODAY = "2026-05-01"
NOTHING = gates.Acknowledgeable()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return review_study.project(tmp_path_factory.mktemp("study"), single="a 'b' $(c)")


@pytest.fixture
def folder(shared, enter):
    return enter(shared)


@pytest.fixture(scope="module")
def shared_seen(shared, tmp_path_factory):
    copy = made_once.copy(shared, tmp_path_factory.mktemp("seen") / "study")
    review_study.see_everything(copy)
    return copy


@pytest.fixture
def seen(shared_seen, enter):
    """The study when somebody has looked at everything."""
    return enter(shared_seen)


def reviewed(reviewers=1):
    of = study.load(reviewers, 0.2, Path("data/raw"))
    standing, ledger = of.standing(), Ledger()
    lines = ledger.lines()
    standing.apply(lines)
    document = result.document(of, standing, lines, Path("data/raw"))
    return json.loads(json.dumps(document)), lines


def refused(params_=PARAMS, today=TODAY, reviewers=1, there=NOTHING):
    document, lines = reviewed(reviewers)
    with pytest.raises(ReleaseError) as error:
        gates.require_reviewed(document, params_, lines, today, there)
    return str(error.value)


def passes(params_=PARAMS, today=TODAY, there=NOTHING):
    document, lines = reviewed()
    gates.require_reviewed(document, params_, lines, today, there)


@pytest.mark.usefixtures("folder")
def test_an_empty_ledger_releases_nothing_and_names_every_recording_what_is_missing_and_the_command():
    said = refused()
    assert "2 of 2 recordings have not been seen by a person" in said
    assert "'pair': left: 3 s unseen; left: 1 proposal whose ends nobody saw frame by frame; right: 3 s unseen" in said
    assert "open: .venv/bin/scrubin review --at pair:0" in said
    assert """--at 'a '"'"'b'"'"' $(c):0'""" in said


def test_all_seen_is_released_although_nothing_is_decided_because_it_is_hidden(seen):
    passes()


def test_one_unseen_second_of_one_camera_is_enough_to_refuse(seen):
    with review_study.desk(seen) as desk:
        shutil.rmtree("data/private")
        for number in (0, 1):
            for file in desk.recording(number).files:
                frames = range(0, file.frame_count) if file.camera != "right" else [*range(0, 20), *range(40, 60)]
                review_study.see(desk, number, file.camera, "lens", frames)
    said = refused()
    assert "1 of 2 recordings" in said
    assert "'pair': right: 1 s unseen" in said
    assert "--at pair:1" in said


def test_decisions_while_the_pipeline_runs_ask_for_another_run(seen):
    with review_study.desk(seen) as desk:
        document, _ = reviewed()
        desk.decide(1, "left", "add", "other", 1, 2)
    ledger = Ledger()
    with pytest.raises(ReleaseError, match="people decided while the pipeline ran; run it again"):
        gates.require_reviewed(document, PARAMS, ledger.lines(), TODAY, NOTHING)


def test_who_only_looks_while_the_pipeline_runs_stops_nothing(seen):
    with review_study.desk(seen) as desk:
        document, _ = reviewed()
        review_study.see(desk, 1, "left", "full", [3])
    gates.require_reviewed(document, PARAMS, Ledger().lines(), TODAY, NOTHING)
    with pytest.raises(ReleaseError, match="people decided"):
        gates.require_reviewed(document, PARAMS, Ledger().lines()[:-2], TODAY, NOTHING)


def test_an_excluded_recording_needs_nobody_to_look(folder):
    with review_study.desk(folder) as desk:
        for number in (0, 1):
            desk.exclude(number, "no consent")
    passes()


def test_a_sheet_that_nobody_imported_is_proposed_and_needs_a_look(folder):
    (folder / "data/raw/redactions.csv").write_text(review_study.SHEET + "pair,left,other,1,2,,,,,add\n")
    with review_study.desk(folder) as desk:
        review_study.see_all(desk, view="sheet")
        for number in (0, 1):
            for proposal in desk.recording(number).proposals:
                if proposal.source != "sheet":
                    review_study.see(desk, number, proposal.camera, "lens", range(0, 60) if proposal.camera == "mono" else range(15, 35))
    assert "1 of 2 recordings" in refused()
    review_study.see_everything(folder)
    passes()
    document, _ = reviewed()
    assert "redactions.csv was not imported: what 1 row of it would hide is proposed" in document["sheet"]


def test_a_sheet_with_a_wrong_row_refuses_the_release(seen):
    (seen / "data/raw/redactions.csv").write_text(review_study.SHEET + "pair,,other,2,1,,,,,add\n")
    assert "redactions.csv, line 2: start_s 2 is not before end_s 1" in refused()
    (seen / "data/raw/redactions.csv").write_text(review_study.SHEET + "piar,,other,1,2,,,,,add\n")
    assert "did you mean 'pair'?" in refused()


def test_an_acknowledgement_ends_with_its_day_also_when_the_clock_is_set_back(seen):
    with review_study.desk(seen) as desk:
        review_study.set_aside(seen, "pair")
        desk.acknowledge("quarantine", "pair", "known", "2096-04-30")
    there = gates.Acknowledgeable(quarantined={"pair"})
    assert "the acknowledgement of the quarantined recording 'pair' ended on 2096-04-30; decide again" in refused(
        today="2096-05-01", there=there
    )
    document, lines = reviewed()
    late = {**document, "latest": "2097-01-01T00:00:00Z"}
    with pytest.raises(ReleaseError, match="ended on 2096-04-30"):
        gates.require_reviewed(late, PARAMS, lines, "2096-04-01", there)
    gates.require_reviewed({**document, "latest": "2096-04-01T00:00:00Z"}, PARAMS, lines, "2096-04-30", there)


def validated(folder, *outcomes):
    path = folder / "data/interim/validation.json"
    path.write_text(json.dumps({"verdict": "passed", "outcomes": outcomes}))
    return path


@pytest.mark.parametrize("both", [True, False], ids=["both are released", "one was excluded"])
def test_what_was_acknowledged_of_near_duplicates_stops_the_release_only_while_the_page_offers_them_by_name(seen, both):
    linked = [{"recording": name, "id": id_} for name, id_ in (("pair", "glimst"), ("a 'b' $(c)", "blorkfamp"))]
    rows = [{**one, "draw": 0} for one in linked]
    io.write(LINKAGE, io.frame_of(LINKAGE, rows), seen / LINKAGE_PATH)
    alike = {"table": "videos", "rule": "near_duplicate_recording", "result": "failed", "severity": "error", "says": "alike", "count": 1}
    validated(seen, {**alike, "keys": [{"id": "blorkfamp", "like": "glimst"}]})
    with review_study.desk(seen) as desk:
        desk.acknowledge("near-duplicate", "blorkfamp,glimst", "two takes", "2096-04-30")
        # What was acknowledged is found no longer.
        verdict = validated(seen)
        if not both:
            desk.exclude(1, "no consent")
        offered = [(one["recordings"], one["acknowledged"]["ended"]) for one in desk.near_duplicates()]
    released = {one["recording"]: one["id"] for one in linked if both or one["recording"] != "pair"}
    there = gates.acknowledgeable(io.frame_of(QUARANTINE, []), verdict, released)
    if both:
        assert offered == [(["a 'b' $(c)", "pair"], False)]
        said = refused(today="2096-05-01", there=there)
        assert "the acknowledgement of the near-duplicates \"a 'b' $(c)\" and 'pair' ended on 2096-04-30; decide again, with Q" in said
        assert "glimst" not in said
    else:
        assert not offered
        passes(today="2096-05-01", there=there)


def test_an_acknowledgement_of_what_was_mended_can_end_without_stopping_anything(seen):
    dark = {"table": "videos", "rule": "too_dark", "result": "failed", "severity": "warning", "says": "dark", "count": 1, "keys": []}
    verdict = validated(seen, dark)
    with review_study.desk(seen) as desk:
        review_study.set_aside(seen, "broken")
        desk.acknowledge("quarantine", "broken", "comes again", "2096-04-30")
        desk.acknowledge("warning", "videos.too_dark", "known", "2096-04-30")
    set_aside = io.read(QUARANTINE, seen / "data/interim/quarantine_ingest.parquet")
    said = refused(today="2096-05-01", there=gates.acknowledgeable(set_aside, verdict, {}))
    assert "the quarantined recording 'broken' ended" in said
    assert "the warning 'videos.too_dark' ended" in said
    verdict = validated(seen, {**dark, "result": "passed"})
    passes(today="2096-05-01", there=gates.acknowledgeable(set_aside.iloc[:0], verdict, {}))


def test_two_reviewers_are_two_people(seen):
    assert "2 of 2 recordings have not been seen by 2 people" in refused(reviewers=2)


@pytest.mark.usefixtures("folder")
def test_a_sample_asks_for_so_many_and_no_review_for_none_and_both_are_said_in_the_release():
    sample = replace(PARAMS, review=ReviewedSample("reviewed-sample", 1, "phantoms only"))
    assert "1 of 1 recording has not been seen" in refused(sample)
    none = replace(PARAMS, review=NoReview("none", "phantoms only"))
    passes(none)
    document, _ = reviewed()
    assert gates.review_sentence(document, none) == (
        "Nobody was required to look at the recordings before this release. The reason: phantoms only"
    )
    assert "Only a sample of 1 of the 2 recordings had to be seen" in gates.review_sentence(document, sample)
    assert gates.review_warnings(document, none)
    assert not gates.review_warnings(document, PARAMS)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("none", "'release.review' must be required, or one of .*reason"),
        ("reviewed-sample", "each with the reason"),
        ("{kind: none, reason: '  '}", "'release.review.reason' is empty"),
        ("{kind: none}", "'release.review.reason' is missing"),
        ("{kind: reviewed-sample, recordings: 0, reason: x}", "must lie in"),
        ("{kind: reviewd-sample, recordings: 1, reason: x}", "did you mean 'reviewed-sample'"),
    ],
)
def test_less_than_a_whole_review_needs_its_reason(folder, value, message):
    path = folder / "params.yaml"
    path.write_text(path.read_text().replace("review: required", f"review: {value}"))
    with pytest.raises(ParamsError, match=message):
        params.load("release", ReleaseParams, path)


def test_a_ledger_of_before_with_two_spellings_of_a_name_releases_nothing_where_two_must_agree(seen):
    """Since then the ledger refuses the second spelling; its lines of before stay, and would count as two people."""
    data = LEDGER_PATH.read_bytes().splitlines()
    body = {**json.loads(data[-1]), "by": "Ann", "number": len(data) + 1, "nonce": "", "previous": Ledger().lines()[-1].sha256}
    LEDGER_PATH.write_bytes(b"\n".join([*data, text(body)]))
    assert "'Ann' and 'ann' may be one person, who counts as two" in refused(reviewers=2)
    document, lines = reviewed()
    gates.require_reviewed(document, PARAMS, lines, TODAY, NOTHING)
