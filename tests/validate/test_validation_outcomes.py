from __future__ import annotations

import json
import re
from dataclasses import replace

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import synthetic_study
from checked_study import expected_of, failed, severities, study_of
from scrubin.base import params
from scrubin.base.errors import ParamsError, StageError, TableError
from scrubin.base.tables import Column, Table
from scrubin.stages.validate import outcomes, suite
from scrubin.stages.validate.expected import ValidateParams
from scrubin.stages.validate.near_duplicates import Limits
from scrubin.stages.validate.registry import RULES
from scrubin.stages.validate.rules.declarations import row_checks
from scrubin.stages.validate.study_tables import StoredTable, Study, read
from scrubin.stages.validate.suite import Judge

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge()


@pytest.fixture(scope="module")
def broken() -> tuple[list[outcomes.Outcome], dict[str, int]]:
    """A study with a leak, a hostile id, many bad frames, and nothing but that."""
    tables = synthetic_study.tables()
    tables["splits"].loc[tables["splits"].id == "govi-zuma", "subset"] = "test"
    tables["skill"].loc[0, "id"] = HOSTILE
    tables["frames"]["brightness"] = 999.0
    study = study_of(tables)
    answers = suite.run(study, severities(known_id="warning", in_range="note"))
    return answers, study.row_counts


def test_a_rule_that_fails_itself_is_not_checked_says_where_and_stops_no_other(judge, monkeypatch):
    def broken(study, table):
        return study.columns(table, "frame")["no such column"]

    monkeypatch.setitem(RULES, "frame_in_video", replace(RULES["frame_in_video"], broken=broken))
    results = {outcome.rule: outcome for outcome in suite.of_table(judge, study_of(synthetic_study.tables()), "frames", severities())}
    assert results["frame_in_video"].result == "not checked"
    assert re.search(r"the rule itself failed, .+\.py, line \d+: KeyError: 'no such column'", results["frame_in_video"].why)
    assert results["frames_in_order"].result == "passed"


def test_a_wrong_type_is_found_and_the_rules_that_need_the_column_say_that_they_were_not_checked(judge):
    study = study_of(synthetic_study.tables(), retyped={"frames": {"source_frame": pa.float64()}})
    found = list(suite.of_table(judge, study, "frames", severities()))
    wrong = failed(found)
    assert wrong["declared_types", "frames"].keys == ({"column": "source_frame", "declared": "int64", "found": "double"},)
    lost = [outcome for outcome in found if outcome.result == "not checked"]
    assert {outcome.rule for outcome in lost} == {
        "frame_in_video",
        "frames_in_order",
        "frame_twice",
        "frame_repeated",
        "not_missing",
        "in_range",
    }
    assert all(outcome.count is None and "'source_frame' of table 'frames' is double" in outcome.why for outcome in lost)
    assert len(outcomes.stopping(found)) == 1 + len(lost)


def test_a_missing_column_is_found_and_moves_no_other(judge):
    tables = synthetic_study.tables()
    tables["videos"] = tables["videos"].drop(columns="width")
    wrong = failed(list(suite.of_table(judge, study_of(tables), "videos", severities())))
    assert [key["column"] for key in wrong["declared_columns", "videos"].keys] == ["width"]
    assert ("declared_types", "videos") not in wrong


def test_a_rule_that_needs_a_lost_column_of_another_table_is_not_checked(judge):
    tables = synthetic_study.tables()
    tables["videos"] = tables["videos"].drop(columns="frame_count")
    outcome = failed(list(suite.of_table(judge, study_of(tables), "frames", severities())))["frame_in_video", "frames"]
    assert outcome.result == "not checked"
    assert "column 'frame_count' of table 'videos' is missing" in outcome.sentence


@pytest.mark.slow
def test_only_the_first_twenty_keys_are_named_but_all_are_counted(broken):
    outcome = next(outcome for outcome in broken[0] if outcome.rule == "in_range" and outcome.columns == ("brightness",))
    assert (outcome.count, outcome.rows, len(outcome.keys)) == (240, 240, 20)
    assert outcome.keys[1] == {"id": "bovi-kuma", "camera": "left", "frame": 1, "brightness": 999.0}


def test_no_result_names_a_participant(broken):
    text = json.dumps(outcomes.document(*broken)) + outcomes.page(*broken)
    assert "govi-zuma" in text
    for who in ("ann.smith", "chris", "dana"):
        assert who not in text


def test_errors_stop_the_release_and_warnings_and_notes_do_not(broken):
    with pytest.raises(
        StageError, match=r"(?s)^1 check of severity error .*'splits', column subset, rule participant_in_one_subset: 3 of 12"
    ) as caught:
        outcomes.refuse(broken[0], "page.html", {})
    assert "known_id" not in str(caught.value)
    assert "in_range" not in str(caught.value)
    outcomes.refuse([outcome for outcome in broken[0] if outcome.severity != "error"], "page.html", {})


def test_the_document_is_sorted_plain_json_and_tells_the_verdict(broken):
    document = outcomes.document(*broken)
    assert document["verdict"] == "failed"
    assert document["counts"]["failed_error"] == 1
    assert document["counts"]["failed_warning"] == 1
    assert document["counts"]["failed_note"] == 1
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    order = [(entry["table"], entry["rule"], entry["columns"]) for entry in document["outcomes"]]
    assert order == sorted(order)


def test_metrics_are_flat_numbers(broken):
    numbers = outcomes.metrics(*broken)
    assert all(type(number) is int for number in numbers.values())
    assert numbers["rows.frames"] == 240
    assert numbers["offending.in_range"] == 240
    assert numbers["rules.failed_error"] == 1


def test_the_page_escapes_what_tables_hold_and_loads_nothing(broken):
    html = outcomes.page(*broken)
    assert HOSTILE not in html
    assert "&lt;script&gt;" in html
    assert not re.search(r"https?://|<script|<link|url\(|\ssrc=|@import", html)
    assert html == outcomes.page(*broken)


def test_the_page_names_table_column_rule_count_and_keys(broken):
    html = re.sub(r"\s*\n\s*", "\n", outcomes.page(*broken))
    card = html[html.index("</span> participant_in_one_subset</h3>") :].split("</section>")[0]
    assert "table <code>splits</code>, column <code>subset</code>" in card
    assert "3 of 12 rows break it." in card
    assert "<td>govi-zuma</td>" in card


def test_what_is_not_applicable_stands_by_itself_with_the_reason_and_is_no_failure(broken):
    html = outcomes.page(*broken)
    failures, rest = html.split('<h2 id="unasked">')
    assert "declared_total" not in failures
    assert "<td>no version before this one is declared (validate.previous in params.yaml)</td>" in rest
    assert "<code>errors, phases, triplets</code>" in rest
    counts = outcomes.tally(broken[0])
    assert counts["not_applicable"] == 22
    assert counts["asked"] == counts["passed"] + counts["not_applicable"] + sum(
        counts[f"failed_{one}"] for one in ("error", "warning", "note")
    )


@pytest.mark.slow
def test_the_page_of_a_sound_study_says_so():
    study = study_of(synthetic_study.empty_tables())
    html = outcomes.page(suite.run(study, severities()), study.row_counts)
    assert "Nothing stops the release" in html


def test_a_file_that_is_no_parquet_is_named(tmp_path):
    path = tmp_path / "videos.parquet"
    path.write_text("no")
    with pytest.raises(TableError, match=r"videos\.parquet: cannot be read as parquet"):
        read(synthetic_study.BY_NAME["videos"], path)


def test_an_unknown_severity_names_the_near_miss(tmp_path):
    text = params.PARAMS_PATH.read_text().replace("  severity: {}", "  severity: {phase_flicker: warn}")
    (tmp_path / "params.yaml").write_text(text)
    with pytest.raises(ParamsError, match=r"phase_flicker' must be one of error, warning, note, but is 'warn'; did you mean 'warning'"):
        params.load("validate", ValidateParams, tmp_path / "params.yaml")


ANY = Table(
    "any",
    "anything",
    private=False,
    key=("key",),
    columns=(
        Column("key", "int64", "", "key"),
        Column("share", "float64", "", "share", null="unknown", between=(0, 1)),
        Column("open", "float64", "", "open end", null="unknown", between=(0, None)),
        Column("word", "str", "", "word", values=("a", "b")),
    ),
)
VALUES = st.one_of(st.none(), st.floats(allow_nan=False), st.sampled_from([0.0, 1.0, -1e-9, 1 + 1e-9]))
ROWS = st.lists(st.tuples(st.integers(0, 3), VALUES, VALUES, st.sampled_from(["a", "b", "c", None])), max_size=6)


@pytest.mark.slow
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS)
def test_great_expectations_and_the_named_keys_always_agree(judge, rows):
    frame = pd.DataFrame(rows, columns=ANY.column_names).astype({"key": "int64", "share": "float64", "open": "float64", "word": "str"})
    types = {"key": "int64", "share": "double", "open": "double", "word": "string"}
    study = Study({"any": StoredTable(ANY, types, frame)}, None, None, {}, Limits(20, 20), expected_of())
    checks = [planned.check() for planned in row_checks(study, "any")]
    verdicts = judge.verdicts("any", frame, [check.expectation for check in checks])
    assert [not check.broken().any() for check in checks] == verdicts
