from __future__ import annotations

import dataclasses

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.stages.report import extracted_frames, privacy, recordings


def test_every_recording_has_one_fate(study):
    overview = recordings.overview(study)
    assert (overview["recordings"], overview["ready"], overview["excluded"], overview["quarantined"], overview["lost"]) == (14, 12, 1, 1, 0)
    tasks = recordings.by_task(study)
    assert sum(row["ready"] + row["excluded"] + row["quarantined"] + row["lost"] for row in tasks) == 14
    assert (overview["videos"], overview["frames"]) == (20, 240)
    assert overview["hours"] == pytest.approx(20 * 12 / 3600)


def test_a_kept_recording_that_is_not_released_and_not_explained_is_shown_as_lost(study):
    gone = study.videos[study.videos.id != "movi-wuma"]
    assert recordings.overview(dataclasses.replace(study, videos=gone))["lost"] == 1


def test_a_file_that_no_row_names_is_no_recording_of_an_unknown_task(study):
    stray = study.quarantine.head(1).assign(recording="videos/x.mkv", camera="", path="videos/x.mkv")
    more = dataclasses.replace(study, quarantine=pd.concat([study.quarantine, stray]))
    assert recordings.overview(more) == recordings.overview(study)
    assert recordings.by_task(more) == recordings.by_task(study)
    assert "videos/x.mkv" in {row["recording"] for row in recordings.quarantined(more)}


def test_a_recording_that_a_later_stage_quarantined_counts_as_quarantined(study):
    gone = study.videos[study.videos.id != "bovi-kuma"]
    row = study.quarantine.assign(recording="Rec_PegTransfer_0", stage="render")
    both = dataclasses.replace(study, videos=gone, quarantine=pd.concat([study.quarantine, row]))
    overview = recordings.overview(both)
    assert (overview["quarantined"], overview["lost"], overview["ready"]) == (2, 0, 11)


def test_labelled_frames_are_counted_once_and_include_those_without_an_instrument(study):
    assert len(study.triplets) == len(study.phases) == 4 * 11
    assert recordings.overview(study)["labelled_frames"] == 4 * 12


def test_labels_are_counted_by_layer_and_a_frame_nobody_looked_at_is_unlabelled(study):
    unseen = study.labelled[(study.labelled["layer"] == "instances") & (study.labelled["frame"] == 3)]
    found = extracted_frames.label_totals(dataclasses.replace(study, labelled=study.labelled.drop(unseen.index)))
    assert {name: found[name] for name in ("recordings", "without_labels", "left_out_recordings")} == {
        "recordings": 4,
        "without_labels": 8,
        "left_out_recordings": 1,
    }
    layers = [[found[f"{layer}_{name}"] for name in ("labelled_frames", "unlabelled_frames", "rows")] for layer in ("instances", "phases")]
    assert layers == [[44, 4, 44], [48, 0, 44]]
    assert (found["phases_labels_before_cut"], found["phases_labels_after_cut"]) == (1, 2)


def test_hidden_seconds_tell_spans_rectangles_and_what_stayed_visible_apart(study):
    rows = {(row["kind"], row["source"]): row for row in privacy.redactions(study)}
    assert rows["out_of_body", "appearance"]["hidden_s"] == pytest.approx(2.5)
    assert rows["black", "black"] == {
        "kind": "black",
        "source": "black",
        "files": 1,
        "proposed": 1,
        "hidden": 0,
        "undecided": 0,
        "shown": 1,
        "hidden_s": 0,
        "rectangle_s": 0,
        "rejected_s": pytest.approx(2.5),
    }
    assert rows["out_of_body", "appearance"]["undecided"] == 1
    assert rows["text", "curator"]["rectangle_s"] == pytest.approx(12.0)
    assert rows["text", "curator"]["hidden_s"] == 0
    assert (rows["text", "curator"]["proposed"], rows["text", "curator"]["hidden"]) == (0, 1)


def test_an_accepted_proposal_counts_once_and_its_parts_are_one(study):
    """The table has an accepted part twice, the second time as the curator's, and a proposal as often as it has parts."""
    row = study.redactions[study.redactions.source == "black"].iloc[0]
    before, after = (row.start_s, row.start_s + 1), (row.start_s + 1, row.end_s)
    parts = [
        {**row, "start_s": start, "end_s": end, "decision": decision, "accepted": decision == "accepted", "source": source}
        for (start, end), decision, source in ((before, "accepted", "black"), (after, "rejected", "black"), (before, "accepted", "curator"))
    ]
    twice = dataclasses.replace(study, redactions=pd.DataFrame(parts).astype(study.redactions.dtypes))
    (counted,) = privacy.redactions(twice)
    assert [counted[name] for name in ("source", "proposed", "hidden", "undecided", "shown")] == ["black", 1, 1, 0, 1]
    assert len(privacy.spans(twice)) == 2


@given(spans=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=8))
def test_overlapping_spans_count_once(spans):
    ordered = [(min(span), max(span)) for span in spans]
    frame = pd.DataFrame(ordered, columns=["start_s", "end_s"], dtype="float64").assign(recording="a", camera="left")
    covered = {second for start, end in ordered for second in range(start, end)}
    assert privacy.covered_s(frame) == len(covered)


def test_spans_of_two_cameras_both_count():
    frame = pd.DataFrame({"recording": "a", "camera": ["left", "right"], "start_s": 1.0, "end_s": 3.0})
    assert privacy.covered_s(frame) == 4.0


def test_attention_names_the_recording_and_every_reason(study):
    recs = study.recordings.copy()
    recs.loc[recs.recording == "Rec_PegTransfer_0", "reason"] = "truncated: it lasts 611.0 s"
    frames = study.frames.assign(redacted=(study.frames.id == "bovi-kuma") & (study.frames.frame < 4))
    found = {row["recording"]: row for row in recordings.attention(dataclasses.replace(study, recordings=recs, frames=frames), 0.25)}
    assert found["Rec_PegTransfer_0"] == {
        "recording": "Rec_PegTransfer_0",
        "id": "bovi-kuma",
        "reasons": ["truncated: it lasts 611.0 s", "33% of its frames are hidden"],
    }
    assert found["Rec_PegTransfer_2"]["reasons"] == ["1 span shown, because rejected: can anybody be recognised?"]
    assert found["Rec_SutureAndKnot_7"]["reasons"] == ["the raters disagree strongly: it may only be used for training"]
    assert "labels: the cut does not start on a label" in found["Rec_Cholecystectomy_8"]["reasons"]
    assert "Rec_PegTransfer_9" not in found
    assert list(found) == sorted(found)


def test_hidden_frames_say_nothing_about_quality(study):
    dark = study.frames.assign(redacted=study.frames.frame == 0, brightness=study.frames.brightness.where(study.frames.frame != 0, 0.0))
    hiding = dataclasses.replace(study, frames=dark)
    assert all(row["n"] == (88 if row["task"] != "Cholecystectomy" else 44) for row in extracted_frames.distributions(hiding))
    assert all(frame["frame"] != 0 for frame in extracted_frames.worst_frames(hiding, 12))


def test_dropped_frames_are_counted_by_measure_and_have_no_thumbnail(study):
    why = {0: "contrast 3 is below 8", 1: "sharpness 2 is below 50"}
    frames = study.frames.copy()
    for frame, reason in why.items():
        frames.loc[(frames.id == "bovi-kuma") & (frames.frame == frame), ["dropped", "dropped_why", "path"]] = [True, reason, None]
    dropping = dataclasses.replace(study, frames=frames)
    per_camera = int((study.frames[study.frames.id == "bovi-kuma"].frame == 0).sum())
    visible = int(study.frames.id.isin(study.videos[study.videos.task == "PegTransfer"].id).sum())
    assert extracted_frames.dropped_frames(dropping) == [
        {"task": "PegTransfer", "measure": measure, "n": per_camera, "share": per_camera / visible} for measure in ("contrast", "sharpness")
    ]
    assert extracted_frames.dropped_frames(study) == []
    assert recordings.overview(dropping)["dropped_frames"] == 2 * per_camera
    assert extracted_frames.distributions(dropping) == extracted_frames.distributions(study)
    assert all(isinstance(frame["path"], str) for frame in extracted_frames.worst_frames(dropping, 40))


@pytest.mark.parametrize("count", [0, 1, 5, 12])
def test_the_worst_frames_are_the_worst_of_each_measure_and_none_twice(study, count):
    shown = extracted_frames.worst_frames(study, count)
    assert len(shown) == len({frame["path"] for frame in shown}) == count
    if count == 12:
        least = study.frames.sort_values("sharpness").iloc[0]
        assert (shown[0]["path"], shown[0]["value"]) == (least.path, least.sharpness)
        assert [frame["measure"] for frame in shown] == [measure for measure in extracted_frames.MEASURES for _ in range(3)]
        most = study.frames.saturated_share.max()
        assert shown[9]["value"] == most


def test_a_study_with_few_frames_shows_what_it_has(study):
    few = dataclasses.replace(study, frames=study.frames.head(2))
    assert 0 < len(extracted_frames.worst_frames(few, 12)) <= 2


def test_every_span_can_be_copied_into_the_list_of_decisions(study):
    found = privacy.spans(study)
    assert len(found) == len(study.redactions)
    assert {"recording", "camera", "kind", "start_s", "end_s", "x", "y", "w", "h", "decision", "accepted"} <= set(found[0])


def test_what_was_read_in_a_picture_is_not_in_the_report(study):
    assert not [row for row in privacy.spans(study) if "text" in row]
