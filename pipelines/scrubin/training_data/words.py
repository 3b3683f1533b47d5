"""Verdicts on training data in words, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from scrubin.core.ordering import natural
from scrubin.core.ranges import count_text
from scrubin.public_splits.overlaps.leak import Leak, no_source
from scrubin.public_splits.overlaps.relations import Video
from scrubin.training_data.overlap import Assessment, SourceVerdict

SHOWN = 20
LEAVE_OUT = "train without them, or tell the organiser"


def lines(found: Assessment, test: str) -> Iterator[str]:
    """Yield a line per source, then the verdict on the whole."""
    for one in found.sources:
        yield f"line {one.line}: {sentence(one)}"
    if not found.complete:
        yield "the file says that not everything is named"
    yield f"trained until: {found.trained_until}"
    yield f"verdict against {test}: {found.verdict}"


def sentence(one: SourceVerdict) -> str:
    """Return the verdict on one source with its reason."""
    why = one.why or ("" if one.leak is None else evidence(one.leak))
    return f"{one.source}: {one.verdict}" + (f" ({why})" if why else "")


def evidence(leak: Leak) -> str:
    """Return what is shared, and what is not known."""
    parts = []
    if leak.shared:
        tested = [video for one in leak.shared for video in one.test]
        parts.append(f"{count_text(len(leak.shared), 'shared operation')}: {_videos(tested)}")
    for block in leak.sets:
        how_many = f"at least {block.at_least}" if block.at_least else "perhaps some"
        parts.append(f"{how_many} of {_videos(block.test)}, which ones is not published")
    unrelated = sorted({one.train[0].dataset for one in leak.unverified if one.why == no_source(one.train[0].dataset, one.test[0].dataset)})
    if unrelated:
        parts.append(f"no source relates {', '.join(unrelated)} to it")
    told = dict.fromkeys(one.why for one in leak.unverified if one.why != no_source(one.train[0].dataset, one.test[0].dataset))
    return "; ".join([*parts, *told])


def document(found: Assessment, test: str) -> dict[str, Any]:
    """Return everything as JSON values."""
    sources = [{"source": one.source, "line": one.line, "verdict": one.verdict, "why": sentence(one)} for one in found.sources]
    head = {"test": test, "verdict": found.verdict, "complete": found.complete, "trained_until": found.trained_until}
    return {**head, "sources": sources}


def _videos(videos: Iterable[Video]) -> str:
    named = sorted(set(videos), key=lambda video: (video.dataset, natural(video.id)))
    shown = ", ".join(str(video) for video in named[:SHOWN])
    return shown + (f" and {len(named) - SHOWN} more" if len(named) > SHOWN else "")
