"""Burned-in text: names, dates and clocks that a recorder writes into the picture.

It is looked for at a few moments spread over the recording, during the one decode. What is read
at a moment is read again a second later: text that moves with the scene is then elsewhere. At the
end a composite, the median of pictures from the whole recording, is read as well: burned-in text
stays sharp in it while the scene blurs, also where the text is half transparent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

from scrubin.networks.reading import Reading, read
from scrubin.screen.decoded_picture import DecodedPicture
from scrubin.screen.detectors.detector import Detector, ObservedFile
from scrubin.screen.params import ScreenParams
from scrubin.screen.pass_over_file import Observed, Observer
from scrubin.screen.places import COMPOSITE, Place, Sighting, counts, covering, places
from scrubin.screen.proposals import Interval, Numbers, Proposal

NAME = "text"
FEWEST, FEW = 2, 4
FEW_FROM_S = 30.0
AGAIN_S = 1.0
WIDEST_PX = 1280
COMPOSED = 9
Picture = npt.NDArray[np.uint8]


def observer(params: ScreenParams) -> Observer:
    """Return what reads a few frames of a recording."""
    code = ("screen/detectors/text.py", "screen/places.py", "networks/reading.py")
    packages = ("av", "numpy", "onnxruntime", "opencv-python-headless", "rapidocr")
    return Observer(NAME, code, packages, {"every_s": params.text_every_s}, lambda times_s: _Reading(times_s, params.text_every_s))


def propose(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return a rectangle for each place where text persists."""
    value = seen.observed[NAME].value
    if not value["readings"]:
        return []
    scale = (seen.size_px[0] / value["size_px"][0], seen.size_px[1] / value["size_px"][1])
    times_s = [float(seen.boundaries_s[first]) for first, _ in value["moments"]]
    proposals = []
    for place in places(_sighting(one) for one in value["readings"]):
        box_xywh = covering(place.box_xywh, scale, seen.size_px)
        interval_s = _interval(place, times_s, float(seen.boundaries_s[-1]))
        proposals.append(Proposal("text", interval_s, place.score, NAME, box_xywh, text=place.text))
    return proposals


def _sighting(one: Mapping[str, Any]) -> Sighting:
    x, y, w, h = one["box"]
    return Sighting(one["moment"], one["picture"], Reading((x, y, w, h), one["text"], one["confidence"]))


def _interval(place: Place, times_s: Sequence[float], end_s: float) -> Interval:
    """Return when the text may be there: between the moments at which it was not."""
    if COMPOSITE in place.moments:
        return 0.0, end_s
    before, after = min(place.moments) - 1, max(place.moments) + 1
    return times_s[before] if before >= 0 else 0.0, times_s[after] if after < len(times_s) else end_s


def moments(times_s: Numbers, every_s: float) -> list[tuple[int, int]]:
    """Return the frames at which text is looked for, each with the frame in which it is looked for again.

    They lie in the middle of equal parts of the recording: two parts when it is short, four from
    half a minute on, and at least one in ``every_s``.

    >>> moments(np.arange(200) / 20, 45)
    [(50, 70), (150, 170)]
    """
    if not len(times_s):
        return []
    length_s = float(times_s[-1])
    parts = max(FEW if length_s >= FEW_FROM_S else FEWEST, math.ceil(length_s / every_s))
    middles_s = (np.arange(parts) + 0.5) * (length_s / parts)
    # Again a second later, or in a short recording as late as another part begins.
    again_s = middles_s + min(AGAIN_S, length_s / parts / 2)
    firsts, agains = (np.minimum(np.searchsorted(times_s, at, side="left"), len(times_s) - 1).tolist() for at in (middles_s, again_s))
    return list(dict.fromkeys(zip(firsts, agains, strict=True)))


class _Reading:
    def __init__(self, times_s: Numbers, every_s: float) -> None:
        self._moments = moments(times_s, every_s)
        self._first = {first: i for i, (first, _) in enumerate(self._moments)}
        self._again: dict[int, int] = {}
        self._readings: list[dict[str, Any]] = []
        # An odd number, so that the median is one of the values.
        kept = min(COMPOSED, len(self._moments) - 1 + len(self._moments) % 2)
        self._composed = set(np.linspace(0, len(self._moments) - 1, kept).astype(int).tolist()) if kept > 1 else set()
        self._pictures: list[Picture] = []
        self._size_px = (1, 1)
        self._reformatter = VideoReformatter()

    def see(self, number: int, decoded: DecodedPicture) -> None:
        frame = decoded.frame
        if number in self._first:
            moment = self._first[number]
            picture = self._picture(frame)
            if self._note(moment, 0, picture):
                self._again[self._moments[moment][1]] = moment
            if moment in self._composed:
                self._pictures.append(picture)
        elif number in self._again:
            self._note(self._again.pop(number), 1, self._picture(frame))

    def finish(self) -> Observed:
        if len(self._pictures) > 1:
            middle = len(self._pictures) // 2
            self._note(COMPOSITE, 0, np.partition(np.stack(self._pictures), middle, axis=0)[middle])
        self._pictures = []
        return Observed({}, {"moments": self._moments, "size_px": self._size_px, "readings": self._readings})

    def _picture(self, frame: av.VideoFrame) -> Picture:
        """Return a frame as it is displayed, blue, green and red, at most 1280 px wide."""
        width = min(frame.width, WIDEST_PX)
        height = max(1, round(frame.height * width / frame.width))
        picture = self._reformatter.reformat(frame, width, height, "bgr24", interpolation="AREA").to_ndarray().astype(np.uint8, copy=False)
        upright: Picture = np.ascontiguousarray(np.rot90(picture, round(frame.rotation / 90)))
        self._size_px = (upright.shape[1], upright.shape[0])
        return upright

    def _note(self, moment: int, picture: int, shown: Picture) -> bool:
        texts = read(shown)
        for one in texts:
            self._readings.append(
                {"moment": moment, "picture": picture, "box": one.box_xywh, "text": one.text, "confidence": one.confidence}
            )
        return any(counts(one) for one in texts)


TEXT = Detector(propose, (observer,))
