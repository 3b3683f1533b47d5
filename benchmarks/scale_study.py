"""A raw study of many tiny recordings, to see how the pipeline grows.

    python benchmarks/scale_study.py FOLDER COUNT [FILMS]

Recordings of four tasks by participants of a course, as in LASANA: 70 of 1,270 recordings, ten at least. Each is one H.264 file of 4 to 6 s
at 128 x 96 px: a room that drifts by, another one in each recording, two instruments, and grain. Four raters give scores and errors, a
tenth of the recordings have a span to be hidden. There are no labels. The same count (20 at least) gives the same bytes, and a film
is the same in every study. With FILMS, a folder of MKV files of real content, the recordings are its files in the order of their names.
"""

from __future__ import annotations

import csv
import shutil
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from scrubin.curate.lists import empty_study
from scrubin.ratings import LASANA

WIDTH, HEIGHT, FPS = 128, 96, 20
SECONDS = (4, 6)
ROOM = 24  # patches of the room that a picture shows from edge to edge, in all directions it drifts
PARTICIPANTS_OF, RECORDINGS_OF = 70, 1270
SITES = ("Quillhaven", "Dornburgh", "Wexmoor")
ASPECTS = ("depth_perception", "efficiency", "bimanual_dexterity", "tissue_handling")
KINDNESS = (-0.3, 0.2, 0.4, -0.1)
ERRORS = LASANA.errors
# Only of failed recordings, and here nobody fails.
NEVER = "fewer_than_three_throws"
MANIFEST = ("recording", "participant", "trial", "site", "task", "camera", "path", "start_s", "end_s", "exclude")
REDACTIONS = ("recording", "camera", "kind", "start_s", "end_s", "x", "y", "w", "h", "decision")


@dataclass(frozen=True)
class Recording:
    """One recording; everything follows from its number and from how many participants there are."""

    number: int
    participants: int

    @property
    def name(self) -> str:
        """What the raw study calls it."""
        return f"course-{self.number:05d}"

    @property
    def participant(self) -> str:
        """Who was recorded."""
        return f"trainee-{self.number // len(ERRORS) % self.participants:04d}"

    @property
    def task(self) -> str:
        """What was done."""
        return list(ERRORS)[self.number % len(ERRORS)]

    @property
    def path(self) -> str:
        """The file, from the raw folder."""
        return f"videos/{self.task}/{self.name}.mkv"

    @property
    def trial(self) -> int:
        """How often the participant had done the task, and this one."""
        return self.number // len(ERRORS) // self.participants + 1

    def rng(self, purpose: int) -> np.random.Generator:
        """Return random numbers of its own."""
        return np.random.default_rng([self.number, purpose])


def participants_of(count: int) -> int:
    """Return how many people are recorded in so many recordings."""
    return max(10, round(count * PARTICIPANTS_OF / RECORDINGS_OF))


def recordings(count: int) -> list[Recording]:
    """Return the recordings of a study."""
    return [Recording(number, participants_of(count)) for number in range(count)]


def write_study(folder: Path, count: int, films: Sequence[Path] = ()) -> None:
    """Write everything that the stages read below a raw folder; of films, when they are given, one each."""
    every = recordings(count)
    for one, film in zip(every, films, strict=False):
        (folder / one.path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(film, folder / one.path)
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(write_film, folder / one.path, one) for one in every[len(films) :]]:
            done.result()
    write_sheets(folder, every)
    empty_study.complete(folder)


def write_sheets(folder: Path, every: Sequence[Recording]) -> None:
    """Write the lists and sheets about recordings."""
    for name in ("annotations", "splits", "ratings"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    rows: list[tuple[Any, ...]] = [
        (one.name, one.participant, one.trial, SITES[one.number % len(SITES)], one.task, "mono", one.path, "", "", "") for one in every
    ]
    _write(folder / "recordings.csv", MANIFEST, rows)
    hidden = [(one.name, "", "out_of_body", "1.000", "1.500", "", "", "", "", "add") for one in every if one.number % 10 == 3]
    _write(folder / "redactions.csv", REDACTIONS, hidden)
    for task, errors in ERRORS.items():
        for rater in range(len(KINDNESS)):
            rated = [one for one in every if one.task == task and (rater % 2 or (one.number // len(ERRORS) + one.trial) % 2 == rater // 2)]
            _write(folder / f"ratings/{task}_rater{rater}.csv", ("id", *ASPECTS), [(one.name, *_scores(one, rater)) for one in rated])
            marks = [(one.name, *_marks(one, rater)) for one in rated]
            _write(folder / f"ratings/{task}_rater{rater}_errors.csv", ("id", *errors), marks)


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _skill(recording: Recording) -> float:
    person = np.random.default_rng([int(recording.participant[-4:]), 0]).normal()
    return float(person + 0.3 * min(recording.trial, 4) - 0.75 + 0.4 * recording.rng(1).normal())


def _scores(recording: Recording, rater: int) -> list[int]:
    place = recording.number // len(ERRORS)
    if place < len(KINDNESS):
        # However few there are, every rater sees both good and bad: scores that are all the same cannot be normalised.
        return [2 + 2 * (place // 2)] * len(ASPECTS)
    seen = 3 + 0.8 * _skill(recording) + KINDNESS[rater] + 0.5 * recording.rng(10 + rater).normal(size=len(ASPECTS))
    return [int(one) for one in np.clip(np.round(seen), 1, 5)]


def _marks(recording: Recording, rater: int) -> list[bool]:
    happened = recording.rng(2).random(len(ERRORS[recording.task])) < 0.25 - 0.08 * _skill(recording)
    mistaken = recording.rng(20 + rater).random(len(happened)) < 0.03
    return [bool(one) and name != NEVER for one, name in zip(happened ^ mistaken, ERRORS[recording.task], strict=True)]


def write_film(path: Path, recording: Recording) -> None:
    """Write a film of a recording's own length and room."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rng = recording.rng(0)
    # Large enough to drift by half a picture in a second: so no frame of one second is like that of the next.
    patches = cv2.resize(rng.integers(60, 200, (4 * ROOM, 4 * ROOM, 3), dtype=np.uint8), None, fx=6, fy=6, interpolation=cv2.INTER_CUBIC)
    room = cv2.addWeighted(patches, 0.5, np.full_like(patches, (150, 95, 85)), 0.5, 0)
    count = int(rng.integers(SECONDS[0] * FPS, SECONDS[1] * FPS))
    angle, phase = rng.uniform(0, 2 * np.pi), rng.uniform(0, 2 * np.pi, 4)
    grain = rng.normal(0, 4, (16, HEIGHT, WIDTH, 1))
    with av.open(str(path), "w", container_options={"fflags": "+bitexact"}) as out:
        stream = out.add_stream("libx264", rate=FPS, options={"preset": "superfast", "crf": "21", "g": "40", "threads": "1"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for k in range(count):
            x, y = (np.array(room.shape[1::-1]) - (WIDTH, HEIGHT)) / 2 + 60 * k / FPS * np.array([np.cos(angle), np.sin(angle)]) / 2
            picture = room[int(y) : int(y) + HEIGHT, int(x) : int(x) + WIDTH].copy()
            for side in range(2):
                sway = np.sin(phase[2 * side : 2 * side + 2] + k / FPS * (2 + side))
                tip = (int(WIDTH * (0.35 + 0.3 * side + 0.12 * sway[0])), int(HEIGHT * (0.5 + 0.2 * sway[1])))
                cv2.line(picture, (side * WIDTH, HEIGHT), tip, (70, 70, 78), 6, cv2.LINE_AA)
            grained = np.clip(picture + grain[k % len(grain)], 0, 255).astype(np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(grained, format="rgb24")):
                out.mux(packet)
        out.mux(stream.encode())


def main() -> None:
    """Write the study that the command line names."""
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    write_study(folder, count, sorted(Path(sys.argv[3]).glob("*.mkv"))[:count] if len(sys.argv) > 3 else ())
    size = sum(path.stat().st_size for path in (folder / "videos").rglob("*.mkv"))
    print(f"{count} recordings of {participants_of(count)} participants in {folder}: {size / 1e6:.1f} MB of video")


if __name__ == "__main__":
    main()
