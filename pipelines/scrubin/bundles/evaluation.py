"""What happens to a submission on every platform: it is checked against frames without labels, then scored as by `scrubin score`."""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scrubin.bundles import columns, received
from scrubin.bundles.challenge import Challenge
from scrubin.core.errors import ScrubinError
from scrubin.core.faults import Faults, summary
from scrubin.evaluation.metrics import Order, scoring
from scrubin.evaluation.side import Source
from scrubin.evaluation.submission import folders, submission
from scrubin.metrics.result import Result, Value
from scrubin.training_data.submitted import with_training_data
from scrubin.vocabulary import vocabulary

NOT_SCORED = "the submission is well formed, but its scores could not be computed; tell the organiser, who can see why with `scrubin score`"
"""All that a participant is told then: the reason may lie in the labels."""


@dataclass(frozen=True)
class Evaluation:
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


def evaluate(challenge: Challenge, truth: Path, submitted: Path) -> Evaluation:
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
        return Evaluation(False, tuple(str(error).splitlines()), {}, {})
    messages = (*summary(outcome.faults, most=100), *(f"note: {note}" for note in outcome.notes))
    if outcome.errors:
        return Evaluation(False, messages, {}, {})
    try:
        named = columns.keys(results(challenge, truth, submitted))
    except ScrubinError:
        return Evaluation(False, (*messages, NOT_SCORED), {}, {})
    if any(column.key not in named for column in challenge.columns):
        return Evaluation(False, (*messages, NOT_SCORED), {}, {})
    scores = {key: shown(result.overall, challenge) for key, result in named.items()}
    return Evaluation(True, messages, scores, _by_video(challenge, named) if challenge.show == "videos" else {})


def results(challenge: Challenge, truth: Path, submitted: Path) -> list[Result]:
    """Return all numbers of a well-formed submission: those of `scrubin score`."""
    with tempfile.TemporaryDirectory() as place:
        # What else lies in the folder, such as a description, must not decide as which format it is read.
        alone = Path(place)
        for file in folders.sort_files(submitted, challenge.expected.videos, Faults()).files.values():
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
