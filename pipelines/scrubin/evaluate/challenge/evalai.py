"""EvalAI: a challenge configuration with evaluation script, annotations, templates; what the script calls.

Layout by EvalAI's documentation (yaml-reference, evaluation-scripts) and its worker and validator (``submission_worker.py``,
``challenge_config_utils.py``) as of August 2026.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from scrubin.base import files
from scrubin.base.errors import ScrubinError
from scrubin.evaluate import challenge as challenges
from scrubin.evaluate.challenge import Challenge, bundle_parts, evaluation, handed_in, hidden_truth
from scrubin.evaluate.challenge.bundle_parts import Layout, Opening
from scrubin.evaluate.challenge.evaluation import ScoredSubmission, evaluate
from scrubin.evaluate.challenge.hidden_truth import HiddenTruth

CODENAME, SPLIT = "test", "test_split"
ANNOTATIONS, SCRIPT = "annotations/test_annotations.zip", "evaluation_script"
HOSTS_AND_OWNERS, EVERYBODY = 1, 3
"""EvalAI's codes of who sees the leaderboard of a phase: the host alone, or everybody."""


def write(challenge: Challenge, truth: HiddenTruth, kit: Path, opening: Opening, folder: Path) -> Layout:
    """Write ``challenge/`` and ``challenge_config.zip``."""
    home = folder / "challenge"
    script = home / SCRIPT
    bundle_parts.copy_library(script)
    files.write_text(script / "__init__.py", SCRIPT_INIT)
    files.write_text(script / "main.py", SCRIPT_MAIN)
    files.write_text(script / "requirements.txt", bundle_parts.requirements(marker=f' ; python_version >= "{bundle_parts.PYTHON}"'))
    challenges.write(challenge, script)
    with tempfile.TemporaryDirectory() as place:
        hidden_truth.copy(truth, Path(place, "truth"))
        bundle_parts.zip_folder(home / ANNOTATIONS, Path(place, "truth"))
    for name, text in _templates(challenge).items():
        files.write_text(home / "templates" / f"{name}.html", text)
    (home / "logo.png").write_bytes(bundle_parts.logo())
    files.write_text(home / "challenge_config.yaml", bundle_parts.yaml_text(_config(challenge, opening)))
    document = handed_in.sample_values(challenge)
    files.write_text(kit / "submission.json", json.dumps(document) + "\n")
    bundle_parts.zip_folder(home / f"{SCRIPT}.zip", script)
    bundle_parts.zip_folder(folder / "challenge_config.zip", home, without=[SCRIPT])
    return Layout(
        "challenge_config.zip",
        (f"challenge/{ANNOTATIONS}", "challenge_config.zip"),
        (
            "Replace `challenge/templates/terms_and_conditions.html`, and look at the dates in `challenge/challenge_config.yaml`. Then "
            f"zip them again: `cd challenge && rm ../challenge_config.zip && zip -r ../challenge_config.zip . -x '{SCRIPT}/*'`.",
            "Upload `challenge_config.zip` to EvalAI (or put `challenge/` into a private repository made from its starter template).",
            "EvalAI's own workers have Python 3.7 to 3.9. Use a worker with Python 3.11 or newer: your own image, or remote evaluation. "
            "`SCRUBIN_PYTHON` names that Python where the worker itself is older.",
            "Give participants `public/starting_kit`.",
        ),
    )


def _templates(challenge: Challenge) -> dict[str, str]:
    return {
        "description": bundle_parts.fragment([bundle_parts.overview(challenge)]),
        "evaluation_details": bundle_parts.fragment([bundle_parts.metrics(challenge)]),
        "submission_guidelines": bundle_parts.fragment(
            [
                bundle_parts.data(challenge),
                'One JSON `{"<video>": ...}` for all videos is taken, too: `submission.json` of the starting kit.',
            ]
        ),
        "terms_and_conditions": bundle_parts.fragment([bundle_parts.TERMS]),
        "phase_description": bundle_parts.fragment([bundle_parts.overview(challenge)]),
    }


def _config(challenge: Challenge, opening: Opening) -> dict[str, Any]:
    labels = [column.key for column in challenge.columns]
    dates = {"start_date": f"{opening.starts} 00:00:00", "end_date": f"{opening.ends} 23:59:59"}
    is_secret = challenge.show == "nothing"
    return {
        "title": challenge.title,
        "short_description": f"{challenge.task}, scored by scrubin",
        "description": "templates/description.html",
        "evaluation_details": "templates/evaluation_details.html",
        "terms_and_conditions": "templates/terms_and_conditions.html",
        "image": "logo.png",
        "submission_guidelines": "templates/submission_guidelines.html",
        "leaderboard_description": f"Ranked by {challenge.columns[0].title}.",
        "evaluation_script": f"{SCRIPT}.zip",
        "remote_evaluation": False,
        **dates,
        "published": False,
        "tags": ["surgical-video", challenge.task],
        "leaderboard": [
            {
                "id": 1,
                "schema": {
                    "labels": labels,
                    "default_order_by": labels[0],
                    "metadata": {
                        column.key: {"sort_ascending": column.less_is_better, "description": column.title} for column in challenge.columns
                    },
                },
            }
        ],
        "challenge_phases": [
            {
                "id": 1,
                "name": "Test",
                "description": "templates/phase_description.html",
                "leaderboard_public": not is_secret,
                "is_public": True,
                "challenge": 1,
                "is_active": True,
                "max_concurrent_submissions_allowed": 1,
                "allowed_email_ids": [],
                "disable_logs": False,
                "is_submission_public": False,
                **dates,
                "test_annotation_file": ANNOTATIONS,
                "codename": CODENAME,
                "max_submissions_per_day": 2,
                "max_submissions_per_month": 20,
                "max_submissions": 20,
                "default_submission_meta_attributes": [{"name": "method_name", "is_visible": True}],
                "submission_meta_attributes": [],
                "is_restricted_to_select_one_submission": False,
                "is_partial_submission_evaluation_enabled": False,
                "allowed_submission_file_types": ".json, .zip",
            }
        ],
        "dataset_splits": [{"id": 1, "name": "Test", "codename": SPLIT}],
        "challenge_phase_splits": [
            {
                "challenge_phase_id": 1,
                "leaderboard_id": 1,
                "dataset_split_id": 1,
                "visibility": HOSTS_AND_OWNERS if is_secret else EVERYBODY,
                "leaderboard_decimal_precision": challenge.digits or bundle_parts.DIGITS,
                "is_leaderboard_order_descending": not challenge.columns[0].less_is_better,
                "show_execution_time": False,
                "show_leaderboard_by_latest_submission": False,
            }
        ],
    }


def scored(program: Path, annotations: Path, submitted: Path, phase: str) -> dict[str, Any]:
    """Return what EvalAI's ``evaluate`` returns; without ``result`` the worker marks the submission as failed.

    Parameters
    ----------
    program
        The folder of the evaluation script.
    annotations, submitted, phase
        As the worker passes them: the zip of the ground truth, what the participant uploaded, the code name of the phase.
    """
    challenge = challenges.read(program)
    if phase != CODENAME:
        return _output(challenge, ScoredSubmission(False, (f"the phase '{phase}' is not of this challenge; it has '{CODENAME}'",), {}, {}))
    with tempfile.TemporaryDirectory() as place:
        truth = Path(place, "truth")
        with zipfile.ZipFile(annotations) as archive:
            archive.extractall(truth)
        try:
            Path(place, "submission").mkdir()
            folder = evaluation.folder_of(submitted, Path(place, "submission"), challenge)
        except ScrubinError as error:
            return _output(challenge, ScoredSubmission(False, tuple(str(error).splitlines()), {}, {}))
        return _output(challenge, evaluate(challenge, truth, folder))


def _output(challenge: Challenge, evaluation: ScoredSubmission) -> dict[str, Any]:
    told: dict[str, Any] = {"accepted": evaluation.accepted, "messages": list(evaluation.messages), **challenge.of_release}
    if not evaluation.accepted:
        return {"submission_result": told}
    if challenge.show != "nothing":
        # The leaderboard takes the columns of its schema alone.
        told["scores"] = dict(evaluation.scores)
    if challenge.show == "videos":
        told["videos"] = evaluation.videos
    columns = {column.key: evaluation.scores.get(column.key) for column in challenge.columns}
    return {
        "result": [{SPLIT: columns}],
        "submission_result": told,
        "submission_metadata": {"scrubin": challenge.task, **challenge.of_release},
    }


if __name__ == "__main__":
    json.dump(scored(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]), sys.stdout, allow_nan=False)

SCRIPT_INIT = """\
from .main import evaluate
"""

SCRIPT_MAIN = '''\
"""EvalAI imports this and calls evaluate(); scoring itself runs in a Python of its own, 3.11 or newer."""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NEWER = ("python3.13", "python3.12", "python3.11")


def evaluate(test_annotation_file, user_submission_file, phase_codename, **kwargs):
    environment = dict(os.environ, PYTHONPATH=HERE, PYTHONDONTWRITEBYTECODE="1")
    command = [_python(), "-m", "scrubin.evaluate.challenge.evalai", HERE]
    command += [str(test_annotation_file), str(user_submission_file), str(phase_codename)]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if run.returncode:
        sys.stderr.write("The submission could not be scored; tell the organiser.\\n")
        return {"submission_result": {"accepted": False, "messages": ["could not be scored"]}}
    output = json.loads(run.stdout)
    messages = output["submission_result"]["messages"]
    # Of a submission without a result EvalAI shows what stands here.
    (sys.stdout if "result" in output else sys.stderr).write("".join(line + "\\n" for line in messages))
    return output


def _python():
    named = os.environ.get("SCRUBIN_PYTHON")
    if named:
        return named
    if sys.version_info >= (3, 11):
        return sys.executable
    for name in NEWER:
        if shutil.which(name):
            return name
    raise RuntimeError("Python 3.11 or newer is needed on the worker; its place can be named by SCRUBIN_PYTHON")
'''
