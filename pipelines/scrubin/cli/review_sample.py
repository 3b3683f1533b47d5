"""`scrubin review --sample N`: clips of the finished release that are drawn at random, and what they prove."""

from __future__ import annotations

import sys
from pathlib import Path

from scrubin.core.errors import ReviewError
from scrubin.release.certificate import renewal
from scrubin.review import released, released_clips, sample
from scrubin.review.desk import Desk
from scrubin.review.events import Sampled
from scrubin.review.ledger import LEDGER_PATH, Ledger

MOST_CLIPS = 2000


def drawn(count: int, seed: int, by: str | None, folder: Path = Path()) -> Sampled:
    """Draw clips of the finished release and note them in the ledger; the same draw is noted once, and goes on where it stopped.

    Raises
    ------
    ReviewError
        When there is no finished release, or nothing in it to look at.
    """
    if not 1 <= count <= MOST_CLIPS or seed < 0:
        msg = f"--sample is a number of clips from 1 to {MOST_CLIPS}, and --seed a whole number from 0"
        raise ReviewError(msg)
    desk, videos = Desk.open(folder, by), released.load(folder)
    released_clips.require_finished(folder, videos)
    numbers = {(one.name, camera): one.number for one in desk.recordings() for camera in one.cameras}
    population = released_clips.population(folder, videos, lambda key: desk.boundaries_s(numbers[key], key[1]))
    if not population:
        msg = "every released second is black: there is nothing to look at"
        raise ReviewError(msg)
    sha256 = released_clips.of_release(videos)
    wanted = Sampled(sha256, seed, len(population), sample.draw(population, count, seed, sha256))
    if wanted not in [one.drawn for one in sample.samples(desk.lines())]:
        desk.sample(wanted)
    sys.stdout.write(f"{len(wanted.clips)} of {wanted.population} clips, each of at most {sample.CLIP_S} s, drawn with seed {seed}.\n")
    return wanted


def conclude(wanted: Sampled, folder: Path = Path()) -> int:
    """Say what the sample proves, and renew the private certificate; 1 when there is a finding."""
    lines = Ledger(folder / LEDGER_PATH).lines()
    one = next(one for one in sample.samples(lines) if one.drawn == wanted)
    sys.stdout.write(f"{sample.sentence(sample.proof(one))}\n")
    for finding in one.findings:
        clip = finding.clip
        place = f"'{clip.recording}' (released as {clip.id}), {clip.start_s:g} to {clip.end_s:g} s of the release"
        sys.stdout.write(f"  finding: {place}: {finding.why}\n")
    if one.findings:
        sys.stdout.write("Hide it: run 'scrubin review', decide, then make repro. The new videos need a new sample.\n")
    sys.stdout.write(renewal.renew(folder, lines))
    return 1 if one.findings else 0
