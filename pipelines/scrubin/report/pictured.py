"""Spans and near misses with their pictures, as the page shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scrubin.report.params import ReportParams
from scrubin.report.raw_files import FileKey
from scrubin.report.reported_study import ReportedStudy
from scrubin.report.thumbnails import Box, RawFrame, raw_uris

MOST_SPANS = 1000
MOST_UNLIKE = 60
"""More pictures than of so many make the page too large to open."""
Row = Mapping[str, Any]


def pictured(study: ReportedStudy, document: Mapping[str, Any], p: ReportParams) -> dict[str, Any]:
    """Return what the page shows with pictures.

    Returns
    -------
    dict
        ``visible`` and ``hidden``: spans by recording. ``more_spans``: how many have no picture
        because there are too many; what is visible goes first, then what is undecided.
        ``least_sure`` and ``unlike``, and ``more_unlike``. Each picture has ``frame``, ``time_s``
        and ``image``, which is None where ``why`` of the row says that there is none.
    """
    hidden = _hidden_by_file(document["spans"])
    spans = sorted(document["spans"], key=lambda row: (row["accepted"], row["decision"] != "unreviewed"))[:MOST_SPANS]
    sure = [{**row, "pictures": row["pictures"][len(row["pictures"]) // 2 :][:1]} for row in document["near_misses"]["least_sure"]]
    unlike = [
        {**row, "x": None, "accepted": False, "pictures": [{"frame": row["frame"], "time_s": row["time_s"]}]}
        for row in document["near_misses"]["unlike"][:MOST_UNLIKE]
    ]
    wanted = [_raw_frame(row, picture, hidden) for row in (*spans, *sure, *unlike) for picture in row["pictures"]]
    uris, reasons = raw_uris(study, wanted, p)
    filled = [[_filled(row, hidden, uris, reasons) for row in rows] for rows in (spans, sure, unlike)]
    return {
        "visible": _by_recording(row for row in filled[0] if not row["accepted"]),
        "hidden": _by_recording(row for row in filled[0] if row["accepted"]),
        "more_spans": len(document["spans"]) - len(spans),
        "least_sure": filled[1],
        "unlike": filled[2],
        "more_unlike": len(document["near_misses"]["unlike"]) - len(unlike),
    }


def _hidden_by_file(spans: Iterable[Row]) -> dict[FileKey, list[Row]]:
    """Return the spans and rectangles that are hidden, by file."""
    hidden: dict[FileKey, list[Row]] = {}
    for row in spans:
        if row["accepted"] and row["pictures"]:
            hidden.setdefault((row["recording"], row["camera"]), []).append(row)
    return hidden


def _raw_frame(row: Row, picture: Row, hidden: Mapping[FileKey, Sequence[Row]]) -> RawFrame:
    """Return what a picture of a span shows: of what is hidden all of it, of the rest what the release shows of it."""
    key, number = (row["recording"], row["camera"]), picture["frame"]
    covering = () if row["accepted"] else hidden.get(key, ())
    boxes = [_box(one) for one in covering if one["pictures"][0]["frame"] <= number <= one["pictures"][-1]["frame"]]
    return RawFrame(key, number, _box(row), tuple(boxes))


def _box(row: Row) -> Box | None:
    return None if row["x"] is None else (row["x"], row["y"], row["w"], row["h"])


def _filled(
    row: Row, hidden: Mapping[FileKey, Sequence[Row]], uris: Mapping[RawFrame, str], reasons: Mapping[FileKey, str]
) -> dict[str, Any]:
    frames = [_raw_frame(row, picture, hidden) for picture in row["pictures"]]
    pictures = [{**picture, "image": uris.get(frame)} for picture, frame in zip(row["pictures"], frames, strict=True)]
    why = reasons.get((row["recording"], row["camera"]), None if pictures else "the raw file cannot be read")
    return {**row, "pictures": pictures, "why": why, "covered": any(frame.hidden_xywh for frame in frames)}


def _by_recording(rows: Iterable[Row]) -> list[dict[str, Any]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["recording"], []).append(row)
    undecided = {name: sum(row["decision"] == "unreviewed" for row in groups[name]) for name in groups}
    return [{"recording": name, "rows": _in_order(groups[name]), "undecided": undecided[name]} for name in sorted(groups)]


def _in_order(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row["start_s"], row["end_s"], row["camera"], row["kind"], row["source"]))
