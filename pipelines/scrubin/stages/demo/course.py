"""The training course: who recorded which task when, how well, with what real raw data is full of."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable
from fractions import Fraction

from scrubin.stages.demo.canvas import bell, generator
from scrubin.stages.demo.plan import COURSE_START, MS, SITES, DemoParams, Person, Recording, Span, Text, people

Change = Callable[[Recording], Recording]
BOTH = ("left", "right")
SLOW_FPS = Fraction(2)
LOOP_S = 20
SITE_TAG_EVERY = 3
TEN = 36_000


def plant(recording: Recording) -> Recording:
    """Return the recording with what is planted in it."""
    number, trial, task = recording.key[1], recording.trial, recording.task
    if number % SITE_TAG_EVERY == 0:
        recording = dataclasses.replace(recording, tags=_tags(recording))
    change = PLANTED.get((number, trial, task))
    return change(recording) if change else recording


def extras(recordings: list[Recording]) -> list[Recording]:
    """Return fourth trials that cannot be used: one the curator leaves out, two with bad files."""
    by_place = {(one.key[1], one.trial, one.task): one for one in recordings}
    left_out = _fourth(by_place[0, 3, "PegTransfer"], exclude="camera was knocked over")
    half = _fourth(by_place[1, 3, "PegTransfer"], damage={"right": "missing"})
    cut = _fourth(by_place[0, 3, "SutureAndKnot"], damage={"left": "cut"})
    return [left_out, half, cut]


def _fourth(third: Recording, exclude: str = "", damage: dict[str, str] | None = None) -> Recording:
    return dataclasses.replace(
        third,
        name=third.name.replace("_T3", "_T4"),
        trial=4,
        key=(*third.key[:2], 4, third.key[3]),
        paths={camera: _fourth_path(path) for camera, path in third.paths.items()},
        rated=False,
        exclude=exclude,
        damage=damage or {},
    )


def _fourth_path(path: str) -> str:
    folder, name = path.rsplit("/", 1)
    return f"{folder}/Zusatz/{name}"


def _tags(recording: Recording) -> dict[str, str]:
    day = recording.date.isoformat()
    return {
        "title": recording.name,
        "artist": recording.participant.replace("_", " "),
        "comment": f"{recording.site}, {recording.date.strftime('%d.%m.%Y')}",
        "date": day,
        # Not creation_time: the bit-exact Matroska writer leaves it out.
        "date_recorded": f"{day}T08:41:07Z",
    }


def _text(recording: Recording, cameras: tuple[str, ...], x: int, y: int) -> Recording:
    caption = f"{recording.participant.split('_')[0]} {recording.date.isoformat()}"
    text = Text(caption, TEN + 613 * (recording.trial or 1), x, y, cameras)
    return dataclasses.replace(recording, texts=(text,))


def _span(recording: Recording, kind: str, after_ms: int, long_ms: int, decision: str = "") -> Recording:
    # Placed by the start of the work, which no manifest row moves.
    start_ms = (recording.start_ms or 0) + after_ms
    return dataclasses.replace(recording, spans=(*recording.spans, Span(kind, start_ms, start_ms + long_ms, decision)))


def _slow(recording: Recording, loops: int, end_ms: int) -> Recording:
    # A long recording is a short one repeated, at few frames a second, so that it stays small.
    drawn = LOOP_S * int(SLOW_FPS)
    return dataclasses.replace(
        recording, fps=SLOW_FPS, frame_count=drawn * loops, loops=loops, start_ms=1250, end_ms=end_ms, skill=min(recording.skill, 260)
    )


def _sound(recording: Recording, cameras: tuple[str, ...]) -> Recording:
    return dataclasses.replace(recording, audio=cameras, tags=_tags(recording))


def _chapters(recording: Recording) -> Recording:
    surname = recording.participant.split("_")[0]
    return dataclasses.replace(recording, chapters=(f"{surname} warm-up", f"{surname} {recording.date.isoformat()}"))


PLANTED: dict[tuple[int, int | None, str], Change] = {
    # (participant, trial, task): the first two have most kinds, so that a study of two has them, too.
    (0, 1, "PegTransfer"): lambda one: _sound(one, BOTH),
    (0, 2, "PegTransfer"): lambda one: _text(one, BOTH, 8, 6),
    (0, 3, "PegTransfer"): lambda one: _span(one, "blur", 900, 500),
    (0, 1, "SutureAndKnot"): lambda one: _slow(one, 31, 612_300),
    (0, 3, "SutureAndKnot"): lambda one: _span(one, "out_of_body", 1300, 600, "add"),
    (1, 1, "PegTransfer"): lambda one: _slow(one, 19, 372_500),
    (1, 2, "PegTransfer"): lambda one: _span(one, "black", 1200, 500),
    (1, 3, "PegTransfer"): lambda one: _span(one, "out_of_body", -400, 800),
    (1, 2, "SutureAndKnot"): lambda one: dataclasses.replace(_chapters(_text(one, BOTH, 60, 156)), labels="coco"),
    (1, 3, "SutureAndKnot"): lambda one: _span(one, "drape", 1000, 1500, "reject"),
    (2, 2, "SutureAndKnot"): lambda one: _span(one, "blur", 700, 1200),
    (3, 2, "PegTransfer"): lambda one: _text(one, ("left",), 120, 6),
    (4, 1, "PegTransfer"): lambda one: _span(one, "dark", 1500, 1000),
    (5, 3, "SutureAndKnot"): lambda one: _sound(one, ("left",)),
    (6, 2, "SutureAndKnot"): lambda one: _span(one, "out_of_body", 1700, 1200),
    (7, 1, "SutureAndKnot"): lambda one: _span(one, "black", 2100, 2000),
    (8, 3, "PegTransfer"): _chapters,
    (9, 2, "PegTransfer"): lambda one: _text(one, ("right",), 30, 156),
    (11, 1, "PegTransfer"): lambda one: _span(one, "out_of_body", 2000, 400),
    (501, None, "PegTransfer"): lambda one: _sound(one, ("right",)),
}

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
    return [plant(recording) for recording in planned] + extras(planned)


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
