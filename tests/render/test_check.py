from __future__ import annotations

import av
import numpy as np
import pytest

from scrubin.base.errors import VideoError
from scrubin.stages.render.check import refuse_visible
from scrubin.stages.render.plan import Hidden

BOX = (16, 16, 48, 32)


def picture(**shown: tuple[slice, slice, tuple[int, int, int]]) -> av.VideoFrame:
    """A grey picture whose rectangle is black, but for what is shown in it."""
    rgb = np.full((96, 128, 3), 120, np.uint8)
    x, y, w, h = BOX
    rgb[y : y + h, x : x + w] = 0
    for rows, columns, colour in shown.values():
        rgb[y : y + h, x : x + w][rows, columns] = colour
    return av.VideoFrame.from_ndarray(rgb, format="rgb24")


def check(frame: av.VideoFrame) -> None:
    refuse_visible(frame, 5, [Hidden(0, 9, BOX)], "a.mkv")


def test_a_black_rectangle_passes_and_so_does_colour_that_the_codec_mixes_into_its_edge():
    check(picture())
    check(picture(edge=(slice(None), slice(-1, None), (67, 0, 0))))


@pytest.mark.parametrize(
    "shown",
    [
        (slice(None), slice(-1, None), (90, 90, 90)),  # bright at the edge: text would be read there
        (slice(12, 14), slice(20, 22), (67, 0, 0)),  # coloured inside, where nothing of the outside can come from
        (slice(None), slice(None), (120, 120, 120)),
    ],
)
def test_what_is_bright_at_the_edge_or_coloured_inside_is_refused(shown):
    with pytest.raises(VideoError, match="frame 5 is not black where it must be hidden"):
        check(picture(shown=shown))


def whole(*parts: tuple[slice, slice, int], value: int = 0) -> av.VideoFrame:
    """A black picture as a whole, but for these parts of it."""
    rgb = np.full((96, 128, 3), value, np.uint8)
    for rows, columns, level in parts:
        rgb[rows, columns] = level
    return av.VideoFrame.from_ndarray(rgb, format="rgb24")


EVERYWHERE, CORNER = [Hidden(0, 9, None)], slice(0, 16)


OF_ONE_VALUE = [whole(), whole(value=1), whole(value=2), whole((CORNER, CORNER, 2)), whole((slice(48, 64), CORNER, 0), value=2)]


@pytest.mark.parametrize("frame", OF_ONE_VALUE)
def test_a_frame_of_one_value_that_nobody_can_see_is_black_whatever_begins_its_slices(frame):
    refuse_visible(frame, 5, EVERYWHERE, "a.mkv")


@pytest.mark.parametrize(
    "frame", [whole(value=3), whole((slice(40, 41), slice(50, 60), 1)), whole((CORNER, CORNER, 3)), whole((CORNER, slice(0, 17), 1))]
)
def test_a_frame_in_which_anything_can_be_told_apart_is_refused(frame):
    with pytest.raises(VideoError, match="frame 5 is not black where it must be hidden"):
        refuse_visible(frame, 5, EVERYWHERE, "a.mkv")
