"""Grand Challenge: the folder of an evaluation container, and what the container runs.

Layout by the challenge packs of Grand Challenge (grand-challenge-forge, ``example-evaluation-method``) as of September 2025 and by
its documentation of automated evaluation.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from scrubin.bundles import archives, hidden_truth, library, pages, received, sample
from scrubin.bundles import challenge as challenges
from scrubin.bundles.challenge import Challenge
from scrubin.bundles.evaluation import Evaluation, evaluate
from scrubin.bundles.hidden_truth import HiddenTruth
from scrubin.bundles.platforms import programs
from scrubin.bundles.platforms.layout import Layout, Opening
from scrubin.core import files, strangers
from scrubin.core.errors import MetricsError, ScrubinError

NAME = "Grand Challenge"
PREDICTIONS, METRICS = "predictions.json", "metrics.json"
TAG = "scrubin-evaluation"
SOCKET = "surgical-video-predictions"
"""The output of an algorithm in the example; any output that is one JSON file is taken."""


def write(challenge: Challenge, truth: HiddenTruth, kit: Path, opening: Opening, folder: Path) -> Layout:
    """Write ``evaluation/``, from which the container is built, with an example of its input."""
    home = folder / "evaluation"
    library.copy(home)
    for name, text in {"evaluate.py": programs.GRAND_CHALLENGE, "process.py": programs.GRAND_CHALLENGE_PROCESS}.items():
        files.write_text(home / name, text)
    files.write_text(home / "Dockerfile", programs.GRAND_CHALLENGE_DOCKER)
    files.write_text(home / ".dockerignore", "ground_truth\nground_truth.tar.gz\ntest\n*.tar.gz\n")
    files.write_text(home / "requirements.txt", library.requirements())
    for name, text in {"do_build.sh": programs.BUILD, "do_save.sh": programs.SAVE, "do_test_run.sh": programs.TEST_RUN}.items():
        files.write_text(home / name, text.replace("TAG", TAG))
        (home / name).chmod(archives.PROGRAM_MODE)
    challenges.write(challenge, home)
    hidden_truth.copy(truth, home / "ground_truth")
    archives.tar_folder(home / "ground_truth.tar.gz", home / "ground_truth")
    _example(challenge, home / "test" / "input")
    document = {video: sample.document(challenge, video) for video in sorted(challenge.frames or {})}
    files.write_text(kit / "submission.json", json.dumps(document) + "\n")
    for name, text in {"overview": pages.overview(challenge), "evaluation": pages.metrics(challenge)}.items():
        files.write_text(folder / "public" / "pages" / f"{name}.md", text)
    del opening  # Dates and who sees what are set on the platform.
    return Layout(
        "evaluation/",
        ("evaluation/ground_truth/", "evaluation/ground_truth.tar.gz"),
        (
            "Run `evaluation/do_test_run.sh`: it builds the container and scores the example in `evaluation/test/input`.",
            f"Run `evaluation/do_save.sh`. Upload `{TAG}.tar.gz` as evaluation method of the phase, and `ground_truth.tar.gz` as its "
            "ground truth. The image itself has no labels.",
            f"In the phase's settings the score is `aggregates.{challenge.columns[0].key}`, more is better. "
            + ("Hide the leaderboard and the metrics from participants." if challenge.show == "nothing" else "")
            + " Inputs of the archive are named after the videos: `<video>.mp4`.",
            "Give participants `public/`.",
        ),
    )


def _example(challenge: Challenge, inputs: Path) -> None:
    """Write the outputs of an algorithm that knows nothing, as Grand Challenge hands them to the container."""
    jobs = []
    for number, video in enumerate(sorted(challenge.frames or {})):
        pk = f"00000000-0000-4000-8000-{number:012d}"
        relative = f"{SOCKET}.json"
        files.write_text(inputs / pk / "output" / relative, json.dumps(sample.document(challenge, video)) + "\n")
        jobs.append(
            {
                "pk": pk,
                "status": "Succeeded",
                "inputs": [{"file": f"{video}.mp4", "interface": {"slug": "surgical-video", "relative_path": "surgical-video.mp4"}}],
                "outputs": [{"file": relative, "interface": {"slug": SOCKET, "relative_path": relative}}],
            }
        )
    files.write_json(inputs / PREDICTIONS, jobs)


def run(program: str, inputs: str, output: str, truth: str) -> int:
    """Score what lies in ``/input`` into ``/output/metrics.json``.

    ``predictions.json`` is the list of an algorithm's jobs, or one document for all videos; without it the folder is a submission.

    Returns
    -------
    int
        0 when it was scored. Else 1, without metrics: Grand Challenge then shows the last line of stderr to the participant.
    """
    challenge = challenges.read(Path(program))
    evaluation = _evaluated(challenge, Path(inputs), Path(truth))
    if not evaluation.accepted:
        *others, last = evaluation.messages or ("the submission could not be scored",)
        sys.stderr.write("".join(f"{line}\n" for line in (*others, " | ".join([last, *others[:5]]))))
        return 1
    sys.stdout.write("".join(f"{line}\n" for line in evaluation.messages))
    Path(output).mkdir(parents=True, exist_ok=True)
    files.write_text(Path(output, METRICS), json.dumps(_metrics(challenge, evaluation), indent=1, allow_nan=False) + "\n")
    return 0


def _evaluated(challenge: Challenge, inputs: Path, truth: Path) -> Evaluation:
    with tempfile.TemporaryDirectory() as place:
        try:
            folder = _submission(challenge, inputs, Path(place))
        except ScrubinError as error:
            return Evaluation(False, tuple(str(error).splitlines()), {}, {})
        return evaluate(challenge, truth, folder)


def _submission(challenge: Challenge, inputs: Path, place: Path) -> Path:
    if not inputs.is_dir():
        msg = f"{inputs}: there is no such folder; it should have {PREDICTIONS}, or the files of a submission"
        raise MetricsError(msg)
    predictions = inputs / PREDICTIONS
    if not predictions.is_file():
        return received.folder_of(_alone(inputs, challenge) or inputs, place, challenge)
    try:
        jobs = strangers.read_json(predictions)
    except ValueError:
        jobs = None  # What is wrong with it is said where it is read again.
    if isinstance(jobs, list):
        return received.of_jobs(jobs, inputs, place, challenge)
    return received.folder_of(predictions, place, challenge)


def _alone(inputs: Path, challenge: Challenge) -> Path | None:
    """Return the one archive or document for all videos, when nothing else was handed in."""
    files_there = [one for one in sorted(inputs.iterdir()) if not one.name.startswith(".")]
    if len(files_there) != 1 or files_there[0].suffix.lower() not in (".zip", ".json") or files_there[0].stem in (challenge.frames or {}):
        return None
    return files_there[0] if files_there[0].is_file() else None


def _metrics(challenge: Challenge, evaluation: Evaluation) -> dict[str, Any]:
    metrics: dict[str, Any] = {"aggregates": dict(evaluation.scores), "messages": list(evaluation.messages)}
    if challenge.show == "videos":
        metrics["results"] = [{"video": video, **scores} for video, scores in evaluation.videos.items()]
    return metrics
