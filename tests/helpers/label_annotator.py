"""A person at the label page, in a real browser."""

from __future__ import annotations

import re
from typing import Any

import browser
import sampled_release

PATIENCE_MS = 180_000
SINGLE = sampled_release.IDS["single"]


class Annotator:
    """A person at the page."""

    def __init__(self, chromium: Any, address: str, token: str, id_: str | None = SINGLE, **options: Any) -> None:
        context = chromium.new_context(viewport=browser.SIZE, **options)
        context.set_default_timeout(PATIENCE_MS)
        self.page = context.new_page()
        self.troubles: list[str] = []
        self.page.on("console", lambda message: message.type == "error" and self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.goto(address)
        self.page.fill("#token", token)
        self.page.keyboard.press("Enter")
        self.page.locator("#where", has_text="frame").wait_for()
        if id_ is not None:
            # The page opens one by itself; only when it says so is it done with that, and takes nothing back from who acts on it.
            self.page.locator("#status", has_text="is open.").wait_for()
            if self.page.inner_text("#name") != id_:
                self.page.locator("#list button", has_text=id_).click()
                self.page.locator("#status", has_text=f"{id_} is open.").wait_for()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def says(self, text: str | re.Pattern[str]) -> None:
        """Wait until the status line says something."""
        self.page.locator("#status", has_text=text).wait_for()

    def selected(self, text: str | re.Pattern[str]) -> None:
        """Wait until something is said of what is selected."""
        self.page.locator("#selected-text", has_text=text).wait_for()

    def at(self, frame: int) -> None:
        self.page.locator("#where", has_text=re.compile(rf"frame {frame}$")).wait_for()

    def go(self, frame: int, *keys: str) -> None:
        """Press keys, and wait until they have led to a frame."""
        self.press(*keys)
        self.at(frame)

    def frame(self) -> int:
        return int(self.page.inner_text("#where").rpartition(" ")[2])

    def past(self, frame: int) -> None:
        """Wait until the film that plays is past a frame."""
        self.page.wait_for_function("(frame) => Number(document.getElementById('where').textContent.split(' ').at(-1)) > frame", arg=frame)

    def kept(self) -> None:
        """Wait until the server has answered all that was said: what the page shows comes before that."""
        self.page.wait_for_selector("body[data-kept=yes]")

    def written(self, count: int) -> None:
        """Wait until so many spans stand in the lanes, and in the ledger."""
        self.page.wait_for_selector(f".lane:first-child .track:has(.span:nth-child({count}))")
        self.kept()
