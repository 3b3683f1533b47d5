"""The training course: who recorded which task when, and how well."""

from __future__ import annotations

import dataclasses
import datetime
from fractions import Fraction

from scrubin.demo import dirt
from scrubin.demo.names import COURSE_START, SITES, Person, people
from scrubin.demo.params import DemoParams
from scrubin.demo.plan import MS, Recording
from scrubin.demo.scenes.curves import bell, generator

TASKS = ("PegTransfer", "SutureAndKnot")
TRIALS = 3
WIDTH, HEIGHT, FPS = 320, 180, Fraction(20)
FAILED_BELOW = 330
EXPERTS_FROM = 500
"""Experts are numbered from here, so that one participant more changes no expert."""


def trainings(params: DemoParams) -> list[Recording]:
    """Return all recordings of the training course; one participant more changes no other."""
    planned = []
    for number in range(params.participants):
        for trial in range(1, TRIALS + 1):
            planned += [_training(params.seed, people("participant")[number], number, trial, task) for task in TASKS]
    for number in range(params.experts):
        planned += [_training(params.seed, people("expert")[number], EXPERTS_FROM + number, None, task) for task in TASKS]
    return [dirt.plant(recording) for recording in planned] + dirt.extras(planned)


def _training(seed: int, person: Person, number: int, trial: int | None, task: str) -> Recording:
    key = (seed, number, trial or 0, TASKS.index(task))
    rng = generator(*key)
    skill = _skill(seed, number, trial, task)
    work_ms = min(max(8700 - 7 * skill + bell(rng, 350), 3000), 9000)
    before_ms, after_ms = int(rng.integers(500, 1500)), int(rng.integers(500, 1500))
    day = COURSE_START + datetime.timedelta(days=3 * (number % EXPERTS_FROM) + 17 * ((trial or 1) - 1) + int(rng.integers(0, 3)))
    name = f"{day.isoformat()}_{person.key}_{task}" + (f"_T{trial}" if trial else "_Expert")
    failed = task == "SutureAndKnot" and skill + bell(rng, 30) < FAILED_BELOW
    recording = Recording(
        name=name,
        participant=person.key,
        trial=trial,
        site=SITES[number % len(SITES)],
        task=task,
        date=day,
        key=key,
        width=WIDTH,
        height=HEIGHT,
        fps=FPS,
        frame_count=-(-(before_ms + work_ms + after_ms) * int(FPS) // MS),
        container="mkv",
        paths={camera: _path(person, day, task, trial, camera, number) for camera in ("left", "right")},
        start_ms=before_ms,
        end_ms=before_ms + work_ms,
        rated=True,
        skill=skill,
        throws=1 + int(rng.integers(0, 2)) if failed else 3,
        drops=task == "PegTransfer" and int(rng.integers(0, 1000)) < (900 - skill) * 2 // 3,
    )
    # A curator who did not trim an expert's recording leaves both ends open.
    return recording if trial else dataclasses.replace(recording, start_ms=None, end_ms=None)


def _skill(seed: int, number: int, trial: int | None, task: str) -> int:
    talent = generator(seed, number, 99)
    start, gain = 200 + int(talent.integers(0, 380)), 60 + int(talent.integers(0, 90))
    if trial is None:
        start, gain = 820 + start // 10, 0
    day = generator(seed, number, trial or 0, 98, TASKS.index(task))
    return min(max(start + gain * ((trial or 1) - 1) + bell(day, 50), 50), 990)


def _path(person: Person, day: datetime.date, task: str, trial: int | None, camera: str, number: int) -> str:
    # Each site names its files in its own way, and no shell likes all of them.
    run = trial or 1
    side = {"left": "links", "right": "rechts"}[camera]
    styles = (
        f"{day.isoformat()}_{person.key}_{task}_T{run}_{camera}.mkv",
        f"{person.surname}, {person.first_name} - {task} Versuch {run} ({day.strftime('%d.%m.%Y')}) {side}.mkv",
        f"-{person.surname}_{day.strftime('%Y%m%d')}_{task}_{run}-{camera}.mkv",
        f'{task} "{person.surname}" #{run} & {day.isoformat()}; $HOME `{camera}`.mkv',
        f"{day.strftime('%Y%m%d')}-{person.surname}'s {task} ({run}) 100% {side}.mkv",
    )
    return f"videos/{SITES[number % len(SITES)]}/{styles[number % len(styles)]}"
