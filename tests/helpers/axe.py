"""What axe, the checker of accessibility, finds on a page of a real browser."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any

import pytest

GRAVE = ("serious", "critical")
"""The impacts that no page of ours may have."""
RUN = "() => axe.run(document, {resultTypes: ['violations'], rules: {'target-size': {enabled: true}}})"
"""All that axe does by itself, and what WCAG 2.2 AA asks besides."""
SCHEMES = ("light", "dark")


def source() -> str:
    """Return axe itself, which a Python package carries; skip where it is not installed."""
    pytest.importorskip("axe_playwright_python")
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def findings(page: Any, script: str, impacts: Sequence[str] = GRAVE) -> list[str]:
    """Return one line for each place of an open page that breaks a rule with one of these impacts."""
    # Evaluated by the driver: a page that lets no foreign script in stays as it is.
    page.evaluate(script)
    found = page.evaluate(RUN)["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {' '.join(map(str, place['target']))}: {place['html'][:160]}"
        for rule in found
        if rule["impact"] in impacts
        for place in rule["nodes"]
    ]
