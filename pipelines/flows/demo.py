"""Demo: a small synthetic study with known truth."""

from pathlib import Path

import plumbing

from prefect import flow

from scrubin.core import params
from scrubin.demo import DemoParams, make_study

STUDY = Path("data/demo")
TRUTH = Path("data/demo_truth")


@flow(name="demo")
def main() -> None:
    """Make the raw study and, beside it, the truth for tests."""
    make_study(params.load("demo", DemoParams), STUDY, TRUTH)


if __name__ == "__main__":
    plumbing.run(main)
