"""Which frames of a released video are copied bit for bit, which are encoded again.

A group of pictures that no cut and no redaction touches is copied. A touched one is copied up
to the last frame at which it can be cut off before the first touched frame; the rest of it
refers to frames that are no longer there, so it is encoded again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scrubin.media.structure import Group, Structure
from scrubin.stages.render.plan import Plan, SourceFile

SMART, REENCODE = "smart", "reencode"


@dataclass(frozen=True)
class Part:
    """Released frames ``[first, last]``, both included; ``why``: what touches them, "" when they are copied."""

    first: int
    last: int
    why: str

    @property
    def copied(self) -> bool:
        """Whether these frames are copied bit for bit."""
        return not self.why

    @property
    def frame_count(self) -> int:
        """Number of frames."""
        return self.last - self.first + 1


@dataclass(frozen=True)
class Parts:
    """How a video is rendered.

    Parameters
    ----------
    mode
        ``smart``: part by part; ``reencode``: everything is encoded again.
    why
        Why nothing is copied, "" when something is.
    parts
        All released frames in order.
    """

    mode: str
    why: str
    parts: tuple[Part, ...]

    @property
    def encoded_count(self) -> int:
        """Number of frames that are encoded again."""
        return sum(part.frame_count for part in self.parts if not part.copied)


def reencoded(plan: Plan, why: str) -> Parts:
    """Return the parts of a video that is encoded as a whole."""
    return Parts(REENCODE, why, (Part(0, plan.frame_count - 1, why),))


def parts(plan: Plan, structure: Structure, mode: str, rotation_deg: int = 0) -> Parts:
    """Return which frames are copied.

    Parameters
    ----------
    plan
        What the released video will be.
    structure
        The groups of pictures of its source.
    mode
        ``smart`` or ``reencode``, as the curator wishes.
    rotation_deg
        Rotation that players apply to the source.

    >>> from fractions import Fraction
    >>> from scrubin.stages.render.plan import Redaction, plan
    >>> groups = tuple(Group(n, n + 10, 10, tuple(range(n, n + 11))) for n in range(0, 40, 10))
    >>> cut = plan(range(40), Fraction(1), Fraction(40), (5, 35), [Redaction(24, 26, None)], (64, 64))
    >>> [(part.first, part.last, part.why) for part in parts(cut, Structure(groups, ""), "smart").parts]
    [(0, 4, 'cut at the start'), (5, 18, ''), (19, 24, 'hidden from frame 19 on'), (25, 29, '')]
    """
    if mode == REENCODE:
        return reencoded(plan, "render.mode is reencode")
    unsure = structure.unsure or _unsure(plan, structure, rotation_deg)
    if unsure:
        return reencoded(plan, unsure)
    joined_parts = tuple(merged(_of_groups(plan, structure)))
    if not any(part.copied for part in joined_parts):
        return reencoded(plan, _whole(plan, joined_parts))
    return Parts(SMART, "", joined_parts)


def _unsure(plan: Plan, structure: Structure, rotation_deg: int) -> str:
    if rotation_deg:
        return f"players rotate it by {rotation_deg} degrees"
    last = plan.first_source_frame + plan.frame_count
    if structure.groups[-1].end < last:
        return f"its groups of pictures hold {structure.groups[-1].end} frames of {last}"
    return ""


def _whole(plan: Plan, joined_parts: tuple[Part, ...]) -> str:
    if any(item.box_xywh is not None and item.first == 0 and item.last == plan.frame_count - 1 for item in plan.hidden):
        return "a rectangle is hidden in every frame"
    reasons = dict.fromkeys(part.why for part in joined_parts)
    return f"every group of pictures is touched ({', '.join(reasons)})"


def merged(several: Iterable[Part]) -> Iterator[Part]:
    """Yield parts in order, neighbours of one kind as one."""
    waiting: Part | None = None
    for part in several:
        if waiting is not None and waiting.copied == part.copied:
            waiting = Part(waiting.first, part.last, waiting.why)
            continue
        if waiting is not None:
            yield waiting
        waiting = part
    if waiting is not None:
        yield waiting


def _of_groups(plan: Plan, structure: Structure) -> Iterator[Part]:
    shift, end = plan.first_source_frame, plan.first_source_frame + plan.frame_count
    for group in structure.groups:
        first, last = max(group.first, shift) - shift, min(group.end, end) - 1 - shift
        if first > last:
            continue
        touched, why = _first_touched(group, plan)
        # Cut off before the first touched frame, where packets and frames agree.
        cut = max((place for place in group.breaks if place <= touched + shift), default=group.first) - shift
        if cut > first:
            yield Part(first, min(cut - 1, last), "")
        if max(cut, first) <= last:
            yield Part(max(cut, first), last, why)


def _first_touched(group: Group, plan: Plan) -> tuple[int, str]:
    """Return the first released frame of a group that cannot be copied (its end when all can) and what touches it."""
    shift = plan.first_source_frame
    end = plan.frame_count
    if group.hides_packets:
        return group.first - shift, "an edit list hides packets"
    if group.unsure:
        return group.first - shift, group.unsure
    if group.first < shift:
        return group.first - shift, "cut at the start"
    spans = [(item.first, f"hidden from frame {item.first} on") for item in plan.hidden if _meets(item.first, item.last, group, shift)]
    touched = min(((max(first, group.first - shift), why) for first, why in spans), default=(end, ""))
    limit = min(group.end - shift, end)
    if touched[0] >= limit:
        return limit, "cut at the end"
    return touched


def _meets(first: int, last: int, group: Group, shift: int) -> bool:
    return first + shift < group.end and last + shift >= group.first


ONE_VIEW = "its picture holds the views of several cameras"
OTHER_SETS = "its parameter sets are not those of most copied frames"


def parts_of_files(plan: Plan, files: Sequence[SourceFile], mode: str) -> Parts:
    """Return which frames are copied.

    Parameters
    ----------
    plan
        What the released video will be.
    files
        What it is made of.
    mode
        ``smart`` or ``reencode``, as the curator wishes.
    """
    if any(file.view is not None for file in files):
        return reencoded(plan, ONE_VIEW)
    if len(files) == 1:
        return parts(plan, files[0].structure, mode, files[0].probe.rotation_deg)
    if mode == REENCODE:
        return reencoded(plan, "render.mode is reencode")
    by_file = [(file, list(_shifted(plan, file))) for file in files]
    copied: Counter[str] = Counter()
    for file, own in by_file:
        copied[file.structure.sets] += sum(part.frame_count for part in own if part.copied)
    sets = min(copied, key=lambda key: (-copied[key], key))
    chosen = [part if file.structure.sets == sets or not part.copied else _encoded(part) for file, own in by_file for part in own]
    whole = tuple(merged(chosen))
    if not any(part.copied for part in whole):
        return reencoded(plan, f"every group of pictures is touched ({', '.join(dict.fromkeys(part.why for part in whole))})")
    return Parts(SMART, "", whole)


def _shifted(plan: Plan, file: SourceFile) -> Iterator[Part]:
    """Yield the parts of the released frames of one file, in released numbers."""
    own = file.own_plan(plan)
    if own is None:
        return
    shift, of_file = own
    for part in parts(of_file, file.structure, SMART, file.probe.rotation_deg).parts:
        yield Part(part.first + shift, part.last + shift, part.why)


def _encoded(part: Part) -> Part:
    return Part(part.first, part.last, OTHER_SETS)
