"""The section ``scores`` of params.yaml."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.core.params import ranged
from scrubin.errors import ParamsError

TOTAL = "GRS"


@dataclass(frozen=True)
class FailureRule:
    """How failing a task and one of its errors belong together.

    ``iff``: a recording is failed exactly when the error occurred. ``implies``: a failed
    recording has the error, but the error alone is no failure.
    """

    error: str
    rule: str = ranged(choices=("iff", "implies"))


@dataclass(frozen=True)
class ScoresParams:
    """How rater sheets become skill scores and error labels."""

    aspects: tuple[str, ...]
    lowest: float
    highest: float
    step: float
    failed_grs: float
    reviewer: str
    complementary_raters: tuple[tuple[str, ...], ...]
    errors: dict[str, tuple[str, ...]]
    failure_rules: dict[str, FailureRule]
    min_ratings: int = ranged(low=1)
    strong_percentile: float = ranged(low=0, high=100)
    error_rule: str = ranged(choices=("majority", "any", "reviewer"))

    def __post_init__(self) -> None:
        if not self.aspects or TOTAL in self.aspects or len(set(self.aspects)) != len(self.aspects):
            msg = f"params.yaml: 'scores.aspects' must name different aspects, without their sum {TOTAL}, but is {list(self.aspects)}"
            raise ParamsError(msg)
        if not (self.lowest < self.highest and 0 < self.step <= self.highest - self.lowest):
            msg = (
                "params.yaml: 'scores.lowest', 'scores.highest' and 'scores.step' must make a scale, "
                f"but are {self.lowest}, {self.highest} and {self.step}"
            )
            raise ParamsError(msg)
        raters = [rater for group in self.complementary_raters for rater in group]
        if len(set(raters)) != len(raters):
            msg = f"params.yaml: 'scores.complementary_raters' names a rater twice: {sorted(raters)}"
            raise ParamsError(msg)
        for task, rule in sorted(self.failure_rules.items()):
            if rule.error not in self.errors.get(task, ()):
                msg = (
                    f"params.yaml: 'scores.failure_rules.{task}.error' must be one of 'scores.errors.{task}' "
                    f"({', '.join(self.errors.get(task, ())) or 'none'}), but is {rule.error!r}"
                )
                raise ParamsError(msg)
