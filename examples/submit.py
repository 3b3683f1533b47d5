"""From predictions to a checked submission to a rank: run train.py first.

python examples/submit.py [RELEASE] [FOLDER OF PREDICTIONS]
"""

import subprocess
import sys
from pathlib import Path

release = sys.argv[1] if len(sys.argv) > 1 else "data/release"
out = Path(sys.argv[2] if len(sys.argv) > 2 else "predictions")
TEAMS = ["model", "majority"]


def scrubin(*arguments):
    """Run one command and show what it says."""
    print("$ scrubin", *arguments)
    subprocess.run([sys.executable, "-m", "scrubin", *arguments], check=True)


# Whoever takes part can ask the same before handing in: everything that is wrong is named, nothing is scored.
for team in TEAMS:
    scrubin("submission", "check", str(out / team / "phases"), "--ground-truth", release, "--task", "phases")

folders = [f"{team}={out / team / 'phases'}" for team in TEAMS]
scrubin(
    "rank",
    *folders,
    "--ground-truth",
    release,
    "--metric",
    "phases",
    "--out",
    str(out / "leaderboard"),
)
print(f"open {out / 'leaderboard' / 'index.html'}")
