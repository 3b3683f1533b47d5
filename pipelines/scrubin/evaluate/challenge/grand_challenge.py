"""Grand Challenge: the folder of an evaluation container, with what the container runs.

Layout by the challenge packs of Grand Challenge (grand-challenge-forge, ``example-evaluation-method``) as of September 2025 and by
its documentation of automated evaluation.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from scrubin.base import files, strangers
from scrubin.base.errors import MetricsError, ScrubinError
from scrubin.base.file_lists import is_of_system
from scrubin.evaluate import challenge as challenges
from scrubin.evaluate.challenge import Challenge, bundle_parts, evaluation, handed_in, hidden_truth
from scrubin.evaluate.challenge.bundle_parts import Layout, Opening
from scrubin.evaluate.challenge.evaluation import ScoredSubmission, evaluate
from scrubin.evaluate.challenge.hidden_truth import HiddenTruth

PREDICTIONS, METRICS = "predictions.json", "metrics.json"
TAG = "scrubin-evaluation"
SOCKET = "surgical-video-predictions"
"""The output of an algorithm in the example; any output that is one JSON file is taken."""


def write(challenge: Challenge, truth: HiddenTruth, kit: Path, opening: Opening, folder: Path) -> Layout:
    """Write ``evaluation/``, from which the container is built, with an example of its input."""
    home = folder / "evaluation"
    bundle_parts.copy_library(home)
    for name, text in {"evaluate.py": EVALUATE_PROGRAM, "process.py": PROCESS_PROGRAM}.items():
        files.write_text(home / name, text)
    files.write_text(home / "Dockerfile", EVALUATION_DOCKER)
    files.write_text(home / ".dockerignore", "ground_truth\nground_truth.tar.gz\ntest\n*.tar.gz\n")
    files.write_text(home / "requirements.txt", bundle_parts.requirements())
    for name, text in {"do_build.sh": BUILD, "do_save.sh": SAVE, "do_test_run.sh": TEST_RUN}.items():
        files.write_text(home / name, text.replace("TAG", TAG))
        (home / name).chmod(bundle_parts.PROGRAM_MODE)
    challenges.write(challenge, home)
    hidden_truth.copy(truth, home / "ground_truth")
    bundle_parts.tar_folder(home / "ground_truth.tar.gz", home / "ground_truth")
    document = handed_in.sample_values(challenge)
    _example(document, home / "test" / "input")
    files.write_text(kit / "submission.json", json.dumps(document) + "\n")
    for name, text in {"overview": bundle_parts.overview(challenge), "evaluation": bundle_parts.metrics(challenge)}.items():
        files.write_text(folder / "public" / "pages" / f"{name}.md", text)
    del opening  # Dates and who sees what are set on the platform.
    return Layout(
        "evaluation/",
        ("evaluation/ground_truth/", "evaluation/ground_truth.tar.gz"),
        (
            "Run `evaluation/do_test_run.sh`: it builds the container and scores the example in `evaluation/test/input`.",
            f"Run `evaluation/do_save.sh`. Upload `{TAG}.tar.gz` as evaluation method of the phase, and `ground_truth.tar.gz` as its "
            "ground truth. The image itself has no labels.",
            f"In the phase's settings the score is `aggregates.{challenge.columns[0].key}`, "
            + ("less is better. " if challenge.columns[0].less_is_better else "more is better. ")
            + ("Hide the leaderboard and the metrics from participants." if challenge.show == "nothing" else "")
            + " Inputs of the archive are named after the videos: `<video>.mp4`.",
            "Give participants `public/`.",
        ),
    )


def _example(values: handed_in.Values, inputs: Path) -> None:
    """Write the outputs of an algorithm that knows nothing, as Grand Challenge hands them to the container."""
    jobs = []
    for number, (video, value) in enumerate(values.items()):
        pk = f"00000000-0000-4000-8000-{number:012d}"
        relative = f"{SOCKET}.json"
        files.write_text(inputs / pk / "output" / relative, json.dumps(value) + "\n")
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


def _evaluated(challenge: Challenge, inputs: Path, truth: Path) -> ScoredSubmission:
    with tempfile.TemporaryDirectory() as place:
        try:
            folder = _submission(challenge, inputs, Path(place))
        except ScrubinError as error:
            return ScoredSubmission(False, tuple(str(error).splitlines()), {}, {})
        return evaluate(challenge, truth, folder)


def _submission(challenge: Challenge, inputs: Path, place: Path) -> Path:
    if not inputs.is_dir():
        raise MetricsError(f"{inputs}: there is no such folder; it should have {PREDICTIONS}, or the files of a submission")
    predictions = inputs / PREDICTIONS
    if not predictions.is_file():
        return evaluation.folder_of(_alone(inputs, challenge) or inputs, place, challenge)
    try:
        jobs = strangers.json_value(strangers.read_bytes(predictions), PREDICTIONS, evaluation.once)
    except ValueError:
        jobs = None  # What is wrong with it is said where it is read again.
    if isinstance(jobs, list):
        return evaluation.of_jobs(jobs, inputs, place, challenge)
    return evaluation.folder_of(predictions, place, challenge)


def _alone(inputs: Path, challenge: Challenge) -> Path | None:
    """Return the one archive or document for all videos, when nothing else was handed in."""
    files_there = [one for one in sorted(inputs.iterdir()) if not is_of_system(one.name)]
    if len(files_there) != 1 or files_there[0].suffix.lower() not in (".zip", ".json") or files_there[0].stem in (challenge.frames or {}):
        return None
    return files_there[0] if files_there[0].is_file() else None


def _metrics(challenge: Challenge, evaluation: ScoredSubmission) -> dict[str, Any]:
    metrics: dict[str, Any] = {"aggregates": dict(evaluation.scores), "messages": list(evaluation.messages), **challenge.of_release}
    if challenge.show == "videos":
        metrics["results"] = [{"video": video, **scores} for video, scores in evaluation.videos.items()]
    return metrics


EVALUATE_PROGRAM = '''\
"""Started by Grand Challenge: reads /input, writes /output/metrics.json. Folders can be named to try it elsewhere."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from scrubin.evaluate.challenge import grand_challenge


def main(arguments):
    places = dict(zip(("INPUT", "OUTPUT", "GROUND_TRUTH"), arguments))
    default = {"INPUT": "/input", "OUTPUT": "/output", "GROUND_TRUTH": "/opt/ml/input/data/ground_truth"}
    folders = [places.get(name) or os.environ.get("SCRUBIN_" + name) or place for name, place in default.items()]
    return grand_challenge.run(HERE, *folders)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
'''

PROCESS_PROGRAM = '''\
"""The same program under the name that older templates of Grand Challenge start."""
import sys

from evaluate import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
'''

EVALUATION_DOCKER = f"""\
FROM --platform=linux/amd64 docker.io/library/python:{bundle_parts.PYTHON}-slim
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
RUN groupadd -r user && useradd -m --no-log-init -r -g user user
WORKDIR /opt/app
# Wheels in wheels/ are taken first: with all of them there, the image builds without a network.
COPY requirements.txt wheels* /opt/app/wheels/
RUN python -m pip install --no-cache-dir --find-links /opt/app/wheels --requirement /opt/app/wheels/requirements.txt
COPY --chown=user:user . /opt/app/
USER user
ENTRYPOINT ["python", "evaluate.py"]
"""

BUILD = """\
#!/usr/bin/env bash
set -e
here=$( cd -- "$( dirname -- "${BASH_SOURCE[0]}" )" && pwd )
docker build --platform=linux/amd64 --tag TAG "$here"
"""

SAVE = """\
#!/usr/bin/env bash
# Builds the image and saves it for Grand Challenge; ground_truth.tar.gz is uploaded beside it.
set -e
here=$( cd -- "$( dirname -- "${BASH_SOURCE[0]}" )" && pwd )
"$here/do_build.sh"
docker save TAG | gzip -c > "$here/TAG.tar.gz"
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$here/ground_truth" -cf - . | gzip -nc > "$here/ground_truth.tar.gz"
echo "upload TAG.tar.gz as evaluation method, and ground_truth.tar.gz as ground truth of the phase"
"""

TEST_RUN = """\
#!/usr/bin/env bash
# Runs the container as Grand Challenge does: no network, /input read only.
set -e
here=$( cd -- "$( dirname -- "${BASH_SOURCE[0]}" )" && pwd )
"$here/do_build.sh"
mkdir -p "$here/test/output" && chmod o+rwX "$here/test/output"
docker run --rm --platform=linux/amd64 --network none \\
  --volume "$here/test/input":/input:ro --volume "$here/test/output":/output \\
  --volume "$here/ground_truth":/opt/ml/input/data/ground_truth:ro TAG
cat "$here/test/output/metrics.json"
"""
