"""Why labels and their video differ in length: what fits the numbers, and what cannot be told from them."""

from __future__ import annotations

from fractions import Fraction

RATES = tuple(Fraction(*pair) for pair in ((1, 1), (24000, 1001), (24, 1), (25, 1), (30000, 1001), (30, 1), (50, 1), (60, 1), (1000, 1)))
FITS = 0.02  # of the length: frames of a second more or less are no other rate


def explained(first_s: float, end_s: float, source_s: float, tolerance_s: float, rate: float, source_fps: float) -> str:
    """Return what to do about labels that are longer or shorter than their video, with the likely offset.

    "Likely" is only said with its reason: the labels fit at another rate, or begin as late as they end too late.
    Otherwise both ends of the video may be missing, and nothing in the numbers says which.

    Parameters
    ----------
    first_s, end_s
        Start of the first label and end of the last one.
    source_s
        Length of the video.
    tolerance_s
        Differences up to this do not matter.
    rate
        Labels per second, as they are read.
    source_fps
        Frames per second of the video.
    """
    other = _other_rate(rate * end_s / source_s, source_fps)
    if other:
        return f"{other}; number them by the rule of the format, or convert them with the right --fps"
    longer_s = end_s - source_s
    if longer_s < 0:
        cut = "the labels are of a copy that lacks"
        return f"if {cut} its beginning, the offset is {-longer_s:g} s: add it to the labels; if {cut} its end, it is 0 s: label the rest"
    if abs(first_s - longer_s) <= tolerance_s:
        run = f"they begin at {first_s:g} s and run about as long as the video"
        return f"{run}, so the likely offset is {longer_s:g} s: take it off the labels, or bring the whole video"
    if first_s > longer_s:
        fits = f"they begin at {first_s:g} s, so any offset from {longer_s:g} to {first_s:g} s makes them fit"
        return f"{fits}, the likely one is how much of its beginning the video lacks: take it off the labels, or bring the whole video"
    no_fit = f"they begin at {first_s:g} s, so no offset makes all of them fit"
    ends = f"if the video lacks its beginning, the offset is {longer_s:g} s; if it lacks its end, it is 0 s"
    return f"{no_fit}; {ends}: bring the whole video, or mend the labels"


def _other_rate(likely_fps: float, source_fps: float) -> str:
    """Return at which other rate the labels are as long as the video; "" for none."""
    if abs(likely_fps - source_fps) <= FITS * source_fps:
        return f"they are as long as the video at its own {source_fps:g} frames per second: likely they are numbered by its frames"
    nearest = min(RATES, key=lambda rate: abs(float(rate) - likely_fps))
    if abs(float(nearest) - likely_fps) > FITS * nearest:
        return ""
    if nearest == 1000:
        return "they are as long as the video in milliseconds: likely they are counted in milliseconds"
    return f"they are as long as the video at {float(nearest):g} per second: likely they are numbered at this rate"
