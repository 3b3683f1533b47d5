"""One test that goes over many cases, for cases so small that a test of each costs more than what it checks."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def each(names: str, cases: Iterable[Any], *, say: Callable[..., object] = lambda *values: values) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, but one test: every case runs, and the failure names all that failed.

    `say` names a case by its values. A test that takes `tmp_path` has a folder of its own for every case; of `capsys` it gets what
    its case printed. What a test does to other fixtures, its next case sees.
    """
    order = [name.strip() for name in names.split(",")]
    rows = [tuple(case) if len(order) > 1 else (case,) for case in cases]

    def decorate(test: Test) -> Test:
        taken = inspect.signature(test).parameters
        assert set(order) <= set(taken), f"{test.__name__} does not take {names}"
        assert rows, f"{test.__name__} has no case"

        @functools.wraps(test)
        def over_all(**fixtures: Any) -> None:
            first, failed = None, []
            for number, row in enumerate(rows):
                of_case = dict(fixtures)
                if "tmp_path" in of_case:
                    of_case["tmp_path"] = fixtures["tmp_path"] / str(number)
                    of_case["tmp_path"].mkdir()
                if "capsys" in of_case:
                    of_case["capsys"].readouterr()
                try:
                    test(**of_case, **dict(zip(order, row, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    first = first or error
                    failed.append(str(say(*row)))
            if first is not None:
                first.add_note(f"of {test.__name__}, {len(failed)} of {len(rows)} cases fail: {'; '.join(failed)}")
                raise first

        kept = [parameter for name, parameter in taken.items() if name not in order]
        over_all.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]
        return over_all

    return decorate
