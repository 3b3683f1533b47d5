"""What is handed in for each task: files made of one JSON value per video, as platforms pass them on; a sample that knows nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.base.text.csv_rows import csv_of
from scrubin.evaluate.challenge import Challenge
from scrubin.evaluate.challenge.label_files import criteria_in, images_in
from scrubin.labels.formats.assessments import cvschallenge
from scrubin.labels.masks import rle

UNSURE = 0.5
Values = Mapping[str, Any]
"""One JSON value by video."""


@dataclass(frozen=True)
class HandedIn:
    """How the values of videos become files.

    Parameters
    ----------
    files
        Values to texts by name of file; raises `MetricsError` for a value of another form.
    sample
        What somebody who knows nothing says: of a challenge, whose frames are read once, then of a video.
    """

    files: Callable[[Challenge, Values], dict[str, str]]
    sample: Callable[[Challenge], Callable[[str], Any]]


def files_of(challenge: Challenge, values: Values) -> dict[str, str]:
    """Return the files of a submission.

    Raises
    ------
    MetricsError
        When the value of a video has not the form of its task.
    """
    return HANDED_IN[challenge.task].files(challenge, values)


def sample_values(challenge: Challenge) -> dict[str, Any]:
    """Return what somebody who knows nothing predicts, by video, as its file or its entry in ``submission.json`` has it.

    Every class is equally likely, nothing or all of the picture is detected, and it is always the first phase.
    """
    of_video = HANDED_IN[challenge.task].sample(challenge)
    return {video: of_video(video) for video in sorted(challenge.frames or {})}


def sample_files(challenge: Challenge) -> dict[str, str]:
    """Return a submission that knows nothing."""
    return files_of(challenge, sample_values(challenge))


def _documents(challenge: Challenge, values: Values) -> dict[str, str]:
    return {f"{video}.json": json.dumps(value) + "\n" for video, value in values.items()}


def _by_frame(of_frame: Callable[[Challenge], Any]) -> Callable[[Challenge], Callable[[str], Any]]:
    def sample(challenge: Challenge) -> Callable[[str], Any]:
        value = of_frame(challenge)
        return lambda video: {str(frame): value for frame in (challenge.frames or {})[video]}

    return sample


def _phases(challenge: Challenge, values: Values) -> dict[str, str]:
    found = {}
    for video, value in values.items():
        if not isinstance(value, dict):
            raise _other_form(video, '{"<frame>": <phase id or name>}', value)
        by_name = any(isinstance(phase, str) and not phase.isdigit() for phase in value.values())
        found[f"{video}.csv"] = csv_of([("frame", "phase" if by_name else "phase_id"), *value.items()])
    return found


def _results(challenge: Challenge, values: Values) -> dict[str, str]:
    """Return COCO results of all videos in one file: images say of which video they are."""
    every: list[Any] = []
    for video, value in values.items():
        if not isinstance(value, list):
            raise _other_form(video, "a list of COCO results", value)
        every += value
    return {"results.json": json.dumps(every) + "\n"}


def _whole_pictures(challenge: Challenge) -> Callable[[str], list[dict[str, Any]]]:
    images, classes = images_in(challenge.form)
    return lambda video: [
        {
            "image_id": image["id"],
            "category_id": classes[0]["id"],
            "segmentation": {
                "size": [image["height"], image["width"]],
                "counts": rle.text_of_runs(np.array([0, image["height"] * image["width"]])),
            },
            "score": UNSURE,
        }
        for image in images[video]
    ]


def _points_in_the_middle(challenge: Challenge) -> Callable[[str], list[dict[str, Any]]]:
    images, classes = images_in(challenge.form)
    with_points = next((one for one in classes if one.get("keypoints")), classes[0])
    most = len(with_points.get("keypoints", ()))
    return lambda video: [
        {
            "image_id": image["id"],
            "category_id": with_points["id"],
            "keypoints": [image["width"] / 2, image["height"] / 2, 2] * most,
            "score": UNSURE,
        }
        for image in images[video]
    ]


def _tracks(challenge: Challenge, values: Values) -> dict[str, str]:
    images, _ = images_in(challenge.form)
    found = {}
    for video, value in values.items():
        if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
            raise _other_form(video, "a list of [frame, id, left, top, width, height, confidence, class]", value)
        found[f"{video}.txt"] = "".join(",".join(map(json.dumps, row)) + "\n" for row in value)
        if images.get(video):
            size = images[video][0]
            found[f"{video}/seqinfo.ini"] = f"[Sequence]\nimWidth={size['width']}\nimHeight={size['height']}\n"
    return found


def _one_track(challenge: Challenge) -> Callable[[str], list[list[float]]]:
    images, _ = images_in(challenge.form)
    return lambda video: [[image["frame"] + 1, 1, 0, 0, image["width"], image["height"], UNSURE, 0, 1] for image in images[video]]


def _criteria(challenge: Challenge, values: Values) -> dict[str, str]:
    """Return answers to the CVS Challenge as they are, others as one table."""
    answers = {video: value for video, value in values.items() if isinstance(value, dict) and cvschallenge.OUTPUTS_KEY in value}
    if answers and len(answers) == len(values):
        return _documents(challenge, answers)
    names = criteria_in(challenge.form)
    rows = [row for video, value in values.items() for row in _criteria_rows(video, value, names)]
    return {"criteria.csv": csv_of([("video", "frame", *names), *rows])}


def _criteria_rows(video: str, value: Any, names: tuple[str, ...]) -> Iterator[list[Any]]:
    if not isinstance(value, dict) or not all(isinstance(of, dict) for of in value.values()):
        raise _other_form(video, '{"<frame>": {"<criterion>": probability}}', value)
    for frame, of in value.items():
        if other := sorted(set(of) - set(names)):
            raise MetricsError(f"{video}, frame {frame}: '{other[0]}' is no criterion; give {', '.join(names)}")
        yield [video, frame, *(of.get(name, "") for name in names)]


def _other_form(video: str, expected: str, value: Any) -> MetricsError:
    return MetricsError(f"{video}: expected {expected}, but got {type(value).__name__}")


HANDED_IN: Mapping[str, HandedIn] = {
    "recognition": HandedIn(_documents, _by_frame(lambda of: {"recognition": [UNSURE] * len(of.expected.vocabulary.triplets)})),
    "detection": HandedIn(_documents, _by_frame(lambda of: {"detection": []})),
    "phases": HandedIn(_phases, _by_frame(lambda of: 0)),
    "masks": HandedIn(_results, _whole_pictures),
    "pixels": HandedIn(_results, _whole_pictures),
    "points": HandedIn(_results, _points_in_the_middle),
    "tracks": HandedIn(_tracks, _one_track),
    "criteria": HandedIn(_criteria, _by_frame(lambda challenge: dict.fromkeys(criteria_in(challenge.form), UNSURE))),
}
"""By task."""
