"""What a reader of scores should know about numbers that look odd."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from scrubin.core.ranges import count_text
from scrubin.metrics.result import Result


def is_lone_deviation(result: Result) -> bool:
    """Whether a result is the standard deviation of one value, which is undefined and tells nothing."""
    return result.variant.options.get("statistic", "").startswith("SD") and result.overall.n <= 1 and math.isnan(result.overall.value)


def sentences(results: Iterable[Result]) -> Iterator[str]:
    """Yield a sentence for each kind of odd number among the results."""
    results = list(results)
    if lone := sum(is_lone_deviation(result) for result in results):
        yield f"{count_text(lone, 'standard deviation')} of one video or one run: undefined, so not shown; --out has them as null"
    relaxed = [result for result in results if "relaxed" in result.variant.metric and result.variant.options.get("above one") == "kept"]
    odd = sorted({result.variant.metric.rpartition(" ")[2] for result in relaxed if result.overall.value > 1})
    if odd:
        yield (
            f"relaxed {' and '.join(odd)} above 1: by definition frames of the phase on either side count, while those of one side divide; "
            "so a phase that is excused but never predicted has infinite precision; the alternatives are "
            "--variant counted=own and --variant above-one=clipped ('scrubin score differences' has the sources)"
        )
