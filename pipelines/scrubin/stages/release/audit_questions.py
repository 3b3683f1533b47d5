"""What the audit asks people: sightings that stop the release as questions about the source; people's answers as part of the plan."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import pandas as pd

from scrubin.audit.expected import Finding
from scrubin.audit.expected.plan import FACE_KIND, LIKE, TEXT_KIND, Answered, Plan, VideoPlan
from scrubin.audit.pictures.looks import Looked
from scrubin.audit.pictures.shown import Judge, Unanswered
from scrubin.base.faults import count_text
from scrubin.base.pixels import Box, shared_px
from scrubin.base.tables.io import records
from scrubin.stages.release import gates
from scrubin.stages.review.questions import Answer, Question, Sight

ROUNDING_S = 1e-3
Key = tuple[str, str]
"""Released id and camera."""


class Sources:
    """How frames and pixels of the released videos follow from those of their sources.

    Parameters
    ----------
    cuts, recordings
        The tables of these names.
    """

    def __init__(self, cuts: pd.DataFrame, recordings: pd.DataFrame) -> None:
        sha256 = {(row["recording"], row["camera"]): row["sha256"] for row in records(recordings)}
        self._cuts = {(row["id"], row["camera"]): row for row in records(cuts)}
        self._sha256 = {key: sha256.get((row["recording"], row["camera"])) or "" for key, row in self._cuts.items()}

    def recording(self, video: VideoPlan) -> str | None:
        """Return what a released video is a recording of; None where nobody says it."""
        cut = self._cuts.get((video.id, video.camera))
        return None if cut is None else str(cut["recording"])

    def question(self, video: VideoPlan, sightings: Sequence[Unanswered]) -> Question:
        """Return the question about sightings of one thing in a video, which stand in the order of their frames."""
        key = video.id, video.camera
        cut, seen = self._cuts[key], [one.sighting for one in sightings]
        first, last, offset_s = seen[0], seen[-1], float(Fraction(cut["offset_s"]))
        size_px = video.size_px or (cut["source_width"], cut["source_height"])
        box = _scaled(_around(one.box_xywh for one in seen), size_px, (cut["source_width"], cut["source_height"]))
        kind, start = FACE_KIND if first.text is None else TEXT_KIND, cut["first_source_frame"]
        return Question(
            recording=cut["recording"],
            camera=cut["camera"],
            sha256=self._sha256[key],
            sight=Sight(kind, start + first.frame, start + last.frame, box, sightings[0].word),
            id=video.id,
            released_first=first.frame,
            released_last=last.frame,
            first_s=round(offset_s + first.time_s, 6),
            last_s=round(offset_s + last.time_s, 6),
            confidence=round(max(one.confidence for one in seen), 4),
            read=first.text,
        )

    def answered(self, video: VideoPlan, answers: Iterable[Answer]) -> tuple[Answered, ...]:
        """Return the answers about a video's source as it is now, in frames and px of the video."""
        key = video.id, video.camera
        if key not in self._cuts:
            return ()
        cut = self._cuts[key]
        about = (cut["recording"], cut["camera"], self._sha256[key])
        sights = [one.sight for one in answers if (one.recording, one.camera, one.sha256) == about]
        size_px, start = (cut["source_width"], cut["source_height"]), cut["first_source_frame"]
        boxes = [_scaled(one.box_xywh, size_px, video.size_px or size_px) for one in sights]
        return tuple(Answered(one.kind, one.first - start, one.last - start, box, one.word) for one, box in zip(sights, boxes, strict=True))


def with_answers(plan: Plan, sources: Sources, answers: Sequence[Answer]) -> Plan:
    """Return the plan of a release in which people's answers let pass what they are about."""
    return replace(plan, videos=tuple(replace(video, answered=sources.answered(video, answers)) for video in plan.videos))


def questions(judge: Judge, plan: Plan, sources: Sources) -> list[Question]:
    """Return what people must answer before a release, sorted.

    Sightings of one thing, in pictures that were looked at one after the other, are one question. What stands in a file that belongs
    to no video is not among them: such a file must not be there at all.
    """
    of_video: dict[str, list[Unanswered]] = {}
    for one in judge.unanswered:
        # An extracted frame is a still of its video.
        of_video.setdefault(one.file, []).append(one)
    asked = []
    for name, unanswered in sorted(of_video.items()):
        video = plan.video_at.get(name)
        if video is not None:
            asked += [sources.question(video, group) for group in _groups(unanswered, judge.looked[name])]
    return sorted(asked, key=lambda one: (one.recording, one.camera, one.sight))


def lines(asked: Sequence[Question]) -> list[str]:
    """Return what a refusal says of the questions: what was seen where, and the command that opens it."""
    if not asked:
        return []
    more = len(asked) - gates.SHOWN_MISSING
    return [
        f"the audit asks people about {count_text(len(asked), 'place')}; answer with A (hide it) or R (it may be seen), then: make repro",
        *(f"'{one.recording}', {one.camera}: {_says(one)}; open: {_command(one)}" for one in asked[: gates.SHOWN_MISSING]),
        *([f"and {more} more, all of them on the page of: {gates.REVIEW_COMMAND}"] if more > 0 else []),
    ]


def lines_of_recordings(findings: Iterable[Finding], plan: Plan, sources: Sources, asked: Sequence[Question]) -> list[str]:
    """Return what a refusal says of the recordings whose videos are the reason, but for those about which people are asked."""
    named = {(one.recording, one.camera) for one in asked}
    found = []
    for path in sorted({finding.file for finding in findings} & plan.video_at.keys()):
        video = plan.video_at[path]
        recording = sources.recording(video)
        if recording is not None and (recording, video.camera) not in named:
            found.append(
                f"{path} is of '{recording}', {video.camera}: to go on without it, say why in its column 'exclude' of recordings.csv"
            )
    more = len(found) - gates.SHOWN_MISSING
    return [*found[: gates.SHOWN_MISSING], *([f"and {more} more videos"] if more > 0 else [])]


def _says(one: Question) -> str:
    if one.sight.kind == FACE_KIND:
        seen = "a face"
    elif one.sight.word.startswith(LIKE):
        seen = f"{one.read!r}, which is like the private word {one.sight.word.removeprefix(LIKE)!r}"
    else:
        seen = f"the private word {one.sight.word!r}"
    during = f"at {one.first_s:.2f} s" if one.sight.first == one.sight.last else f"from {one.first_s:.2f} to {one.last_s:.2f} s"
    return f"{seen} (confidence {one.confidence:.2f}) {during}"


def _command(one: Question) -> str:
    # Containers round times: a little later is the same frame for sure.
    return gates.command_at(one.recording, one.first_s + ROUNDING_S)


def _groups(unanswered: Sequence[Unanswered], looked: Looked) -> list[list[Unanswered]]:
    """Return the sightings of one video by what they show, each group in the order of its frames."""
    groups: list[list[Unanswered]] = []
    for one in sorted(unanswered, key=lambda one: (one.sighting.frame, one.sighting.box_xywh, one.word)):
        for group in reversed(groups):
            if _goes_on(group[-1], one, looked):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def _goes_on(before: Unanswered, now: Unanswered, looked: Looked) -> bool:
    """Whether the same is seen in the same place, and no picture in between was looked at in which it was not."""
    a, b = before.sighting, now.sighting
    same = (before.word, a.text is None) == (now.word, b.text is None) and shared_px(a.box_xywh, b.box_xywh) > 0
    at = looked.faces_at if a.text is None else looked.read_at
    return same and not any(a.frame < number < b.frame for number in at)


def _around(boxes: Iterable[Box]) -> Box:
    sides = [(x, y, x + w, y + h) for x, y, w, h in boxes]
    left, top = (min(side[place] for side in sides) for place in (0, 1))
    right, bottom = (max(side[place] for side in sides) for place in (2, 3))
    return left, top, right - left, bottom - top


def _scaled(box: Box, size_px: Sequence[int], to_px: Sequence[int]) -> Box:
    """Return the rectangle of one picture in the same picture of another size, whole pixels around it."""
    across, down = (Fraction(to, of) for to, of in zip(to_px, size_px, strict=True))
    left, top = max(0, math.floor(box[0] * across)), max(0, math.floor(box[1] * down))
    right, bottom = min(to_px[0], math.ceil((box[0] + box[2]) * across)), min(to_px[1], math.ceil((box[1] + box[3]) * down))
    return left, top, max(1, right - left), max(1, bottom - top)
