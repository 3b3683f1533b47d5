"""Where people differ in the sets of triplets of sampled frames, and what stands when nobody has to settle it.

What a person says of a frame is a set, which may be empty, or nothing at all: then the frame is not labelled by them. A frame of which
enough people say the same stands so, or is not labelled. All other frames are disputed; neighbours of which everybody goes on saying the
same are one dispute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from scrubin.curate.label.events import Instant, Settled, Triplet
from scrubin.curate.label.several.disputes import Dispute, Outcome

Said = tuple[Triplet, ...] | None
"""What somebody says of a frame; None: they did not label it."""


def of_layer(
    layer: str, said: Mapping[int, Sequence[Instant]], settlements: Sequence[Settled] = (), *, majority: bool, sampled: Sequence[int] = ()
) -> Outcome:
    """Return what stands of a layer of sampled frames.

    Parameters
    ----------
    said
        Labelled frames by annotator, of all who were to label it.
    settlements
        Of this layer, in the order in which they were said; of two that meet, the later one counts.
    majority
        Whether more than half are enough; otherwise all must agree.
    sampled
        The frames that were to be labelled, increasing: disputes on both sides of one on which people agree are two.
    """
    needed = len(said) // 2 + 1 if majority else len(said)
    by_frame = {person: {one.frame: one.triplets for one in instants} for person, instants in said.items()}
    frames = sorted({*sampled, *(frame for of in by_frame.values() for frame in of)})
    stands, groups = dict[int, Said](), list[list[int]]()
    before: Mapping[int, Said] | None = None
    for frame in frames:
        answers: dict[int, Said] = {person: of.get(frame) for person, of in by_frame.items()}
        is_open = bool(answers) and max(Counter(answers.values()).values()) < needed
        if not is_open:
            stands[frame] = next((one for one, count in Counter(answers.values()).items() if count >= needed), None)
        elif answers == before:
            groups[-1].append(frame)
        else:
            groups.append([frame])
        before = answers if is_open else None
    counting = {frame: one for one in settlements for frame in frames if one.first <= frame < one.end}
    for frame, settlement in counting.items():
        stands[frame] = next((one.triplets for one in settlement.instants if one.frame == frame), None)
    disputes = [_dispute(layer, group, by_frame) for group in groups]
    settled = [all(frame in counting for frame in group) for group in groups]
    return Outcome(
        (),
        tuple(one for one, is_settled in zip(disputes, settled, strict=True) if not is_settled),
        tuple(one for one, is_settled in zip(disputes, settled, strict=True) if is_settled),
        instants=tuple(Instant(frame, triplets) for frame, triplets in sorted(stands.items()) if triplets is not None),
    )


def _dispute(layer: str, frames: Sequence[int], by_frame: Mapping[int, Mapping[int, tuple[Triplet, ...]]]) -> Dispute:
    instants = {person: tuple(Instant(frame, of[frame]) for frame in frames if frame in of) for person, of in by_frame.items()}
    return Dispute(layer, frames[0], frames[-1] + 1, {}, instants=instants)
