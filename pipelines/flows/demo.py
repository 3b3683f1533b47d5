"""Demo: a small synthetic study with known truth."""

from pathlib import Path

import plumbing

from prefect import flow

from scrubin.core import files, params
from scrubin.demo import DemoParams, make_study

STUDY = Path("data/demo")
TRUTH = Path("data/demo_truth")


@flow(name="demo")
def main() -> None:
    """Make the raw study and, beside it, the truth for tests; when another study is worked on, leave both empty."""
    if params.raw_folder() == STUDY:
        make_study(params.load("demo", DemoParams), STUDY, TRUTH)
        return
    # DVC wants its outputs; nobody reads them.
    for folder in (STUDY, TRUTH):
        files.fresh_folder(folder)


if __name__ == "__main__":
    plumbing.run(main)
