"""What the release must be: every file of it, what is black in it, what its documents may state."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.audit.expected import spelling
from scrubin.audit.expected.private_columns import Public
from scrubin.audit.expected.spelling import fold
from scrubin.base.errors import ReleaseError
from scrubin.base.tables import Table
from scrubin.base.tables.io import records


@dataclass(frozen=True)
class Stated:
    """Texts and words that may stand in some files, and keys of JSON that may have one value.

    Parameters
    ----------
    texts
        What the curator states, as in ``params.yaml``.
    words
        Folded words of the fixed texts in the documents about a release.
    pairs
        Key and value, as JSON, of what a format calls by a word that identifies, such as ``datePublished``.
    """

    texts: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()


Box = tuple[int, int, int, int]
ARCHIVE = ".tar"
TICK_S = 1e-4  # times are written with the precision of a container


@dataclass(frozen=True)
class Hidden:
    """Frames ``first`` to ``last`` (both included) that are black, inside ``box_xywh`` in px or (None) as a whole."""

    first: int
    last: int
    box_xywh: Box | None


@dataclass(frozen=True)
class Rejected:
    """What people saw and did not want hidden, in released time; inside ``box_xywh`` in px or (None) the whole picture."""

    start_s: float
    end_s: float
    kind: str
    box_xywh: Box | None = None

    @property
    def about_text(self) -> bool:
        """Whether they were shown a text."""
        return self.kind == "text"

    @property
    def about_people(self) -> bool:
        """Whether they were shown what could be a person: a black, a frozen picture or a text says nothing about faces."""
        return self.kind not in ("text", "black", "frozen")


@dataclass(frozen=True)
class Answered:
    """What the audit asked about, and people said that it may be seen: frames ``first`` to ``last``, and px, of the released video.

    Parameters
    ----------
    kind
        face or text.
    word
        Which private word, as `scrubin.stages.review.questions.Sight` has it; "" for a face.
    """

    kind: str
    first: int
    last: int
    box_xywh: Box
    word: str = ""


@dataclass(frozen=True)
class StillPlan:
    """One extracted frame.

    Parameters
    ----------
    path
        As the table ``frames`` names it.
    file, member
        The file of the release that holds it, and its name inside where that file is an archive.
    source_frame
        Number of the frame of the video that it must show.
    redacted, boxes
        What is black: all of it, or these rectangles in px of the video.
    """

    path: str
    file: str
    member: str
    source_frame: int
    redacted: bool
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True)
class VideoPlan:
    """One released video file.

    Parameters
    ----------
    path, sha256
        The file, relative to the release folder, and the hash of its bytes.
    id, camera
        Which recording it shows from where.
    frame_count, size_px, hidden
        What it must hold; ``size_px`` is None where it is not known.
    stills
        The frames that were extracted from it.
    rejected
        What people saw in it and did not want hidden.
    answered
        What the audit saw in it, and people said that it may be seen.
    """

    path: str
    id: str
    camera: str
    frame_count: int
    sha256: str
    hidden: tuple[Hidden, ...]
    size_px: tuple[int, int] | None = None
    stills: tuple[StillPlan, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    answered: tuple[Answered, ...] = ()


@dataclass(frozen=True)
class Plan:
    """All media of the release, the tables it may hold, and the released ids.

    ``columns`` are names of columns beside those of the tables, such as one per task-specific error; ``stated`` is what the
    curator says of the release; ``own_ids`` are the ids that the release itself names, where no project does.
    """

    videos: tuple[VideoPlan, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    columns: frozenset[str] = frozenset()
    stated: Stated = field(default_factory=Stated)
    own_ids: frozenset[str] = frozenset()

    @cached_property
    def ids(self) -> frozenset[str]:
        """All released ids."""
        return frozenset(video.id for video in self.videos)

    @cached_property
    def frame_names(self) -> frozenset[str]:
        """The paths of all extracted frames."""
        return frozenset(still.path for video in self.videos for still in video.stills)

    @cached_property
    def files(self) -> Mapping[str, str]:
        """Every picture, archive of pictures and video that must be there, with its SHA-256 or "" where no table states it."""
        stills = {still.file: "" for video in self.videos for still in video.stills}
        return stills | {video.path: video.sha256 for video in self.videos}

    @cached_property
    def video_at(self) -> Mapping[str, VideoPlan]:
        """All videos by path."""
        return {video.path: video for video in self.videos}

    @cached_property
    def members(self) -> Mapping[str, frozenset[str]]:
        """The extracted frames in each archive, by its path."""
        by_file: dict[str, set[str]] = {}
        for video in self.videos:
            for still in video.stills:
                if still.member:
                    by_file.setdefault(still.file, set()).add(still.member)
        return {file: frozenset(names) for file, names in by_file.items()}

    @cached_property
    def public(self) -> Public:
        """What readers need to know: the released ids and the columns that are public by declaration."""
        declared = {name for table in self.tables.values() for name in table.column_names}
        return Public(self.ids, frozenset(declared | self.columns), self.stated.pairs, self.own_ids)


def of_tables(
    videos: pd.DataFrame,
    frames: pd.DataFrame,
    cuts: pd.DataFrame,
    hidden: pd.DataFrame,
    tables: Mapping[str, Table],
    columns: Iterable[str] = (),
    redactions: pd.DataFrame | None = None,
) -> Plan:
    """Return the plan that the tables ``videos``, ``frames``, ``cuts`` and ``hidden`` state.

    The number of frames comes from ``cuts``, because ``videos`` describes what was written.

    Parameters
    ----------
    videos, frames, cuts, hidden
        The tables of these names.
    tables
        Declarations of the public tables, by name.
    columns
        Columns of sheets that stand in no table, such as the names of errors.
    redactions
        The table of this name, for what people rejected; None: nobody rejected anything.

    Raises
    ------
    ReleaseError
        Names every video that is in only one of ``videos`` and ``cuts``.
    """
    counts = {(row["id"], row["camera"]): int(row["frame_count"]) for row in records(cuts)}
    released = {(row["id"], row["camera"]) for row in records(videos)}
    if released ^ counts.keys():
        names = ", ".join(" ".join(key) for key in sorted(released ^ counts.keys()))
        raise ReleaseError(f"tables 'videos' and 'cuts' do not name the same videos: {names}; run 'dvc repro render' again")
    spans: dict[tuple[str, str], list[Hidden]] = {}
    for row in records(hidden):
        box = None if row["x"] is None else (row["x"], row["y"], row["w"], row["h"])
        spans.setdefault((row["id"], row["camera"]), []).append(Hidden(row["first_frame"], row["last_frame"], box))
    stills: dict[tuple[str, str], list[StillPlan]] = {}
    for row in records(frames):
        if row["path"] is not None:  # dropped as unusable
            key = (row["id"], row["camera"])
            stills.setdefault(key, []).append(_still(row, spans.get(key, [])))
    rejected = {} if redactions is None else _rejected(redactions, cuts, videos)
    return Plan(
        tuple(_video(row, counts, spans, stills, rejected) for row in records(videos)),
        dict(tables),
        frozenset(columns),
    )


def of_document(path: Path, name: str) -> VideoPlan:
    """Return the plan of one video in a file, as ``scrubin render --plan`` prints it.

    Parameters
    ----------
    path
        JSON with ``frame_count``, ``hidden`` and maybe ``width`` and ``height``.
    name
        Of the video that is held to it.

    Raises
    ------
    ReleaseError
        When it is no such plan.
    """
    try:
        stated = json.loads(path.read_text(encoding="utf-8"))
        size_px = (int(stated["width"]), int(stated["height"])) if "width" in stated and "height" in stated else None
        hidden = tuple(_hidden(item) for item in stated["hidden"])
        return VideoPlan(name, "", "", int(stated["frame_count"]), "", hidden, size_px)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ReleaseError(f"{path}: it is no plan as 'scrubin render --plan' prints it ({type(error).__name__}: {error})") from error


def _hidden(item: Mapping[str, Any]) -> Hidden:
    box = item["box_xywh"]
    if box is None:
        return Hidden(int(item["first"]), int(item["last"]), None)
    x, y, w, h = map(int, box)
    return Hidden(int(item["first"]), int(item["last"]), (x, y, w, h))


def _video(
    row: dict[str, Any],
    counts: Mapping[tuple[str, str], int],
    spans: Mapping[tuple[str, str], list[Hidden]],
    stills: Mapping[tuple[str, str], list[StillPlan]],
    rejected: Mapping[tuple[str, str], list[Rejected]],
) -> VideoPlan:
    key = (row["id"], row["camera"])
    size_px = (row["width"], row["height"])
    return VideoPlan(
        row["path"],
        *key,
        counts[key],
        row["sha256"],
        hidden=tuple(spans.get(key, ())),
        size_px=size_px,
        stills=tuple(stills.get(key, ())),
        rejected=tuple(rejected.get(key, ())),
    )


def _rejected(redactions: pd.DataFrame, cuts: pd.DataFrame, videos: pd.DataFrame) -> dict[tuple[str, str], list[Rejected]]:
    """Return what people rejected, by id and camera, with the times and pixels of the released videos."""
    cut = {(row["recording"], row["camera"]): row for row in records(cuts)}
    sizes = {(row["id"], row["camera"]): (row["width"], row["height"]) for row in records(videos)}
    rejected: dict[tuple[str, str], list[Rejected]] = {}
    for row in records(redactions[redactions["decision"] == "rejected"]):
        of_cut = cut.get((row["recording"], row["camera"]))
        if of_cut is None:
            continue  # not released
        key, offset_s = (of_cut["id"], of_cut["camera"]), float(Fraction(of_cut["offset_s"]))
        across, down = sizes[key][0] / of_cut["source_width"], sizes[key][1] / of_cut["source_height"]
        box = None
        if row["x"] is not None:
            box = (round(row["x"] * across), round(row["y"] * down), round(row["w"] * across), round(row["h"] * down))
        start_s, end_s = (row[name] - offset_s - TICK_S for name in ("start_s", "end_s"))
        rejected.setdefault(key, []).append(Rejected(start_s, end_s, row["kind"], box))
    return rejected


def _still(row: dict[str, Any], spans: list[Hidden]) -> StillPlan:
    frame, path = row["source_frame"], row["path"]
    archive, packed, member = path.partition(f"{ARCHIVE}/")
    file = f"{archive}{ARCHIVE}" if packed else path
    boxes = tuple(span.box_xywh for span in spans if span.box_xywh is not None and span.first <= frame <= span.last)
    return StillPlan(path, file, member, frame, row["redacted"], boxes)


FILES = frozenset(
    {
        "CERTIFICATE.md",
        "README.md",
        "certificate.json",
        "croissant.json",
        "metadata/changes.json",
        "metadata/citation.bib",
        "metadata/datacite.json",
        "metadata/dataset_card.md",
        "metadata/datasheet.md",
        "metadata/facts.json",
    }
)
"""The documents about a release."""
_WORD = re.compile(r"[^\W_]+")


def without(stated: Stated, text: str) -> str:
    """Return what is left for the search of a text in ``FILES``: a comma for each word, as words around it are no two parts of a name."""
    for spelled in sorted({form for one in stated.texts for form in _spellings(one)}, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(spelled)}(?!\w)", " ", text)
    # Numbers stay: they may be parts of a date.
    return _WORD.sub(lambda word: "," if fold(word[0]) in stated.words and not word[0].isdecimal() else word[0], text)


def _spellings(text: str) -> set[str]:
    """Return a text as it is, in JSON and in BibTeX."""
    return {text, json.dumps(text, ensure_ascii=False)[1:-1], spelling.escaped_for_bibtex(text)}


FACE_KIND, TEXT_KIND = "face", "text"
LIKE = "~"
"""Before a word that was not read as it stands, but as something like it."""
