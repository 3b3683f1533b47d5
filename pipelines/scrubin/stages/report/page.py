"""The page of the report: one HTML file that loads nothing, pictures included, so that it opens offline."""

from __future__ import annotations

import base64
import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import cv2
import jinja2
import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from scrubin.base import pages
from scrubin.base.errors import ReleaseError, StageError, VideoError
from scrubin.base.faults import count_text
from scrubin.media.released import frame_files
from scrubin.stages.report import FileKey, ReportedStudy, ReportParams, figures, split_figures, splits
from scrubin.stages.report.extracted_frames import visible

MOST_SPANS = 1000
MOST_UNLIKE = 60
"""More pictures than of so many make the page too large to open."""
ReportRow = Mapping[str, Any]


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


def _hidden_by_file(spans: Iterable[ReportRow]) -> dict[FileKey, list[ReportRow]]:
    """Return the spans and rectangles that are hidden, by file."""
    hidden: dict[FileKey, list[ReportRow]] = {}
    for row in spans:
        if row["accepted"] and row["pictures"]:
            hidden.setdefault((row["recording"], row["camera"]), []).append(row)
    return hidden


def _raw_frame(row: ReportRow, picture: ReportRow, hidden: Mapping[FileKey, Sequence[ReportRow]]) -> RawFrame:
    """Return what a picture of a span shows: of what is hidden all of it, of the rest what the release shows of it."""
    key, number = (row["recording"], row["camera"]), picture["frame"]
    covering = () if row["accepted"] else hidden.get(key, ())
    boxes = [_box(one) for one in covering if one["pictures"][0]["frame"] <= number <= one["pictures"][-1]["frame"]]
    return RawFrame(key, number, _box(row), tuple(boxes))


def _box(row: ReportRow) -> Box | None:
    return None if row["x"] is None else (row["x"], row["y"], row["w"], row["h"])


def _filled(
    row: ReportRow, hidden: Mapping[FileKey, Sequence[ReportRow]], uris: Mapping[RawFrame, str], reasons: Mapping[FileKey, str]
) -> dict[str, Any]:
    frames = [_raw_frame(row, picture, hidden) for picture in row["pictures"]]
    pictures = [{**picture, "image": uris.get(frame)} for picture, frame in zip(row["pictures"], frames, strict=True)]
    why = reasons.get((row["recording"], row["camera"]), None if pictures else "the raw file cannot be read")
    return {**row, "pictures": pictures, "why": why, "covered": any(frame.hidden_xywh for frame in frames)}


def _by_recording(rows: Iterable[ReportRow]) -> list[dict[str, Any]]:
    groups: dict[str, list[ReportRow]] = {}
    for row in rows:
        groups.setdefault(row["recording"], []).append(row)
    undecided = {name: sum(row["decision"] == "unreviewed" for row in groups[name]) for name in groups}
    return [{"recording": name, "rows": _in_order(groups[name]), "undecided": undecided[name]} for name in sorted(groups)]


def _in_order(rows: Sequence[ReportRow]) -> list[ReportRow]:
    return sorted(rows, key=lambda row: (row["start_s"], row["end_s"], row["camera"], row["kind"], row["source"]))


Picture = npt.NDArray[np.uint8]
Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class RawFrame:
    """A frame of a raw file, the rectangle to draw around a place, and what to black out (None: all); in pixels of the source."""

    key: FileKey
    number: int
    outline_xywh: Box | None = None
    hidden_xywh: tuple[Box | None, ...] = ()


OUTLINE_BGR = (0, 220, 255)


def released_uri(release: Path, path: str, p: ReportParams) -> str:
    """Return a frame of the release, made smaller, as a data address.

    Parameters
    ----------
    release
        The release folder.
    path
        Of the frame, as in the table ``frames``.
    p
        Width and quality.

    Raises
    ------
    StageError
        When it is not there or no image.
    """
    try:
        picture = cv2.imdecode(np.frombuffer(frame_files.picture(release, path), np.uint8), cv2.IMREAD_COLOR)
    except (ReleaseError, cv2.error):  # missing, or an empty file
        picture = None
    if picture is None:
        raise StageError(f"{path}: the frame cannot be read as an image; run 'dvc repro' to make it again")
    return _jpeg_uri(_small(np.asarray(picture, dtype=np.uint8), p.thumbnail_width_px), p)


def raw_uris(study: ReportedStudy, wanted: Iterable[RawFrame], p: ReportParams) -> tuple[dict[RawFrame, str], dict[FileKey, str]]:
    """Return raw frames as data addresses, and of files that cannot be read the reason.

    Each file is opened once.
    """
    by_file: dict[FileKey, set[RawFrame]] = {}
    for one in wanted:
        by_file.setdefault(one.key, set()).add(one)
    uris: dict[RawFrame, str] = {}
    reasons: dict[FileKey, str] = {}
    names = ["recording", "camera", "width", "height"]
    sizes_px = {tuple(row[:2]): tuple(row[2:]) for row in study.recordings[names].dropna().to_numpy().tolist()}
    for key in sorted(by_file):
        numbers = sorted({one.number for one in by_file[key]})
        try:
            pictures = {
                number: _small(picture, p.thumbnail_width_px)
                for number, picture in zip(numbers, study.sources.pictures(key, numbers), strict=True)
            }
        except VideoError as error:
            reasons[key] = error.reason
            continue
        for one in by_file[key]:
            uris[one] = _jpeg_uri(_drawn(pictures[one.number], one, sizes_px[key]), p)
    return uris, reasons


def _drawn(picture: Picture, frame: RawFrame, size_px: tuple[int, int]) -> Picture:
    """Return a picture with what is hidden black and an outline drawn; ``size_px`` are width and height of the source."""
    drawn = picture.copy()
    for box in frame.hidden_xywh:
        cv2.rectangle(drawn, *_corners(drawn, box or (0, 0, *size_px), size_px), (0, 0, 0), cv2.FILLED)
    if frame.outline_xywh is not None:
        (left, top), corner = _corners(drawn, frame.outline_xywh, size_px)
        cv2.rectangle(drawn, (left - 1, top - 1), corner, OUTLINE_BGR, 1)
    return drawn


def _corners(picture: Picture, box_xywh: Box, size_px: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    across, down = picture.shape[1] / size_px[0], picture.shape[0] / size_px[1]
    x, y, w, h = box_xywh
    return (round(x * across), round(y * down)), (round((x + w) * across), round((y + h) * down))


def _small(picture: Picture, width_px: int) -> Picture:
    """Return a picture of at most this width, in its own shape."""
    width_px = min(width_px, picture.shape[1])
    height_px = max(1, round(picture.shape[0] * width_px / picture.shape[1]))
    small: Picture = np.ascontiguousarray(cv2.resize(picture, (width_px, height_px), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return small


def _jpeg_uri(picture: Picture, p: ReportParams) -> str:
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, p.thumbnail_quality])
    if not done:
        raise StageError("OpenCV was built without JPEG; install the locked version")
    return "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode("ascii")


TEMPLATES = Path(__file__).with_name("templates")
UNDEFINED = "–"


def render(study: ReportedStudy, document: Mapping[str, Any], release: Path, p: ReportParams) -> str:
    """Return the page.

    Parameters
    ----------
    study
        The study, for the figures.
    document
        What the report says.
    release
        Folder that the paths of frames are relative to.
    p
        Size and number of thumbnails.
    """
    worst = [{**frame, "image": released_uri(release, frame["path"], p)} for frame in document["quality"]["worst"]]
    return _template().render(
        **document,
        figures=_images(study, document, p),
        worst=worst,
        pictured=pictured(study, document, p),
        top=p.top_triplets,
        shortcut_rho=splits.STRONG,
        shortcut_fewest=splits.FEWEST,
    )


@functools.cache
def _template() -> jinja2.Template:
    """Return the template of the page; to compile it takes longer than to fill it."""
    filters = {"number": _number, "share": share, "count": count_text, "rate": _rate, "between": _between, "duration": _duration}
    return pages.environment(TEMPLATES, filters).get_template("page.html.j2")


def _images(study: ReportedStudy, document: Mapping[str, Any], p: ReportParams) -> dict[str, str]:
    """Return the figures by name, as data addresses."""
    with figures.style():
        return {name: figures.svg_uri(figure) for name, figure in _draw(study, document, p).items()}


def _draw(study: ReportedStudy, document: Mapping[str, Any], p: ReportParams) -> dict[str, Figure]:
    """Return the figures by name."""
    thresholds = {row["task"]: row["disagreement"]["threshold"] for row in document["skill"]["tasks"]}
    labels, splits = document["labels"], document["splits"]
    planned_shares = {
        row["subset"]: row["share"] for scheme in splits["schemes"] if scheme["scheme"] == splits["main"] for row in scheme["subsets"]
    }
    return {
        "quality": figures.quality(visible(study)),
        "grs": figures.grs(study.skill),
        "development": figures.development(document["skill"]["development"]),
        "disagreement": figures.disagreement(study.skill, thresholds),
        "subsets": split_figures.shares(splits["tasks"], planned_shares),
        "balance": split_figures.balance(splits["balance"]),
        "subset_grs": split_figures.grs(splits["tasks"]),
        "folds": split_figures.folds(splits["folds"]),
        "phases": figures.counts(labels["phases"], "phase", "frames", "frames", "no phase labels"),
        "triplets": figures.counts(labels["triplets"][: p.top_triplets], "triplet", "rows", "instances", "no triplet labels"),
    }


def _number(value: float | None, digits: int = 0) -> str:
    """Return a number with thousands separators and a real minus sign, which zero has not; a dash when it is undefined.

    >>> _number(12345.678, 1), _number(-0.5, 2), _number(-0.001, 2), _number(None)
    ('12,345.7', '−0.50', '0.00', '–')
    """
    return UNDEFINED if value is None else f"{value:z,.{digits}f}".replace("-", "−")


def share(value: float | None, digits: int = 0) -> str:
    """Return a share as a percentage.

    >>> share(0.256), share(None)
    ('26 %', '–')
    """
    return UNDEFINED if value is None else f"{_number(value * 100, digits)} %"


def _between(spread: Mapping[str, float | None], digits: int = 0) -> str:
    """Return the range of a number over folds.

    >>> _between({"lowest": 9, "highest": 10}), _between({"lowest": 9, "highest": 9})
    ('9 to 10', '9')
    """
    low, high = _number(spread["lowest"], digits), _number(spread["highest"], digits)
    return low if low == high else f"{low} to {high}"


def _duration(seconds: float) -> str:
    """Return a duration for reading.

    >>> _duration(41.6), _duration(3725)
    ('42 s', '1 h 2 min')
    """
    if seconds < 60:
        return f"{_number(seconds)} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{_number(hours)} h {minutes} min" if hours else f"{minutes} min"


def _rate(fraction: str) -> str:
    """Return an exact frame rate for reading.

    >>> _rate("30000/1001"), _rate("25")
    ('29.97', '25')
    """
    return f"{float(Fraction(fraction)):.2f}".removesuffix(".00")
