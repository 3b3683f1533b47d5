"""What somebody takes of what is proposed, as changes of their labels; and whether a label is still what was proposed.

Frames are those of the released video.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scrubin.base.errors import ReviewError
from scrubin.curate.label import events
from scrubin.curate.label.events import Change, Instant, Span, Value
from scrubin.curate.label.proposed.reading import Proposal
from scrubin.curate.label.proposed.tracks import at_frame
from scrubin.curate.label.standing import OfPerson
from scrubin.labels.keyframes import KeyFrame, Track

Proposals = Mapping[str, Proposal]
"""By key."""


@dataclass(frozen=True)
class Pick:
    """A proposal that is meant, or a part of it.

    Parameters
    ----------
    part
        Of a track a frame, of a set the place of a triplet in it; None: all of it.
    """

    proposal: str
    part: int | None = None

    @property
    def key(self) -> str:
        """Names it in the ledger."""
        return self.proposal if self.part is None else f"{self.proposal}:{self.part}"


def pick_of(key: str) -> Pick:
    """Return what a key of the ledger names.

    >>> pick_of("0f1e2d3c4b5a:7:25"), pick_of("0f1e2d3c4b5a:7")
    (Pick(proposal='0f1e2d3c4b5a:7', part=25), Pick(proposal='0f1e2d3c4b5a:7', part=None))
    """
    made, _, rest = key.partition(":")
    at, _, part = rest.partition(":")
    return Pick(f"{made}:{at}", int(part)) if part.isdecimal() else Pick(key)


def changes(picks: Iterable[Pick], proposals: Proposals, mine: OfPerson, first: int) -> list[Change]:
    """Return the changes that take what is picked, of tracks and sets; a span is taken as its neighbours make room.

    A set is added to what the person says of its frame already. A track goes on under the label that the person gave it, and its key
    frames that stand already stay as they are: they may be corrected.

    Parameters
    ----------
    mine
        What the person said, in frames of the source.
    first
        The source frame that is the first one released.

    Raises
    ------
    ReviewError
        When there is no such proposal, or nothing of it is left to be taken.
    """
    found: dict[tuple[str, str], Change] = {}
    for pick in picks:
        one = known(pick, proposals)
        standing = mine.items.get(one.layer, {})
        if isinstance(one.said, Span):
            raise ReviewError("a span is taken as a label of its own; open the recording again")
        if isinstance(one.said, Instant):
            key = str(one.said.frame)
            before = found[one.layer, key].value if (one.layer, key) in found else standing.get(str(one.said.frame + first))
            now = set(one.said.triplets if pick.part is None else one.said.triplets[pick.part : pick.part + 1])
            now |= set(before.triplets if isinstance(before, Instant) else ())
            found[one.layer, key] = Change(one.layer, key, Instant(one.said.frame, tuple(sorted(now))), one.key)
            continue
        name, keys = one.said.name, one.said.keys if pick.part is None else [at_frame(one.said, pick.part)]
        labels = {value.label for key, value in standing.items() if isinstance(value, KeyFrame) and events.name_in(key) == name}
        for said in filter(None, keys):
            key = events.key_of(name, said.frame)
            if events.key_of(name, said.frame + first) in standing:
                continue
            value = dataclasses.replace(said, label=min(labels, default=said.label))
            found[one.layer, key] = Change(one.layer, key, value, pick.key)
    if not found:
        raise ReviewError("every key frame of it stands already; change it there")
    return list(found.values())


def known(pick: Pick, proposals: Proposals) -> Proposal:
    """Return the proposal that is meant.

    Raises
    ------
    ReviewError
        When there is none such, or it has no such part.
    """
    one = proposals.get(pick.proposal)
    if one is None or (pick.part is not None and not _has_part(one, pick.part)):
        raise ReviewError("there is no such proposal any more; open the recording again")
    return one


def differs(key: str, value: Value, proposals: Proposals) -> bool | None:
    """Return whether a label is another one than was proposed; None where nobody knows any more what that was.

    Parameters
    ----------
    key
        Of the proposal from which the label comes, as the ledger has it.
    """
    one = proposals.get(pick_of(key).proposal)
    if one is None:
        return None
    said: object = one.said
    if isinstance(one.said, Track):
        said = at_frame(one.said, value.frame) if isinstance(value, KeyFrame) else None
    return value != said


def judged(changes: Iterable[Change], mine: OfPerson, first: int, proposals: Proposals) -> tuple[Change, ...]:
    """Return changes of source frames, each of which says whether it is still what a program had proposed.

    Parameters
    ----------
    mine
        What the person said before.
    first
        The source frame that is the first one released.
    """
    return tuple(dataclasses.replace(one, changed=_is_changed(one, mine, first, proposals)) for one in changes)


def _is_changed(change: Change, mine: OfPerson, first: int, proposals: Proposals) -> bool:
    at, before = (change.layer, change.key), mine.items.get(change.layer, {}).get(change.key)
    origin = change.proposal or (mine.proposals.get(at, "") if before is not None else "")
    if change.value is None or not origin:
        return False
    now = differs(origin, moved(change.value, -first), proposals)
    # The predictions are others now: what is known is what the person had before.
    return now if now is not None else at in mine.changed or (before is not None and before != change.value)


def moved(value: Value, by: int) -> Value:
    """Return a value so many frames later."""
    if isinstance(value, Span):
        return dataclasses.replace(value, first=value.first + by, end=value.end + by)
    return dataclasses.replace(value, frame=value.frame + by) if isinstance(value, KeyFrame | Instant) else value


def _has_part(one: Proposal, part: int) -> bool:
    if isinstance(one.said, Track):
        there = at_frame(one.said, part)
        return there is not None and bool(there.place)
    return isinstance(one.said, Instant) and part < len(one.said.triplets)
