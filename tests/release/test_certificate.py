"""The certificate: its public form names nobody and is audited, its private form names who said what, and both follow the ledger."""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import beta

import made_once
import review_study
import sampled_release
import toy_release
from sampled_release import PARAMS
from scrubin.audit.expected import private_strings
from scrubin.audit.expected.spelling import folded_words
from scrubin.base import files
from scrubin.base.errors import ReleaseError, ReviewError
from scrubin.base.files import sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.private import CUTS
from scrubin.base.tables.public import VIDEOS, public_tables
from scrubin.cli import review
from scrubin.stages.release import audited_project, gates, release_params
from scrubin.stages.release.audited_project import public_words
from scrubin.stages.release.certificate import attention, issue, public_form
from scrubin.stages.release.certificate.rules import ALL_LETTERS, ARTICLES, CLAUSES, RULES
from scrubin.stages.release.metadata import documents
from scrubin.stages.review import Ledger, result, study
from scrubin.stages.review.events import CLEAN, FINDING

ATTENTION = {
    "looked_s": 754.4,
    "sheets": 31,
    "median_sheet_s": 6.04,
    "still_height_px": 96,
    "least_still_s": 0.25,
    "least_height_px": 90,
    "checks": {"person": {"shown": 20, "noticed": 18}, "name": {"shown": 0, "noticed": 0}},
}
RELEASED = {
    "audit": {"passed": True, "findings": 0, "pictures": {"read": 1234, "rule": "by change"}},
    "quarantined": {"files": 1, "by_stage": {"ingest": 1}},
    "reidentification": {"recordings": 2, "unique_to_the_frame": 2, "duration_jitter_s": 0.0, "tasks": {}},
    "files": 9,
    "bytes": 12345,
}
ANN = "Ann-Kathrin Überall"
ADDED = """
164 25 26 32 45 514 about accepted anything archive asked attachments attention audit audited b because before behind below
body byte can cannot cfr chance changed checked checks clean clips code consent decided decision decisions dicom
disputed draw drawn e earlier elements ends enough escape everybody everything evidence f faces fewer findings finds
finished folded front frozen further g gdpr grep had headers hide high hipaa if imported independent inside invented j kinds
know known l large later length letters limit log long look median members messages min miss networks notice noticed o
ones opinion other outside p page parsed partly passed people person planted pointer private programs proposal proposals
propose proposed proposes proven purpose q random read recital rectangles regulations reject removed replacement
required review rule rules sample samples satisfied scenes search searched searches seconds seed sei serves sheet
sheets shown since smallest some stay stills stood stops streams strings subtitles synthetic tells than things
thumbnails timecodes took undecided until unusual whoever would writing
"""
"""What the public form adds to the vocabulary of the documents about a release. Whoever adds to it says so here: in these
documents, and in no other file, a person or place of such a name is not looked for."""


@pytest.fixture
def folder(study_released, enter):
    return enter(study_released)


@pytest.fixture(scope="module")
def study_seen(study_released, tmp_path_factory):
    copy = made_once.copy(study_released, tmp_path_factory.mktemp("seen") / "study")
    review_study.see_everything(copy, ANN)
    return copy


@pytest.fixture
def seen(study_seen, enter):
    """The study when somebody has looked at everything."""
    return enter(study_seen)


def reviewed():
    of, ledger = study.load(1, 0.2, Path("data/raw")), Ledger()
    standing = of.standing()
    standing.apply(ledger.lines())
    return json.loads(json.dumps(result.document(of, standing, ledger.lines(), Path("data/raw")))), ledger.lines()


def public(attention=None):
    review, lines = reviewed()
    review["attention"] = attention
    videos = io.read(VIDEOS, Path("data/tables/videos.parquet"))
    return issue.public(PARAMS, videos, review, gates.review_sentence(review, PARAMS), lines)


def private():
    """Write the private form as the release stage does, with stand-ins for the evidence that no test here makes."""
    stated = public()
    for name in [*issue.PRIVATE_EVIDENCE, *(f"data/release/{name}" for name in issue.RELEASED_EVIDENCE)]:
        if not Path(name).exists():
            files.write_text(Path(name), name)
    review, lines = reviewed()
    issue.private(stated, review, RELEASED, lines, Path("data/release"))
    return json.loads((issue.FOLDER / public_form.JSON_NAME).read_text())


def look(folder, count=9, findings=(), by=ANN):
    """Draw clips and say of each what it is; ``findings`` are places in the draw."""
    drawn = review.draw_clips(count, 0, by)
    with review_study.desk(folder, by) as desk:
        for place, clip in enumerate(drawn.clips):
            outcome = FINDING if place in findings else CLEAN
            desk.check(drawn.videos, clip, outcome, "a face in a mirror" if outcome == FINDING else "")
    return drawn


def test_every_rule_serves_a_clause_and_every_clause_of_the_list_is_served():
    known = {clause.reference for clause in (*CLAUSES, *ARTICLES)}
    assert tuple(clause.reference for clause in CLAUSES) == ALL_LETTERS
    assert {reference for rule in RULES for reference in rule.serves} <= known
    for clause in CLAUSES:
        actions = {rule.action for rule in RULES if clause.reference in rule.serves}
        assert "checked" in actions, clause
        assert actions & {"removed", "renamed", "hidden"}, clause


def test_the_public_form_adds_no_name_to_what_the_audit_passes_over():
    declared = public_tables(())
    known = folded_words([public_words(declared, toy_release.PARAMS, ["cholect50"], []), private_strings.GENERIC])
    added = folded_words([public_form.fixed_texts(), gates.fixed_review_texts()])
    assert sorted(added - known) == ADDED.split()
    assert added <= audited_project.of_params(toy_release.PARAMS, documents.fixed_texts(toy_release.PARAMS, declared)).words


@pytest.mark.usefixtures("seen")
def test_the_keys_of_the_public_form_are_known_to_the_audit():
    def keys(value):
        inside = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
        return {*(value if isinstance(value, dict) else ()), *(key for one in inside for key in keys(one))}

    look(Path())
    kinds = {"out_of_body", "text"}
    review, lines = reviewed()
    review["attention"], review["folds"], review["recordings"][0]["files"][0]["folded_s"] = ATTENTION, 0.1, 2
    videos = io.read(VIDEOS, Path("data/tables/videos.parquet"))
    folded = keys(issue.public(PARAMS, videos, review, gates.review_sentence(review, PARAMS), lines))
    assert folded - kinds == set(public_form.KEYS.split())
    # What was folded is only said where something was.
    assert folded - keys(public(ATTENTION)) == {"folded_s", "folds"}


def test_the_public_form_says_in_numbers_what_is_hidden_and_what_was_seen(seen):
    stated = public()
    assert stated["hidden"] == {
        "kinds": {
            "out_of_body": {"proposed": 2, "hidden": 2, "undecided": 2, "shown": 0, "drawn": 0, "kept": 0},
            "text": {"proposed": 1, "hidden": 1, "undecided": 1, "shown": 0, "drawn": 0, "kept": 0},
        },
        "black_frames": 100,
        "partly_black_frames": 60,
    }
    assert stated["videos"] == {"files": 3, "ids": 2, "frames": 440, "sha256": stated["videos"]["sha256"]}
    assert (stated["review"]["required_s"], stated["review"]["seen_s"]) == (23, 23)
    text = public_form.texts(stated)["CERTIFICATE.md"]
    assert "Looked at: 23 of 23 seconds of video, and both ends of 3 of 3 proposals." in text
    assert "No sample was drawn: nobody has measured what is left." in text


@pytest.mark.usefixtures("seen")
def test_what_was_folded_is_said_and_never_counted_as_seen():
    review, lines = reviewed()
    review["recordings"][0]["files"][0]["folded_s"], review["folds"] = 2, 0.1
    videos = io.read(VIDEOS, Path("data/tables/videos.parquet"))
    stated = issue.public(PARAMS, videos, review, gates.review_sentence(review, PARAMS), lines)
    assert (stated["review"]["required_s"], stated["review"]["seen_s"], stated["review"]["folded_s"]) == (23, 21, 2)
    text = public_form.texts(stated)["CERTIFICATE.md"]
    assert "Looked at: 21 of 23 seconds of video" in text
    assert "2 further seconds were folded: fewer people looked at them than must" in text
    assert "(review.folds 0.1)" in text
    assert "one of every second, or one for some seconds whose pictures are all like it" in text
    sample = replace(PARAMS, review=release_params.ReviewedSample("reviewed-sample", 1, "no time"))
    assert gates.review_sentence(review, sample).endswith(gates.FOLDED_SAMPLE)
    review["recordings"][0]["files"][0]["folded_s"] = 0
    for params in (PARAMS, sample):
        assert "folded" not in gates.review_sentence(review, params)
        assert "for some seconds" not in gates.review_sentence(review, params)


def test_the_certificate_says_how_people_looked_and_how_many_planted_checks_they_noticed(seen):
    stated = public(ATTENTION)
    check = stated["review"]["attention"]["checks"]["person"]
    # Clopper and Pearson's, from the quantiles of the beta distribution.
    assert check["low"] == pytest.approx(beta.ppf(0.025, 18, 3), abs=1e-6)
    assert check["high"] == pytest.approx(beta.ppf(0.975, 19, 2), abs=1e-6)
    says = [
        "What counts as looked at took people 12 min 34 s in all, on 31 sheets of stills; the median sheet was looked at for 6.0 s, and "
        "the smallest still of a sheet that counted was 96 px high.",
        "A still of the sheet must be 90 px high and have 0.25 s of attention, at least.",
        "Of 20 stills with planted people 18 were noticed: 90.0 %, with 95 % confidence between 68.3 and 98.8 % of such stills.",
        "No still with planted names was shown: how many of them people would miss is not known.",
    ]
    text = public_form.texts(stated)["CERTIFICATE.md"]
    document = issue.private_document(stated, reviewed()[0], RELEASED, Ledger().lines()) | {"evidence": []}
    for sentence in says:
        assert f"\n- {sentence}\n" in text
        assert sentence in issue.render_page(document)


def test_what_was_not_measured_is_not_said(folder):
    assert public()["review"]["looked"] == []
    review, _ = reviewed()
    assert attention.measured({**review, "attention": ATTENTION, "synthetic": True}) is None


def test_an_accepted_proposal_counts_once_whatever_the_table_holds(seen):
    """What was accepted is a row of the curator's as well, so that it stays hidden when no detector proposes it any more."""
    with review_study.desk(seen, ANN) as desk:
        (one,) = [proposal for proposal in desk.recording(0).proposals if proposal.camera == "left"]
        desk.decide(0, one.camera, "accept", one.kind, one.first, one.last, proposal_key=one.key)
        desk.decide(1, "mono", "add", "out_of_body", 5, 9)
    of, lines = study.load(1, 0.2, Path("data/raw")), Ledger().lines()
    standing = of.standing()
    standing.apply(lines)
    rows = result.redactions(of, standing)
    assert [row["source"] for row in rows if row["recording"] == "pair" and row["camera"] == "left"] == ["appearance", "curator"]
    counted = public_form.kinds(reviewed()[0])
    assert counted["out_of_body"] == {"proposed": 2, "hidden": 2, "undecided": 1, "shown": 0, "drawn": 1, "kept": 0}
    assert sum(kind["proposed"] for kind in counted.values()) == public_form.coverage(reviewed()[0])["proposals"]


@pytest.mark.parametrize("whose", ["pair", "gap"])
def test_what_was_accepted_of_the_other_camera_or_of_a_gap_counts_once_also_when_only_a_part_was(folder, whose):
    before = public_form.kinds(reviewed()[0])["out_of_body"]["proposed"]
    with review_study.desk(folder, ANN) as desk:
        if whose == "gap":
            desk.decide(1, "mono", "add", "out_of_body", 5, 9)
            desk.decide(1, "mono", "add", "out_of_body", 20, 29)
        more = int(whose == "gap")
        for left_out in (4, 0):
            (one,) = [proposal for proposal in desk.recording(more).proposals if proposal.source == whose]
            desk.decide(more, one.camera, "accept", one.kind, one.first + left_out, one.last, proposal_key=one.key)
            counted = public_form.kinds(reviewed()[0])["out_of_body"]
            others = before - 1 + more
            assert counted == {"proposed": before + more, "hidden": before + more, "undecided": others + bool(left_out), "shown": 0} | {
                "drawn": 2 * more,
                "kept": 0,
            }


def test_what_people_accepted_and_nobody_proposes_any_more_is_kept_and_not_drawn(folder):
    with review_study.desk(folder, ANN) as desk:
        (one,) = [proposal for proposal in desk.recording(0).proposals if proposal.camera == "left"]
        desk.decide(0, one.camera, "accept", one.kind, one.first, one.last, proposal_key=one.key)
    review_study.propose(folder, [])
    counted = public_form.kinds(reviewed()[0])["out_of_body"]
    assert (counted["drawn"], counted["kept"]) == (0, 1)


def test_recordings_that_were_set_aside_after_the_review_are_not_counted_as_released(seen):
    cuts = io.read(CUTS, Path("data/interim/cuts.parquet"))
    io.write(CUTS, cuts[cuts.recording == "pair"], Path("data/interim/cuts.parquet"))
    assert public()["review"]["required_s"] == 2 * 3
    review, _ = reviewed()
    assert "each of the 1 recordings" in gates.review_sentence(review, PARAMS, {"pair"})


def test_the_public_form_names_nobody_and_no_recording(seen):
    look(seen)
    for text in public_form.texts(public()).values():
        assert not re.search(r"Ann|Kathrin|berall|\bsingle(?! pictures| clip| out)|\bpair\b|videos/\d|mp4", text)


@pytest.mark.slow
def test_the_public_form_is_under_the_checksums_and_the_audit_and_any_name_in_it_is_noticed(release, folder):
    look(folder)
    for name, text in public_form.texts(public()).items():
        release.path(name).write_text(text, encoding="utf-8")
    release.seal()
    assert release.findings() == []
    assert {"CERTIFICATE.md", "certificate.json"} <= {line[66:] for line in release.path("SHA256SUMS").read_text().splitlines()}
    leak = json.loads(release.path("certificate.json").read_text())
    leak["review"]["says"] += " Mechthild Grünwaldner looked."
    with release.path("CERTIFICATE.md").open("a", encoding="utf-8") as text:
        text.write("\nUniKlinikum Nordstadt\n")
    broken = release.rules_by_file({"certificate.json": files.json_text(leak).encode()})
    assert broken == {"certificate.json": {"private-string"}, "CERTIFICATE.md": {"private-string"}}
    release.path("CERTIFICATE.md").write_text("changed\n")
    assert "checksum" in release.rules()


@pytest.mark.slow
def test_looking_once_more_changes_no_byte_of_the_public_form(seen):
    with review_study.desk(seen, ANN) as desk:
        before = public_form.texts(public())
        review_study.see(desk, 1, "mono", "full", [3])
    assert public_form.texts(public()) == before
    drawn = review.draw_clips(2, 0, ANN)
    with review_study.desk(seen, ANN) as desk:
        desk.check(drawn.videos, drawn.clips[0], CLEAN, "")
    # A sample that is not finished proves nothing, so it says nothing.
    assert public_form.texts(public()) == before


@pytest.mark.slow
def test_the_release_that_is_made_again_carries_the_sample_of_the_same_videos(folder):
    look(folder, 2)
    text = public_form.texts(public())["CERTIFICATE.md"]
    assert "2 of 4 clips were drawn at random (seed 0) and looked at: 0 findings. With 95 % confidence" in text
    assert "in up to 2 of all clips (exact, drawn without replacement); for independent clips, in up to 77.64 % of them." in text
    sampled_release.release(folder, levels=47)
    stated = public()
    assert stated["sample"]["of_these_videos"] == []
    assert stated["sample"]["earlier"] == {"samples": 1, "findings": 0}
    assert "Samples of earlier videos: 1" in public_form.texts(stated)["CERTIFICATE.md"]


@pytest.mark.slow
def test_videos_in_which_somebody_saw_something_are_not_released_again_until_they_are_others(folder):
    drawn = look(folder, 4, findings=[1])
    clip = drawn.clips[1]
    first_s = clip.start_s + (sampled_release.FIRST / sampled_release.FPS if clip.recording == "single" else 0)
    with pytest.raises(ReleaseError) as refused:
        public()
    assert f"'{clip.recording}': {ANN} saw 'a face in a mirror'; open: .venv/bin/scrubin review --at {clip.recording}:{first_s:g}" in str(
        refused.value
    )
    sampled_release.release(folder, levels=47)
    assert public()["sample"]["earlier"] == {"samples": 1, "findings": 1}


def test_who_takes_a_finding_back_lets_the_release_go_on(folder):
    drawn = look(folder, 4, findings=[1])
    with review_study.desk(folder, "bea") as desk:
        desk.check(drawn.videos, drawn.clips[1], CLEAN, "")
    with pytest.raises(ReleaseError):
        public()
    with review_study.desk(folder, ANN) as desk:
        desk.check(drawn.videos, drawn.clips[1], CLEAN, "")
    assert public()["sample"]["of_these_videos"][0]["findings"] == 0


def test_a_sample_while_the_pipeline_runs_stops_nothing(seen):
    document, _ = reviewed()
    look(seen)
    gates.require_reviewed(document, PARAMS, Ledger().lines(), datetime.date(2026, 5, 1).isoformat(), gates.Acknowledgeable())


@pytest.mark.slow
def test_the_private_form_names_who_said_what_and_every_file_that_shows_it(seen):
    look(seen)
    stated = private()
    assert [one["person"] for one in stated["people"]] == [ANN]
    (one,) = stated["samples"]
    assert [row["by"] for row in one["judgements"]] == [ANN] * 4
    assert {row["clip"]["recording"] for row in one["judgements"]} == {"pair", "single"}
    assert stated["ledger"] == {"lines": len(Ledger().lines()), "head": Ledger().lines()[-1].sha256}
    assert stated["evidence"]
    for row in stated["evidence"]:
        assert row["sha256"] == sha256_of(Path(row["file"]))


def test_whatever_the_audit_counts_stands_in_the_private_form(folder):
    stated = private()
    assert stated["audit"] == {"passed": True, "findings": 0, "pictures: read": 1234, "pictures: rule": "by change"}
    shown = (issue.FOLDER / "index.html").read_text()
    assert "pictures: read" in shown
    assert "1,234" in shown


@pytest.mark.usefixtures("folder")
def test_the_page_loads_nothing_and_what_people_wrote_stays_text(folder):
    hostile = "<img src=x onerror=alert(1)>"
    look(folder, findings=[0], by=hostile)
    review, lines = reviewed()
    clean = [line for line in lines if line.event == "sampled"]
    videos = io.read(VIDEOS, Path("data/tables/videos.parquet"))
    stated = issue.public(PARAMS, videos, review, "", clean)
    document = issue.private_document(stated, review, RELEASED, lines) | {"evidence": []}
    shown = issue.render_page(document)
    assert hostile not in shown
    assert "&lt;img src=x" in shown
    assert not re.search(r"<(script|link|img|iframe)|https?://|@import|url\(", shown)
    assert "A finding is hidden by a decision in the raw review" in shown


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes(folder):
    look(folder)
    private()
    first = [(issue.FOLDER / name).read_bytes() for name in ("index.html", "certificate.json")]
    private()
    assert [(issue.FOLDER / name).read_bytes() for name in ("index.html", "certificate.json")] == first


@pytest.mark.slow
def test_after_a_sample_the_private_form_is_renewed_and_says_that_the_public_one_follows(folder, capsys):
    private()
    drawn = look(folder, 3)
    assert review.conclude(drawn) == 0
    said = capsys.readouterr().out
    assert "3 of 4 clips were drawn at random (seed 0) and looked at: 0 findings" in said
    assert "make repro puts it into the certificate of the release" in said
    stated = json.loads((issue.FOLDER / "certificate.json").read_text())
    assert [one["checked"] for one in stated["samples"]] == [3]
    assert "The public form in the release does not yet say all of this" in (issue.FOLDER / "index.html").read_text()
    private()
    assert "does not yet say" not in (issue.FOLDER / "index.html").read_text()


def test_a_finding_ends_the_command_with_one_and_says_where(folder, capsys):
    drawn = look(folder, findings=[0])
    assert review.conclude(drawn) == 1
    said = capsys.readouterr().out
    assert "finding: '" in said
    assert "a face in a mirror" in said
    assert "The new videos need a new sample" in said
    assert "there is no certificate yet" in said


def test_a_certificate_of_other_videos_is_left_alone(folder):
    private()
    before = (issue.FOLDER / "certificate.json").read_bytes()
    sampled_release.release(folder, levels=47)
    assert "it is about other videos" in issue.renew(folder, Ledger().lines())
    assert (issue.FOLDER / "certificate.json").read_bytes() == before


def test_the_same_draw_is_noted_once_and_a_larger_one_again(folder):
    assert review.draw_clips(2, 0, ANN) == review.draw_clips(2, 0, "bea")
    review.draw_clips(3, 0, ANN)
    assert [line.event for line in Ledger().lines()] == ["sampled", "sampled"]
    for count, seed in ((0, 0), (2001, 0), (1, -1)):
        with pytest.raises(ReviewError, match="a number of clips from 1 to 2000"):
            review.draw_clips(count, seed, ANN)


def test_a_release_without_a_review_says_so(folder):
    none = replace(PARAMS, review=release_params.NoReview("none", "phantoms only"))
    review, lines = reviewed()
    stated = issue.public(none, io.read(VIDEOS, Path("data/tables/videos.parquet")), review, gates.review_sentence(review, none), lines)
    text = public_form.texts(stated)["CERTIFICATE.md"]
    assert "Nobody was required to look at the recordings before this release. The reason: phantoms only" in text
    assert "Looked at: 0 of 23 seconds" in text


def test_clips_of_earlier_videos_are_named_by_the_ledger_alone(folder):
    """Whoever is withdrawn from the next version is in none of its reports."""
    look(folder, findings=[0])
    sampled_release.release(folder, levels=47)
    stated = private()
    assert [(one["findings"], one["judgements"]) for one in stated["samples"]] == [(1, [])]
    assert not re.search(r"borunga|abelo", files.json_text(stated["samples"]))
    assert "Samples of earlier videos" in (issue.FOLDER / "index.html").read_text()
