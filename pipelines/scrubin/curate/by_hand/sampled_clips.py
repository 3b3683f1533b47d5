"""A random sample of a finished release: which clips are drawn, what people found in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scrubin.base.errors import ReviewError
from scrubin.stages.release import released_clips
from scrubin.stages.release.certificate import issue
from scrubin.stages.review import sample
from scrubin.stages.review.desk import Desk
from scrubin.stages.review.events import Sampled
from scrubin.stages.review.ledger import LEDGER_PATH, Ledger

MOST_CLIPS = 2000


def draw_clips(count: int, seed: int, by: str | None, folder: Path = Path()) -> Sampled:
    """Draw clips of the finished release and note them in the ledger; the same draw is noted once, and goes on where it stopped.

    Raises
    ------
    ReviewError
        When there is no finished release, or nothing in it to look at.
    """
    if not 1 <= count <= MOST_CLIPS or seed < 0:
        msg = f"--sample is a number of clips from 1 to {MOST_CLIPS}, and --seed a whole number from 0"
        raise ReviewError(msg)
    desk, videos = Desk.open(folder, by), released_clips.load_released(folder)
    released_clips.require_finished(folder, videos)
    numbers = {(one.name, camera): one.number for one in desk.recordings() for camera in one.cameras}
    population = released_clips.population(folder, videos, lambda key: desk.boundaries_s(numbers[key], key[1]))
    if not population:
        msg = "every released second is black: there is nothing to look at"
        raise ReviewError(msg)
    sha256 = released_clips.sha256_of_release(videos)
    wanted = Sampled(sha256, seed, len(population), sample.draw(population, count, seed, sha256))
    if wanted not in [one.drawn for one in sample.samples(desk.lines())]:
        desk.sample(wanted)
    return wanted


@dataclass(frozen=True)
class Conclusion:
    """What a sample proves, in lines for people, and whether something was found in it."""

    lines: tuple[str, ...]
    has_findings: bool


def conclude(wanted: Sampled, folder: Path = Path()) -> Conclusion:
    """Return what a sample proves, and renew the private certificate."""
    lines = Ledger(folder / LEDGER_PATH).lines()
    drawn = next(one for one in sample.samples(lines) if one.drawn == wanted)
    said = (sample.sentence(sample.proof(drawn)), *_findings(drawn), *issue.renew(folder, lines).splitlines())
    return Conclusion(said, bool(drawn.findings))


def _findings(drawn: sample.Sample) -> Iterator[str]:
    for finding in drawn.findings:
        clip = finding.clip
        place = f"'{clip.recording}' (released as {clip.id}), {clip.start_s:g} to {clip.end_s:g} s of the release"
        yield f"  finding: {place}: {finding.why}"
    if drawn.findings:
        yield "Hide it: run 'scrubin review', decide, then make repro. The new videos need a new sample."
