"""What happens to a submission on every platform: it is checked against frames without labels, then scored as by `scrubin score`."""

from __future__ import annotations

import math
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrubin.base.errors import MetricsError, ScrubinError
from scrubin.base.faults import Faults, hint, summary
from scrubin.base.vocabulary import vocabulary
from scrubin.evaluate import submission
from scrubin.evaluate.challenge import received
from scrubin.evaluate.challenge.challenge import Challenge, Column
from scrubin.evaluate.metrics import registry
from scrubin.evaluate.metrics.result import Result, Value
from scrubin.evaluate.score_document import is_lone_deviation
from scrubin.evaluate.scoring import Order, scoring
from scrubin.evaluate.side import Source
from scrubin.evaluate.training_overlap import with_training_data
from scrubin.labels.tasks import Task

NOT_SCORED = "the submission is well formed, but its scores could not be computed; tell the organiser, who can see why with `scrubin score`"
"""All that a participant is told then: the reason may lie in the labels."""


@dataclass(frozen=True)
class ScoredSubmission:
    """The outcome of a submission.

    Parameters
    ----------
    accepted
        Whether it was scored.
    messages
        For the participant. They are made of the submission and of the public list of frames alone, never of a label.
    scores
        By key; None is undefined. Empty when it was not scored.
    videos
        By video, scores by key of the columns; only where the challenge shows them.
    """

    accepted: bool
    messages: tuple[str, ...]
    scores: Mapping[str, float | None]
    videos: Mapping[str, Mapping[str, float | None]]


def evaluate(challenge: Challenge, truth: Path, submitted: Path) -> ScoredSubmission:
    """Check and score a submission.

    Parameters
    ----------
    truth
        Folder of the hidden ground truth.
    submitted
        Folder of the submission; it is never changed.
    """
    try:
        received.refuse_links(submitted)
        checked = submission.check(submitted, challenge.expected, tasks=[challenge.task])
        outcome = with_training_data(checked, submitted, challenge.test)
    except ScrubinError as error:
        return ScoredSubmission(False, tuple(str(error).splitlines()), {}, {})
    messages = (*summary(outcome.faults, most=100), *(f"note: {note}" for note in outcome.notes))
    if outcome.errors:
        return ScoredSubmission(False, messages, {}, {})
    try:
        named = column_keys(results(challenge, truth, submitted))
    except ScrubinError:
        return ScoredSubmission(False, (*messages, NOT_SCORED), {}, {})
    if any(column.key not in named for column in challenge.columns):
        return ScoredSubmission(False, (*messages, NOT_SCORED), {}, {})
    scores = {key: shown(result.overall, challenge) for key, result in named.items()}
    return ScoredSubmission(True, messages, scores, _by_video(challenge, named) if challenge.show == "videos" else {})


def results(challenge: Challenge, truth: Path, submitted: Path) -> list[Result]:
    """Return all numbers of a well-formed submission: those of `scrubin score`."""
    with tempfile.TemporaryDirectory() as place:
        # What else lies in the folder, such as a description, must not decide as which format it is read.
        alone = Path(place)
        for file in submission.sort_files(submitted, challenge.expected.videos, Faults()).files.values():
            shutil.copyfile(file, alone / file.name)
        sources = Source(truth), Source(alone, vocabulary=vocabulary.load(challenge.vocabulary))
        order = Order(sources[0], [sources[1]], challenge.semantics, challenge.variant)
        return [result for one in scoring(challenge.task, order).parts for result in one.results(None)]


def shown(value: Value, challenge: Challenge) -> float | None:
    """Return a number as platforms take it: None where it is undefined, or infinite, which JSON cannot say."""
    number = value.value
    if not math.isfinite(number):
        return None
    return number if challenge.digits is None else round(number, challenge.digits)


def _by_video(challenge: Challenge, named: Mapping[str, Result]) -> dict[str, dict[str, float | None]]:
    wanted = [column.key for column in challenge.columns if column.key in named]
    return {
        video: {key: shown(named[key].videos[video], challenge) for key in wanted if video in named[key].videos}
        for video in sorted(challenge.frames or {})
    }


LEFT_OUT = ("classes", "phases", "bessel")
"""Options that tell nothing which the others do not."""


def column_keys(results: Sequence[Result]) -> dict[str, Result]:
    """Return results by key, in their order: metric and what distinguishes it from the others of its name.

    Standard deviations of one video are undefined by definition and left out. They count for the names: which of them are defined
    depends on a submission, and a key must be the same for all submissions.
    """
    named: dict[str, Result] = {}
    for result in results:
        alike = [one.variant.options for one in results if one.variant.metric == result.variant.metric]
        apart = [name for name in sorted({name for options in alike for name in options}) if len({_text(one, name) for one in alike}) > 1]
        options = result.variant.options
        parts = [f"{_text(options, name)}" for name in apart if name not in LEFT_OUT and name in options]
        key = _slug(" ".join([result.variant.metric, *parts]))
        if key in named:
            key = _slug(" ".join([result.variant.metric, *(f"{name} {_text(options, name)}" for name in apart)]))
        named[key] = result
    if len(named) != len(results):
        msg = "two numbers of this score have the same name; choose one by --variant"
        raise MetricsError(msg)
    return {key: result for key, result in named.items() if not is_lone_deviation(result)}


def leaderboard(task: Task, named: Mapping[str, Result], rank_by: str | None) -> tuple[Column, ...]:
    """Return the columns of a leaderboard, the one that ranks first.

    Raises
    ------
    MetricsError
        When ``rank_by`` is none of them.
    """
    chosen = {key: Column(key, _title(result)) for key, result in named.items() if _is_main(task, result)}
    if not chosen:
        chosen = {key: Column(key, _title(result)) for key, result in named.items()}
    first = rank_by or next((key for key, result in named.items() if key in chosen and _ranks(result)), next(iter(chosen)))
    if first not in chosen:
        msg = f"--rank-by {first}: it is no column; {hint(first, sorted(chosen))}"
        raise MetricsError(msg)
    return (chosen[first], *(column for key, column in chosen.items() if key != first))


def _is_main(task: Task, result: Result) -> bool:
    """Return whether people compare this number: one scope, no deviations, and more is better."""
    options = result.variant.options
    if options.get("scope", "video-wise") != "video-wise" or options.get("statistic", "mean").startswith("SD"):
        return False
    if options.get("null", "counted") != "counted" or (task == "detection" and options.get("component") not in ("i", "ivt")):
        return False
    return registry.named(result.variant.metric).is_column


def _ranks(result: Result) -> bool:
    return registry.named(result.variant.metric).ranks and result.variant.options.get("component", "ivt") == "ivt"


def _title(result: Result) -> str:
    options = result.variant.options
    shown = [f"{value}" if name == "component" else f"{name} {value}" for name, value in sorted(options.items()) if name in _NAMED]
    return " ".join([result.variant.metric, *shown])


_NAMED = ("component", "iou", "k", "null", "statistic")


def _text(options: Mapping[str, str], name: str) -> str:
    return options.get(name, "")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")
