"""One judge that remembers its verdicts: tests that validate the same tables again need not wait for Great Expectations again."""

from __future__ import annotations

import pickle
from functools import cache

import pandas as pd

from scrubin.stages.validate.suite import Judge


class RememberingJudge(Judge):
    """Says what ``Judge`` says of the same frame and expectations, to the byte."""

    def __init__(self) -> None:
        super().__init__()
        self._remembered: dict[bytes, list[bool]] = {}

    def verdicts(self, name: str, frame: pd.DataFrame, expectations) -> list[bool]:
        question = pickle.dumps((name, frame, [(one.name, dict(one.arguments)) for one in expectations]))
        if question not in self._remembered:
            self._remembered[question] = super().verdicts(name, frame, expectations)
        return list(self._remembered[question])


judge = cache(RememberingJudge)
