"""The few lines of Python, Docker and shell that platforms start: they call this library, and nothing else."""

from __future__ import annotations

from scrubin.bundles import library

CODABENCH = '''\
"""Started by CodaBench as: python3 /app/program/score.py /app/input /app/output"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
if sys.version_info < (3, 11):
    sys.exit("Python 3.11 or newer is needed: name an image built from image/Dockerfile as docker_image of the competition")
if len(sys.argv) < 3:
    sys.exit("usage: python score.py INPUT OUTPUT; INPUT has the folders ref (the ground truth) and res (the submission)")
sys.path.insert(0, HERE)
from scrubin.bundles.platforms import codabench

sys.exit(codabench.run(HERE, *sys.argv[1:3]))
'''

EVALAI_INIT = """\
from .main import evaluate
"""

EVALAI = '''\
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
    command = [_python(), "-m", "scrubin.bundles.platforms.evalai", HERE]
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

GRAND_CHALLENGE = '''\
"""Started by Grand Challenge: reads /input, writes /output/metrics.json. Folders can be named to try it elsewhere."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from scrubin.bundles.platforms import grand_challenge


def main(arguments):
    places = dict(zip(("INPUT", "OUTPUT", "GROUND_TRUTH"), arguments))
    default = {"INPUT": "/input", "OUTPUT": "/output", "GROUND_TRUTH": "/opt/ml/input/data/ground_truth"}
    folders = [places.get(name) or os.environ.get("SCRUBIN_" + name) or place for name, place in default.items()]
    return grand_challenge.run(HERE, *folders)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
'''

GRAND_CHALLENGE_PROCESS = '''\
"""The same program under the name that older templates of Grand Challenge start."""
import sys

from evaluate import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
'''

GRAND_CHALLENGE_DOCKER = f"""\
FROM --platform=linux/amd64 docker.io/library/python:{library.PYTHON}-slim
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

SCORING_DOCKER = f"""\
# What the scoring program needs; the program itself comes with the competition.
FROM docker.io/library/python:{library.PYTHON}-slim
COPY requirements.txt wheels* /tmp/wheels/
RUN python -m pip install --no-cache-dir --find-links /tmp/wheels --requirement /tmp/wheels/requirements.txt
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
