"""What is declared of metrics agrees with what is computed, chosen, documented and stored as golden."""

import json

import numpy as np
import pytest
from reference import metrics as page

import declared_metrics
from scrubin.base.errors import MetricsError
from scrubin.evaluate.challenge.evaluation import column_keys, leaderboard
from scrubin.evaluate.contest_tasks import CONTESTS
from scrubin.evaluate.metrics import registry
from scrubin.evaluate.metrics.result import Result, Value, Variant
from scrubin.evaluate.metrics.variants import METRICS


@pytest.fixture(scope="module")
def found():
    return declared_metrics.by_metric()


def test_every_declared_metric_is_computed_and_no_other(found):
    assert set(found) == set(registry.every())


@pytest.mark.parametrize("name", registry.every())
def test_a_metric_gives_its_golden_numbers(name, found):
    golden = json.loads(declared_metrics.golden_file(name).read_text(encoding="utf-8"))
    assert golden["metric"] == name
    assert [one["variant"] for one in found[name]] == [one["variant"] for one in golden["results"]]
    for one, other in zip(found[name], golden["results"], strict=True):
        assert one["n"] == other["n"]
        assert one["value"] == (pytest.approx(other["value"], abs=1e-12) if isinstance(other["value"], float) else other["value"])


def test_every_golden_file_has_its_metric():
    assert set(declared_metrics.GOLDEN.iterdir()) == {declared_metrics.golden_file(name) for name in registry.every()}


@pytest.mark.parametrize("task", METRICS)
def test_kinds_that_are_declared_can_be_chosen_and_each_has_a_metric(task):
    choices = METRICS[task].choices["paper"]
    assert registry.kinds(task) == sorted(choices["kind"].values if "kind" in choices else ())


@pytest.mark.parametrize("one", registry.every().values(), ids=lambda one: one.name)
def test_what_a_metric_takes_can_be_chosen(one):
    semantics = {"semantics"} if one.task == "errors" else set()
    assert set(one.takes) <= {*METRICS[one.task].choices["paper"], *semantics}


def test_every_metric_stands_in_the_documents_of_its_task():
    text = page.text()
    missing = [name for name, one in registry.every().items() if f"| {name.replace('{}', 'N')} |" not in text or one.says not in text]
    assert not missing


@pytest.mark.parametrize(("task", "first"), [("recognition", "triplet recognition AP"), ("phases", "phase recognition jaccard")])
def test_a_leaderboard_is_sorted_by_the_metric_that_says_so(task, first):
    choice = {key: one.default for key, one in METRICS[task].choices["paper"].items()}
    (part,) = declared_metrics.SCORINGS[task]("paper", choice).parts
    named = column_keys(part.results(None))
    columns = leaderboard(CONTESTS[task], named, None)
    assert named[columns[0].key].variant.metric == first
    assert all(registry.named(named[column.key].variant.metric).is_column for column in columns)


def test_a_metric_is_declared_once():
    with pytest.raises(MetricsError, match="the metric 'skill MAE' is declared twice"):
        registry.declare("skill MAE", task="skill", says="again")


def test_a_number_that_nobody_declared_is_refused():
    with pytest.raises(MetricsError, match="there is no metric 'skill guess'; declare it beside its function"):
        registry.named("skill guess")


@pytest.mark.parametrize(("task", "count"), [("recognition", len), ("phases", len), ("detection", lambda scene: len(scene.names))])
def test_a_metric_that_is_computed_alone_is_computed_of_every_draw_of_videos(task, count, monkeypatch):
    kind = registry.kinds(task)[0]
    variant = Variant("videos", "paper")
    ours = registry.Metric("videos", task, (kind,), "videos", compute=lambda sides, *_: Result(variant, Value(count(sides), 1)))
    monkeypatch.setitem(registry.METRICS, "videos", ours)
    choice = {key: one.default for key, one in METRICS[task].choices["paper"].items()} | {"kind": kind}
    (part,) = declared_metrics.SCORINGS[task]("paper", choice).parts
    for draw, expected in ((None, len(part.names)), (np.array([0, 0, 1, 0]), 4)):
        assert part.results(draw)[-1].overall.value == expected
