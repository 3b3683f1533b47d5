"""Versions are compared by numbers that name nobody, because DVC may put them into git."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

import reported_study
from scrubin.stages.report import ReportedStudy, comparison, splits
from scrubin.stages.report.document import document
from scrubin.stages.splits import cohort

ROOT = Path(__file__).parents[2]
PLOTS = [entry for plot in yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["plots"] for entry in plot.items()]


@pytest.fixture(scope="module")
def study() -> ReportedStudy:
    return reported_study.study()


@pytest.fixture(scope="module")
def metrics(study):
    return comparison.metrics(study, document(study, reported_study.PARAMS))


@pytest.fixture(scope="module")
def plots(study):
    return comparison.plots(study, document(study, reported_study.PARAMS))


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.slow
def test_fates_agreement_and_balance_are_told(metrics):
    assert metrics["recordings"] == {"all": 14, "ready": 12, "excluded": 1, "quarantined": 1, "lost": 0}
    assert metrics["quarantined_files"] == {"ingest": 1, "screen": 0, "render": 0}
    assert metrics["agreement"]["PegTransfer"]["GRS"] == {"icc": 0.61, "alpha": 0.28, "rho_c": 0.5}
    assert set(metrics["splits"]) == {"balanced", "folds"}
    assert metrics["hidden"]["text"]["rectangle_s"] == 12.0


def test_every_plot_of_the_pipeline_has_its_file_with_its_columns_and_no_file_is_left_without(plots):
    assert {Path(name).name for name, _ in PLOTS} == set(plots)
    for name, shown in PLOTS:
        header, *found = rows(plots[Path(name).name])
        assert header == [shown["y"], shown["x"]]
        assert found
        assert all(float(value) == float(value) for _, value in found)
        assert (ROOT / f".dvc/plots/{shown['template']}.json").is_file()


def test_nothing_in_them_names_a_person_a_site_a_file_or_a_recording(study, metrics, plots):
    text = json.dumps(metrics) + "".join(plots.values())
    private = pd.concat([study.recordings[name] for name in ("recording", "participant", "site", "path")]).dropna().astype("str")
    # Participants and ids of the study are short: only whole words count.
    names = {*private, *study.quarantine["recording"], *study.linkage["id"]}
    assert len(names) > 20
    assert not sorted(name for name in names if re.search(rf"\b{re.escape(name)}\b", text))


def test_a_measure_that_names_a_site_is_told_by_its_feature_and_the_farthest_of_all_sites_counts(study, monkeypatch):
    sites = ["Hannover", "St. Mary", "St. Mary", "a=b c", "a=b c"]
    measures = [one.name for one in cohort.measures(["PegTransfer"] * 5, [cohort.column("site", pd.Series(sites), "category")])]
    assert measures == ["recordings", "site=Hannover", "site=St. Mary", "site=a=b c"]
    balance = [
        {"task": "PegTransfer", "measure": measure, "fine": False, "whole": True}
        | {"subsets": {"test": {"deviation": {"n": 1, "lowest": lowest, "median": 0.2, "highest": 0.2}}}}
        for measure, lowest in zip(measures, (0.0, -0.3, -0.5, -0.4), strict=True)
    ]
    monkeypatch.setattr(splits, "balance", lambda _: balance)
    told = comparison.plots(study, document(study, reported_study.PARAMS))["balance.csv"]
    assert rows(told) == [["measure", "deviation"], ["PegTransfer: recordings, test", "0.2"], ["PegTransfer: site, test", "-0.5"]]


def test_what_is_undefined_is_left_out(study):
    said = document(study, reported_study.PARAMS)
    for row in said["skill"]["agreement"]:
        row["alpha"] = None
    assert not [name for name, _ in rows(comparison.plots(study, said)["agreement.csv"]) if name.endswith("GRS")]
    assert set(comparison.metrics(study, said)["agreement"]["PegTransfer"]["GRS"]) == {"icc", "rho_c"}
    for scheme in said["splits"]["schemes"]:
        scheme["mean_imbalance"] = scheme["worst_imbalance"] = None
    balance = comparison.metrics(study, said)["splits"]
    assert {(one["mean_imbalance"], one["worst_imbalance"]) for one in balance.values()} == {(None, None)}


@pytest.mark.slow
def test_a_study_without_recordings_has_all_files_and_only_headers():
    empty = reported_study.empty()
    said = document(empty, reported_study.PARAMS)
    assert comparison.metrics(empty, said)["frames"]["hidden_share"] == 0
    assert {len(rows(text)) for name, text in comparison.plots(empty, said).items() if name != "recordings.csv"} == {1}


def test_a_share_of_hidden_frames_is_that_of_the_task(study):
    frames = study.frames.assign(redacted=study.frames["id"] == study.frames["id"].iloc[0])
    hidden = dataclasses.replace(study, frames=frames)
    told = dict(rows(comparison.plots(hidden, document(hidden, reported_study.PARAMS))["hidden.csv"])[1:])
    task = study.videos.loc[study.videos["id"] == frames["id"].iloc[0], "task"].iloc[0]
    ids = study.videos.loc[study.videos["task"] == task, "id"]
    assert float(told.pop(task)) == pytest.approx(frames.loc[frames["id"].isin(ids), "redacted"].mean(), abs=1e-6)
    assert set(told.values()) == {"0.0"}
