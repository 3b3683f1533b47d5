"""Bundles without the library in them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def without_the_copy_of_the_library() -> Iterator[None]:
    """The library is copied in one test only: it is hundreds of files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scrubin.evaluate.challenge.bundle_parts.copy_library", lambda folder: folder.mkdir(parents=True, exist_ok=True))
        yield
