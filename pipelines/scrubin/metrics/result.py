"""What a metric returns: a value with its count and the name of its variant.

Values of different variants cannot be compared: that is refused with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from scrubin.core.errors import MetricsError

Semantics = Literal["paper", "compat"]


def exact(number: float) -> str:
    """Return a number as text for the name of a variant: different numbers never look the same.

    >>> exact(0.5), exact(1.0), exact(1 / 3)
    ('0.5', '1', '0.3333333333333333')
    """
    return repr(float(number)).removesuffix(".0")


@dataclass(frozen=True)
class Variant:
    """Which number it is.

    Parameters
    ----------
    metric
        Name of the metric, such as ``recognition AP``.
    semantics
        ``paper``: the definition. ``compat``: what a published program returns, quirks included.
    options
        Everything else that changes the number, by name: component, scope, interpolation, omega ...
    """

    metric: str
    semantics: Semantics
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The variant on one line."""
        return "; ".join([self.metric, self.semantics, *(f"{key}={value}" for key, value in sorted(self.options.items()))])


@dataclass(frozen=True)
class Value:
    """A number and what it was made of.

    Parameters
    ----------
    value
        NaN is undefined.
    n
        Count behind it: positives of a class, classes of a mean, videos of a mean over videos.
    """

    value: float
    n: int

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)


@dataclass(frozen=True)
class Result:
    """The outcome of one variant of a metric.

    Parameters
    ----------
    variant
        Which number it is.
    overall
        The number itself.
    classes
        Per class by its name or id, as text; empty where there are none.
    videos
        Per video; empty where the metric does not work by video.
    curves
        Per class, lists of equal length by what they are, such as recall and precision; empty where there are none.
    """

    variant: Variant
    overall: Value
    classes: Mapping[str, Value] = field(default_factory=dict)
    videos: Mapping[str, Value] = field(default_factory=dict)
    curves: Mapping[str, Mapping[str, list[float]]] = field(default_factory=dict)


def difference(one: Result, other: Result) -> float:
    """Return ``one - other``.

    Raises
    ------
    MetricsError
        When they are not of the same variant; names what differs.
    """
    if one.variant.name != other.variant.name:
        names = f"'{one.variant.name}' and '{other.variant.name}'"
        msg = f"these are different metrics and cannot be compared: {names}; compute both in one variant"
        raise MetricsError(msg)
    return one.overall.value - other.overall.value
