"""How people looked at the recordings: what was measured while they did, how many planted checks they noticed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scrubin.stages.review.sample import interval

PLANTED = {"person": "people", "name": "names"}
"""What is planted, as `review.json` calls it and as people do."""
LIMITS = ("least_still_s", "least_height_px")
TIME = "What counts as looked at took people {time} in all, on {sheets} sheets of stills"
MEDIAN = "; the median sheet was looked at for {median} s, and the smallest still of a sheet that counted was {height} px high"
RULE = (
    "A still counts only when it is large enough on a page that is in front, stays there long enough, and somebody goes on from it by a "
    "key or the pointer."
)
LEAST = "A still of the sheet must be {height} px high and have {least} s of attention, at least."
SHOWN = (
    "Of {shown} stills with planted {things} {noticed} were noticed: {share} %, with 95 % confidence between {low} and {high} % of such "
    "stills."
)
NO_CHECK = "No still with planted {things} was shown: how many of them people would miss is not known."
LIMIT = "This does not prove that people noticed what was not planted."
FULL_SIZE = "Stills that must be looked at in full size: {seen} of {stops} were."
FOLDED = (
    "{folded} further seconds were folded: fewer people looked at them than must, because a still that is like all their pictures stood "
    "for them (review.folds {limit})."
)
FIXED = (FULL_SIZE, FOLDED, TIME, MEDIAN, RULE, LEAST, SHOWN, NO_CHECK, LIMIT, "people names h min s")


def measured(review: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return in numbers how people looked, as a JSON value; None where nothing was measured.

    Parameters
    ----------
    review
        What the stage review says; its `attention` counts only what newly covered something.
    """
    stated = review.get("attention")
    if stated is None or review["synthetic"]:
        return None
    fields = ("looked_s", "sheets", "median_sheet_s", "still_height_px")
    checks = {kind: _check(stated["checks"].get(kind, {"shown": 0, "noticed": 0})) for kind in PLANTED}
    return {**{name: stated[name] for name in fields}, **{name: stated.get(name) for name in LIMITS}, "checks": checks}


def sentences(stated: Mapping[str, Any] | None) -> list[str]:
    """Return what `measured` says in plain words; nothing where nothing was measured."""
    return [] if stated is None else list(_sentences(stated))


def further(coverage: Mapping[str, Any]) -> str:
    """Return how many stills were looked at in full size, and how many seconds were folded, as further sentences.

    >>> further({"stops": 4, "seen_stops": 3}), further({"stops": 0, "seen_stops": 0})
    (' Stills that must be looked at in full size: 3 of 4 were.', '')
    """
    says = [FULL_SIZE.format(seen=coverage["seen_stops"], stops=coverage["stops"])] if coverage["stops"] else []
    folded_s = coverage.get("folded_s", 0)
    says += [FOLDED.format(folded=folded_s, limit=f"{coverage['folds']:g}")] if folded_s else []
    return "".join(f" {sentence}" for sentence in says)


def _sentences(stated: Mapping[str, Any]) -> Iterator[str]:
    says = TIME.format(time=_time(stated["looked_s"]), sheets=stated["sheets"])
    if stated["median_sheet_s"] is not None and stated["still_height_px"] is not None:
        says += MEDIAN.format(median=f"{stated['median_sheet_s']:.1f}", height=stated["still_height_px"])
    yield f"{says}."
    yield RULE
    if stated["least_still_s"] is not None and stated["least_height_px"] is not None:
        yield LEAST.format(height=stated["least_height_px"], least=f"{stated['least_still_s']:g}")
    for kind, things in PLANTED.items():
        check = stated["checks"][kind]
        if check["shown"]:
            share, low, high = (f"{100 * value:.1f}" for value in (check["noticed"] / check["shown"], check["low"], check["high"]))
            yield SHOWN.format(things=things, shown=check["shown"], noticed=check["noticed"], share=share, low=low, high=high)
        else:
            yield NO_CHECK.format(things=things)
    yield LIMIT


def _check(counted: Mapping[str, int]) -> dict[str, Any]:
    low, high = interval(counted["shown"], counted["noticed"]) if counted["shown"] else (None, None)
    return {"shown": counted["shown"], "noticed": counted["noticed"], "low": low, "high": high}


def _time(seconds: float) -> str:
    """Return a duration for reading, cut, so that it never promises more.

    >>> _time(59.9), _time(754), _time(3725)
    ('59 s', '12 min 34 s', '1 h 2 min')
    """
    minutes, rest = divmod(int(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
