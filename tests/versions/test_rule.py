"""The number says what changed, or is refused with the lowest one that does."""

import pytest

from scrubin.data.diff import Step, difference_of_data, required_step, verdict_on


@pytest.mark.parametrize(
    ("old", "new", "step", "fits", "lowest"),
    [
        ("1.0.0", "1.0.0", Step.NONE, True, "1.0.0"),
        ("1.0.0", "1.2.0", Step.NONE, True, "1.0.0"),
        ("1.0.0", "1.0.0", Step.PATCH, False, "1.0.1"),
        ("1.0.0", "1.0.1", Step.PATCH, True, "1.0.1"),
        ("1.0.9", "1.0.10", Step.PATCH, True, "1.0.10"),
        ("1.4.2", "1.4.3", Step.MINOR, False, "1.5.0"),
        ("1.4.2", "1.10.0", Step.MINOR, True, "1.5.0"),
        ("1.9.0", "1.10.0", Step.MAJOR, False, "2.0.0"),
        ("1.9.0", "2.0.0", Step.MAJOR, True, "2.0.0"),
        ("0.3.1", "0.4.0", Step.MAJOR, False, "1.0.0"),
        ("2.0.0", "1.9.9", Step.NONE, False, "2.0.0"),
        ("1.0", "1.1.0", Step.MINOR, None, None),
        ("1.0.0", "next", Step.MINOR, None, None),
    ],
)
def test_a_number_fits_when_it_is_at_least_so_far_above(old, new, step, fits, lowest):
    verdict = verdict_on(old, new, step)
    assert (verdict.fits, verdict.lowest) == (fits, lowest)


def test_two_contents_under_one_number_are_said():
    assert "both are called 1.0.0" in verdict_on("1.0.0", "1.0.0", Step.MINOR).sentence


def test_a_number_that_is_higher_than_needed_is_said():
    assert "higher than needed (1.0.1)" in verdict_on("1.0.0", "2.0.0", Step.PATCH).sentence


def test_the_largest_step_decides():
    differences = [difference_of_data("frames", "frames", change, 1, "rows") for change in ("added", "removed", "added")]
    assert required_step(differences) is Step.MAJOR
    assert required_step(differences[:1]) is Step.MINOR
    assert required_step([]) is Step.NONE
