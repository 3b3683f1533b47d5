"""What a release says of those who withdrew: how many recordings went with which version, and why; not who, and not when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scrubin.core import files
from scrubin.core.errors import ReleaseError
from scrubin.core.ranges import count_text
from scrubin.versions.difference import Step
from scrubin.versions.rule import is_below, next_version
from scrubin.withdrawal.memory import Memory

NAME = "metadata/withdrawn.json"


def gone(lost: Iterable[str], withdrawn: Memory) -> dict[str, str]:
    """Return those of the lost recordings that were withdrawn, with the reason of each."""
    return {name: reason for name in lost if (reason := withdrawn.reason(name)) is not None}


def refuse_number(last: str, now: str, withdrawn: Mapping[str, str]) -> None:
    """Refuse a release that lacks somebody and does not say so by its number.

    Raises
    ------
    ReleaseError
        Names the lowest number that fits.
    """
    if withdrawn and is_below(now, lowest := next_version(last, Step.MAJOR)):
        msg = (
            f"withdrawn of version {last}: {count_text(len(withdrawn), 'recording')}, so this is a major step: "
            f"set release.version in params.yaml to {lowest}, it is {now}, and run again"
        )
        raise ReleaseError(msg)


def text(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the file of the release."""
    return files.json_text({"withdrawn": list(entries)})


def tombstones(before: Sequence[Mapping[str, Any]], withdrawn: Mapping[str, str], number: str) -> list[dict[str, Any]]:
    """Return one entry per version and reason, in the order of versions.

    Parameters
    ----------
    before
        Those of the last release.
    withdrawn
        Reason by recording, of what the last release held.
    number
        Version of this release.

    >>> tombstones([], {"a": "consent", "b": "consent"}, "2.0.0")
    [{'version': '2.0.0', 'recordings': 2, 'reason': 'consent'}]
    """
    count: Counter[tuple[str, str]] = Counter()
    for one in before:
        count[one["version"], one["reason"]] += one["recordings"]
    count.update((number, reason) for reason in withdrawn.values())
    ordered = sorted(count, key=lambda key: ([int(part) for part in key[0].split(".")], key[1]))
    return [{"version": number, "recordings": count[number, reason], "reason": reason} for number, reason in ordered]
