"""What is taken of a long recording to check it: matches at some instants, and stretches of frames for the time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.stereo.footage import Footage
from scrubin.stereo.matches import Matches, matches
from scrubin.stereo.motion_lag import speeds
from scrubin.stereo.rectification import Rectification
from scrubin.stereo.rig import Matrix
from scrubin.stereo.timing import profile

Picture = npt.NDArray[np.uint8]
STRETCHES, STRETCH_FRAMES = 6, 32
PER_STRETCH = (0, 14, 28)
FLIP_TRIES = 3
FLIPS = {"mirrored": (True, False), "turned by half": (True, True), "upside down": (False, True)}
FEWEST_SAME, SAME_PX = 8, 0.3


@dataclass(frozen=True, eq=False)
class Sample:
    """What a check looks at.

    Parameters
    ----------
    pairs
        Matches of some pairs, and by how many rows their points move down until the next frame.
    flipped
        Matches of a few of these pairs with the right picture flipped in one of `FLIPS`, as points of the recorded pictures.
    stretches
        Profiles of consecutive frames, of the left and of the right camera.
    same_share
        Share of the pairs of which both pictures are the same.
    """

    pairs: list[tuple[Matches, Matrix]]
    flipped: dict[str, list[Matches]]
    stretches: list[tuple[Matrix, Matrix]]
    same_share: float


def starts(count: int) -> list[int]:
    """Return where stretches start, spread over a recording of so many frames.

    >>> starts(1000), starts(70), starts(3)
    ([0, 193, 387, 580, 774, 968], [0, 38], [0])
    """
    last, many = max(0, count - STRETCH_FRAMES), max(1, min(STRETCHES, count // STRETCH_FRAMES))
    return [int(place) for place in np.linspace(0, last, many)]


def sample(way: Rectification, left: Footage, right: Footage) -> Sample:
    """Return what is looked at of a recording; what cannot be decoded raises as `Footage.picture` does."""
    count = min(left.count, right.count)
    pairs: list[tuple[Matches, Matrix]] = []
    flipped: dict[str, list[Matches]] = {name: [] for name in FLIPS}
    stretches: list[tuple[Matrix, Matrix]] = []
    same: list[bool] = []
    for start in starts(count):
        profiles: tuple[list[Matrix], list[Matrix]] = ([], [])
        before: tuple[int, Matches, Picture] | None = None
        for number in range(start, min(count, start + STRETCH_FRAMES)):
            pictures = left.picture(number), right.picture(number)
            for of_side, picture in zip(profiles, pictures, strict=True):
                of_side.append(profile(picture))
            if before is not None:
                pairs.append((before[1], speeds(way, before[2], pictures[0], before[1].left)))
                before = None
            if number - start in PER_STRETCH:
                own = matches(*pictures)
                before = number, own, pictures[0]
                same.append(_same(own))
                if len(same) <= FLIP_TRIES:
                    _add_flipped(flipped, *pictures)
        if before is not None:
            pairs.append((before[1], np.full(len(before[1]), np.nan)))
        stretches.append((np.array(profiles[0]), np.array(profiles[1])))
    return Sample(pairs, flipped, stretches, float(np.mean(same)) if same else 0.0)


def _add_flipped(flipped: dict[str, list[Matches]], left: Picture, right: Picture) -> None:
    height, width = right.shape[:2]
    for name, (across, down) in FLIPS.items():
        back = right[:: -1 if down else 1, :: -1 if across else 1]
        found = matches(left, np.ascontiguousarray(back))
        flipped[name].append(found.flipped((width, height), across=across, down=down, left=False))


def _same(own: Matches) -> bool:
    """Return whether points lie at one place in both pictures: no two cameras see so."""
    if len(own) < FEWEST_SAME:
        return False
    return float(np.median(np.abs(own.left - own.right).max(axis=1))) < SAME_PX
