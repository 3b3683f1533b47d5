"""All numbers of one named choice, or of every choice there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from scrubin.core.errors import MetricsError
from scrubin.metrics.phases import rates
from scrubin.metrics.phases.averaging import ORDERS, SOURCES, Elements, First, Order, Source, mean, spread
from scrubin.metrics.phases.confusion import Confusions, pool
from scrubin.metrics.phases.rates import STRATEGIES, Strategy
from scrubin.metrics.result import Result

Scope = Literal["video-wise", "frame-wise"]
SCOPES: tuple[Scope, ...] = ("video-wise", "frame-wise")


@dataclass(frozen=True)
class Choice:
    """Everything that papers leave unsaid.

    The defaults are what the paper recommends: undefined values left out, all elements averaged at once, Bessel's correction.

    Parameters
    ----------
    scope
        ``video-wise``: per video, then summarised. ``frame-wise``: frames of all videos pooled.
    undefined
        ``A``, ``B``, ``zero`` or ``one``, see `rates.settled`.
    averaged
        Order of averaging, see `averaging.mean`.
    bessel
        Whether standard deviations divide by n - 1.
    """

    scope: Scope = "video-wise"
    undefined: Strategy = "A"
    averaged: Order = "all"
    bessel: bool = True

    def __post_init__(self) -> None:
        for what, value, known in (
            ("scope", self.scope, SCOPES),
            ("undefined", self.undefined, STRATEGIES),
            ("averaged", self.averaged, ORDERS),
        ):
            if value not in known:
                msg = f"{what} is {value!r}; choose one of {', '.join(known)}"
                raise MetricsError(msg)


RECOMMENDED = Choice()


def results(confusions: Confusions, choice: Choice = RECOMMENDED) -> list[Result]:
    """Return accuracy, precision, recall, F1 and Jaccard, their deviations, and the two other F1 scores, in one choice.

    Parameters
    ----------
    confusions
        Of videos (not pooled); frame-wise numbers are pooled here.
    choice
        Which variant.

    Raises
    ------
    MetricsError
        When the matrices are pooled already.
    """
    # A deviation has its own order: only whether the phases come first can be chosen.
    first: First = "macro-first" if choice.averaged == "macro-first" else "all"
    return list(_summaries(confusions, choice.scope, choice.undefined, [choice.averaged], [first], [choice.bessel]))


def every(confusions: Confusions) -> Iterator[Result]:
    """Yield every variant once: what a paper may have printed; raises `MetricsError` as `results`."""
    seen: set[str] = set()
    for scope, undefined in product(SCOPES, STRATEGIES):
        for result in _summaries(confusions, scope, undefined, ORDERS, ("all", "macro-first"), (True, False)):
            # Accuracy is always defined, so it is the same under every strategy.
            if result.variant.name not in seen:
                seen.add(result.variant.name)
                yield result


def _summaries(
    confusions: Confusions,
    scope: Scope,
    undefined: Strategy,
    orders: Sequence[Order],
    firsts: Sequence[First],
    bessels: Sequence[bool],
) -> Iterator[Result]:
    if not confusions.videos:
        msg = "these confusion matrices are pooled already; give those of the videos"
        raise MetricsError(msg)
    counted = pool(confusions) if scope == "frame-wise" else confusions
    by_rate = {rate: rates.elements(counted, rate, undefined) for rate in rates.RATES}
    precision, recall = by_rate["precision"], by_rate["recall"]
    for elements in (rates.accuracy(counted), *by_rate.values(), rates.f1_of_macro_averages(precision, recall)):
        for order in orders:
            yield mean(elements, order)
        for source, first, bessel in product(SOURCES, firsts, bessels):
            if _varies(elements, source, first):
                yield spread(elements, source, order=first, bessel=bessel)
    for order in orders:
        yield rates.f1_of_overall_means(precision, recall, order)


def _varies(elements: Elements, source: Source, order: First) -> bool:
    if source == "videos":
        return bool(elements.videos)
    return source == "runs" or (bool(elements.phases) and order == "all")
