"""CodaBench: a competition bundle with scoring program, reference data, pages, starting kit; what its worker calls.

Layout by CodaBench's documentation (Competition-Bundle-Structure, Yaml-Structure) and its worker and unpacker (``compute_worker.py``,
``unpackers/v2.py``) as of March 2026.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from scrubin.base import files
from scrubin.evaluate import challenge as challenges
from scrubin.evaluate.challenge import Challenge, bundle_parts, hidden_truth
from scrubin.evaluate.challenge.bundle_parts import Layout, Opening
from scrubin.evaluate.challenge.evaluation import ScoredSubmission, evaluate
from scrubin.evaluate.challenge.hidden_truth import HiddenTruth

COMMAND = "python3 /app/program/score.py /app/input /app/output"
SCORES, DETAILS = "scores.json", "detailed_results.html"
TRUTH = "reference_data"


def write(challenge: Challenge, truth: HiddenTruth, kit: Path, opening: Opening, folder: Path) -> Layout:
    """Write ``competition/``, ``competition.zip`` and the folder of a container image."""
    competition = folder / "competition"
    program = competition / "scoring_program"
    bundle_parts.copy_library(program)
    files.write_text(program / "score.py", SCORING_PROGRAM)
    files.write_text(program / "metadata.yaml", f"command: {COMMAND}\n")
    challenges.write(challenge, program)
    hidden_truth.copy(truth, competition / TRUTH)
    shutil.copytree(kit, competition / kit.name)
    for name, text in _pages(challenge).items():
        files.write_text(competition / "pages" / f"{name}.md", text)
    (competition / "logo.png").write_bytes(bundle_parts.logo())
    files.write_text(competition / "competition.yaml", bundle_parts.yaml_text(_competition(challenge, opening, kit.name)))
    bundle_parts.zip_folder(folder / "competition.zip", competition)
    files.write_text(folder / "image" / "Dockerfile", SCORING_DOCKER)
    files.write_text(folder / "image" / "requirements.txt", bundle_parts.requirements())
    return Layout(
        "competition.zip",
        (f"competition/{TRUTH}/", "competition.zip"),
        (
            f"Build `image/` as `{opening.image}`, push it where CodaBench's workers find it, and let `docker_image` in "
            "`competition/competition.yaml` name it (`--image`).",
            "Replace `competition/pages/terms.md`, look at the dates in `competition/competition.yaml`, and zip what is in the "
            "folder again, `competition.yaml` at the root: `cd competition && rm ../competition.zip && zip -r ../competition.zip .`.",
            "Upload `competition.zip` to CodaBench. It keeps `reference_data` to itself; `make_programs_available` stays False.",
        ),
    )


def _pages(challenge: Challenge) -> dict[str, str]:
    return {
        "overview": bundle_parts.overview(challenge),
        "data": bundle_parts.data(challenge),
        "evaluation": bundle_parts.metrics(challenge),
        "terms": bundle_parts.TERMS,
    }


def _competition(challenge: Challenge, opening: Opening, kit: str) -> dict[str, Any]:
    columns = [
        {
            "title": column.title,
            "key": column.key,
            "index": number,
            "sorting": "asc" if column.less_is_better else "desc",
            "precision": challenge.digits or bundle_parts.DIGITS,
        }
        for number, column in enumerate(challenge.columns)
    ]
    is_secret = challenge.show == "nothing"
    return {
        "version": 2,
        "title": challenge.title,
        "description": f"{challenge.task}, scored by scrubin",
        "image": "logo.png",
        "terms": "pages/terms.md",
        "docker_image": opening.image,
        "make_programs_available": False,
        "make_input_data_available": False,
        "enable_detailed_results": True,
        "show_detailed_results_in_submission_panel": True,
        "show_detailed_results_in_leaderboard": False,
        "pages": [{"title": name.capitalize(), "file": f"pages/{name}.md"} for name in _pages(challenge)],
        "tasks": [
            {
                "index": 0,
                "name": challenge.title,
                "description": f"predict {challenge.task}",
                "scoring_program": "scoring_program",
                "reference_data": TRUTH,
            }
        ],
        "phases": [
            {
                "index": 0,
                "name": "Test",
                "description": "predictions of the hidden test set",
                "start": f"{opening.starts} 00:00:00",
                "end": f"{opening.ends} 00:00:00",
                "max_submissions_per_day": 2,
                "max_submissions": 20,
                "execution_time_limit": 3600,
                "accepts_only_result_submissions": True,
                "hide_score_output": is_secret,
                "starting_kit": kit,
                "tasks": [0],
            }
        ],
        "leaderboards": [
            {"title": "Results", "key": "main", "submission_rule": "Force_Best", "hidden": is_secret, "columns": columns},
        ],
    }


def run(program: str, inputs: str, output: str) -> int:
    """Score what the worker laid out: ``input/res`` against ``input/ref`` into ``output/scores.json`` and ``detailed_results.html``.

    Returns
    -------
    int
        0 when it was scored. Else 1: the worker then marks the submission as failed and shows what stands on stderr.
    """
    challenge = challenges.read(Path(program))
    evaluation = evaluate(challenge, Path(inputs, "ref"), Path(inputs, "res"))
    Path(output).mkdir(parents=True, exist_ok=True)
    files.write_text(Path(output, DETAILS), bundle_parts.result(challenge, evaluation))
    stream = sys.stdout if evaluation.accepted else sys.stderr
    stream.write("".join(f"{line}\n" for line in evaluation.messages))
    if evaluation.accepted:
        files.write_text(Path(output, SCORES), json.dumps(_scores(evaluation), indent=1, allow_nan=False) + "\n")
    return 0 if evaluation.accepted else 1


def _scores(evaluation: ScoredSubmission) -> dict[str, float]:
    """Return the numbers that are defined: CodaBench takes no null, and a key that is not there stays empty."""
    return {key: value for key, value in evaluation.scores.items() if value is not None}


SCORING_PROGRAM = '''\
"""Started by CodaBench as: python3 /app/program/score.py /app/input /app/output"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
if sys.version_info < (3, 11):
    sys.exit("Python 3.11 or newer is needed: name an image built from image/Dockerfile as docker_image of the competition")
if len(sys.argv) < 3:
    sys.exit("usage: python score.py INPUT OUTPUT; INPUT has the folders ref (the ground truth) and res (the submission)")
sys.path.insert(0, HERE)
from scrubin.evaluate.challenge import codabench

sys.exit(codabench.run(HERE, *sys.argv[1:3]))
'''

SCORING_DOCKER = f"""\
# What the scoring program needs; the program itself comes with the competition.
FROM docker.io/library/python:{bundle_parts.PYTHON}-slim
COPY requirements.txt wheels* /tmp/wheels/
RUN python -m pip install --no-cache-dir --find-links /tmp/wheels --requirement /tmp/wheels/requirements.txt
"""
