"""How many spans and rectangles of a file were proposed, what became of them, and how many people hide by themselves.

A proposal counts once, whatever its parts came to: an accepted one stands in the table `redactions` a second time, as the
curator's, so that it stays hidden when the detectors no longer propose it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from scrubin.review.events import ADD
from scrubin.review.outcome import REJECTED, TICK_S, UNREVIEWED, Proposed, added, without
from scrubin.review.standing import FileKey, Standing
from scrubin.review.status import Judged
from scrubin.review.study import ReviewedStudy


def of_file(of: ReviewedStudy, key: FileKey, standing: Standing, proposals: Sequence[Judged]) -> dict[str, list[dict[str, Any]]]:
    """Return the counts of one file.

    Returns
    -------
    dict
        ``proposed``: by kind and source how many there are, how many are hidden as a whole or in part, how many of these
        because a part is undecided, and how many are shown as a whole or in part. ``by_people``: by kind how many people
        drew (``drawn``), and how many they accepted that nobody proposes any more (``kept``).
    """
    return {"proposed": _proposed(proposals), "by_people": _by_people(of, key, standing, proposals)}


def _proposed(proposals: Sequence[Judged]) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str], list[set[str]]] = {}
    for one in proposals:
        groups.setdefault((one.proposal.kind, one.proposal.source), []).append({part.decision for part in one.parts})
    return [
        {
            "kind": kind,
            "source": source,
            "proposed": len(decisions),
            "hidden": sum(bool(of_one - {REJECTED}) for of_one in decisions),
            "undecided": sum(UNREVIEWED in of_one for of_one in decisions),
            "shown": sum(REJECTED in of_one for of_one in decisions),
        }
        for (kind, source), decisions in sorted(groups.items())
    ]


def _by_people(of: ReviewedStudy, key: FileKey, standing: Standing, proposals: Sequence[Judged]) -> list[dict[str, Any]]:
    decided = list(standing.decided.get(key, {}).values())
    drawings = {(one.kind, (span.start_s, span.end_s), one.box_xywh) for _, one in decided for span in one.spans if span.what == ADD}
    drawn, kept = Counter(one[0] for one in drawings), Counter[str]()
    for one in added(decided, of.reviewers):
        if (one.kind, one.interval_s, one.box_xywh) not in drawings and not _is_proposed(one, proposals):
            kept[one.kind] += 1
    return [{"kind": kind, "drawn": drawn[kind], "kept": kept[kind]} for kind in sorted(drawn | kept)]


def _is_proposed(accepted: Proposed, proposals: Sequence[Judged]) -> bool:
    """Whether all of what somebody accepted is still proposed."""
    same = [one.proposal for one in proposals if (one.proposal.kind, one.proposal.box_xywh) == (accepted.kind, accepted.box_xywh)]
    left = without(accepted.interval_s, [one.interval_s for one in same])
    return all(end - start <= TICK_S for start, end in left)
