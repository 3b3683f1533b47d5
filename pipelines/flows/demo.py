"""Demo: a small synthetic study with known truth."""

from pathlib import Path

import plumbing

from prefect import flow

from scrubin.base import files, params
from scrubin.base.layout import DEMO

TRUTH = Path("data/demo_truth")


@flow(name="demo")
def main() -> None:
    """Make the raw study and, beside it, the truth for tests; when another study is worked on, leave both empty."""
    if params.raw_folder() == DEMO:
        # Only now: it takes longer than all the rest here.
        from scrubin.stages.demo.plan import DemoParams
        from scrubin.stages.demo.raw_study import make_study

        make_study(params.load("demo", DemoParams), DEMO, TRUTH)
        return
    plumbing.LOG.info("demo: no synthetic study is made, because 'raw' in params.yaml is %s", params.raw_folder())
    # DVC wants its outputs; nobody reads them.
    for folder in (DEMO, TRUTH):
        files.fresh_folder(folder)


if __name__ == "__main__":
    plumbing.run(main)
