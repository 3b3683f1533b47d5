"""Files of one camera in their order: which follow each other as the parts of one recording."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from scrubin.curate.draft import CREATION_TIME, RecordedFile
from scrubin.stages.ingest.file_names import LAST_NUMBERS, Count, Name
from scrubin.stages.ingest.file_names import follows as follows_number

# Clocks of recorders count whole seconds, and the next file begins a little later.
FOLLOWS_S = 5.0
EXACT_S = 1.0
"""Clocks of recorders count whole seconds."""
EQUAL_S = 1.5
CHUNK_STEP_S = 30.0
# Recorders begin a new file at 1, 2 or 4 GB, of 1000 or of 1024.
FULL_BYTES, FULL_SHARE = (2**30, 2**31, 2**32), 0.93
FEWEST_EQUAL = 2
STREAM_DAY_S = 2**33 / 90_000
"""The clock of a transport stream begins anew (ISO/IEC 13818-1, 2.4.3.7), as a timecode does at midnight."""
MOST_PAUSE_S = 3600.0


@dataclass(frozen=True)
class Named:
    """A usable file and what its name says."""

    file: RecordedFile
    name: Name

    @property
    def number(self) -> int | None:
        """The number that counts files, where the name has one."""
        return self.name.count.number if self.name.count else None

    @property
    def is_part(self) -> bool:
        """Whether the name says that it is a part."""
        return self.name.count is not None and self.name.count.is_part

    @property
    def clocks_s(self) -> dict[str, float | None]:
        """When it began, in seconds, by each clock that may say so; clocks count from different instants."""
        header = self.file.header
        own = {header.recorded_by: header.recorded_s, "timecode": header.timecode_s, "transport stream": header.stream_s}
        return {"name": self.name.recorded_s, **own}

    def differs(self, other: Named) -> str:
        """Return what tells by DICOM headers that two files are not of one recording, "patient" or "study"; "" when nothing does."""
        one, another = self.file.header.origin, other.file.header.origin
        return one.differs(another) if one and another else ""


@dataclass(frozen=True)
class Link:
    """Whether a file continues the one before, and why; ``doubt``: what speaks against it, or that little speaks for it."""

    joined: bool
    reason: str = ""
    doubt: str = ""


@dataclass(frozen=True)
class Run:
    """Files of one camera that are taken for one recording; ``links`` are those between neighbours."""

    members: tuple[Named, ...]
    links: tuple[Link, ...] = ()

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers of its files."""
        return frozenset(member.number for member in self.members if member.number is not None)

    @property
    def duration_s(self) -> float | None:
        """Length of all of its files; None when one does not say it."""
        lengths = [member.file.header.duration_s for member in self.members]
        return None if None in lengths else math.fsum(length for length in lengths if length is not None)


def runs(members: Sequence[Named], *, alone: bool) -> list[Run]:
    """Return the recordings among files of one camera whose names differ in number or time only.

    Parameters
    ----------
    members
        In any order.
    alone
        Whether nothing else lies in their folder, which is not the one that is looked through: then bare numbers count parts.
    """
    chunk_s = _chunk_s(members)
    ordered = _begun_anew(sorted(members, key=_place))
    # Where sizes, lengths or clocks say something, they say it of all files.
    alone = alone and not any(_link(before, after, chunk_s, alone=False).reason for before, after in pairwise(ordered))
    done: list[Run] = []
    for layer in _layers(ordered):
        first, *others = layer
        current, links = [first], list[Link]()
        for before, after in pairwise([first, *others]):
            # One without a header may lie between two of different people.
            link = Link(False) if any(one.differs(after) for one in current) else _link(before, after, chunk_s, alone=alone)
            if link.joined:
                current.append(after)
                links.append(link)
            else:
                done.append(Run(tuple(current), tuple(links)))
                current, links = [after], []
        done.append(Run(tuple(current), tuple(links)))
    return done


def _begun_anew(ordered: list[Named]) -> list[Named]:
    """Return files in order where their counter came to its end and began anew: 998, 999, 1, 2."""
    numbers = [member.number or 0 for member in ordered]
    if not numbers or numbers[0] > 1 or numbers[-1] + 1 not in LAST_NUMBERS:
        return ordered
    step, place = max(((after - before, place) for place, (before, after) in enumerate(pairwise(numbers), start=1)), default=(0, 0))
    return [*ordered[place:], *ordered[:place]] if step > 1 else ordered


def _place(member: Named) -> tuple[float, float, str]:
    return (member.number or 0, member.name.recorded_s or 0.0, member.file.path.as_posix())


def _layers(ordered: Sequence[Named]) -> list[list[Named]]:
    """Return files so that no number occurs twice in a list: the second file with a number is no part of the same recording."""
    layers: list[list[Named]] = []
    seen: list[set[tuple[int | None, float | None]]] = []
    for member in ordered:
        key = (member.number, member.name.recorded_s)
        for layer, keys in zip(layers, seen, strict=True):
            if key not in keys:
                layer.append(member)
                keys.add(key)
                break
        else:
            layers.append([member])
            seen.append({key})
    return layers


def _link(before: Named, after: Named, chunk_s: float | None, *, alone: bool) -> Link:
    """Return whether a file continues the one before it."""
    first, second = before.file.header, after.file.header
    said = before.is_part and after.is_part
    doubts = [] if first.kind == second.kind else ["its codec, size or rate is another than that of the part before"]
    doubts += _against_order(before, after)
    gap_s, clock = _gap_s(before, after)
    counted = before.number is not None and after.number is not None
    skipped = 0 if not counted or follows_number(before.number or 0, after.number or 0) else (after.number or 0) - (before.number or 0) - 1
    anew = counted and (after.number or 0) < (before.number or 0)
    follows = gap_s is not None and abs(gap_s) <= FOLLOWS_S
    if gap_s is not None and not follows and skipped <= 0:
        doubts.append(f"it begins {_span(gap_s)} the file before ends, by its {clock}")
    if gap_s is not None and follows and gap_s > EXACT_S:
        doubts.append(f"{gap_s:.0f} s are missing before it, by its {clock}: they stay missing when ingest.clock names that clock")
    if said:
        return Link(True, "begins when the part before ends" if follows and not doubts else "", "; ".join(doubts))
    full, equal = _is_full(before.file.size_bytes), chunk_s is not None and _is_chunk(before, chunk_s)
    for holds, reason in (
        (follows, f"begins about when the file before ends, by its {clock}"),
        (full, f"the file before has {before.file.size_bytes / 1e9:.1f} GB, at which recorders begin a new one"),
        (equal, f"the file before is {_clock(chunk_s or 0)} long, as others are: the recorder begins a new one then"),
    ):
        if holds and (follows or not doubts) and skipped <= 1:
            unsure = (
                []
                if follows or full
                else ["nothing but equal lengths says that it continues the file before: exercises of one length look so"]
            )
            unsure += ["its counter began anew: is it the next file?"] if anew else []
            return Link(True, reason, "; ".join([*doubts, *unsure]))
    if not doubts and after.name.count is not None and after.name.count.is_word and before.name.count is not None:
        return Link(True, "", "nothing but its letter or word says that it continues the file before: it may name a camera or an exercise")
    if not doubts and skipped <= 1 and (alone or _is_continued(before.name.count, after.name.count)) and not before.name.recorded_s:
        return Link(True, "", "nothing but the names says that it continues the file before")
    return Link(False)


def _against_order(before: Named, after: Named) -> list[str]:
    """Return what DICOM headers say against that one object continues the other."""
    first, second = before.file.header.origin, after.file.header.origin
    if not (first and second and first.series and second.series):
        return []
    if first.series != second.series:
        return ["its DICOM header is of another series than that of the part before"]
    if first.number is None or second.number is None or first.number < second.number:
        return []
    return [f"by its DICOM header it is number {second.number} of the series, and the part before is number {first.number}"]


def _is_continued(before: Count | None, after: Count | None) -> bool:
    """Return whether names are like ``case12`` and ``case12-2``."""
    return before is None and after is not None and not after.is_part and after.number == 2


def _gap_s(before: Named, after: Named) -> tuple[float | None, str]:
    """Return the seconds between the end of a file and the next one's beginning, and which clock says so; None where none does."""
    length_s = before.file.header.duration_s
    known: list[tuple[float, str]] = []
    for clock, first in before.clocks_s.items():
        second = after.clocks_s.get(clock)
        # Some recorders give all parts the time at which the first began.
        if first is None or second is None or first == second or length_s is None:
            continue
        gap_s = second - first - length_s
        if clock == CREATION_TIME and abs(gap_s) > FOLLOWS_S and after.file.header.duration_s is not None:
            # Others write down when a file was closed.
            by_end_s = second - first - after.file.header.duration_s
            gap_s = by_end_s if abs(by_end_s) <= FOLLOWS_S else gap_s
        if gap_s < -FOLLOWS_S:
            gap_s += {"timecode": before.file.header.day_s, "transport stream": STREAM_DAY_S}.get(clock) or 0.0
        if clock == "transport stream" and gap_s > MOST_PAUSE_S:
            continue  # most begin anew in every file
        known.append((gap_s, clock))
    # Where several clocks speak, one that goes on is right: others may say when files were copied.
    return min(known, key=lambda one: abs(one[0]) > FOLLOWS_S) if known else (None, "")


def _is_full(size_bytes: int) -> bool:
    return any(FULL_SHARE * limit <= size_bytes <= limit for limit in FULL_BYTES)


def _chunk_s(members: Sequence[Named]) -> float | None:
    """Return the length at which a recorder begins a new file: the longest, when several have it and it is a round one."""
    lengths = [length for member in members if (length := member.file.header.duration_s) is not None]
    longest = max(lengths, default=0.0)
    equal = [length for length in lengths if longest - length <= EQUAL_S]
    is_round = longest >= CHUNK_STEP_S and abs(longest / CHUNK_STEP_S - round(longest / CHUNK_STEP_S)) * CHUNK_STEP_S <= EQUAL_S
    return longest if len(equal) >= FEWEST_EQUAL and is_round and len(members) > FEWEST_EQUAL else None


def is_cut_off(before: Named, after: Named, lengths: Sequence[float | None]) -> bool:
    """Return whether a file may go on in the next one by their lengths: a recorder's file is full, and only the last one is shorter.

    Parameters
    ----------
    lengths
        Of all files of the series, in s and in order.
    """
    first_s, second_s = before.file.header.duration_s, after.file.header.duration_s
    known = [length_s for length_s in lengths if length_s is not None]
    if first_s is None or second_s is None or len(known) < len(lengths) or second_s > first_s + EQUAL_S:
        return False
    is_round = first_s >= CHUNK_STEP_S and abs(first_s / CHUNK_STEP_S - round(first_s / CHUNK_STEP_S)) * CHUNK_STEP_S <= EQUAL_S
    return is_round or max(known[:-1]) - min(known[:-1]) <= EQUAL_S


def _is_chunk(member: Named, chunk_s: float) -> bool:
    length = member.file.header.duration_s
    return length is not None and chunk_s - length <= EQUAL_S


def _span(gap_s: float) -> str:
    return f"{_clock(abs(gap_s))} {'after' if gap_s > 0 else 'before'}"


def _clock(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}" if whole >= 3600 else f"{whole // 60}:{whole % 60:02d}"
