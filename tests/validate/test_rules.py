"""Every rule is broken once on purpose: it must fire and name the key; right beside the break it must not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import synthetic_study
from checked_study import arrow_of, expected_of, failed, severities, study_of
from compared_tables import compared
from scrubin.labels.masks.rle import text_of_runs
from scrubin.stages.validate import suite
from scrubin.stages.validate.expected import Total
from scrubin.stages.validate.registry import RULES, row_rules
from scrubin.stages.validate.rules import counts
from scrubin.stages.validate.study_tables import Study, stored_table
from scrubin.stages.validate.suite import Judge
from synthetic_study import mask_of

PICTURE = ["perceptual_hash", "sharpness", "brightness", "contrast", "saturated_share"]
Tables = dict[str, pd.DataFrame]
Change = Callable[[Tables], None]
EXERCISE, SECOND, LATER = "bovi-kuma", "covi-zuma", "govi-zuma"  # of ann.smith, bo, and again ann.smith
CASE = "movi-wuma"


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge()


def rows_of(frame: pd.DataFrame, /, **key: Any) -> pd.Series:
    chosen = pd.Series(data=True, index=frame.index)
    for name, value in key.items():
        chosen &= frame[name] == value
    assert chosen.any(), f"no row has {key}"
    return chosen


def put(table: str, column: str, value: Any, /, **key: Any) -> Change:
    """Set a column of the rows with this key."""

    def change(tables: Tables) -> None:
        frame = tables[table].copy()
        frame.loc[rows_of(frame, **key), column] = value
        tables[table] = frame

    return change


def drop(table: str, /, **key: Any) -> Change:
    def change(tables: Tables) -> None:
        tables[table] = tables[table][~rows_of(tables[table], **key)].reset_index(drop=True)

    return change


def again(table: str, changed: dict[str, Any], /, **key: Any) -> Change:
    """Repeat the rows with this key, with some columns changed."""

    def change(tables: Tables) -> None:
        twin = tables[table][rows_of(tables[table], **key)].assign(**changed)
        tables[table] = pd.concat([tables[table], twin], ignore_index=True)

    return change


def add_column(table: str, name: str, place: int) -> Change:
    def change(tables: Tables) -> None:
        tables[table] = tables[table].copy()
        tables[table].insert(place, name, "x")

    return change


def swap(table: str, a: str, b: str) -> Change:
    def change(tables: Tables) -> None:
        names = {a: b, b: a}
        tables[table] = tables[table][[names.get(name, name) for name in tables[table]]]

    return change


def both(*changes: Change) -> Change:
    def change(tables: Tables) -> None:
        for one in changes:
            one(tables)

    return change


FRAME = {"id": EXERCISE, "camera": "left", "frame": 3}
LAST = {**FRAME, "frame": 11}
LABEL = {"id": CASE, "frame": 3}
LOOKED = {"layer": "instances", **LABEL}
PHASE = {"layer": "phases", **LABEL}
VALIDATED = "dovi-wuma"  # in another subset than SECOND


def same_pictures(one: str, other: str) -> Change:
    """Let a recording show what another one shows, but for a few bits, as if it were encoded again."""

    def change(tables: Tables) -> None:
        frame = tables["frames"].copy()
        hashes = frame.perceptual_hash[rows_of(frame, id=one, camera="left")].tolist()
        altered = [f"{int(text, 16) ^ (1 << (5 * k)):016x}" for k, text in enumerate(hashes[:-1])] + hashes[-1:]
        frame.loc[rows_of(frame, id=other, camera="left"), "perceptual_hash"] = altered
        tables["frames"] = frame

    return change


def same_frame(one: tuple[str, str, int], other: tuple[str, str, int]) -> Change:
    """Let a frame be the same picture as another one, to the last measured digit."""

    def change(tables: Tables) -> None:
        frame = tables["frames"].copy()
        at, to = (rows_of(frame, id=id_, camera=camera, frame=k) for id_, camera, k in (one, other))
        frame.loc[to, PICTURE] = frame.loc[at, PICTURE].to_numpy()
        tables["frames"] = frame

    return change


TOTALS = (
    Total("phases", 48, "rows", {}),
    Total("phases", 16, "rows", {"phase": "preparation"}),
    Total("triplets", 4, "recordings", {}),
    Total("triplets", 48, "frames", {}),
    Total("errors", 2, "recordings", {"task": "PegTransfer", "occurred": "True"}),
)
"""What a curator may declare of the synthetic study; all of it is so."""
DECLARED = expected_of(totals=TOTALS, previous=counts.class_counts(study_of(synthetic_study.tables())))
PLACE = (CASE, "mono", 3)
SPLIT = {"scheme": "balanced", "fold": 0, "id": SECOND}
HIDE = put("frames", "redacted", True, id=CASE, frame=3)
DROP = both(
    put("frames", "dropped", True, id=CASE, frame=3),
    put("frames", "path", None, id=CASE, frame=3),
    put("frames", "dropped_why", "contrast 3 is below 8", id=CASE, frame=3),
)
DETAILS = ("masks", "tracks", "points", "marks")
NO_MASKS = ("", "132", "\u00e9", text_of_runs([32 * 18]), text_of_runs([0, 9, 0, 9, 32 * 18 - 18]), "P0" + text_of_runs([0, 32 * 18])[1:])
"""Nothing, of another size, no counts at all, empty, with a run of no length, with a number written longer than it is."""
HIGH = put("hidden", "h", 400, id=CASE)
MOVED = both(HIGH, put("hidden", "x", 300, id=CASE))
WHOLLY = both(*(put("hidden", side, None, id=CASE) for side in "xywh"))

BREAKS: list[tuple[str, str, Change, dict[str, Any]]] = [
    ("declared_columns", "videos", add_column("videos", "note", 2), {"column": "note"}),
    ("declared_columns", "videos", swap("videos", "width", "height"), {"column": "width"}),
    ("no_private_column", "splits", add_column("splits", "participant", 0), {"column": "participant"}),
    ("no_private_column", "frames", add_column("frames", "site", 3), {"column": "site"}),
    ("not_missing", "videos", put("videos", "sha256", None, id=SECOND, camera="left"), {"id": SECOND, "camera": "left", "sha256": None}),
    ("not_missing", "frames", put("frames", "sharpness", None, **FRAME), {**FRAME, "sharpness": None}),
    ("in_range", "frames", put("frames", "brightness", 255.5, **FRAME), {**FRAME, "brightness": 255.5}),
    ("in_range", "frames", put("frames", "sharpness", float("inf"), **FRAME), {**FRAME, "sharpness": "inf"}),
    ("in_range", "skill", put("skill", "GRS", float("-inf"), id=SECOND), {"id": SECOND, "GRS": "-inf"}),
    ("in_range", "videos", put("videos", "frame_count", 0, id=CASE), {"id": CASE, "frame_count": 0}),
    ("allowed_value", "videos", put("videos", "camera", "rear", id=CASE), {"id": CASE, "camera": "rear"}),
    ("key_unique", "splits", again("splits", {}, **SPLIT), SPLIT),
    ("known_id", "frames", put("frames", "id", "nobody", **FRAME), {"id": "nobody", "frame": 3}),
    ("known_id", "frames", put("frames", "camera", "mono", **FRAME), {"id": EXERCISE, "camera": "mono"}),
    ("known_id", "ratings", put("ratings", "id", "nobody", id=EXERCISE), {"id": "nobody", "rater": "0"}),
    ("known_id", "skill", both(drop("videos", id=SECOND), drop("frames", id=SECOND)), {"id": SECOND}),
    ("known_id", "gaps", put("gaps", "camera", "left", id=CASE), {"id": CASE, "camera": "left"}),
    ("gap_in_video", "gaps", put("gaps", "last_frame", 299, id=CASE), {"id": CASE, "last_frame": 299}),
    ("gap_in_video", "gaps", put("gaps", "gap_s", 0.0, id=CASE), {"id": CASE, "last_frame": 99}),
    ("known_id", "errors", put("errors", "id", "nobody", id=EXERCISE), {"id": "nobody"}),
    ("known_id", "labelled", put("labelled", "id", "nobody", **LOOKED), {"id": "nobody", "layer": "instances", "frame": 3}),
    ("known_id", "spans", put("spans", "id", "nobody", id=CASE, start_frame=4), {"id": "nobody", "start_frame": 4}),
    ("known_id", "splits", put("splits", "id", "nobody", id=SECOND), {"id": "nobody"}),
    *(
        # Another task of the study: it is to be that of this video.
        ("task_of_video", table, put(table, "task", "SutureAndKnot", id=EXERCISE), {"id": EXERCISE, "task": "SutureAndKnot"})
        for table in ("ratings", "skill", "errors")
    ),
    ("video_has_frames", "videos", drop("frames", id=SECOND, camera="right"), {"id": SECOND, "camera": "right"}),
    ("frame_in_video", "frames", put("frames", "source_frame", 300, **FRAME), {**FRAME, "source_frame": 300}),
    ("frame_in_video", "frames", put("frames", "time_s", 12.0, **FRAME), {**FRAME, "time_s": 12.0}),
    ("frames_contiguous", "frames", drop("frames", **FRAME), {**FRAME, "frame": 4}),
    ("frames_contiguous", "frames", drop("frames", id=CASE, frame=0), {"id": CASE, "frame": 1}),
    ("frames_in_order", "frames", put("frames", "time_s", 2.0, **FRAME), {**FRAME, "time_s": 2.0}),
    ("frames_in_order", "frames", put("frames", "source_frame", 10, **FRAME), {**FRAME, "source_frame": 10}),
    ("frames_in_order", "frames", put("frames", "time_s", 1.5, **FRAME), {**FRAME, "time_s": 1.5}),
    ("stereo_equal_length", "videos", put("videos", "frame_count", 299, id=SECOND, camera="left"), {"id": SECOND, "frame_count": 299}),
    (
        "video_bytes_unique",
        "videos",
        put("videos", "sha256", "0" * 64, camera="mono"),
        {"id": CASE, "sha256": "0" * 64, "its_camera": "mono"},
    ),
    (
        "video_bytes_unique",
        "videos",
        both(*(put("videos", "sha256", "0" * 64, id=name, camera="left") for name in (EXERCISE, SECOND))),
        {"id": SECOND, "camera": "left", "same_as": EXERCISE, "its_camera": "left"},
    ),
    ("label_has_frame", "labelled", put("labelled", "frame", 12, **LOOKED), {**LOOKED, "frame": 12}),
    ("label_has_frame", "triplets", put("triplets", "frame", 12, **LABEL), {"id": CASE, "frame": 12}),
    ("label_has_frame", "phases", put("phases", "frame", 12, **LABEL), {"id": CASE, "frame": 12}),
    ("label_has_frame", "spans", put("spans", "end_frame", 13, id=CASE, start_frame=8), {"id": CASE, "end_frame": 13}),
    ("label_has_frame", "spans", drop("frames", id=CASE, frame=4), {"id": CASE, "start_frame": 4}),
    ("label_in_labelled_frame", "triplets", drop("labelled", **LOOKED), LABEL),
    ("label_in_labelled_frame", "triplets", put("labelled", "vocabulary", "prostatd", **LOOKED), {**LABEL, "vocabulary": "cholect50"}),
    ("label_in_labelled_frame", "phases", drop("labelled", **PHASE), LABEL),
    ("label_in_labelled_frame", "spans", drop("labelled", **{**LOOKED, "frame": 4}), {"id": CASE, "start_frame": 4}),
    ("label_in_labelled_frame", "spans", drop("labelled", **{**LOOKED, "frame": 7}), {"id": CASE, "end_frame": 8}),
    ("labelled_frame_has_phase", "labelled", drop("phases", **LABEL), PHASE),
    ("one_vocabulary_per_layer", "labelled", put("labelled", "vocabulary", "prostatd", **PHASE), {**PHASE, "vocabulary": "prostatd"}),
    (
        "one_vocabulary_per_layer",
        "labelled",
        put("labelled", "vocabulary", "mine", id=CASE, layer="phases"),
        {**PHASE, "vocabulary": "mine"},
    ),
    ("one_detail_per_recording", "labelled", put("labelled", "detail", "instrument", **LOOKED), {**LOOKED, "detail": "instrument"}),
    ("one_detail_per_recording", "labelled", put("labelled", "detail", None, id=CASE, layer="instances"), {**LOOKED, "detail": None}),
    ("one_detail_per_recording", "labelled", put("labelled", "detail", "triplet", **PHASE), {**PHASE, "detail": "triplet"}),
    *(("label_in_redacted_frame", table, HIDE, LABEL) for table in ("triplets", "phases")),
    *(("label_in_dropped_frame", table, DROP, LABEL) for table in ("triplets", "phases")),
    ("dropped_without_file", "frames", put("frames", "path", None, **FRAME), FRAME),
    ("dropped_without_file", "frames", put("frames", "dropped", True, **FRAME), FRAME),
    ("dropped_without_file", "frames", put("frames", "dropped_why", "contrast 3 is below 8", **FRAME), FRAME),
    ("dropped_without_file", "frames", both(DROP, HIDE), LABEL),
    ("triplet_in_vocabulary", "triplets", put("triplets", "verb_id", 3, **LABEL), {**LABEL, "verb_id": 3}),
    ("triplet_in_vocabulary", "triplets", put("triplets", "triplet_id", 100, **LABEL), {**LABEL, "triplet_id": 100}),
    ("triplet_in_vocabulary", "triplets", put("triplets", "triplet_id", None, **LABEL), {**LABEL, "triplet_id": None}),
    ("name_of_id", "triplets", put("triplets", "instrument", "hook", **LABEL), {**LABEL, "instrument": "hook"}),
    ("name_of_id", "triplets", put("triplets", "triplet", None, **LABEL), {**LABEL, "triplet": None}),
    ("name_of_id", "triplets", put("triplets", "vocabulary", "mine", **LABEL), {**LABEL, "vocabulary": "mine"}),
    ("name_of_id", "phases", put("phases", "phase_id", 1, **LABEL), {**LABEL, "phase_id": 1}),
    ("name_of_id", "phases", put("phases", "phase_id", 7, **LABEL), {**LABEL, "phase_id": 7}),
    ("box_inside_image", "triplets", put("triplets", "x", 0.76, **LABEL), {**LABEL, "x": 0.76}),
    ("box_inside_image", "triplets", put("triplets", "y", -0.1, **LABEL), {**LABEL, "y": -0.1}),
    ("box_inside_image", "triplets", put("triplets", "h", 0.71, **LABEL), {**LABEL, "h": 0.71}),
    ("box_not_degenerate", "triplets", put("triplets", "w", 0.0, **LABEL), {**LABEL, "w": 0.0}),
    ("box_not_degenerate", "triplets", put("triplets", "h", None, **LABEL), {**LABEL, "h": None}),
    ("span_in_order", "spans", put("spans", "end_frame", 4, id=CASE, start_frame=4), {"id": CASE, "start_frame": 4}),
    ("one_phase_per_frame", "phases", again("phases", {"phase": "gallbladder-packaging", "phase_id": 4}, **LABEL), LABEL),
    ("phase_flicker", "phases", put("phases", "phase", "gallbladder-packaging", **{**LABEL, "frame": 2}), {**LABEL, "frame": 2}),
    (
        "phase_transition",
        "phases",
        put("phases", "phase", "gallbladder-extraction", id=CASE, phase="clipping-and-cutting"),
        {**LABEL, "frame": 8, "phase": "gallbladder-extraction", "previous_phase": "calot-triangle-dissection"},
    ),
    (
        "frame_twice",
        "frames",
        same_frame(PLACE, (EXERCISE, "left", 7)),
        {"id": EXERCISE, "camera": "left", "frame": 7, "same_as": CASE, "its_camera": "mono", "its_frame": 3},
    ),
    ("frame_twice", "frames", same_frame((EXERCISE, "right", 2), (EXERCISE, "left", 2)), {"same_as": EXERCISE, "its_camera": "right"}),
    ("frame_repeated", "frames", same_frame(PLACE, (CASE, "mono", 9)), {**LABEL, "camera": "mono", "same_as": CASE, "its_frame": 9}),
    ("instance_twice", "triplets", again("triplets", {"instance": 1}, **LABEL), {**LABEL, "instance": 1}),
    ("declared_total", "phases", drop("phases", **LABEL), {"count": "rows", "where": "everywhere", "declared": 48, "found": 47}),
    ("declared_total", "phases", put("phases", "phase", "gallbladder-packaging", **{**LABEL, "frame": 0}), {"declared": 16, "found": 15}),
    ("declared_total", "triplets", drop("triplets", id=CASE), {"count": "recordings", "declared": 4, "found": 3}),
    ("declared_total", "triplets", drop("triplets", **LABEL), {"count": "frames", "declared": 48, "found": 47}),
    ("declared_total", "errors", put("errors", "occurred", False, id=EXERCISE), {"where": "occurred = True, task = PegTransfer"}),
    (
        "class_drift",
        "phases",
        put("phases", "phase", "preparation", phase="calot-triangle-dissection"),
        {"class": "calot-triangle-dissection", "before": 16, "now": 0, "change": -0.333333, "distance": 0.333333},
    ),
    ("class_drift", "triplets", put("triplets", "verb", "grasp", verb="retract"), {"class": "retract", "now": 0}),
    ("class_drift", "errors", put("errors", "error", "knot_comes_apart"), {"class": "object_dropped", "now": 0}),
    ("one_subset_per_recording", "splits", again("splits", {"subset": "test"}, **SPLIT), SPLIT),
    (
        "participant_in_one_subset",
        "splits",
        put("splits", "subset", "test", id=LATER),
        {**SPLIT, "id": EXERCISE, "same_participant": LATER, "its_subset": "test"},
    ),
    (
        "participant_in_one_subset",  # in one fold of two, the other being right
        "splits",
        both(put("splits", "fold", 1), again("splits", {"fold": 0}, fold=1), put("splits", "subset", "test", id=LATER, fold=1)),
        {**SPLIT, "fold": 1, "id": EXERCISE, "same_participant": LATER, "its_subset": "test"},
    ),
    (
        "participant_in_one_subset",  # a patient of two procedures
        "splits",
        put("recordings", "participant", "dana", recording="Rec_Cholecystectomy_8"),
        {**SPLIT, "id": CASE, "subset": "train", "same_participant": "fovi-kuma", "its_subset": "test"},
    ),
    ("participant_in_one_subset", "splits", put("linkage", "id", "somebody", id=SECOND), SPLIT),
    ("missing_from_split", "videos", drop("splits", id=SECOND), {"id": SECOND, "camera": "left"}),
    (
        "near_duplicate_in_two_subsets",
        "splits",
        same_pictures(SECOND, VALIDATED),
        {
            **SPLIT,
            "like": VALIDATED,
            "cameras": "left, left",
            "shift_s": 0,
            "shift_frames": 0,
            "matching_frames": 12,
            "compared_frames": 12,
            "its_subset": "val",
        },
    ),
    ("near_duplicate_recording", "videos", same_pictures(SECOND, VALIDATED), {"id": SECOND, "camera": "left", "like": VALIDATED}),
    ("stereo_fits", "stereo", put("stereo", "error", "rows are 9 px off", id=SECOND), {"id": SECOND, "error": "rows are 9 px off"}),
    ("stereo_odd", "stereo", put("stereo", "warning", "it is late", id=SECOND), {"id": SECOND, "rig": "rig_1", "warning": "it is late"}),
    ("stereo_undecided", "stereo", put("stereo", "undecided", "too dark", id=SECOND), {"id": SECOND, "undecided": "too dark"}),
    *(("known_id", table, put(table, "id", "nobody", **LABEL), {"id": "nobody", "frame": 3}) for table in ("triplets", "phases", *DETAILS)),
    ("label_has_frame", "marks", put("marks", "frame", 12, **LABEL), {"id": CASE, "frame": 12}),
    *(("detail_has_instance", table, drop("triplets", **LABEL), LABEL) for table in DETAILS[:3]),
    ("detail_has_instance", "masks", put("masks", "instance", 1, **LABEL), {**LABEL, "instance": 1}),
    ("mark_in_labelled_frame", "marks", drop("labelled", layer="marks", **LABEL), LABEL),
    *(("mask_fits_picture", "masks", put("masks", "counts", text, **LABEL), LABEL) for text in NO_MASKS),
    ("mask_fits_picture", "masks", put("masks", "width", 33, **LABEL), {**LABEL, "width": 33}),
    ("one_size_per_frame", "masks", again("masks", {"instance": 1, "width": 18, "height": 32}, **LABEL), {**LABEL, "instance": 1}),
    ("point_has_place", "points", put("points", "x", None, point="tip", **LABEL), {**LABEL, "point": "tip"}),
    ("point_has_place", "points", put("points", "visibility", 0, point="tip", **LABEL), {**LABEL, "point": "tip"}),
    ("point_has_place", "points", put("points", "visibility", 1, point="hinge", **LABEL), {**LABEL, "point": "hinge"}),
    ("track_once", "tracks", again("tracks", {"instance": 1}, **LABEL), {**LABEL, "instance": 1, "track": 5}),
    ("detail_in_redacted_frame", "masks", HIDE, LABEL),
    ("detail_in_redacted_frame", "points", HIDE, LABEL),
    ("detail_shows_hidden", "masks", put("masks", "counts", mask_of(6, 1, 9, 4), **LABEL), LABEL),
    ("detail_shows_hidden", "masks", MOVED, LABEL | {"frame": 2}),
    ("detail_shows_hidden", "masks", WHOLLY, LABEL),
    ("detail_shows_hidden", "points", both(HIGH, put("points", "x", 0.1, point="tip", **LABEL)), {**LABEL, "point": "tip"}),
    ("detail_shows_hidden", "points", WHOLLY, {**LABEL, "point": "tip"}),
    ("no_private_value", "videos", put("videos", "id", "ann.smith", id=CASE), {"id": "ann.smith"}),
    ("no_private_value", "videos", put("videos", "path", "videos/bo PegTransfer left.mp4", id=CASE), {"id": CASE}),
    ("no_private_value", "videos", put("videos", "path", "videos/Rec_PegTransfer_0.mkv", id=CASE), {"id": CASE}),
    ("no_private_value", "frames", put("frames", "id", "Rec_PegTransfer_0", **FRAME), {"id": "Rec_PegTransfer_0"}),
]


def names_of(cases: list[Any]) -> list[str]:
    return [f"{rule}-{table}-{i}" for i, (rule, table, *_) in enumerate(cases)]


ROW_RULES = {one.name: one for one in row_rules()}
OF_ROWS = [one for one in BREAKS if one[0] in ROW_RULES]


@pytest.fixture(scope="module")
def study_after() -> Callable[[Change], Study]:
    """Return the study after a change; what it leaves alone is made once."""
    sound_tables = synthetic_study.tables()
    sound = study_of(sound_tables, expected=DECLARED)

    def changed(change: Change) -> Study:
        tables = dict(sound_tables)
        change(tables)
        new = {
            name: stored_table(one.table, arrow_of(name, tables[name]))
            for name, one in sound.tables.items()
            if tables[name] is not sound_tables[name]
        }
        private = {name: tables[name] for name in ("recordings", "linkage", "hidden")}
        return dataclasses.replace(sound, tables={**sound.tables, **new}, **private)

    return changed


@pytest.mark.parametrize(("rule", "table", "change", "key"), OF_ROWS, ids=names_of(OF_ROWS))
def test_a_rule_of_rows_finds_the_row_that_breaks_it(rule, table, change, key, study_after):
    study = study_after(change)
    found = study.tables[table].rows[ROW_RULES[rule].broken(study, table).to_numpy()]
    own = pd.Series({name: value for name, value in key.items() if name in found}, dtype=object)
    assert (found[own.index].eq(own) | (found[own.index].isna() & own.isna())).all(axis=1).any()


@pytest.mark.parametrize(("called", "found"), [("videos/stills/000003.jpg", 0), ("videos/bo.jpg", 1)])
def test_a_raw_file_that_is_called_by_a_number_alone_names_no_frame(called, found, study_after):
    frame = f"frames/BalloonResection/mono/{CASE}/{called.rsplit('/', 1)[1]}"
    change = both(put("recordings", "path", called, recording="Rec_PegTransfer_0"), put("frames", "path", frame, **FRAME))
    change = both(change, put("frames", "path", None, id=SECOND))
    assert ROW_RULES["no_private_value"].broken(study_after(change), "frames").sum() == found


def test_videos_that_are_hidden_as_a_whole_are_no_copies_of_each_other(study_after):
    same = put("videos", "sha256", "0" * 64, id=SECOND)
    black = put("frames", "redacted", True, id=SECOND)
    broken = [ROW_RULES["video_bytes_unique"].broken(study_after(change), "videos").sum() for change in (same, both(same, black))]
    assert broken == [2, 0]


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "table", "change", "key"), BREAKS, ids=names_of(BREAKS))
def test_a_rule_broken_on_purpose_fires_and_names_the_key(rule, table, change, key, judge):
    tables = synthetic_study.tables()
    change(tables)
    asked, _ = suite.batches(study_of(tables, expected=DECLARED), table)
    only = [dataclasses.replace(batch, checks=[check for check in batch.checks if check.rule == rule]) for batch in asked]
    outcomes = [one for batch in only for one in suite.outcomes_of(judge, table, batch, severities())]
    # The base install has no other judge than the rule itself.
    assert outcomes == [one for batch in only for one in suite.outcomes_of(None, table, batch, severities())]
    outcome = failed(outcomes)[rule, table]
    assert outcome.result == "failed"
    assert outcome.count == len(outcome.keys)
    assert any(key.items() <= found.items() for found in outcome.keys), outcome.keys


@pytest.mark.slow
def test_no_rule_fires_in_a_sound_study():
    outcomes = suite.run(study_of(synthetic_study.tables(), expected=DECLARED), severities())
    assert {outcome.result for outcome in outcomes} == {"passed", "not applicable"}
    assert outcomes == suite.run(study_of(synthetic_study.tables(), expected=DECLARED), severities(), judged=False)
    # Only totals that nobody declared.
    assert {outcome.rule for outcome in outcomes if outcome.result != "passed"} == {"declared_total"}


@pytest.mark.slow
def test_ends_of_ranges_and_allowed_gaps_are_kept(judge):
    tables = synthetic_study.tables()
    for change in (
        put("frames", "brightness", 255.0, **FRAME),
        put("frames", "saturated_share", 0.0, **FRAME),
        put("skill", "GRS", None, id=SECOND),
        again("splits", {"scheme": "other"}, **SPLIT),
    ):
        change(tables)
    for table in ("frames", "skill", "splits"):
        assert not failed(list(suite.of_table(judge, study_of(tables), table, severities())))


@pytest.mark.slow
def test_no_rule_fires_in_an_empty_study():
    outcomes = suite.run(study_of(synthetic_study.empty_tables()), severities())
    assert not failed(outcomes)
    assert {outcome.rows for outcome in outcomes if outcome.things != "columns"} == {0}


def test_every_rule_is_broken_once_above():
    assert RULES.keys() - {"declared_types", "file_labels"} == {rule for rule, *_ in BREAKS}, "give the rule a line in BREAKS"


def test_every_pair_of_rule_and_table_across_tables_is_broken_once_above():
    asked = {(rule.name, table) for rule in row_rules() for table in rule.columns}
    assert asked <= {(rule, table) for rule, table, *_ in BREAKS}, "give the rule a line in BREAKS for each of its tables"


BESIDE: list[tuple[str, str, Change]] = [
    ("frame_in_video", "frames", both(put("frames", "source_frame", 299, **LAST), put("frames", "time_s", 11.999, **LAST))),
    ("gap_in_video", "gaps", put("gaps", "last_frame", 298, id=CASE)),
    ("frames_contiguous", "frames", drop("frames", id=CASE, frame=11)),
    ("frames_in_order", "frames", both(put("frames", "source_frame", 50, **FRAME), put("frames", "time_s", 2.0, **FRAME))),
    ("stereo_equal_length", "videos", put("videos", "frame_count", 299, id=SECOND)),
    ("stereo_equal_length", "videos", drop("videos", id=SECOND, camera="right")),
    ("label_has_frame", "phases", put("phases", "id", EXERCISE, id=CASE, frame=11)),
    ("label_has_frame", "phases", put("frames", "camera", "right", id=CASE)),
    ("label_in_labelled_frame", "triplets", drop("labelled", **PHASE)),
    ("label_in_labelled_frame", "spans", drop("labelled", **{**LOOKED, "frame": 5})),
    ("labelled_frame_has_phase", "labelled", both(drop("phases", **LABEL), drop("labelled", **PHASE))),
    ("labelled_frame_has_phase", "labelled", drop("triplets", **LABEL)),
    ("one_detail_per_recording", "labelled", put("labelled", "detail", "instrument", id=CASE, layer="instances")),
    ("label_in_redacted_frame", "phases", put("frames", "redacted", True, id=EXERCISE)),
    ("label_in_dropped_frame", "phases", put("frames", "dropped", True, id=EXERCISE)),
    ("dropped_without_file", "frames", DROP),
    ("label_has_frame", "phases", DROP),
    ("box_inside_image", "triplets", put("triplets", "x", 0.75, **LABEL)),
    ("box_inside_image", "triplets", put("triplets", "y", 0.8000005, **LABEL)),
    ("box_not_degenerate", "triplets", both(*(put("triplets", name, None, **LABEL) for name in "xywh"))),
    ("span_in_order", "spans", put("spans", "end_frame", 5, id=CASE, start_frame=4)),
    ("one_subset_per_recording", "splits", again("splits", {"fold": 1, "subset": "test"}, **SPLIT)),
    ("participant_in_one_subset", "splits", again("splits", {"fold": 1, "subset": "test"}, **SPLIT)),
    ("participant_in_one_subset", "splits", again("splits", {"scheme": "other", "subset": "val"}, **SPLIT)),
    ("missing_from_split", "videos", both(*(drop("splits", id=name) for name in ("movi-wuma", "novi-kuma", "povi-zuma", "rovi-wuma")))),
    ("near_duplicate_in_two_subsets", "splits", same_pictures(SECOND, EXERCISE)),
    ("near_duplicate_in_two_subsets", "splits", both(same_pictures(SECOND, VALIDATED), put("frames", "redacted", True, id=VALIDATED))),
    ("near_duplicate_recording", "videos", both(same_pictures(SECOND, VALIDATED), put("frames", "contrast", 3.0, id=SECOND))),
    ("phase_flicker", "phases", put("frames", "time_s", 2.5, id=CASE, frame=2)),
    ("phase_flicker", "phases", both(*(put("phases", "phase", "gallbladder-packaging", **{**LABEL, "frame": k}) for k in (2, 3)))),
    ("phase_flicker", "phases", put("phases", "phase", "gallbladder-packaging", **{**LABEL, "frame": 0})),
    ("phase_flicker", "phases", put("phases", "phase", "gallbladder-packaging", **{**LABEL, "frame": 11})),
    (
        "phase_transition",
        "phases",
        both(put("phases", "phase", "gallbladder-extraction", id=CASE, phase="clipping-and-cutting"), drop("phases", id=CASE, frame=8)),
    ),
    ("phase_transition", "phases", put("phases", "id", "nobody", **{**LABEL, "frame": 8})),
    ("frame_twice", "frames", same_frame(PLACE, (CASE, "mono", 9))),
    ("frame_twice", "frames", both(same_frame(PLACE, (EXERCISE, "left", 7)), put("frames", "redacted", True, id=EXERCISE))),
    ("frame_twice", "frames", both(put("frames", "contrast", 3.9, **LABEL), same_frame(PLACE, (EXERCISE, "left", 7)))),
    ("frame_twice", "frames", both(same_frame(PLACE, (EXERCISE, "left", 7)), put("frames", "sharpness", 1.0, id=EXERCISE, frame=7))),
    ("frame_repeated", "frames", both(same_frame(PLACE, (CASE, "mono", 4)), put("frames", "source_frame", 75, id=CASE, frame=4))),
    ("frame_repeated", "frames", same_frame(PLACE, (EXERCISE, "left", 7))),
    ("instance_twice", "triplets", again("triplets", {"instance": 1, "w": 0.26}, **LABEL)),
    ("instance_twice", "triplets", again("triplets", {"instance": 1, "verb": "pack"}, **LABEL)),
    ("instance_twice", "triplets", again("triplets", {"instance": 1, **dict.fromkeys("xywh")}, **LABEL)),
    ("instance_twice", "triplets", both(put("triplets", "x", None, **LABEL), again("triplets", {"instance": 1}, **LABEL))),
    ("triplet_in_vocabulary", "triplets", both(*(put("triplets", name, None, **LABEL) for name in ("verb_id", "target_id", "triplet_id")))),
    ("video_bytes_unique", "videos", put("videos", "sha256", "0" * 64, id=CASE)),
    ("detail_has_instance", "tracks", put("triplets", "instrument", None, **LABEL)),
    ("mark_in_labelled_frame", "marks", drop("labelled", **LOOKED)),
    ("track_once", "tracks", again("tracks", {"instance": 1, "kind": "visibility_track"}, **LABEL)),
    ("track_once", "tracks", again("tracks", {"instance": 1, "track": 6}, **LABEL)),
    ("one_size_per_frame", "masks", both(put("masks", "width", 18, **LABEL), put("masks", "height", 32, **LABEL))),
    ("point_has_place", "points", put("points", "visibility", 1, point="tip", **LABEL)),
    ("detail_in_redacted_frame", "points", put("frames", "redacted", True, id=CASE, frame=4)),
    ("detail_shows_hidden", "masks", put("masks", "counts", mask_of(7, 0, 32, 18), **LABEL)),
    ("detail_shows_hidden", "masks", put("masks", "counts", mask_of(0, 2, 32, 18), **LABEL)),
    ("detail_shows_hidden", "masks", both(MOVED, put("hidden", "last_frame", 49, id=CASE))),
    ("detail_shows_hidden", "points", both(HIGH, put("points", "x", 0.22, point="tip", **LABEL))),
    ("detail_shows_hidden", "points", both(WHOLLY, put("hidden", "camera", "left", id=CASE))),
]


@pytest.mark.parametrize(("rule", "table", "change"), BESIDE, ids=names_of(BESIDE))
def test_right_beside_the_break_a_rule_is_silent(rule, table, change, study_after):
    assert not ROW_RULES[rule].broken(study_after(change), table).any()


def test_labels_are_not_searched_once_for_each_video_with_something_hidden(monkeypatch):
    tables = synthetic_study.tables()
    hidden, counts = tables["hidden"], []
    for names in ([CASE], [CASE, EXERCISE, SECOND, LATER]):
        tables["hidden"] = pd.concat([hidden.assign(id=name) for name in names], ignore_index=True)
        study = study_of(tables)
        with monkeypatch.context() as patched:
            seen = compared(patched, rows=1)
            ROW_RULES["detail_shows_hidden"].broken(study, "points")
        counts.append(len(seen))
    assert counts[0] == counts[1]


def test_what_a_reader_has_said_of_a_frame_is_not_said_again_of_it_alone():
    tables = synthetic_study.tables()
    put("triplets", "verb_id", 3, **LABEL)(tables)
    (judged,) = [one for one in row_rules() if one.name == "triplet_in_vocabulary"]
    for frame, count in ((LABEL["frame"], 0), (LABEL["frame"] + 1, 1)):
        study = dataclasses.replace(study_of(tables), as_written=frozenset([(LABEL["id"], frame)]))
        assert judged.broken(study, "triplets").sum() == count
