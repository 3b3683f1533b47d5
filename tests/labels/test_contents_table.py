"""The table of contents by format and command says what the registry says, and names no task that there is not."""

import sys
from pathlib import Path
from typing import get_args

from scrubin.evaluate.contest_tasks import CONTESTS
from scrubin.evaluate.metrics.variants import METRICS
from scrubin.labels import formats
from scrubin.labels.registry import WRITERS, Content, contents_of, readable

sys.path.append(str(Path(__file__).parents[2] / "docs"))

from reference import contents


def rows():
    lines = contents.text().splitlines()[2:]
    return {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)}


def test_every_content_has_a_row_with_the_formats_of_the_registry():
    assert formats.__doc__
    found = rows()
    assert list(found) == [f"`{content}`" for content in get_args(Content)]
    for content in get_args(Content):
        read, written, *_ = found[f"`{content}`"]
        named = {name: cell for cell in (read, written) for name in readable() if f"[`{name}`](#{name})" in cell}
        assert set(named) == {name for name, form in readable().items() if content in contents_of(form)}
        assert {name for name, cell in named.items() if cell is written} == {
            name for name in named if name in WRITERS and content in WRITERS[name].holds
        }


def test_masks_are_scored_and_ranked_in_two_ways():
    _, written, scored, ranked = rows()["`masks`"]
    assert "`masks-png`" in written
    assert scored == "`detection --variant kind=masks`, `detection --variant kind=pixels`"
    assert ranked == "`masks`, `pixels`"


def test_a_task_that_the_table_names_is_one():
    every = {(metric, kind) for tasks in contents.SCORED.values() for metric, kind in tasks}
    assert all(not kind or kind in METRICS[metric].choices["paper"]["kind"].values for metric, kind in every)
    assert {metric for metric, _ in every} == set(METRICS)
    named = {contest for metric, kind in every for contest in contents._contests(metric, kind)}
    assert named == set(CONTESTS)
