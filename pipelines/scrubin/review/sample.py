"""A random sample of the released clips: which are drawn, what people said about each, and what that proves of the others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrubin.review.bound import highest_share, most_clips
from scrubin.review.events import FINDING, Checked, Clip, Sampled, event_of
from scrubin.review.ledger import Line

CLIP_S = 5
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


def clips_of(id_: str, recording: str, duration_s: float, black: Sequence[Sequence[Interval]]) -> list[Clip]:
    """Return the clips of a released recording that show something; the last one ends with it.

    Parameters
    ----------
    black
        Of each camera the intervals in which its whole picture is hidden, sorted and apart: what is black in all
        cameras shows nothing, and the audit proves that it is black.
    """
    clips = []
    start_s = 0
    while start_s < duration_s:
        end_s = min(float(start_s + CLIP_S), duration_s)
        if not all(any(first_s <= start_s and end_s <= last_s for first_s, last_s in camera) for camera in black):
            clips.append(Clip(id_, recording, float(start_s), end_s))
        start_s += CLIP_S
    return clips


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
