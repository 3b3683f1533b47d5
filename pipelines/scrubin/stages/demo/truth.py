"""What is really in the synthetic study, for tests: the pipeline never reads it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from scrubin.stages.demo import footage, labels
from scrubin.stages.demo.footage import HIDDEN, seen_tools
from scrubin.stages.demo.labels import labelled_frames
from scrubin.stages.demo.operation import Operation
from scrubin.stages.demo.plan import DISTINCT_SITE_WORDS, MS, SITES, Recording, spellings
from scrubin.stages.demo.sheets import ERRORS, Rating, occurred

TIME_LIMITS_S = {"PegTransfer": 360, "SutureAndKnot": 600}


def files(recordings: Sequence[Recording], ratings: Sequence[Rating]) -> dict[str, Any]:
    """Return the content of every truth file by its name."""
    return {
        "expected.json": {one.name: _expected(one) for one in recordings},
        "criteria.json": {one.name: labels.true_criteria(one) for one in recordings if one.criteria},
        "instances.json": {one.name: labels.true_instances(one) for one in recordings if one.labels == "coco"},
        "labels.json": {one.name: _labels(one) for one in recordings if one.labels and one.phases},
        "media.json": [_media(one, camera) for one in recordings for camera in sorted(one.paths)],
        "private_strings.json": _private_strings(recordings),
        "skill.json": _skill(recordings, ratings),
        "spans.json": [row for one in recordings for row in _spans(one)],
        "text.json": [row for one in recordings for row in _texts(one)],
    }


def _expected(recording: Recording) -> dict[str, Any]:
    """Return what ingest should make of a recording: status, why, and the kept part in source seconds."""
    start_s = (recording.start_ms or 0) / MS
    end_s = recording.end_ms / MS if recording.end_ms is not None else float(recording.duration)
    limit_s = TIME_LIMITS_S.get(recording.task)
    over = limit_s is not None and end_s - start_s > limit_s
    status, why = "kept", ""
    if recording.exclude:
        status, why = "excluded", recording.exclude
    elif recording.damage:
        status, why = "quarantined", ", ".join(f"{camera}: {damage}" for camera, damage in sorted(recording.damage.items()))
    elif over and recording.task == "PegTransfer":
        status, why = "excluded", "over the time limit"
    elif over and limit_s is not None:
        why, end_s = "truncated to the time limit", start_s + limit_s
    return {"status": status, "why": why, "start_s": start_s, "end_s": end_s, "cameras": sorted(recording.paths)}


def _private_strings(recordings: Sequence[Recording]) -> dict[str, list[str]]:
    """Return every string that must not be found in a release, by what it gives away."""
    people = {part for one in recordings for part in (one.participant, one.participant.replace("_", " "), *one.participant.split("_"))}
    dates = {spelling for one in recordings for spelling in spellings(one.date)}
    names = {one.name for one in recordings}
    names |= {PurePosixPath(path).stem for one in recordings for path in one.paths.values()}
    return {"participants": sorted(people), "sites": sorted({*SITES, *DISTINCT_SITE_WORDS}), "dates": sorted(dates), "names": sorted(names)}


def _spans(recording: Recording) -> list[dict[str, Any]]:
    rows = []
    for span in recording.spans:
        frames = recording.frames_of(span)
        rows += [
            {
                "recording": recording.name,
                "camera": camera,
                "kind": span.kind,
                "hide": span.kind in HIDDEN,
                "decision": span.decision or None,
                "start_frame": frames.start,
                "end_frame": frames.stop,
                "start_s": float(recording.time_of(frames.start)),
                "end_s": float(recording.time_of(frames.stop)),
            }
            for camera in sorted(recording.paths)
        ]
    return rows


def _texts(recording: Recording) -> list[dict[str, Any]]:
    rows = []
    for text in recording.texts:
        start_s = text.start_ms / MS if text.start_ms is not None else 0.0
        end_s = text.end_ms / MS if text.end_ms is not None else float(recording.duration)
        end_s = min(end_s, float(recording.duration))
        rows += [
            {
                "recording": recording.name,
                "camera": camera,
                "xywh": list(footage.text_box(text)),
                "first_line": footage.text_line(text, start_s),
                "start_s": start_s,
                "end_s": end_s,
            }
            for camera in text.cameras
            if start_s < end_s
        ]
    return rows


def _media(recording: Recording, camera: str) -> dict[str, Any]:
    return {
        "recording": recording.name,
        "camera": camera,
        "path": recording.paths[camera],
        "container": recording.container,
        "width": recording.width,
        "height": recording.height,
        "fps": None if recording.variable_rate else f"{recording.fps.numerator}/{recording.fps.denominator}",
        "variable_rate": recording.variable_rate,
        "frame_count": recording.frame_count,
        "last_frame_s": float(recording.time_of(recording.frame_count - 1)),
        "has_audio": camera in recording.audio,
        "tags": dict(recording.tags),
        "chapters": list(recording.chapters),
        "damage": recording.damage.get(camera),
    }


def _labels(recording: Recording) -> dict[str, Any]:
    operation = Operation(recording)
    phases: list[dict[str, int]] = []
    for frame in range(recording.frame_count):
        phase = operation.phase_at(float(recording.time_of(frame)))
        if not phases or phases[-1]["phase"] != phase:
            phases.append({"phase": phase, "start_frame": frame, "end_frame": frame})
        phases[-1]["end_frame"] = frame + 1
    frames = {
        str(frame): [{"triplet": tool.triplet.triplet, "xywh": list(tool.box)} for tool in seen_tools(recording, operation, frame)]
        for frame in labelled_frames(recording)
    }
    return {"format": recording.labels, "phases": phases, "frames": frames}


def _skill(recordings: Sequence[Recording], ratings: Sequence[Rating]) -> dict[str, Any]:
    failed_by: dict[str, list[int]] = {}
    rated_by: dict[str, list[int]] = {}
    for rating in ratings:
        rated_by.setdefault(rating.recording, []).append(rating.rater)
        if rating.scores is None:
            failed_by.setdefault(rating.recording, []).append(rating.rater)
    return {
        one.name: {
            "skill": one.skill,
            "rated_by": rated_by[one.name],
            "failed_by": failed_by.get(one.name, []),
            "errors": {error: occurred(one, error) for error in ERRORS[one.task]},
        }
        for one in recordings
        if one.rated
    }
