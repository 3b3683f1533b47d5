"""What a person did last of what still counts: the lines that have to be withdrawn to undo it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scrubin.stages.review import Line
from scrubin.stages.review.events import Acknowledged, Decided, Event, Excluded, Withdrawn
from scrubin.stages.review.standing import Standing

PART = "+"
"""Between the nonce of a wish and the name of one of its lines; no page sends it."""


@dataclass(frozen=True)
class Action:
    """What a person did in one go, as far as it still counts.

    Parameters
    ----------
    recording
        Whose; "" for an acknowledgement, which is about the study.
    where
        The place, for people.
    lines
        In the order in which they are to be withdrawn, so that meanwhile nothing is shown that is hidden before or after it.
    """

    recording: str
    where: str
    lines: tuple[int, ...]


def actions(standing: Standing, by: str) -> Iterator[Action]:
    """Yield what a person did and what still counts of it, the latest first."""
    done: dict[tuple[str, str], list[tuple[Line, Event]]] = {}
    for line, event in standing.lines.values():
        if line.by == by and isinstance(event, Decided | Excluded | Acknowledged | Withdrawn):
            done.setdefault(_name(line), []).append((line, event))
    for parts in sorted(done.values(), key=lambda parts: parts[-1][0].number, reverse=True):
        # New ends of something drawn are two lines, of which those of earlier editions say nothing.
        is_of_decision = any(isinstance(event, Decided) for _, event in parts)
        open_parts = [
            (line, event)
            for line, event in parts
            if standing.stands(line.number) and (not isinstance(event, Withdrawn) or event.undoable or is_of_decision)
        ]
        if open_parts:
            about = standing.about(open_parts[-1][0].number)
            # What was withdrawn is hidden again before anything else is shown.
            ordered = sorted(open_parts, key=lambda part: not isinstance(part[1], Withdrawn))
            yield Action(getattr(about, "recording", ""), _where(about), tuple(line.number for line, _ in ordered))


def _name(line: Line) -> tuple[str, str]:
    """Return what all lines of one wish have in common."""
    wish = line.nonce.partition(PART)[0]
    return (line.session, wish) if wish else ("", str(line.number))


def _where(event: Event) -> str:
    if isinstance(event, Decided):
        frames = [frame for span in event.spans for frame in (span.first, span.last)]
        return f"'{event.recording}', {event.camera}, frames {min(frames)} to {max(frames)}"
    if isinstance(event, Excluded):
        return f"the exclusion of '{event.recording}'"
    return ""
