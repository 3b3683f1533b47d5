"""What a curator declares: totals, workflows, the version before."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import synthetic_study
from checked_study import expected_of, failed, severities, study_of
from scrubin.base import params
from scrubin.base.errors import ParamsError
from scrubin.base.files import sha256_of
from scrubin.base.tables.public import PHASES, TRIPLETS, public_tables
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import transitions
from scrubin.stages.validate import suite
from scrubin.stages.validate.expected import Total, ValidateParams, expected
from scrubin.stages.validate.near_duplicates import Limits
from scrubin.stages.validate.rules import counts
from scrubin.stages.validate.rules.vocabulary import phase_flicker, phase_transition
from scrubin.stages.validate.study_tables import NotApplicableError, StoredTable, Study

TABLES = public_tables(synthetic_study.ASPECTS)
WORDS = {name: vocabulary.load(name) for name in ("cholect50", "prostatd")}


def declared(tmp_path, **changed):
    """The section of params.yaml with some lines changed, checked."""
    lines = params.PARAMS_PATH.read_text().splitlines()
    for name, value in changed.items():
        section = lines.index("validate: # rules of every table, see reports/validation/index.html")
        at = next(i for i, line in enumerate(lines) if i > section and line.startswith(f"  {name}: "))
        lines[at] = f"  {name}: {json.dumps(value)}"
    (tmp_path / "params.yaml").write_text("\n".join(lines))
    return expected(params.load("validate", ValidateParams, tmp_path / "params.yaml"), WORDS, TABLES.values())


def of_labels(table, frame, expected, **more):
    """A study of one table of labels, without frames or videos."""
    types = {column.name: {"str": "string", "int64": "int64", "float64": "double"}[column.dtype] for column in table.columns}
    return Study({table.name: StoredTable(table, types, frame)}, None, None, WORDS, Limits(20, 20), expected, **more)


def phases(names, every=1, recording="one"):
    ids = [WORDS["cholect50"].id_of("phase", name) for name in names]
    frames = np.arange(len(names)) * every
    rows = pd.DataFrame(
        {"id": recording, "frame": frames, "vocabulary": "cholect50", "phase": names, "phase_id": ids}, index=range(len(ids))
    )
    return rows.astype({"id": "str", "vocabulary": "str", "phase": "str", "frame": "int64", "phase_id": "int64"})


def outcome_of(study, table, rule):
    """By the rules alone, as in the base install: whether another judge says the same is asked elsewhere."""
    return [outcome for outcome in suite.of_table(None, study, table, severities()) if outcome.rule == rule]


def test_the_published_total_of_cholect50_holds_to_the_frame():
    """100,863 labelled frames in 50 videos (formats.md, CholecT50)."""
    videos = np.repeat([f"VID{i:02d}" for i in range(50)], 2018)[:100_863]
    rows = phases(["preparation"] * 100_863).assign(id=videos, frame=np.arange(100_863) % 2018)
    totals = (Total("phases", 100_863, "frames", {}), Total("phases", 50, "recordings", {}))
    (sound,) = outcome_of(of_labels(PHASES, rows, expected_of(totals=totals)), "phases", "declared_total")
    assert (sound.result, sound.rows, sound.things) == ("passed", 2, "totals")
    (short,) = outcome_of(of_labels(PHASES, rows[1:], expected_of(totals=totals)), "phases", "declared_total")
    assert short.keys == ({"count": "frames", "where": "everywhere", "declared": 100_863, "found": 100_862},)


def test_the_published_totals_of_prostatd_are_found_class_by_class():
    """196,490 instances in 89 classes (ProstaTD, Table 6), of which the first two are 866 and 113."""
    words = WORDS["prostatd"]
    lines = (vocabulary.LISTS / "prostatd_triplets.csv").read_text().splitlines()[2:]
    published = [int(line.rsplit(",", 1)[1]) for line in lines]
    ids = np.repeat(np.arange(89), published)
    names = np.array([words.triplet_name(i) for i in range(89)], dtype=object)[ids]
    rows = pd.DataFrame({column: None for column in TRIPLETS.column_names}, index=range(len(ids)))
    rows = rows.assign(id="one", frame=np.arange(len(ids)), instance=0, vocabulary="prostatd", triplet=names)
    totals = [Total("triplets", 196_490, "rows", {})]
    totals += [Total("triplets", count, "rows", {"triplet": words.triplet_name(i)}) for i, count in enumerate(published)]
    assert not counts.totals(of_labels(TRIPLETS, rows, expected_of(totals=tuple(totals))), "triplets").query("declared != found").size
    swapped = rows.assign(triplet=rows.triplet.replace({names[0]: words.triplet_name(1)}))
    found = counts.totals(of_labels(TRIPLETS, swapped, expected_of(totals=tuple(totals))), "triplets").query("declared != found")
    assert found["found"].tolist() == [0, 979]


@pytest.mark.parametrize(
    ("table", "column", "values", "text", "found"),
    [
        ("triplets", "triplet_id", [3, 3, None], "3", 2),
        ("triplets", "triplet_id", [3, 3, 12], "3.0", 2),
        ("triplets", "x", [0.25, 1.0, None], "1", 1),
        ("triplets", "instrument", ["3", "3.0", None], "3", 1),
        ("skill", "strong_disagreement", [True, False, None], "False", 1),
        ("errors", "occurred", [True, True, False], "true", 2),
    ],
)
def test_a_total_counts_values_of_the_type_of_their_column_whatever_is_missing_beside_them(table, column, values, text, found):
    rows = synthetic_study.tables()[table].iloc[:3]
    rows = rows.assign(**{column: pd.array(values, dtype=rows[column].dtype)})
    total = Total(table, found, "rows", {column: text})
    (outcome,) = outcome_of(
        study_of({**synthetic_study.tables(), table: rows}, expected=expected_of(totals=(total,))), table, "declared_total"
    )
    assert outcome.result == "passed", outcome.keys


def test_a_first_release_has_no_drift_and_says_so():
    (outcome,) = outcome_of(study_of(synthetic_study.tables()), "phases", "class_drift")
    assert outcome.result == "not applicable"
    assert "no version before this one is declared" in outcome.sentence
    assert not failed([outcome])


def test_totals_that_nobody_declared_are_not_applicable_and_do_not_pass():
    (outcome,) = outcome_of(study_of(synthetic_study.tables()), "videos", "declared_total")
    assert (outcome.result, outcome.count) == ("not applicable", None)


def test_the_distance_is_half_the_sum_of_differences_of_shares():
    before = {"phases": {"phase": {"preparation": 8, "gone": 2}}}
    rows = phases(["preparation"] * 6 + ["gallbladder-packaging"] * 2)
    found = counts.drift(of_labels(PHASES, rows, expected_of(previous=before)), "phases", "phase")
    assert found.to_dict("list") == {
        "class": ["gallbladder-packaging", "gone", "preparation"],
        "before": [0, 2, 8],
        "now": [2, 0, 6],
        "change": [0.25, -0.2, -0.05],
        "distance": [0.25] * 3,
        "kept": [False] * 3,
    }


def test_twice_as_many_labels_of_the_same_kind_are_no_drift_but_a_lost_rare_class_is():
    before = {"phases": {"phase": {"preparation": 999, "gallbladder-packaging": 1}}}
    same = phases(["preparation"] * 1998 + ["gallbladder-packaging"] * 2)
    assert counts.drift(of_labels(PHASES, same, expected_of(previous=before)), "phases", "phase").kept.all()
    lost = counts.drift(of_labels(PHASES, phases(["preparation"] * 2000), expected_of(previous=before)), "phases", "phase")
    assert lost.distance.max() < 0.1
    assert lost[~lost.kept]["class"].tolist() == ["gallbladder-packaging"]


def test_a_version_without_labels_has_lost_every_class():
    before = {"phases": {"phase": {"preparation": 3}}}
    assert not counts.drift(of_labels(PHASES, phases([]), expected_of(previous=before)), "phases", "phase").kept.any()


def test_counts_of_the_version_before_come_from_a_file_with_its_hash(tmp_path):
    path = tmp_path / "class_counts.json"
    path.write_text(json.dumps({"tables": counts.class_counts(study_of(synthetic_study.tables()))}))
    found = declared(tmp_path, previous={"path": str(path), "sha256": sha256_of(path)})
    assert found.previous["phases"]["phase"]["preparation"] == 16
    with pytest.raises(ParamsError, match=r"class_counts\.json has the SHA-256 [0-9a-f]{64}, not 00; correct one of them"):
        declared(tmp_path, previous={"path": str(path), "sha256": "00"})
    with pytest.raises(ParamsError, match=r"'validate\.previous': there is no file nothing\.json; it is the class_counts\.json"):
        declared(tmp_path, previous={"path": "nothing.json", "sha256": "00"})


@pytest.mark.parametrize("text", ["{}", "no", '{"tables": {"phases": {"phase": {"preparation": -1}}}}', '{"tables": {"phases": [1]}}'])
def test_a_file_without_counts_is_refused(tmp_path, text):
    path = tmp_path / "class_counts.json"
    path.write_text(text)
    with pytest.raises(ParamsError, match=r"class_counts\.json: it has no counts of classes"):
        declared(tmp_path, previous={"path": str(path), "sha256": sha256_of(path)})


@pytest.mark.parametrize(
    ("total", "message"),
    [
        ({"table": "phase"}, r"totals\[0\]': 'phase' is no public table; did you mean 'phases'"),
        ({"where": {"phse": "x"}}, r"'phse' is no column of table 'phases'; did you mean 'phase'"),
        ({"table": "skill", "count": "frames"}, r"'frame' is no column of table 'skill'"),
        ({"count": "row"}, r"must be one of rows, recordings, frames, but is 'row'; did you mean 'rows'"),
        ({"total": -1}, r"totals\[0\]\.total' must lie in"),
        ({"where": {"phase_id": 3}}, r"where\.phase_id' must be text, but is 3"),
        (
            {"where": {"phase_id": "three"}},
            r"totals\[0\]': column 'phase_id' of table 'phases' holds numbers, and 'three' is no number; correct",
        ),
        ({"where": {"phase_id": "3.5"}}, r"column 'phase_id' of table 'phases' holds whole numbers, not '3\.5'"),
        ({"where": {"phase_id": "1e-9999999"}}, r"column 'phase_id' of table 'phases' holds whole numbers, not '1e-9999999'"),
        ({"where": {"phase_id": "1e400"}}, r"column 'phase_id' of table 'phases' holds whole numbers, not '1e400'"),
        ({"table": "errors", "where": {"occurred": "ja"}}, r"column 'occurred' of table 'errors' holds true or false, not 'ja'"),
    ],
)
def test_a_total_that_names_nothing_is_refused_with_the_near_miss(tmp_path, total, message):
    sound = {"table": "phases", "count": "rows", "where": {}, "total": 1}
    with pytest.raises(ParamsError, match=message):
        declared(tmp_path, totals=[{**sound, **total}])


def test_a_curator_declares_what_may_follow_in_any_known_spelling(tmp_path):
    found = declared(tmp_path, transitions={"cholect50": [["Preparation", "ClippingCutting"]]})
    assert found.transitions["cholect50"] == {("preparation", "clipping-and-cutting")}
    with pytest.raises(ParamsError, match=r"transitions\.cholect5': there is no such vocabulary; did you mean 'cholect50'"):
        declared(tmp_path, transitions={"cholect5": []})
    with pytest.raises(ParamsError, match=r"must list pairs \[phase, next phase\], but has \['Preparation'\]"):
        declared(tmp_path, transitions={"cholect50": [["Preparation"]]})
    with pytest.raises(ParamsError, match=r"transitions\.cholect50': 'Prep' is no phase"):
        declared(tmp_path, transitions={"cholect50": [["Prep", "Preparation"]]})


def test_the_workflow_of_cholec80_is_the_published_graph_in_every_vocabulary_of_the_operation():
    graph = {(0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5), (4, 6), (5, 4), (5, 6), (6, 5)}
    for name in ("cholec80", "cholect50", "cholectrack20"):
        words = vocabulary.load(name)
        found = transitions(words)
        assert {(words.phases.index(of), words.phases.index(to)) for of, to in found} == graph
    assert transitions(vocabulary.load("multibypass140")) is None


def test_a_vocabulary_without_a_known_workflow_is_not_judged_and_that_is_said():
    study = of_labels(PHASES, phases(["preparation"]).assign(vocabulary="multibypass140"), expected_of())
    with pytest.raises(NotApplicableError, match=r"no workflow of the vocabulary 'multibypass140' is known; declare validate\.transitions"):
        phase_transition(study, "phases")


P, C, G = "preparation", "clipping-and-cutting", "gallbladder-extraction"


@pytest.mark.parametrize(
    ("every", "period_s", "flickers"), [(1, 1, True), (1, 2, False), (25, 0.04, True), (50, 0.04, False), (5, 0.04, True)]
)
def test_a_flicker_is_judged_in_seconds_whatever_the_rate_of_the_labels(every, period_s, flickers):
    study = of_labels(PHASES, phases([P, P, C, P, P], every), expected_of(), period_s={"one": period_s})
    assert phase_flicker(study, "phases").tolist() == [False, False, flickers, False, False]


def test_a_flicker_needs_to_know_when_frames_are():
    with pytest.raises(NotApplicableError, match="neither a table 'frames' nor a label file says when the frames of 'one' are"):
        phase_flicker(of_labels(PHASES, phases([P, C, P]), expected_of()), "phases")


def test_rows_in_any_order_are_judged_by_their_frames():
    rows = phases([P, P, C, P, P]).sample(frac=1, random_state=3)
    found = phase_flicker(of_labels(PHASES, rows, expected_of(), period_s={"one": 1}), "phases")
    assert sorted(rows[found].frame) == [2]
    assert sorted(rows[phase_transition(of_labels(PHASES, rows, expected_of()), "phases")].frame) == [2, 3]


@pytest.mark.parametrize("rows", [phases([]), phases([P]), pd.concat([phases([P]), phases([G], recording="two")], ignore_index=True)])
def test_no_frame_and_one_frame_have_no_course(rows):
    study = of_labels(PHASES, rows, expected_of(), period_s={"one": 1, "two": 1})
    assert not phase_flicker(study, "phases").any()
    assert not phase_transition(study, "phases").any()


def test_offending_keys_come_in_the_order_of_the_key_whatever_the_order_of_the_file():
    tables = synthetic_study.tables()
    tables["frames"] = tables["frames"].assign(brightness=999.0).sample(frac=1, random_state=0, ignore_index=True)
    found = failed(list(suite.of_table(None, study_of(tables), "frames", severities())))["in_range", "frames"]
    named = [(key["id"], key["camera"], key["frame"]) for key in found.keys]
    expected_keys = sorted(zip(tables["frames"].id, tables["frames"].camera, tables["frames"].frame, strict=True))[:20]
    assert named == expected_keys
