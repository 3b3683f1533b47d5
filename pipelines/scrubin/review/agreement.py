"""How far people who decided about the same proposals agree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from scrubin.review.events import Decided
from scrubin.review.outcome import UNREVIEWED, Part, parts
from scrubin.review.standing import FileKey, Standing
from scrubin.review.study import ReviewedStudy

Pair = tuple[str, str]


def agreement(of: ReviewedStudy, standing: Standing) -> dict[str, Any]:
    """Return on how many proposals two people both decided, and on how many of these they agree.

    Two people share a proposal when both decided about some of the same of its time; they agree
    when they decided the same about all of that time. Only decisions that stand count, each
    person's latest one. What a person drew is no proposal, and excluded recordings do not count.

    Returns
    -------
    dict
        ``shared``, ``agreed`` and ``share`` (None when nobody shares a proposal) over all pairs of
        people, and the same by pair.
    """
    counts: dict[Pair, list[bool]] = {}
    for key in of.files:
        if standing.excludes(key[0]) is None:
            for pair, agree in _of_file(of, key, standing):
                counts.setdefault(pair, []).append(agree)
    pairs = [{"people": list(pair), **_share(answers)} for pair, answers in sorted(counts.items())]
    return {**_share([agree for answers in counts.values() for agree in answers]), "pairs": pairs}


def _of_file(of: ReviewedStudy, key: FileKey, standing: Standing) -> list[tuple[Pair, bool]]:
    by_person: dict[str, list[tuple[str, Decided]]] = {}
    for by, one in standing.decided.get(key, {}).values():
        by_person.setdefault(by, []).append((by, one))
    if len(by_person) < 2:
        return []
    done = []
    for proposal in of.proposed(key, standing):
        judged = {person: parts(proposal, mine, 1, of.limits(key)) for person, mine in by_person.items()}
        for pair in combinations(sorted(judged), 2):
            same = _same_decisions(judged[pair[0]], judged[pair[1]])
            done += [(pair, all(same))] if same else []
    return done


def _same_decisions(one: Sequence[Part], other: Sequence[Part]) -> list[bool]:
    """Return for every stretch that both decided about whether they decided the same."""
    return [
        mine.decision == theirs.decision
        for mine in one
        for theirs in other
        if UNREVIEWED not in (mine.decision, theirs.decision)
        and max(mine.interval_s[0], theirs.interval_s[0]) < min(mine.interval_s[1], theirs.interval_s[1])
    ]


def _share(answers: Sequence[bool]) -> dict[str, Any]:
    agreed = sum(answers)
    return {"shared": len(answers), "agreed": agreed, "share": agreed / len(answers) if answers else None}
