"""Rows of a table with a start, an end, and the name of a phase, as spans of milliseconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from scrubin.base.errors import AnnotationError
from scrubin.base.text import csv_text
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.model import Clock, Collection, Labels, segment_rows
from scrubin.labels.parse.fields import Where
from scrubin.labels.rates import NS, Unit, instant, written
from scrubin.labels.registry import Output
from scrubin.labels.timing import BESIDE_PHASES

MILLISECOND = Clock(Fraction(1, 1000))
NS_OF_MS = NS // 1000
Span = tuple[str, int, int, int]


def instant_of(where: Where, cell: str, unit: Unit, column: str = "") -> int | None:
    """Return an instant as `rates.instant` does; None after noting, under the name of its column, what is none."""
    try:
        return instant(cell, unit)
    except AnnotationError as error:
        for fault in error.faults:
            where.error(fault.rule, f"{column}: {fault.what}" if column else fault.what, fault.fix)
        return None


def spans(
    where: Where, rows: Sequence[csv_text.CsvRow], columns: tuple[str, str, str], names: Vocabulary
) -> Iterator[tuple[csv_text.CsvRow, Span]]:
    """Yield each row with its span; what is wrong is noted, and what is finer than a millisecond is rounded and counted in a warning.

    Parameters
    ----------
    where
        Of the file.
    columns
        Of the start and of the end in seconds, and of the phase.
    names
        Whose phases these are.
    """
    rounded = 0
    for row in rows:
        at = where.at(row.place)
        start, end = (instant_of(at, row.cells[column], "s") for column in columns[:2])
        label = at.id_of(names, "phase", row.cells[columns[2]], "choose another vocabulary")
        if start is None or end is None or label is None:
            continue
        if _ms(end) <= _ms(start):
            what = f"it ends at {row.cells[columns[1]]} s, but starts at {row.cells[columns[0]]} s"
            at.error("span-order", what, "give seconds, the end after the start, or remove the row")
        else:
            rounded += sum(time % NS_OF_MS > 0 for time in (start, end))
            yield row, ("phase", _ms(start), _ms(end), label)
    if rounded:
        where.warning("time-rounded", f"kept to the millisecond: {rounded} times with more than three decimals")


def by_video(where: Where, rows: Sequence[csv_text.CsvRow], columns: Sequence[str], names: Vocabulary) -> dict[str, list[Span]]:
    """Return the spans of each video, in the order of the rows; what is wrong is noted as by `spans`.

    Parameters
    ----------
    columns
        Of the video, of the start and of the end in seconds, and of the phase.
    """
    video, start, end, phase = columns
    found: dict[str, list[Span]] = {}
    for row, span in spans(where, rows, (start, end, phase), names):
        if row.cells[video]:
            found.setdefault(row.cells[video], []).append(span)
        else:
            where.at(row.place).error("value-type", "there is no video", "name it")
    return found


def labels_of(where: Where, name: str, found: Mapping[str, Sequence[Span]], vocabulary: Vocabulary) -> Collection:
    """Return the labels of videos by their spans, sorted by video, none where there is an error; all faults are in ``Collection.faults``.

    Parameters
    ----------
    name
        Of the format.
    """
    videos = [] if where.faults.errors() else sorted(found.items())
    labels = [Labels(video, name, vocabulary, MILLISECOND, segments=segment_rows(rows)) for video, rows in videos]
    return Collection(tuple(labels), faults=where.faults.all())


def table(collection: Collection, columns: Sequence[str], out: Output) -> bytes:
    """Return the phases of all videos as such a table; what is no phase is counted as lost."""
    lines = [",".join(columns)]
    for labels in collection.recordings:
        for kind, start, end, id_ in () if labels.segments is None else labels.segments.itertuples(index=False):
            if kind in BESIDE_PHASES:
                out.lose(BESIDE_PHASES[kind])
            else:
                lines.append(f"{labels.recording},{seconds(start)},{seconds(end)},{labels.vocabulary.phases[id_]}")
    return "".join(f"{line}\n" for line in lines).encode()


def seconds(position_ms: int) -> str:
    """Return a time as a file has it: the shortest text of seconds.

    >>> seconds(31_500)
    '31.5'
    """
    return written(position_ms * NS_OF_MS, "s")


def _ms(time_ns: int) -> int:
    return (time_ns + NS_OF_MS // 2) // NS_OF_MS
