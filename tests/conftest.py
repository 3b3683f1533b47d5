"""Properties are not judged by the clock, as a busy machine draws and runs slowly; and what many tests ask is answered once."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def same_umask() -> Iterator[None]:
    """Let no test inherit the umask that a flow of another one closed."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def one_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all validations have one judge, which remembers its verdicts: most tests change one table of several."""
    # Great Expectations takes seconds to import: only where something is validated.
    import remembered_verdicts
    from scrubin.stages.validate import suite

    monkeypatch.setattr(suite, "Judge", remembered_verdicts.judge)


@pytest.fixture
def agreement_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the agreement between raters be computed once for the same sheets."""
    import remembered_agreement
    from scrubin.ratings import agreement

    monkeypatch.setattr(agreement, "of_scores", remembered_agreement.of_scores)
    monkeypatch.setattr(agreement, "of_points", remembered_agreement.of_points)
