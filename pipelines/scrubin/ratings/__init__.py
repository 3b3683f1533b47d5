"""Rater sheets to scores, per rater, then over raters, as the section ``scores`` of params.yaml says; as in LASANA for who has none.

Source: LASANA, sections Skill annotation and Annotation process.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from scrubin.base.errors import ParamsError
from scrubin.base.params import ranged
from scrubin.base.text.csv_text import is_missing

TOTAL = "GRS"
RATER = re.compile(r"0|[1-9][0-9]*")
_NUMBER = re.compile(r"[+-]?[0-9.,]+")
RESERVED = ("", "id", "task", "rater", "aspect", "score", "error", "marked", TOTAL)
"""Columns of rater sheets with a meaning of their own."""
TAKEN = frozenset({*RESERVED, "duration", "frame_count", "split", "n_ratings", "disagreement", "strong_disagreement"})
"""Columns of what is written, too: no aspect and no error can have their names."""
NOT_FAILED = ("", "false", "no", "0")
"""Cells that mean that a recording is not failed, in any case."""
NOT_RATED = "not rated"
"""How our files say that a rater could not judge; in those of a curator the parameters say how. An empty cell, or one of the many
spellings of a missing value, does not say it: in LASANA's sheets they mean failed."""


@dataclass(frozen=True)
class FailureRule:
    """How failing a task and one of its errors belong together.

    ``iff``: a recording is failed exactly when the error occurred. ``implies``: a failed
    recording has the error, but the error alone is no failure.
    """

    error: str
    rule: str = ranged(choices=("iff", "implies"))


@dataclass(frozen=True)
class FailedMark:
    """The column of rater sheets that says whether a recording is failed, and the cell that says so."""

    column: str
    value: str


@dataclass(frozen=True)
class ScoresParams:
    """How rater sheets become skill scores and error labels.

    Without ``failed_mark`` a recording is marked as failed by leaving all its scores empty. ``not_rated`` is the cell of an
    aspect that the rater could not judge, or of all aspects of a recording; null: there is no such cell.
    """

    aspects: tuple[str, ...]
    lowest: float
    highest: float
    step: float
    failed_mark: FailedMark | None
    failed_grs: float
    reviewer: str
    complementary_raters: tuple[tuple[str, ...], ...]
    errors: dict[str, tuple[str, ...]]
    failure_rules: dict[str, FailureRule]
    min_ratings: int = ranged(low=1)
    strong_percentile: float = ranged(low=1, high=100)
    error_rule: str = ranged(choices=("majority", "any", "reviewer"))
    not_rated: str | None = NOT_RATED

    def __post_init__(self) -> None:
        self._check_aspects()
        self._check_errors()
        self._check_raters()
        self._check_not_rated()
        finite = all(map(math.isfinite, (self.lowest, self.highest, self.step)))
        rises = finite and self.step > 0 and self.lowest < self.highest
        if not (rises and math.isclose(self.lowest + (self.points - 1) * self.step, self.highest, abs_tol=1e-9)):
            last = f": the last point that is reached is {self.point(1, self.points - 1)}" if rises else ""
            msg = (
                "params.yaml: 'scores.lowest', 'scores.highest' and 'scores.step' must make a scale from one end to the other, "
                f"but are {self.lowest}, {self.highest} and {self.step}{last}"
            )
            raise ParamsError(msg)
        if not -math.inf < self.failed_grs <= 0:
            msg = f"params.yaml: 'scores.failed_grs' must be a finite number up to 0, the mean, such as -2.5, but is {self.failed_grs}"
            raise ParamsError(msg)
        for task, rule in sorted(self.failure_rules.items()):
            if rule.error not in self.errors.get(task, ()):
                msg = (
                    f"params.yaml: 'scores.failure_rules.{task}.error' must be one of 'scores.errors.{task}' "
                    f"({', '.join(self.errors.get(task, ())) or 'none'}), but is {rule.error!r}"
                )
                raise ParamsError(msg)

    @property
    def points(self) -> int:
        """The number of points of the scale."""
        # Steps such as 0.1 do not divide exactly.
        return math.floor((self.highest - self.lowest) / self.step + 1e-9) + 1

    def point(self, scores: int, steps: int) -> float:
        """Return the sum of so many scores that are so many steps above their lowest point: exact, then rounded once."""
        return float(scores * Fraction(str(self.lowest)) + steps * Fraction(str(self.step)))

    def _check_errors(self) -> None:
        taken = {*TAKEN, *self.aspects}
        for task, names in sorted(self.errors.items()):
            wrong = [name for name in names if name in taken or name != name.strip()] or [name for name in names if names.count(name) > 1]
            if wrong:
                why = "stands twice" if names.count(wrong[0]) > 1 else "is the name of another column"
                raise ParamsError(f"params.yaml: 'scores.errors.{task}': '{wrong[0]}' {why}; name the error otherwise")

    def _check_aspects(self) -> None:
        if not self.aspects or set(self.aspects) & TAKEN or len(set(self.aspects)) != len(self.aspects):
            msg = (
                f"params.yaml: 'scores.aspects' must name different aspects, without their sum {TOTAL} "
                f"and other columns of a file, but is {list(self.aspects)}"
            )
            raise ParamsError(msg)
        mark = self.failed_mark
        if mark is not None and (mark.column in {*RESERVED, *self.aspects} or mark.column != mark.column.strip()):
            msg = f"params.yaml: 'scores.failed_mark.column' must name a column of its own, such as failed, but is {mark.column!r}"
            raise ParamsError(msg)
        if mark is not None and (not mark.value or mark.value != mark.value.strip() or mark.value.lower() in NOT_FAILED):
            msg = f"params.yaml: 'scores.failed_mark.value' must be a cell that means failed, such as \"True\", but is {mark.value!r}"
            raise ParamsError(msg)

    def is_not_rated(self, cell: str) -> bool:
        """Return whether a cell says that the rater could not judge."""
        return self.not_rated is not None and cell.casefold() == self.not_rated.casefold()

    def _check_not_rated(self) -> None:
        text = self.not_rated
        if text is not None and (not text or text != text.strip() or is_missing(text) or _NUMBER.fullmatch(text)):
            msg = f"params.yaml: 'scores.not_rated' must be words that mean nothing else, such as 'not rated', or null, but is {text!r}"
            raise ParamsError(msg)

    def _check_raters(self) -> None:
        raters = [rater for group in self.complementary_raters for rater in group]
        if len(set(raters)) != len(raters):
            raise ParamsError(f"params.yaml: 'scores.complementary_raters' names a rater twice: {sorted(raters)}")
        named = {"complementary_raters": raters, "reviewer": [self.reviewer] if self.error_rule == "reviewer" else []}
        for name, numbers in named.items():
            wrong = [rater for rater in numbers if not RATER.fullmatch(rater)]
            if wrong:
                raise ParamsError(f"params.yaml: 'scores.{name}' must name raters by number, such as \"3\", but holds {wrong[0]!r}")


LASANA = ScoresParams(
    aspects=("depth_perception", "efficiency", "bimanual_dexterity", "tissue_handling"),
    lowest=1.0,
    highest=5.0,
    step=1.0,
    failed_mark=None,
    failed_grs=-2.5,
    min_ratings=2,
    strong_percentile=95.0,
    error_rule="majority",
    reviewer="3",
    complementary_raters=(("0", "2"),),
    errors={
        "PegTransfer": ("object_dropped_within_fov", "object_dropped_outside_of_fov"),
        "CircleCutting": ("cutting_imprecise", "gauze_detached"),
        "BalloonResection": ("cutting_imprecise", "cutting_incomplete", "balloon_opened", "balloon_damaged", "balloon_perforated"),
        "SutureAndKnot": (
            "needle_dropped",
            "suture_imprecise",
            "fewer_than_three_throws",
            "slit_not_closed",
            "knot_comes_apart",
            "drain_detached",
        ),
    },
    failure_rules={
        "BalloonResection": FailureRule("balloon_opened", "implies"),
        "SutureAndKnot": FailureRule("fewer_than_three_throws", "iff"),
    },
)
"""The same as the section ``scores`` of the params.yaml that comes with the project."""

TOLERANCE = 1e-6
"""Published values may differ from recomputed ones by so much: they may have been rounded."""
