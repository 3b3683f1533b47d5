"""Where people differ in the sets of triplets of sampled frames, and what stands when nobody has to settle it.

What a person says of a frame is a set, which may be empty, or nothing at all: then the frame is not labelled by them. A frame of which
enough people say the same stands so, or is not labelled. All other frames are disputed; neighbours of which everybody goes on saying the
same are one dispute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from scrubin.curate.label.events import Instant, Settled, Triplet
from scrubin.curate.label.several import still_said
from scrubin.curate.label.several.disputes import Answered, Dispute, Outcome

Said = tuple[Triplet, ...] | None
"""What somebody says of a frame; None: they did not label it."""


def of_layer(
    layer: str, said: Mapping[int, Sequence[Instant]], answered: Sequence[Answered] = (), *, majority: bool, sampled: Sequence[int] = ()
) -> Outcome:
    """Return what stands of a layer of sampled frames.

    Parameters
    ----------
    said
        Labelled frames by annotator, of all who were to label it.
    answered
        What adjudicators said of this layer, in that order; of two that were asked what people say now, the later one counts.
    majority
        Whether more than half are enough; otherwise all must agree.
    sampled
        The frames that were to be labelled, increasing: disputes on both sides of one on which people agree are two.
    """
    needed = len(said) // 2 + 1 if majority else len(said)
    by_frame = {person: {one.frame: one.triplets for one in instants} for person, instants in said.items()}
    frames = sorted({*sampled, *(frame for of in by_frame.values() for frame in of)})
    answers: dict[int, dict[int, Said]] = {frame: {person: of.get(frame) for person, of in by_frame.items()} for frame in frames}
    is_open = {frame: bool(of) and max(Counter(of.values()).values()) < needed for frame, of in answers.items()}
    counting: dict[int, Settled] = {}
    for one in answered:
        inside = [frame for frame in frames if one.seen.first <= frame < one.seen.end]
        counting |= dict.fromkeys(still_said.of_instants(one.seen.instants, said, inside, is_open.__getitem__), one.settled)
    stands, groups = dict[int, Said](), list[list[int]]()
    before: tuple[Mapping[int, Said], bool] | None = None
    for frame in frames:
        here = (answers[frame], frame in counting) if is_open[frame] or frame in counting else None
        if here is None:
            stands[frame] = next((one for one, count in Counter(answers[frame].values()).items() if count >= needed), None)
        elif here == before:
            groups[-1].append(frame)
        else:
            groups.append([frame])
        if frame in counting:
            stands[frame] = next((one.triplets for one in counting[frame].instants if one.frame == frame), None)
        before = here
    still_open, settled = (
        tuple(_dispute(layer, group, by_frame) for group in groups if (group[0] in counting) == is_settled) for is_settled in (False, True)
    )
    instants = tuple(Instant(frame, triplets) for frame, triplets in sorted(stands.items()) if triplets is not None)
    return Outcome((), still_open, settled, instants=instants)


def answered(settled: Settled, said: Mapping[int, Sequence[Instant]]) -> Answered:
    """Return an answer with the dispute that it settles, of what people say at that time, by annotator."""
    instants = {person: tuple(one for one in of if settled.first <= one.frame < settled.end) for person, of in said.items()}
    return Answered(settled, Dispute(settled.layer, settled.first, settled.end, {}, instants=instants))


def _dispute(layer: str, frames: Sequence[int], by_frame: Mapping[int, Mapping[int, tuple[Triplet, ...]]]) -> Dispute:
    instants = {person: tuple(Instant(frame, of[frame]) for frame in frames if frame in of) for person, of in by_frame.items()}
    return Dispute(layer, frames[0], frames[-1] + 1, {}, instants=instants)
