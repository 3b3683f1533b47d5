"""A bundle: everything that a platform takes, with the hidden labels in its private part alone."""

from __future__ import annotations

import importlib.metadata
import tempfile
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from scrubin.base import files
from scrubin.base.errors import MetricsError
from scrubin.base.faults import count_text
from scrubin.evaluate import challenge as challenges
from scrubin.evaluate import training_data
from scrubin.evaluate.challenge import Challenge, bundle_parts, codabench, evalai, evaluation, grand_challenge, hidden_truth
from scrubin.evaluate.challenge.bundle_parts import Layout, Opening, Platform
from scrubin.evaluate.challenge.hidden_truth import HiddenTruth
from scrubin.evaluate.choices import NEVER, PLATFORMS

MODULES: dict[str, Platform] = dict(zip(PLATFORMS, (codabench, evalai, grand_challenge), strict=True))
STARTING_KIT = "starting_kit"


@dataclass(frozen=True)
class Wanted:
    """What the organiser asks for; parameters as of `Challenge`, and ``rank_by`` the key of the column that ranks."""

    challenge: Challenge
    rank_by: str | None = None
    image: str | None = None
    starts: date = NEVER[0]
    ends: date = NEVER[1]


def made(wanted: Wanted, truth: HiddenTruth) -> Challenge:
    """Return the challenge with its frames and columns, after a sample submission was scored from end to end.

    Raises
    ------
    MetricsError
        When the ground truth cannot be scored against.
    """
    challenge = replace(wanted.challenge, vocabulary=truth.vocabulary, frames=truth.frames, form=truth.form)
    if challenge.semantics != "paper" and challenge.declared.choices:
        raise MetricsError(f"--semantics {challenge.semantics}: bundles of {challenge.task} are scored by 'paper'; leave it out")
    empty = sorted(name for name, frames in truth.frames.items() if not frames)
    if empty:
        raise MetricsError(f"{', '.join(empty)}: no labelled frames, so nothing can be predicted; leave them out of the split")
    with tempfile.TemporaryDirectory() as place:
        hidden, submitted = Path(place, "truth"), Path(place, "sample")
        hidden_truth.copy(truth, hidden)
        evaluation.write_sample(challenge, submitted)
        MetricsError.raise_any(evaluation.checked(challenge, submitted).errors)
        named = evaluation.column_keys(evaluation.results(challenge, hidden, submitted))
    return replace(challenge, columns=evaluation.leaderboard(challenge.declared, named, wanted.rank_by))


def write(platform: str, wanted: Wanted, truth: HiddenTruth, folder: Path) -> Layout:
    """Write a bundle into an empty folder, and return what in it is private."""
    challenge = made(wanted, truth)
    kit = folder / "public" / STARTING_KIT
    _starting_kit(challenge, kit)
    opening = Opening(wanted.starts, wanted.ends, wanted.image or f"scrubin-scoring:{importlib.metadata.version('scrubin')}")
    layout = MODULES[platform].write(challenge, truth, kit, opening, folder)
    files.write_text(folder / "README.md", _readme(challenge, layout))
    return layout


def _starting_kit(challenge: Challenge, kit: Path) -> None:
    """Write what participants get: frames without labels, a sample submission, and a form for their training data."""
    challenges.write_frames(challenge, kit)
    evaluation.write_sample(challenge, kit / "sample_submission")
    files.write_text(kit / training_data.NAME, training_data.text(challenge.test))
    files.write_text(kit / "README.md", bundle_parts.data(challenge))


def _readme(challenge: Challenge, layout: Layout) -> str:
    """Return what the organiser has to do, and what must never be published."""
    private = "\n".join(f"- `{name}`" for name in layout.private)
    release = f"labels of {challenge.release}, " if challenge.release else ""
    videos = count_text(len(challenge.frames or {}), "hidden video")
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(layout.steps, start=1))
    return (
        f"# {challenge.title}\n\nMade by `scrubin challenge bundle`: {challenge.task}, {videos}, "
        f"{release}ranked by {challenge.columns[0].title} (`{challenge.columns[0].key}`).\n\n## What to do\n\n{steps}\n\n"
        f"## Private: these have the hidden labels\n\n{private}\n\nEverything else can be seen by participants. "
        "The release that you give them must not have the labels of these videos either, nor what is counted or hashed over them "
        "(`SHA256SUMS`, `metadata/`, `croissant.json`): write it by `scrubin challenge public`.\n\n"
        "After a new version of the release make the bundle again, and score all submissions anew.\n\n"
        f"## What it needs\n\nPython {bundle_parts.PYTHON} or newer, and\n\n    "
        + bundle_parts.requirements().strip().replace("\n", "\n    ")
        + "\n"
    )
