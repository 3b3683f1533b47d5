"""The page of a score: one HTML file that loads nothing, so that it opens offline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from scrubin.base import pages
from scrubin.evaluate import score_numbers, score_pictures, score_tables
from scrubin.evaluate.computation import ComparedBoxes, ComparedClasses, ComparedMarks, ComparedPhases, ComparedSheets, Computed
from scrubin.evaluate.released_truth import line_of
from scrubin.evaluate.score_document import ScoredResult
from scrubin.evaluate.score_numbers import Said

TEMPLATES = Path(__file__).with_name("templates")
# The curator's report, the leaderboard and this page look alike.
COLOURS = 10
LEVELS_PX = 3


def page(document: Mapping[str, Any], parts: Sequence[tuple[Computed, Sequence[ScoredResult]]], said: Said) -> str:
    """Return the page.

    Parameters
    ----------
    document
        As `score_document.document` returns it.
    parts
        What belongs together, with its results.
    said
        What was chosen.
    """
    environment = pages.environment(
        TEMPLATES, {"number": score_numbers.shown, "count": "{:,}".format, "name": breakable, "release": line_of}
    )
    scored = [result for _, results in parts for result in results]
    counted = [(name, frames) for part in document["scored"] for name, frames in part["videos"].items()]
    return environment.get_template("score.html.j2").render(
        document=document,
        said=said,
        counted=counted,
        of_frames=any(frames is not None for _, frames in counted),
        frames=sum(frames or 0 for _, frames in counted),
        overall=score_numbers.overall(scored),
        interval=next((one.interval.variant.options["interval"] for one in scored if one.interval is not None), ""),
        dots=score_numbers.dots(scored),
        # Phases name them by the share of frames that are right, which there always is.
        extremes=[] if document["metric"] == "phases" else [score_numbers.extremes(one, score_pictures.MOST) for one in _chosen(scored)],
        classes=score_numbers.by_class(scored),
        videos=score_numbers.by_video(scored),
        drawn=[drawn for one, results in parts for drawn in _drawn(document["metric"], one, results, said)],
        size=score_pictures.SIZE,
        scatter=score_pictures.SCATTER,
        colours=COLOURS,
        level_px=LEVELS_PX,
        columns=score_numbers.WIDTH,
    )


def breakable(name: object) -> Markup:
    """Return a name that may be broken where its parts end.

    >>> str(breakable("hook,cut_<b>"))
    'hook,<wbr>cut_<wbr>&lt;b&gt;'
    """
    parts = str(escape(str(name)))
    return Markup(parts.replace(",", ",<wbr>").replace("_", "_<wbr>"))


def _drawn(metric: str, one: Computed, scored: Sequence[ScoredResult], said: Said) -> Iterator[dict[str, Any]]:
    """Yield what is drawn of a part, each with the name of its template."""
    compared = one.compared
    if isinstance(compared, ComparedClasses):
        yield {"kind": "curves", **score_pictures.classes(one, compared, scored)}
    if isinstance(compared, ComparedBoxes):
        yield {"kind": "curves", **score_pictures.boxes(one, compared, scored)}
    if isinstance(compared, ComparedPhases):
        yield {"kind": "phases", **score_pictures.phases(compared)}
    if isinstance(compared, ComparedSheets) and metric == "skill":
        yield {"kind": "skill", **score_pictures.skill(compared)}
    elif isinstance(compared, ComparedSheets):
        yield {"kind": "errors", **score_pictures.errors(compared)}
    if isinstance(compared, ComparedMarks):
        yield score_tables.criteria(compared)
    if (lines := score_tables.thresholds(scored)) is not None:
        yield lines
    task = score_tables.declared(metric, said.variant)
    if task is not None and (found := score_tables.tables(one, task)) is not None:
        yield found


def _chosen(scored: Sequence[ScoredResult]) -> list[ScoredResult]:
    """Return the result whose videos are named: of triplets where there are some, else the first with values by video."""
    with_videos = score_numbers.with_values_by_video(scored)
    of_triplets = [one for one in with_videos if one.result.variant.options.get("component") == "ivt"]
    return (of_triplets or with_videos)[:1]
