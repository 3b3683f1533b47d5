"""Whether ranks depend on the variant of the metric: the same submissions by others that `scrubin score` knows of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base.errors import ScrubinError
from scrubin.evaluate import score_document
from scrubin.evaluate.contest_tasks import CONTESTS, ContestTask
from scrubin.evaluate.metrics.result import Result, Variant
from scrubin.evaluate.metrics.variants import COMPONENTS
from scrubin.evaluate.ranking.ranking_document import json_number, json_rank, moved
from scrubin.evaluate.ranking.stability import ranks_of, tau_b
from scrubin.evaluate.side import Source
from scrubin.evaluate.tasks import scoring
from scrubin.evaluate.tasks.scoring import Order


@dataclass(frozen=True, eq=False)
class ComparedVariants:
    """Ranks by several variants.

    Parameters
    ----------
    variants
        JSON values: full name, label, scores (infinity is the text "Infinity"), ranks, tau with the ranking, and who moved.
    notes
        Ways that cannot be computed, a sentence each.
    """

    variants: list[dict[str, Any]]
    notes: list[str]


def compared(document: Mapping[str, Any], teams: Mapping[str, Path], truth: Source) -> ComparedVariants:
    """Return the ranks of the teams of a ranking by other variants of its metric.

    Parameters
    ----------
    document
        As `ranking_document.document_of`.
    teams
        Submissions by name.
    truth
        Labels.
    """
    task, part = CONTESTS[document["measure"]["task"]], document["measure"]["component"]
    names = [team["team"] for team in document["teams"]]
    videos = dict.fromkeys(document["ground_truth"]["videos"], 1)
    scores: dict[str, dict[str, float]] = {}
    known: dict[str, Variant] = {}
    notes: dict[str, None] = {}
    for semantics, choices in task.ways:
        chosen = task.variant((*choices, *((f"component={part}",) if part in COMPONENTS else ())))
        labels: Any = None
        for name in names:
            order = Order(truth, [Source(teams[name], vocabulary=truth.vocabulary)], semantics, chosen, videos)
            try:
                labels = scoring.labels_of(task.metric, order) if labels is None else labels
                results = _results(task.metric, order, labels)
            except ScrubinError as error:
                notes[f"variants {semantics} {' '.join(choices)}".rstrip() + f" are not computed: {str(error).splitlines()[0]}"] = None
                break
            for result in results:
                if _meant(task, result.variant, part):
                    known[result.variant.name] = result.variant
                    scores.setdefault(result.variant.name, {})[name] = result.overall.value
    whole = {variant: of for variant, of in scores.items() if len(of) == len(names)}
    labels = _labels([known[variant] for variant in whole])
    every = zip(whole.items(), labels, strict=True)
    rows = [_row(document, variant, label, [of[name] for name in names]) for (variant, of), label in every]
    return ComparedVariants(rows, [*notes])


def _results(metric: str, order: Order, labels: Any) -> list[Result]:
    # What is to be said of the files is said of the ranking itself: to hash them for each way and team would say nothing more.
    return [result for part in scoring.computed(metric, order, labels).parts for result in part.results(None)]


def _meant(task: ContestTask, variant: Variant, part: str) -> bool:
    """Return whether a variant is one of the metric, not of its spread and not of another one."""
    if part in task.numbers:
        return variant.metric == task.numbers[part].metric
    if "statistic" in variant.options:
        # "F1 as harmonic mean of precision and recall" is neither of the two.
        rate, _, _ = variant.metric.lower().partition(" as ")
        return variant.options["statistic"].startswith(("mean", "harmonic")) and part in rate.split()
    return variant.metric.endswith(" AP")


def _row(document: Mapping[str, Any], variant: str, label: str, scores: Sequence[float]) -> dict[str, Any]:
    values = np.array(scores)
    ranks = ranks_of(values)
    decided = np.array([np.nan if team["score"] is None else team["score"] for team in document["teams"]])
    both = ~(np.isnan(values) | np.isnan(decided))
    names = [team["team"] for team in document["teams"]]
    return {
        "variant": variant,
        "label": label,
        "scores": [_score(value) for value in scores],
        "ranks": [json_rank(rank) for rank in ranks],
        "kendall_tau": json_number(tau_b(decided[both], values[both])),
        "moved": moved(names, [team["rank"] for team in document["teams"]], [json_rank(rank) for rank in ranks]),
    }


def _score(value: float) -> float | str | None:
    """Return a score as files of scores have it: relaxed precision can be infinite."""
    return score_document.json_number(value) if math.isinf(value) else json_number(value)


def _labels(variants: Sequence[Variant]) -> list[str]:
    """Return what tells variants from each other."""
    options = sorted({name for variant in variants for name in variant.options})
    differ = [name for name in options if len({variant.options.get(name) for variant in variants}) > 1]
    metrics_differ = len({variant.metric for variant in variants}) > 1
    return [
        ", ".join(
            [
                variant.semantics,
                *([variant.metric] if metrics_differ else []),
                *(f"{name} {variant.options[name]}" for name in differ if name in variant.options and not _is_count(name, variant)),
            ]
        )
        for variant in variants
    ]


def _is_count(option: str, variant: Variant) -> bool:
    """Return whether an option says how many classes there are; of tracks it says how they are put together."""
    return option == "classes" and variant.options[option].isdigit()
