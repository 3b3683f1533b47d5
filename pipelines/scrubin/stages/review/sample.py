"""A random sample of the released clips: what it is drawn from, what people said of each, what that proves of the others.

Source: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), 404-413, https://doi.org/10.1093/biomet/26.4.404.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from scrubin.stages.review import Line
from scrubin.stages.review.events import CLIP_S, FINDING, Checked, Clip, Sampled, event_of

_ONE_IN = 20  # what lies above a bound leaves so few findings only once in so many samples
_ONE_IN_AT_EACH_END = 2 * _ONE_IN
_PARTS = 10**6


def highest_share(checked: int, findings: int) -> float:
    """Return the one-sided 95 % upper bound of the share of clips with something in them.

    Clopper and Pearson's, rounded up to a millionth. Without a finding it is 1 - 0.05 ** (1 / n),
    about 3 / n. It holds for independent clips; of clips that are drawn without replacement from
    finitely many it promises less than is known, never more.

    Parameters
    ----------
    checked, findings
        How many clips somebody looked at, and in how many of them something was.

    Raises
    ------
    ValueError
        When there are more findings than clips, or no clip.

    >>> highest_share(59, 0), highest_share(300, 0), highest_share(300, 1), highest_share(1, 1)
    (0.049508, 0.009937, 0.015715, 1.0)
    """
    _refuse_impossible(checked, findings)
    return _upper_parts(checked, findings, _ONE_IN) / _PARTS


def interval(shown: int, noticed: int) -> tuple[float, float]:
    """Return the two-sided 95 % interval of the share of checks that are noticed: Clopper and Pearson's, rounded outwards to a millionth.

    Parameters
    ----------
    shown, noticed
        How many checks people were shown, and how many of them they noticed.

    Raises
    ------
    ValueError
        When more were noticed than shown, or none was shown.

    >>> interval(20, 18), interval(10, 10), interval(10, 0)
    ((0.683017, 0.987652), (0.691502, 1.0), (0.0, 0.308498))
    """
    _refuse_impossible(shown, noticed)
    low, high = (_upper_parts(shown, count, _ONE_IN_AT_EACH_END) for count in (shown - noticed, noticed))
    return (_PARTS - low) / _PARTS, high / _PARTS


def _upper_parts(checked: int, findings: int, one_in: int) -> int:
    """Return the upper bound in millionths: a share above it leaves so few findings only once in so many samples."""
    if findings == checked:
        return _PARTS
    low, high = 0, _PARTS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if one_in * _so_few(checked, findings, middle) <= _PARTS**checked else (middle, high)
    return high


def _so_few(checked: int, findings: int, parts: int) -> int:
    """Return the binomial probability of at most so many findings at a share in millionths, times a million to the power of ``checked``."""
    if 2 * findings > checked:
        every: int = _PARTS**checked
        return every - _so_few(checked, checked - findings - 1, _PARTS - parts)
    others = _PARTS - parts
    term: int = others**checked
    total = term
    for i in range(findings):
        term = term * ((checked - i) * parts) // ((i + 1) * others)  # divides without a rest
        total += term
    return total


def most_clips(population: int, checked: int, findings: int) -> int:
    """Return the one-sided 95 % upper bound of the number of clips with something in them, those that were seen among them.

    Exact for clips that were drawn without replacement (the hypergeometric distribution).

    Parameters
    ----------
    population
        How many clips there are in all.
    checked, findings
        As in `highest_share`.

    Raises
    ------
    ValueError
        As in `highest_share`, and when more clips were looked at than there are.

    >>> most_clips(1000, 59, 0), most_clips(60, 60, 0), most_clips(60, 60, 2)
    (48, 0, 2)
    """
    _refuse_impossible(checked, findings)
    if checked > population:
        raise ValueError(f"{checked} clips were looked at, but there are {population}")
    low, high = findings, population - (checked - findings) + 1
    while high - low > 1:
        middle = (low + high) // 2
        few = sum(comb(middle, i) * comb(population - middle, checked - i) for i in range(findings + 1))
        low, high = (middle, high) if _ONE_IN * few > comb(population, checked) else (low, middle)
    return low


def _refuse_impossible(checked: int, findings: int) -> None:
    if not 0 <= findings <= checked or not checked:
        raise ValueError(f"{findings} findings in {checked} clips: there is nothing to conclude")


STILLS_EVERY_S = 0.2
"""In every such part of a clip, somebody who looks at it must have seen a still."""
Interval = tuple[float, float]


@dataclass(frozen=True)
class Judgement:
    """What one person last said about a clip, and when (UTC)."""

    clip: Clip
    by: str
    at: str
    outcome: str
    why: str


@dataclass(frozen=True)
class Sample:
    """A draw from the ledger, and how far it is.

    Parameters
    ----------
    line
        That drew.
    judgements
        The last one of each person about each of its clips.
    """

    line: Line
    drawn: Sampled
    judgements: tuple[Judgement, ...]

    @property
    def checked(self) -> int:
        """How many of its clips somebody looked at."""
        return len({one.clip for one in self.judgements})

    @property
    def findings(self) -> tuple[Judgement, ...]:
        """What people saw: a clip that anybody objects to is a finding, whatever others say of it."""
        return tuple(one for one in self.judgements if one.outcome == FINDING)

    @property
    def findings_count(self) -> int:
        """In how many clips something is."""
        return len({one.clip for one in self.findings})

    @property
    def is_complete(self) -> bool:
        """Whether somebody looked at every clip: who leaves some out could leave out the bad ones, so before that nothing is proven."""
        return self.checked == len(self.drawn.clips)


def videos_sha256(videos: Mapping[str, str]) -> str:
    """Return what tells these released videos from all others: the SHA-256 of their lines in ``SHA256SUMS``.

    Parameters
    ----------
    videos
        SHA-256 by path in the release.

    >>> videos_sha256({"videos/b.mkv": "1" * 64, "videos/a.mkv": "0" * 64})[:12]
    '72692224164d'
    """
    return hashlib.sha256("".join(f"{videos[path]}  {path}\n" for path in sorted(videos)).encode()).hexdigest()


def draw(population: Iterable[Clip], count: int, seed: int, videos: str) -> tuple[Clip, ...]:
    """Return so many clips, each as likely as every other one and none twice, or all when there are fewer.

    Clips come in the order of SHA-256 over seed, videos, id and start: nobody chooses them, whoever has the release
    can draw them again, and a larger sample begins with the smaller one.
    """

    def place(clip: Clip) -> str:
        return hashlib.sha256(f"{seed}:{videos}:{clip.id}:{clip.start_s:g}".encode()).hexdigest()

    return tuple(sorted(population, key=place)[:count])


def samples(lines: Sequence[Line]) -> list[Sample]:
    """Return all draws of a ledger in order; what is said about a clip counts in every draw that holds it."""
    draws = [(line, event_of(line)) for line in lines if line.event == "sampled"]
    return [Sample(line, drawn, judgements(lines, drawn)) for line, drawn in draws if isinstance(drawn, Sampled)]


def judgements(lines: Sequence[Line], drawn: Sampled) -> tuple[Judgement, ...]:
    """Return what each person last said about each clip of a draw, sorted by clip and person."""
    clips = set(drawn.clips)
    said: dict[tuple[Clip, str], Judgement] = {}
    for line in lines:
        event = event_of(line) if line.event == "checked" else None
        if isinstance(event, Checked) and event.videos == drawn.videos and event.clip in clips:
            said[event.clip, line.by] = Judgement(event.clip, line.by, line.at, event.outcome, event.why)
    return tuple(said[key] for key in sorted(said))


def proof(sample: Sample) -> dict[str, Any]:
    """Return in numbers what a sample proves, as a JSON value that names nobody; without all its clips it proves nothing.

    ``clips_up_to`` is the exact bound for a draw without replacement; ``share_up_to`` is Clopper and Pearson's
    for independent clips, which is never lower.
    """
    population, checked, findings = sample.drawn.population, sample.checked, sample.findings_count
    done = sample.is_complete and checked > 0
    return {
        "seed": sample.drawn.seed,
        "clips": population,
        "drawn": len(sample.drawn.clips),
        "checked": checked,
        "findings": findings,
        "people": len({one.by for one in sample.judgements}),
        "clip_s": CLIP_S,
        "share_up_to": highest_share(checked, findings) if done else None,
        "clips_up_to": most_clips(population, checked, findings) if done else None,
    }


def sentence(stated: Mapping[str, Any]) -> str:
    """Return what `proof` says in one sentence.

    >>> stated = {"seed": 0, "clips": 900, "drawn": 59, "checked": 59, "findings": 0, "share_up_to": 0.049508, "clips_up_to": 43}
    >>> sentence(stated)[:70]
    '59 of 900 clips were drawn at random (seed 0) and looked at: 0 finding'
    """
    drawn = f"{stated['drawn']} of {stated['clips']} clips were drawn at random (seed {stated['seed']})"
    if stated["share_up_to"] is None:
        return f"{drawn}, and {stated['checked']} of them looked at: before all of them are, this proves nothing."
    findings = "1 finding" if stated["findings"] == 1 else f"{stated['findings']} findings"
    return (
        f"{drawn} and looked at: {findings}. With 95 % confidence, whoever looked would notice something in up to {stated['clips_up_to']} "
        f"of all clips (exact, drawn without replacement); for independent clips, in up to {stated['share_up_to'] * 100:.4g} % of them."
    )


def latest_per_seed(of_videos: Sequence[Sample]) -> list[Sample]:
    """Return of the draws with one seed the largest that is complete, or else the largest: a larger draw holds the smaller one."""
    best: dict[int, Sample] = {}
    for one in of_videos:
        known = best.get(one.drawn.seed)
        if known is None or (one.is_complete, len(one.drawn.clips)) > (known.is_complete, len(known.drawn.clips)):
            best[one.drawn.seed] = one
    return [best[seed] for seed in sorted(best)]
