"""Hidden rectangles in pictures of another size: no pixel that was hidden is shown, and none is hidden for nothing."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrubin.labels.masks import rle
from scrubin.labels.masks.blackened import Blackened, BlackPixels, scaled_outwards
from scrubin.labels.truth.objects import Mask, Objects
from scrubin.stages.annotations.details import HiddenAreas, cleared

SIDES = st.integers(1, 60)
SIZES = st.tuples(SIDES, SIDES)


@st.composite
def rectangles(draw, size):
    (left, right), (top, bottom) = (sorted(draw(st.tuples(*[st.integers(0, side)] * 2))) for side in size)
    return left, top, right, bottom


@st.composite
def scalings(draw):
    """A picture whose sides a video cut to even ones, a rectangle of that video, and another size."""
    source = draw(SIZES)
    video = tuple(max(side - side % 2, 1) for side in source)
    return source, video, draw(rectangles(video)), draw(SIZES)


def drawn(rectangle, size):
    pixels = np.zeros(size[::-1], bool)
    left, top, right, bottom = rectangle
    pixels[top:bottom, left:right] = True
    return pixels


@given(scalings())
@example(((101, 51), (100, 50), (99, 49, 100, 50), (33, 17)))
def test_a_pixel_is_in_the_scaled_rectangle_exactly_where_any_part_of_it_is_hidden(scaling):
    source, video, rectangle, size = scaling
    scaled = scaled_outwards(rectangle, source, size, shown=video)
    for axis in (0, 1):
        low, high = rectangle[axis], rectangle[axis + 2]
        high = source[axis] if high >= video[axis] else high
        for k in range(size[axis]):
            begins, ends = (Fraction((k + step) * source[axis], size[axis]) for step in (0, 1))
            is_touched = low < high and begins < high and ends > low
            # A rectangle without a pixel may be scaled to one that has some; it hides nothing.
            assert not is_touched or scaled[axis] <= k < scaled[axis + 2]
            assert low == high or is_touched == (scaled[axis] <= k < scaled[axis + 2])


@pytest.mark.slow
@given(st.data(), scalings(), SIZES)
@example(None, ((101, 50), (100, 50), (50, 10, 60, 20), (101, 50)), (100, 50))
@example(None, ((3, 3), (2, 2), (1, 1, 2, 2), (7, 7)), (5, 5))
def test_a_mask_that_is_labelled_in_one_size_and_shown_in_another_has_no_pixel_where_the_released_picture_is_hidden(data, scaling, shown):
    source, video, rectangle, labelled = scaling
    every = [rectangle, *(data.draw(st.lists(rectangles(video), max_size=2)) if data else ())]
    areas = HiddenAreas(source, video)
    runs = cleared(np.array([0, labelled[0] * labelled[1]]), labelled, [areas.scaled(one, labelled) for one in every])
    mask = Mask(rle.text_of_runs(runs), *labelled)
    black = Blackened(every, *video)
    left = Objects("a", None, {}, frozenset(), {0: black}).shown(0, mask, *shown[::-1])
    pixels = np.zeros(shown[::-1], bool) if left is None else rle.picture(left, *shown[::-1])
    is_black = np.any([drawn(one, video) for one in every], axis=0)
    for y, x in np.argwhere(pixels):
        columns, rows = (range(k * of // to, -(-(k + 1) * of // to)) for k, of, to in zip((x, y), video, shown, strict=True))
        assert not is_black[rows.start : rows.stop, columns.start : columns.stop].any()


@given(st.data(), SIZES, SIZES)
def test_pixels_that_are_black_are_scaled_as_their_rectangles_are(data, size, to_size):
    some = [one for one in data.draw(st.lists(rectangles(size), max_size=3)) if one[0] < one[2] and one[1] < one[3]]
    black = Blackened(some, *size)
    pixels = BlackPixels(black.runs(*size[::-1]), *size)
    assert pixels.runs(*to_size[::-1]).tolist() == black.runs(*to_size[::-1]).tolist()


@given(st.data(), SIZES, SIZES)
def test_a_part_of_a_picture_that_is_cut_out_hides_the_same_pixels_when_the_part_is_scaled(data, size, to_size):
    rectangle = data.draw(rectangles(size))
    left, top, right, bottom = part = data.draw(rectangles(size).filter(lambda one: one[0] < one[2] and one[1] < one[3]))
    w, h = right - left, bottom - top
    hidden = rle.cut(rle.runs_of_picture(drawn(rectangle, size)), size[1], size[0], (left, top, w, h))
    within = (max(rectangle[0], left), max(rectangle[1], top), min(rectangle[2], right), min(rectangle[3], bottom))
    moved = tuple(edge - (part[0], part[1])[axis % 2] for axis, edge in enumerate(within))
    scaled = rle.scaled(hidden, h, w, to_size[1], to_size[0])
    if moved[0] < moved[2] and moved[1] < moved[3]:
        covered = drawn(scaled_outwards(moved, (w, h), to_size), to_size)
        assert not (rle.picture(scaled, to_size[1], to_size[0]) & ~covered).any()
    else:
        assert not rle.area(scaled)
