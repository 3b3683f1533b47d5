"""A ground truth of two videos, and a submission for it; contests of files."""

from __future__ import annotations

import pytest

from challenge_cases import FRAMES, document, labels, scores, write, write_labels
from contest_cases import TASKS, contest
from scrubin.evaluate import submission, submission_truth


@pytest.fixture
def truth(tmp_path):
    videos = {"VID01": labels(1, FRAMES), "VID02": labels(2, FRAMES)}
    return submission_truth.read(write_labels(tmp_path / "truth", videos))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Labels and submissions of every task of files, in a folder of its name."""
    folder = tmp_path_factory.mktemp("contests")
    for task in TASKS:
        contest(folder / task, task)
    return folder


@pytest.fixture
def given(truth):
    """A submission without a fault, as documents."""
    return {name: document(scores(3, video.targets, 1)) for name, video in truth.videos.items()}


@pytest.fixture
def checked(tmp_path, truth, given):
    """Check the submission after the test changed it; return problems as (rule, severity, file, frames)."""

    def checked(tasks=()):
        outcome = submission.check(write(tmp_path / "team", given), truth, tasks=tasks)
        return [(one.rule, one.severity, one.file, list(one.frames)) for one in outcome.faults]

    return checked


@pytest.fixture
def faults(tmp_path, truth, given):
    """The faults of the submission after the test changed it."""
    return lambda: submission.check(write(tmp_path / "team", given), truth).faults
