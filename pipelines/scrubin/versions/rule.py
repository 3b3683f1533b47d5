"""Which number a version must have at least, by what changed.

The rule is that of Croissant 1.1 (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html, section on versions): a patch leaves
the data as they are; a minor version leaves old data intact and adds some; a major version has changed or removed data, or other splits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from scrubin.versions.difference import Difference, Step

_VERSION = re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}")


@dataclass(frozen=True)
class Verdict:
    """Whether a number says what changed.

    Parameters
    ----------
    fits
        None when it cannot be said: a number is not x.y.z.
    lowest
        The lowest number that fits; None when it cannot be said.
    sentence
        The verdict in words.
    """

    fits: bool | None
    lowest: str | None
    sentence: str


def required_step(differences: Iterable[Difference]) -> Step:
    """Return the largest step that any of the differences asks for; ``Step.NONE`` without any."""
    return max((one.step for one in differences), default=Step.NONE)


def next_version(version: str, step: Step) -> str:
    """Return the lowest version that is a step above another.

    >>> [next_version("1.4.2", step) for step in Step]
    ['1.4.2', '1.4.3', '1.5.0', '2.0.0']
    """
    major, minor, patch = _number(version)
    return {
        Step.NONE: version,
        Step.PATCH: f"{major}.{minor}.{patch + 1}",
        Step.MINOR: f"{major}.{minor + 1}.0",
        Step.MAJOR: f"{major + 1}.0.0",
    }[step]


def is_below(version: str, lowest: str) -> bool:
    """Whether a number is too low.

    >>> is_below("1.9.9", "2.0.0"), is_below("10.0.0", "2.0.0")
    (True, False)
    """
    return _number(version) < _number(lowest)


def verdict(old: str, new: str, step: Step) -> Verdict:
    """Return whether a new version is at least so far above the old one as what changed asks for."""
    for name, version in (("old", old), ("new", new)):
        if not _VERSION.fullmatch(version):
            return Verdict(None, None, f"the version of the {name} release is {version!r}, not x.y.z: whether it fits cannot be said")
    lowest = next_version(old, step)
    if is_below(new, old):
        return Verdict(False, lowest, f"{new} is older than {old}: name the older release first, or raise the number to {lowest}")
    if is_below(new, lowest):
        same = "both are called" if old == new else f"after {old} it is called"
        return Verdict(
            False, lowest, f"{same} {new}, but what changed asks for a {step.word} step: {lowest} is the lowest number that fits"
        )
    if step is Step.NONE:
        return Verdict(True, lowest, "nothing differs" if old == new else f"nothing differs but the number: {new} is higher than needed")
    if is_below(lowest, new):
        return Verdict(True, lowest, f"what changed asks for a {step.word} step: {new} fits, and is higher than needed ({lowest})")
    return Verdict(True, lowest, f"what changed asks for a {step.word} step: {new} fits")


def _number(version: str) -> tuple[int, int, int]:
    major, minor, patch = map(int, version.split("."))
    return major, minor, patch
