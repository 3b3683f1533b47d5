"""Faces in pictures of one decode: where they are looked for, when one that was seen is believed.

A face that is laid over tissue half-transparently is seen at confidences of 0.3 to 0.6, and so is
one spot of tissue among a hundred pictures. The face stays where it is; the spot has gone, or is
another one, soon after.

A look takes about ten times as long as decoding a small frame. One every 1.2 s is taken at once; where
it sees something like a face, another one follows soon. Pictures of cuts are kept while the file is
decoded, and at its end, when it is known how many the length pays for, those are looked at first
that resemble endoscopy least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.base.pixels import Box
from scrubin.media.networks import endoscopy
from scrubin.media.networks.faces import LIMIT, faces
from scrubin.stages.screen.pass_over_file import DecodedPicture, Observed, Observer
from scrubin.stages.screen.proposals import SAME_S, Numbers

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


NAME = "faces"
# That of most small pictures: a face of a twentieth of the width is then 16 px wide.
SIDE_PX = 320
EVERY_S, EVERY_FRAMES = 1.2, 20
"""A look is due after so long, and not before so many frames: few a second need few looks."""
AGAIN_S, AGAIN_FRAMES = 0.4, 8
"""The same after a look that saw something like a face."""
# A cut, from one frame to the next, or another picture than the last one: the grid has moved by so many levels on average.
CUT_LEVELS = 16.0
# Cuts are paid from a purse that gains a coin every so many frames, so that flicker does not cost a picture per frame.
FRAMES_PER_COIN = 40
PURSE = 24
# Of cuts, on top of those.
FRAMES_PER_LOOK = 80
FEWEST_LOOKS = 12
PART_WITHOUT_DOUBT = 4
# Log odds in sixteenths; of 3,500 real pictures from inside the body one in fifty is above.
DOUBTFUL = -16
NEAR_FRAMES = 12
MOST_BYTES = 32 << 20


@dataclass(frozen=True)
class Look:
    """Faces in frame ``number``: how many, and how sure the surest is."""

    number: int
    faces: int
    sure: float


@dataclass(frozen=True)
class Kept:
    """A picture that may be looked at: its frame, how much speaks for "outside the body", and its JPEG."""

    number: int
    log_odds: int
    jpeg: bytes


class _Looking:
    def __init__(self, times_s: Numbers) -> None:
        self._times_s = times_s
        self._kept: list[Kept] = []
        self._bytes = 0
        self._looked: list[int] = []
        self._sightings: list[Sighting] = []
        self._seen_again = False
        self._last: npt.NDArray[np.int16] | None = None
        self._before: npt.NDArray[np.int16] | None = None
        self._coins = float(PURSE)

    def see(self, number: int, decoded: DecodedPicture) -> None:
        self._coins = min(self._coins + 1 / FRAMES_PER_COIN, PURSE)
        is_cut, self._before = _differ(decoded.grid, self._before), decoded.grid
        if self._is_due(number):
            picture = np.asarray(decoded.small.to_ndarray(format="bgr24"), dtype=np.uint8)
            self._seen_again = self._look(number, picture, _log_odds(decoded))
        elif not self._pays_for(decoded, is_cut):
            return
        else:
            self._keep(number, decoded)
        self._last = decoded.grid

    def finish(self) -> Observed:
        budget = max(FEWEST_LOOKS, len(self._times_s) // FRAMES_PER_LOOK)
        for one in chosen(self._kept, budget):
            picture = np.asarray(cv2.imdecode(np.frombuffer(one.jpeg, np.uint8), cv2.IMREAD_COLOR), dtype=np.uint8)
            self._look(one.number, picture, one.log_odds)
        self._kept = []
        return Observed({}, [asdict(look) for look in _looks(sorted(self._looked), self._sightings, self._times_s)])

    def _is_due(self, number: int) -> bool:
        if not self._looked:
            return True
        every_s, every_frames = (AGAIN_S, AGAIN_FRAMES) if self._seen_again else (EVERY_S, EVERY_FRAMES)
        last = self._looked[-1]
        return number - last >= every_frames and bool(self._times_s[number] - self._times_s[last] >= every_s - SAME_S)

    def _look(self, number: int, picture: npt.NDArray[np.uint8], log_odds: int) -> bool:
        """Look at a picture, and return whether it holds something like a face that needs another look."""
        seen = faces(picture, SIDE_PX, FAINT)
        self._looked.append(number)
        self._sightings += [Sighting(number, face.box_xywh, face.confidence, log_odds > DOUBTFUL) for face in seen]
        return bool(seen)

    def _pays_for(self, decoded: DecodedPicture, is_cut: bool) -> bool:
        """Whether the picture is another one than the last one that was taken, and there is a coin for it."""
        # What drifts away from the last picture, as restless tissue does, may not spend what cuts need.
        least = 1.0 if is_cut else PURSE / 2
        if self._coins < least or not (is_cut or _differ(decoded.grid, self._last)):
            return False
        self._coins -= 1
        return True

    def _keep(self, number: int, decoded: DecodedPicture) -> None:
        jpeg = cv2.imencode(".jpg", decoded.small.to_ndarray(format="bgr24"), [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
        self._kept.append(Kept(number, _log_odds(decoded), jpeg))
        self._bytes += len(jpeg)
        if self._bytes > MOST_BYTES:
            self._kept = thinned(self._kept)
            self._bytes = sum(len(one.jpeg) for one in self._kept)


def _differ(grid: npt.NDArray[np.int16], other: npt.NDArray[np.int16] | None) -> bool:
    return other is None or cv2.norm(grid, other, cv2.NORM_L1) >= CUT_LEVELS * grid.size


def _log_odds(decoded: DecodedPicture) -> int:
    return int(endoscopy.log_odds(endoscopy.planes(decoded.small)[None])[0])


def _looks(numbers: Sequence[int], sightings: Sequence[Sighting], times_s: Numbers) -> list[Look]:
    """Return what was seen in each picture that was looked at: the faces that are believed."""
    confidences: dict[int, list[float]] = {number: [] for number in numbers}
    for one in believed(sightings, times_s):
        confidences[one.number].append(one.confidence)
    return [Look(number, len(mine), max(mine, default=0.0)) for number, mine in confidences.items()]


def thinned(kept: Sequence[Kept]) -> list[Kept]:
    """Return the half of the pictures that resembles endoscopy least, in order of time."""
    nearest = set(np.argsort([one.log_odds for one in kept], kind="stable")[: (len(kept) + 1) // 2].tolist())
    return [one for place, one in enumerate(kept) if place not in nearest]


def chosen(kept: Sequence[Kept], budget: int) -> list[Kept]:
    """Return at most ``budget`` pictures to look at, in order of time.

    Doubtful ones come first, and of those near each other the most doubtful one: many cuts in one place leave looks for the
    others. Of what they leave a part goes to those that come next; the others have looks near by.
    """
    ahead = _ahead(kept)
    ranked = sorted(kept, key=lambda one: (one.log_odds <= DOUBTFUL, one.number not in ahead, -one.log_odds, one.number))
    doubtful = sum(one.log_odds > DOUBTFUL for one in ranked)
    most = min(doubtful + max(budget - doubtful, 0) // PART_WITHOUT_DOUBT, budget)
    return sorted(ranked[:most], key=lambda one: one.number)


def _ahead(kept: Sequence[Kept]) -> set[int]:
    """Return the numbers of those that resemble endoscopy least among their neighbours."""
    ordered = sorted(kept, key=lambda one: (-one.log_odds, one.number))
    numbers: set[int] = set()
    for one in ordered:
        if not any(one.number + step in numbers for step in range(-NEAR_FRAMES, NEAR_FRAMES + 1)):
            numbers.add(one.number)
    return numbers


OBSERVER = Observer(NAME, __name__, {}, _Looking)
"""Looks for faces in the one decode of a file."""


def looks(observed: Observed) -> list[Look]:
    """Return the looks that `OBSERVER` has taken."""
    return [Look(**one) for one in observed.value or ()]
