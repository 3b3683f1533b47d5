"""What is declared of metrics agrees with what is computed, chosen, documented and stored as golden."""

import json
import re

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


SCORINGS = [
    pytest.param(task, semantics, choice, id="-".join([task, semantics, choice.get("kind") or choice.get("program", "")]).rstrip("-"))
    for task, semantics, choice in declared_metrics.scorings()
]
OTHER_NUMBERS = {
    **{name: ("0.3", "0.30000000000000004") for name in ("iou", "threshold", "confidence", "sigma", "within")},
    **{"k": ("1,2",), "bins": ("7",), "tolerance": ("3",), "overlap": ("40",), "background": ("0", "1"), "omega": ("2", "3")},
}


@pytest.mark.slow
@pytest.mark.parametrize(("task", "semantics", "choice"), SCORINGS)
def test_whatever_changes_a_number_is_in_its_name(task, semantics, choice):
    def numbers(option=None, value=None):
        changed = choice | ({option: value} if option else {})
        every = [found for part in declared_metrics.SCORINGS[task](semantics, changed).parts for found in part.results(None)]
        by_name = {found.variant.name: repr((found.overall, found.classes)) for found in every}
        assert len(by_name) == len(every)
        return by_name

    known = numbers()
    for option, of in METRICS[task].choices[semantics].items():
        for value in () if option in ("kind", "program") else of.values or OTHER_NUMBERS.get(option, ()):
            try:
                found = numbers(option, value)
            except MetricsError as error:
                # It belongs to another kind, or needs another choice beside it.
                if re.search("says nothing of|always ends with KeyError|say which distances", str(error)):
                    continue
                raise
            assert {name for name in known.keys() & found.keys() if known[name] != found[name]} == set(), (option, value)
            known |= found


@pytest.mark.parametrize(("task", "semantics", "choice"), SCORINGS)
def test_a_draw_of_videos_has_the_numbers_that_repeating_them_gives(task, semantics, choice):
    draw = np.array([1, 1, 0])
    whole, repeated = (declared_metrics.SCORINGS[task](semantics, choice, of).parts for of in (None, draw))
    for one, other in zip(whole, repeated, strict=True):
        by_draw, by_videos = one.results(draw), other.results(None)
        values = [found.overall.value for found in by_videos]
        assert [found.overall.value for found in by_draw] == pytest.approx(values, abs=1e-12, nan_ok=True)
        told = ([(found.variant.name, found.overall.n) for found in of] for of in (by_draw, by_videos))
        assert next(told) == next(told)


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
