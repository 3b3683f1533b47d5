"""Requests of a page that wait until a test lets them go, or are refused: what a slow network or a busy server does now and then."""

from __future__ import annotations

import contextlib
import re
from typing import Any

PATIENCE_MS = 180_000
LOOK_MS = 20
PROBE = "are-requests-routed"
"""A request for the page itself with this question is answered here, once requests are routed."""


def wait_until_routed(page: Any) -> None:
    """Chromium learns a moment after ``page.route`` that requests are routed: about one of a thousand that came at once was not.

    The probe stays routed, so that Chromium is never told to route nothing any more: what it has just stopped by then may wait for ever.
    """
    probed = re.compile(rf"\?{PROBE}$")
    page.route(probed, lambda route: route.fulfill(body=PROBE))
    while page.evaluate("async (probe) => (await fetch(`${location.pathname}?${probe}`)).text()", PROBE) != PROBE:
        page.wait_for_timeout(LOOK_MS)


def refuse(page: Any, pattern: str, error: str) -> None:
    """Let requests to addresses that fit a pattern be refused from now on."""
    page.route(re.compile(pattern), lambda route: route.fulfill(status=409, json={"error": error}))
    wait_until_routed(page)


class Held:
    """Requests to addresses that fit a pattern, from now on."""

    def __init__(self, page: Any, pattern: str) -> None:
        self.page, self.pattern = page, re.compile(pattern)
        self.routes: list[Any] = []
        page.route(self.pattern, self._hold)
        wait_until_routed(page)

    def _hold(self, route: Any) -> None:
        self.routes.append(route)

    def come(self, count: int = 1) -> None:
        """Wait until so many were made."""
        for _ in range(PATIENCE_MS // LOOK_MS):
            if len(self.routes) >= count:
                return
            self.page.wait_for_timeout(LOOK_MS)
        raise AssertionError(f"{len(self.routes)} of {count} requests were made: {self.pattern.pattern}")

    def let_one_go(self) -> None:
        self.routes.pop(0).continue_()

    def let_go(self) -> None:
        """Let all of them go, and hold no more."""
        self.page.unroute(self.pattern)
        for route in self.routes:
            # What the page no longer wants has gone.
            with contextlib.suppress(Exception):
                route.continue_()
