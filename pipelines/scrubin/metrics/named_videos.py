"""Videos that are taken one at a time, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from scrubin.errors import MetricsError


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """Its name."""
        ...


Video = TypeVar("Video", bound=Named)


def each_once(videos: Iterable[Video]) -> Iterator[Video]:
    """Yield the videos; raises `MetricsError` when a name comes twice, and at the end when there was none."""
    seen: set[str] = set()
    for video in videos:
        if video.name in seen:
            msg = f"video {video.name} is given twice; give every video once, with all its frames"
            raise MetricsError(msg)
        seen.add(video.name)
        yield video
    if not seen:
        msg = "no video is given; at least one is needed"
        raise MetricsError(msg)
