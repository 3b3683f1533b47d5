"""The scores of a folder of annotations, for reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrubin.core.csvtext import shown
from scrubin.lasana import revalidation
from scrubin.lasana.recomputation import RescoredFolder, RescoredTask
from scrubin.lasana.reports import errors_of
from scrubin.lasana.revalidation import Finding
from scrubin.ratings import long_tables
from scrubin.ratings.params import TOTAL

SHOWN = 5


def lines(rescored: RescoredFolder, findings: Sequence[Finding], document: Mapping[str, Any]) -> Iterator[str]:
    """Yield one block per task.

    Parameters
    ----------
    rescored
        All tasks.
    findings
        What does not fit.
    document
        The statistics of ``reports.statistics_of``.
    """
    for scored in rescored.tasks:
        task = scored.files.task
        theirs = [finding for finding in findings if finding.task == task]
        yield task
        if scored.entries.ratings.empty:
            yield _line("scores", "none, as there is no rater's sheet; the files given are passed through")
        else:
            yield from _scores(document["tasks"][task])
        yield from _overruled(document["tasks"].get(task, {}))
        yield from (_line(title, text) for title, text in scored.notes.items())
        if not scored.entries.ratings.empty:
            yield from _left_out(scored)
        yield from _findings(scored, theirs)
        yield ""
    for task in rescored.faults:
        yield (
            f"{task}: not all of it could be read" if task in long_tables.NAMES else f"{shown(task)}: not scored, nothing is written of it"
        )
    for name in rescored.ignored:
        yield f"{name}: not read, as it is no CSV; save it as CSV if it is a rater's sheet"


def _scores(task: Mapping[str, Any]) -> Iterator[str]:
    counts, grs, spread = task["recordings"], task["skill"][TOTAL], task["disagreement"]
    yield _line("recordings", f"{counts['released']}, {counts['rated']} rated, {counts['with_GRS']} with {TOTAL}")
    ends = f"from {_number(grs['lowest'])} to {_number(grs['highest'])}"
    yield _line(TOTAL, f"mean {_number(grs['mean'])}, sd {_number(grs['sd'])}, {ends}, n = {grs['n']}")
    raters = (f"{name}: {rater['rated']} recordings, {rater['failed']} failed" for name, rater in sorted(task["raters"].items()))
    yield _line("raters", "; ".join(raters))
    mean = task["agreement"][TOTAL]["failed_included"]["pooled"]["mean"]
    pairs = "1 pair" if mean["n_pairs_bessel"] == 1 else f"{mean['n_pairs_bessel']} pairs"
    variant = f"mean of {pairs} of raters, complementary ones joined, failed recordings included, n - 1 throughout"
    yield _line("agreement", f"Lin's concordance {_number(mean['bessel'], 3)} ({variant})")
    limit = f"above {_number(spread['threshold'], 3)}, percentile {spread['percentile']:g} (linear)"
    yield _line("disagreement", f"{counts['strong_disagreement']} recordings strong, {limit}")
    duration = task["duration_and_GRS"]
    if duration["n"]:
        yield _line("duration", f"Spearman with {TOTAL} {_number(duration['spearman'], 3)}, n = {duration['n']}")


def _overruled(task: Mapping[str, Any]) -> Iterator[str]:
    for name, title, what in (("harmonised", "marks", "overruled"), ("contradictions", "failed", "contradictions with errors")):
        if task.get(name):
            distinct = sorted({row["id"] for row in task[name]})
            ids = ", ".join(map(shown, distinct[:SHOWN]))
            file = "harmonised.csv" if name == "harmonised" else "contradictions.csv"
            yield _line(title, f"{len(task[name])} {what}, in {file}: {ids}{' ...' if len(distinct) > SHOWN else ''}")


def _left_out(scored: RescoredTask) -> Iterator[str]:
    if scored.main is None:
        labels = "" if len(scored.errors) else ", and none of errors, as there are no labels"
        yield _line("columns", f"no duration and frame_count, as no {scored.files.task}.csv was given{labels}")
    elif scored.main.others:
        yield _line("columns", f"kept without meaning: {', '.join(scored.main.others)}")


def _findings(scored: RescoredTask, findings: Sequence[Finding]) -> Iterator[str]:
    errors = errors_of(findings)
    if scored.main is not None and not errors:
        yield _line("published", f"no difference above {revalidation.TOLERANCE:g}")
    for title, some in (("wrong", errors), ("warnings", [finding for finding in findings if finding not in errors])):
        if some:
            yield _line(title, f"{len(some)}, in differences.csv" + (f"; the first {SHOWN}:" if len(some) > SHOWN else ":"))
            yield from (f"    {revalidation.sentence(finding)}" for finding in some[:SHOWN])


def _line(title: str, text: str) -> str:
    return f"  {title:<13} {text}"


def _number(value: float | None, digits: int = 2) -> str:
    # Adding 0 makes -0.0 of what rounds to it a plain 0.
    return "undefined" if value is None else f"{round(value, digits) + 0:.{digits}f}"
