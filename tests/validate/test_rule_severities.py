"""A rule says its severity itself; params.yaml may say otherwise; adding one is one function in one file."""

from __future__ import annotations

import json
import sys

import pytest

import synthetic_study
from checked_study import study_of
from scrubin import cli
from scrubin.base import params
from scrubin.base.errors import ParamsError
from scrubin.curate.preflight import preflight
from scrubin.stages.validate import outcomes, rules, suite
from scrubin.stages.validate.registry import RULES, rule

ONLY_REPORTED = {
    "class_drift": "warning",
    "file_labels": "warning",
    "frame_repeated": "note",
    "frame_twice": "warning",
    "label_in_dropped_frame": "note",
    "label_in_redacted_frame": "note",
    "missing_from_split": "warning",
    "near_duplicate_recording": "warning",
    "phase_flicker": "warning",
    "phase_transition": "warning",
    "stereo_odd": "warning",
    "stereo_undecided": "note",
}
NEW = """
from scrubin.stages.validate.registry import rule


@rule("warning", "no recording is called bovi-kuma", videos=("id",), splits=("id",))
def never_bovi(study, table):
    return study.columns(table, "id")["id"] == "bovi-kuma"
"""


@pytest.fixture
def new_rule(tmp_path, monkeypatch):
    """A file with one function beside the others, and nothing else."""
    (tmp_path / "names.py").write_text(NEW)
    before = dict(RULES)
    monkeypatch.setattr(rules, "__path__", [*rules.__path__, str(tmp_path)])
    rules.register_all()
    yield "never_bovi"
    RULES.clear()
    RULES.update(before)
    del sys.modules["scrubin.stages.validate.rules.names"]


def outcomes_of(name, overrides):
    return [one for one in suite.run(study_of(synthetic_study.tables()), overrides) if one.rule == name]


@pytest.mark.slow
def test_a_new_file_of_rules_is_checked_with_its_severity_overridden_by_params_and_listed(new_rule):
    checked = suite.run(study_of(synthetic_study.tables()), {})
    one, other = (outcome for outcome in checked if outcome.rule == new_rule)
    assert (one.table, one.severity, one.result, one.count) == ("splits", "warning", "failed", 1)
    assert (other.table, other.keys[0]["id"]) == ("videos", "bovi-kuma")
    assert not outcomes.stopping(checked)
    rows = study_of(synthetic_study.tables()).row_counts
    assert "</span> never_bovi</h3>" in outcomes.page(checked, rows)
    assert new_rule in {entry["rule"] for entry in outcomes.document(checked, rows)["outcomes"]}
    assert {outcome.severity for outcome in outcomes_of(new_rule, {new_rule: "error"})} == {"error"}


def test_a_new_rule_is_known_by_the_check_of_params_and_by_the_command(new_rule, tmp_path, capsys):
    path = tmp_path / "params.yaml"
    path.write_text(params.PARAMS_PATH.read_text().replace("  severity: {}", "  severity: {never_bov: error}"))
    with pytest.raises(ParamsError, match=r"validate\.severity\.never_bov': there is no such rule; did you mean 'never_bovi'"):
        preflight.check_all(path)
    (tmp_path / "videos.csv").write_text(synthetic_study.tables()["videos"].to_csv(index=False))
    assert cli.main(["validate", str(tmp_path / "videos.csv"), "--params", str(path)]) == 1
    assert "did you mean 'never_bovi'" in capsys.readouterr().err
    path.write_text(path.read_text().replace("never_bov:", "never_bovi:"))
    assert preflight.check_all(path)["validate"].severity == {"never_bovi": "error"}
    assert cli.main(["validate", str(tmp_path / "videos.csv"), "--params", str(path), "--json"]) == 1
    (entry,) = [one for one in json.loads(capsys.readouterr().out)["outcomes"] if one["rule"] == new_rule]
    assert (entry["severity"], entry["result"], entry["count"]) == ("error", "failed", 2)


def test_every_rule_but_these_stops_the_release():
    severities = rules.severities({})
    assert {name: severity for name, severity in severities.items() if severity != "error"} == ONLY_REPORTED
    assert severities.keys() == RULES.keys()


def test_overrides_change_one_rule_and_no_other():
    assert rules.severities({"phase_flicker": "error"}) == {**rules.severities({}), "phase_flicker": "error"}


def test_an_unknown_rule_names_the_near_miss_or_all_there_are():
    with pytest.raises(ParamsError, match=r"^params\.yaml: 'validate\.severity\.phase_flickr': .*did you mean 'phase_flicker'\?$"):
        rules.severities({"phase_flickr": "note"})
    with pytest.raises(ParamsError, match="known are allowed_value, box_inside_image, "):
        rules.severities({"x": "note"})


def test_two_rules_of_one_name_are_a_mistake():
    with pytest.raises(ValueError, match="there are two rules 'phase_flicker'"):

        @rule("error", "anything", phases=("phase",))
        def phase_flicker(study, table):
            raise NotImplementedError
