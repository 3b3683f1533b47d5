"""Verdicts of Great Expectations, remembered: tests that validate the same tables again need not wait for them again."""

from __future__ import annotations

import pickle

import pandas as pd

from scrubin.validate.judge import Judge

_asked: dict[bytes, list[bool]] = {}
_verdicts = Judge.verdicts


def verdicts(judge: Judge, name: str, frame: pd.DataFrame, expectations) -> list[bool]:
    """What ``Judge.verdicts`` says of the same frame and expectations, to the byte."""
    question = pickle.dumps((name, frame, [(one.name, dict(one.arguments)) for one in expectations]))
    if question not in _asked:
        _asked[question] = _verdicts(judge, name, frame, expectations)
    return list(_asked[question])
