"""What axe, the checker of accessibility, finds on a page of a real browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import pytest

GRAVE = ("serious", "critical")
"""The impacts that no page of ours may have."""
ALL: Mapping[str, Any] = {"rules": {"target-size": {"enabled": True}}}
"""All that axe does by itself, and what WCAG 2.2 AA asks besides."""
ALL_BUT_CONTRAST: Mapping[str, Any] = {"rules": {**ALL["rules"], "color-contrast": {"enabled": False}}}
CONTRAST: Mapping[str, Any] = {"runOnly": ["color-contrast"]}


def source() -> str:
    """Return axe itself, which a Python package carries; skip where it is not installed."""
    pytest.importorskip("axe_playwright_python")
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def findings(page: Any, script: str, impacts: Sequence[str] = GRAVE, rules: Mapping[str, Any] = ALL) -> list[str]:
    """Return one line for each place of an open page that breaks a rule with one of these impacts."""
    # Evaluated by the driver: a page that lets no foreign script in stays as it is.
    page.evaluate(script)
    found = page.evaluate("(rules) => axe.run(document, {resultTypes: ['violations'], ...rules})", rules)["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {' '.join(map(str, place['target']))}: {place['html'][:160]}"
        for rule in found
        if rule["impact"] in impacts
        for place in rule["nodes"]
    ]


def in_light_and_dark(page: Any, script: str) -> list[str]:
    """Return what is found in light colours, and what contrast is missing in dark ones: all else is the same there."""
    found = findings(page, script)
    page.emulate_media(color_scheme="dark")
    found += findings(page, script, rules=CONTRAST)
    page.emulate_media(color_scheme="light")
    return found
