"""The section ``release`` of ``params.yaml``: name, version, creators, conditions of a release."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from pathlib import Path

from scrubin.base.errors import ParamsError
from scrubin.base.layout import DEMO
from scrubin.base.params import ranged

_RULES = {
    "name": (re.compile(r"[a-z0-9]+(-[a-z0-9]+)*"), "lower-case words and numbers joined by hyphens, such as scrub-in-demo"),
    "title": (re.compile(r"\S(.*\S)?"), "one line of text"),
    "version": (re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}"), "three numbers x.y.z, such as 1.0.0"),
    "license": (
        re.compile(r"(CC0|CC-SA|CC-PDM)-1\.0|CC-PDDC|CC-BY(-NC)?(-ND|-SA)?-\d\.\d(-[A-Z]{2,3})?|(?!(?i:CC))[A-Za-z0-9][A-Za-z0-9.+-]*"),
        "an SPDX identifier, with its version, such as CC-BY-4.0",
    ),
}
_WHEN_SAID = {
    "description": (re.compile(r"\S(.*\S)?", re.DOTALL), "text"),
    "publisher": (re.compile(r"\S(.*\S)?"), "the name of an organisation on one line"),
    "contact": (re.compile(r"[^\s@]+@[^\s@]+|https?://\S+"), "an e-mail address or the address of a page"),
    "url": (re.compile(r"https?://\S+"), "the address of a page, such as https://example.org/dataset"),
    "doi": (re.compile(r"10\.\d{4,9}/\S+"), "a DOI such as 10.5281/zenodo.1234567"),
    "date_published": (re.compile(r"\d{4}-\d{2}-\d{2}"), 'a date in quotes, such as "2026-12-31"'),
}
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")

# The name of the synthetic study, as it is shipped.
DEMO_NAME, DEMO_TITLE = "scrub-in-demo", "A synthetic surgical-video study"


@dataclass(frozen=True)
class ReviewedSample:
    """Only so many recordings must have been seen; ``reason`` says why that is enough, in the release's own documents."""

    kind: str = ranged(choices=("reviewed-sample",))
    recordings: int = ranged(low=1, high=1_000_000)
    reason: str = ranged()

    def __post_init__(self) -> None:
        _refuse_empty(self.reason)


@dataclass(frozen=True)
class NoReview:
    """Nobody needs to have looked; ``reason`` says why, in the release's own documents."""

    kind: str = ranged(choices=("none",))
    reason: str = ranged()

    def __post_init__(self) -> None:
        _refuse_empty(self.reason)


REQUIRED = "required"


@dataclass(frozen=True)
class Creator:
    """Who made the data set; ``name`` as it is cited, family name first."""

    name: str
    orcid: str | None
    affiliation: str | None

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ParamsError("params.yaml: 'release.creators' has an empty name; write it as it is cited, such as \"Doe, Jane\"")
        if self.orcid is not None and not _ORCID.fullmatch(self.orcid):
            raise ParamsError(f"params.yaml: 'release.creators': {self.orcid!r} is no ORCID; write it as 0000-0002-1825-0097, or null")
        if self.orcid is not None and self.orcid[-1] != _check_digit(self.orcid[:-1]):
            msg = f"params.yaml: 'release.creators': {self.orcid!r} is no ORCID: its check digit is wrong; copy it again, or write null"
            raise ParamsError(msg)


def _check_digit(digits: str) -> str:
    """Return the last character of an ORCID (ISO 7064, MOD 11-2).

    >>> _check_digit("0000-0002-1825-009"), _check_digit("0000-0002-9079-593")
    ('7', 'X')
    """
    total = 0
    for digit in digits.replace("-", ""):
        total = (total + int(digit)) * 2
    value = (12 - total % 11) % 11
    return "X" if value == 10 else str(value)


@dataclass(frozen=True)
class Previous:
    """The release before: the folder ``path``."""

    path: str


@dataclass(frozen=True)
class ReleaseParams:
    """What the release is called and what goes into it.

    Parameters
    ----------
    name, title, version, license
        For the metadata; ``version`` is x.y.z, ``license`` an SPDX identifier.
    description, creators, publisher, contact, url, doi, date_published, keywords
        For the metadata; what is null or empty is named there as missing.
    previous
        The release before: a version number that does not fit what changed since is refused.
    archives
        Whether there is also one zip per task and camera.
    on_quarantine
        ``continue``: release the others and say so; ``stop``: no release, but for what somebody acknowledged.
    review
        ``required``: nothing is released before somebody has seen all of it; or a `ReviewedSample`, or `NoReview`.
    may_shrink
        Whether the release may lack recordings that the one before had.
    public_words
        Words that are harmless although they stand in a private name, such as the name of the
        study, and days that are nobody's. The search for private strings passes over them.
    """

    name: str
    title: str
    version: str
    license: str
    archives: bool
    on_quarantine: str = ranged(choices=("continue", "stop"))
    review: str | ReviewedSample | NoReview = ranged()
    may_shrink: bool = False
    public_words: tuple[str, ...] = ()
    description: str | None = None
    creators: tuple[Creator, ...] = ()
    publisher: str | None = None
    contact: str | None = None
    url: str | None = None
    doi: str | None = None
    date_published: str | None = None
    keywords: tuple[str, ...] = ()
    previous: Previous | None = None

    def __post_init__(self) -> None:
        if isinstance(self.review, str) and self.review != REQUIRED:
            msg = (
                f"params.yaml: 'release.review' must be {REQUIRED}, or one of {{kind: reviewed-sample, recordings: 20, reason: ...}} and "
                f"{{kind: none, reason: ...}}, each with the reason, but is {self.review!r}"
            )
            raise ParamsError(msg)
        for key, (pattern, expected) in _RULES.items():
            value = getattr(self, key)
            if not pattern.fullmatch(value):
                raise ParamsError(f"params.yaml: 'release.{key}' must be {expected}, but is {value!r}")
        for key, (pattern, expected) in _WHEN_SAID.items():
            value = getattr(self, key)
            if value is not None and not pattern.fullmatch(value):
                raise ParamsError(f"params.yaml: 'release.{key}' must be {expected}, or null, but is {value!r}")
        if self.date_published is not None:
            _refuse_no_date(self.date_published)


def _refuse_no_date(text: str) -> None:
    try:
        datetime.date.fromisoformat(text)
    except ValueError as error:
        raise ParamsError(f"params.yaml: 'release.date_published' is no date of the calendar: {text!r}") from error


def _refuse_empty(reason: str) -> None:
    if not reason.strip():
        msg = "params.yaml: 'release.review.reason' is empty; say why nobody needs to see every recording, the release repeats it"
        raise ParamsError(msg)


def refuse_borrowed_name(raw: Path, release: ReleaseParams) -> None:
    """Refuse to release a real study under the name or title of the synthetic one.

    Raises
    ------
    ParamsError
        When ``raw`` is a study of its own, and ``release.name`` or ``release.title`` is still the shipped one.
    """
    for key, value, shipped in (("name", release.name, DEMO_NAME), ("title", release.title, DEMO_TITLE)):
        if raw != DEMO and value == shipped:
            msg = f"params.yaml: 'release.{key}' is still '{shipped}'; give your study its own name, title, version and license there"
            raise ParamsError(msg)
