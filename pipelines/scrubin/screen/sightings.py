"""When a face that was seen is believed: where it is sure, or where it is seen again.

A face that is laid over tissue half-transparently is seen at confidences of 0.3 to 0.6, and so is
one spot of tissue among a hundred pictures. The face stays where it is; the spot has gone, or is
another one, soon after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scrubin.core.pixels import Box
from scrubin.networks.faces import LIMIT
from scrubin.screen.proposals import SAME_S, Numbers

FAINT = 0.3
"""A sighting counts for something from this confidence on. Of 2,610 pictures from inside the body 30 are above; 5 are above 0.5."""
# None of these 2,610 comes so far.
SURE = 0.7
TOGETHER = 1.0
# Tissue may stand still for a moment, too.
LASTS_S = 1.5
WITHIN_S = 2.0
"""Sightings so far apart may be of the same face."""
MOST_RATIO, MOST_APART = 1.6, 0.5


@dataclass(frozen=True)
class Sighting:
    """Something like a face in frame ``number``: where, in points of the picture looked at, and how sure the network is.

    ``doubted`` says that the network of scenes doubts that the picture is from inside the body.
    """

    number: int
    box_xywh: Box
    confidence: float
    doubted: bool


def believed(sightings: Sequence[Sighting], times_s: Numbers) -> list[Sighting]:
    """Return the sightings that are faces, in the same order.

    One alone is a face when it is surer than any tissue was; in a doubted picture when it is as likely as not. Of others, those
    at one place within `WITHIN_S` must together come to `TOGETHER`, each frame counted once, and be seen for `LASTS_S`.
    """
    return [one for one in sightings if one.confidence >= (LIMIT if one.doubted else SURE) or _seen_again(one, sightings, times_s)]


def _seen_again(one: Sighting, sightings: Sequence[Sighting], times_s: Numbers) -> bool:
    surest = {one.number: one.confidence}
    for other in sightings:
        near = abs(times_s[other.number] - times_s[one.number]) <= WITHIN_S + SAME_S
        if near and other.number != one.number and _same_place(one.box_xywh, other.box_xywh):
            surest[other.number] = max(surest.get(other.number, 0.0), other.confidence)
    # Confidences are twentieths: as whole numbers their sum is exact.
    enough = sum(round(20 * confidence) for confidence in surest.values()) >= round(20 * TOGETHER)
    return enough and bool(times_s[max(surest)] - times_s[min(surest)] >= LASTS_S - SAME_S)


def _same_place(one: Box, other: Box) -> bool:
    """Whether two rectangles are of about one size and lie at about one place.

    >>> _same_place((10, 10, 20, 20), (14, 10, 22, 24)), _same_place((10, 10, 20, 20), (40, 10, 20, 20))
    (True, False)
    """
    (x, y, w, h), (left, top, wide, high) = one, other
    alike = max(w, wide) <= MOST_RATIO * min(w, wide) and max(h, high) <= MOST_RATIO * min(h, high)
    across, down = abs(2 * x + w - 2 * left - wide) / 2, abs(2 * y + h - 2 * top - high) / 2
    return alike and across <= MOST_APART * max(w, wide) and down <= MOST_APART * max(h, high)
