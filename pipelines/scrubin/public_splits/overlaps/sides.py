"""Both sides of a question as selections, some of them corpora of which it is not published what exactly is in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scrubin.public_splits.overlaps.corpora import SOME
from scrubin.public_splits.overlaps.leak import Leak, SharedSet, UnverifiedVideos, Verdict, leak, public_operations
from scrubin.public_splits.overlaps.relations import Video, known
from scrubin.public_splits.overlaps.selection import Selection


@dataclass(frozen=True)
class _Group:
    """Videos of which ``missing`` are not meant, without anybody saying which."""

    videos: tuple[Video, ...]
    missing: int
    source: str


def leak_of(train: Sequence[Selection], test: Sequence[Selection]) -> Leak:
    """Return what two sides share, over all public datasets.

    A group of which some videos are missing shares at least as many operations as it would share whole, less the missing ones.
    """
    operations, relations = public_operations(), known()
    whole = leak(videos_of(train), videos_of(test), operations, relations)
    sets, unverified = list(whole.sets), list(whole.unverified)
    firm = _Group(videos_of(train), 0, ""), _Group(videos_of(test), 0, "")
    for left in (firm[0], *_partial(train)):
        for right in (firm[1], *_partial(test)):
            if left.source or right.source:
                part = leak(left.videos, right.videos, operations, relations)
                sets += _uncertain(part, left, right)
                unverified += part.unverified
    return replace(whole, verdict=_verdict(whole, sets, unverified), sets=tuple(sets), unverified=tuple(dict.fromkeys(unverified)))


def videos_of(selections: Iterable[Selection]) -> tuple[Video, ...]:
    """Return the videos that are certainly selected, each once."""
    return tuple(dict.fromkeys(video for selection in selections for video in selection.videos))


def _partial(selections: Iterable[Selection]) -> list[_Group]:
    return [_Group(one.videos, one.missing, one.source) for selection in selections for one in selection.partial]


def _uncertain(part: Leak, left: _Group, right: _Group) -> list[SharedSet]:
    """Return what two groups share, as sets of which some are certainly on both sides."""
    missing = SOME if SOME in (left.missing, right.missing) else left.missing + right.missing
    sets = [replace(one, at_least=_at_least(one.at_least, missing)) for one in part.sets]
    if part.shared:
        ones, others = ([video for one in part.shared for video in getattr(one, side)] for side in ("train", "test"))
        source = "; ".join(dict.fromkeys(group.source for group in (left, right) if group.source))
        sets.append(SharedSet(tuple(ones), tuple(others), _at_least(len(part.shared), missing), source))
    return sets


def _at_least(shared: int, missing: int) -> int:
    return 0 if missing == SOME else max(0, shared - missing)


def _verdict(whole: Leak, sets: Sequence[SharedSet], unverified: Sequence[UnverifiedVideos]) -> Verdict:
    if whole.shared or any(one.at_least for one in sets):
        return "overlap"
    return "unverified" if sets or unverified else "clean"
