"""``README.md`` of a release with its data dictionary, for the researcher who downloads it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from fractions import Fraction

import pandas as pd

from scrubin.base.tables import Column, Table
from scrubin.base.tables.public import SPLIT_COLUMNS, SPLIT_DELIMITERS
from scrubin.stages.release.metadata.citation import bibtex
from scrubin.stages.release.release_params import ReleaseParams

README_TEXT = """\
# {title}

Version {version}, licence [{license}](https://spdx.org/licenses/{license}.html).

{counts}

## What is where

| path | what it is |
| --- | --- |
| `videos/<task>/<camera>/<id>.mkv` | videos: pictures only, without sound, tags or chapters |
{frames}| `tables/*.parquet` | all tables; every column is explained in [data_dictionary.md](data_dictionary.md) |
| `Annotation/*.csv` | skill, errors, raw scores and split per task in the layout of LASANA; `;` between columns |
| `splits/*.csv` | which recording belongs to which subset |
| `groundtruth/` | what each metric takes; `groundtruth/splits/<scheme>/<fold>/<subset>` for one subset alone |
{calibration}{archives}| `croissant.json` | the same description for machines (MLCommons Croissant 1.1 with RAI 1.0) |
| `metadata/datasheet.md` | why and how the data set was made, in the words of those who made it, beside what is measured |
| `metadata/facts.json` | the measured facts: who rated, agreement, what is hidden, balance, what was left out |
| `metadata/dataset_card.md`, `metadata/datacite.json`, `metadata/citation.bib` | for Hugging Face, for archives, for papers |
| `CERTIFICATE.md`, `certificate.json` | what was done so that nobody is recognised, and what this does not prove |
| `SHA256SUMS`, `metadata/files.csv` | checksums of all files; sizes and checksums as a table |

A recording has one id in all tables, tasks and cameras. Ids are made-up words: neither they nor the order of rows
tell who was recorded, where or when. `left` and `right` are the two views of a stereo endoscope, cut at the same
instants; `mono` is a single view.

## Frames and times

Frame k of a recording is the first decoded frame of the released video whose presentation time is at or after
{time}. Its true time and its number in the video stand in the table `frames`; nothing drifts where the frame
rate varies. Labels belong to (id, frame).

Not every frame was labelled. The table `labelled` names those that were: one without a row in `triplets` shows no
instrument; a frame that is not in `labelled` is unknown, and no negative example. Masks, key points and tracks of instances
stand in `masks`, `points` and `tracks`, and what each annotator judged in `marks`: tables without rows where nobody did so.

Hidden frames are black. They keep their place, so that times and numbers hold; `frames` marks them as `redacted`.
{dropped}Missing values are undefined. They are not zero.

## What was looked at

{reviewed}

## Check your copy

In this folder, with GNU coreutils (on macOS `shasum -a 256 -c SHA256SUMS`):

    sha256sum --check --quiet SHA256SUMS

No output means that every file is complete and unchanged. `scrubin verify FOLDER` says more: which file was cut off,
exchanged, renamed or is of another version, and what is not there by intention. It needs no network and no video tools.

## Cite

{citation}
"""
ARCHIVES = "| `archives/*.zip` | the videos once more, one zip per task and camera, and the annotations |\n"
README_CALIBRATION = """\
| `calibration/rig_<n>.yaml` | calibrations of stereo rigs for the videos as they lie here, each with the ids of its recordings; \
OpenCV's YAML, explained in [data_dictionary.md](data_dictionary.md) |
"""
LOOSE = "| `frames/<task>/<camera>/<id>/<number>.{suffix}` | extracted frames, numbered from 000000 |\n"
SHARDS = """\
| `frames/<task>/<camera>/<id>.tar` | extracted frames, one tar per video as webdataset reads it: `<number>.{suffix}` from \
000000, and beside it `<number>.json` with its time; the column `path` of `frames` names tar and member |
"""
DROPPED = """\
Frames that are too poor to be used ({count} of them) have no file; they keep their number and their row, with the reason
in `dropped_why`. The ground truth leaves them out.
"""


def readme_text(
    params: ReleaseParams, videos: pd.DataFrame, frames: pd.DataFrame, fps: Fraction, reviewed: str, *, calibrated: bool = False
) -> str:
    """Return the text of the file.

    Parameters
    ----------
    params
        Title, version and licence.
    videos
        The table ``videos``, for the numbers.
    frames
        The table ``frames``, for how they lie there and how many were dropped.
    fps
        Rate of the extracted frames.
    reviewed
        Who looked before the release, in plain words.
    calibrated
        Whether there are calibrations of stereo rigs.
    """
    return README_TEXT.format(
        title=params.title,
        version=params.version,
        license=params.license,
        counts=_counts(videos),
        calibration=README_CALIBRATION if calibrated else "",
        archives=ARCHIVES if params.archives else "",
        time=_time(fps),
        citation=textwrap.indent(bibtex(params), "    "),
        reviewed=reviewed,
        frames=_frames(frames["path"].dropna()),
        dropped=DROPPED.format(count=int(frames["dropped"].sum())) if frames["dropped"].any() else "",
    )


def _time(fps: Fraction) -> str:
    """Return when frame k is.

    >>> _time(Fraction(1)), _time(Fraction(25)), _time(Fraction(1, 2)), _time(Fraction(30000, 1001))
    ('k seconds', 'k / 25 seconds', '2 k seconds', 'k / (30000/1001) seconds')
    """
    if fps.numerator == 1:
        return "k seconds" if fps == 1 else f"{fps.denominator} k seconds"
    return f"k / {fps} seconds" if fps.denominator == 1 else f"k / ({fps}) seconds"


def _frames(paths: pd.Series[str]) -> str:
    first = paths.iloc[0] if len(paths) else "0.jpg"
    return (SHARDS if ".tar/" in first else LOOSE).format(suffix=first.rpartition(".")[2])


def _counts(videos: pd.DataFrame) -> str:
    lines = ["| task | recordings | videos | hours |", "| --- | --- | --- | --- |"]
    for task, rows in videos.groupby("task", sort=True):
        lines.append(f"| {task} | {rows['id'].nunique()} | {len(rows)} | {rows['duration_s'].sum() / 3600:.2f} |")
    return "\n".join(lines)


DICTIONARY_TYPES = {"str": "text", "int64": "whole number", "float64": "number", "bool": "true or false"}

DICTIONARY_CALIBRATION = """\
## Calibrations of stereo rigs

`calibration/rig_<n>.yaml` is OpenCV's YAML (`cv2.FileStorage` reads it, and every YAML reader that knows the tag `!!opencv-matrix`). 1 is
the left camera, 2 the right one. It is for the videos as they lie here; frames that were made smaller need it made smaller with them, which
`Release(...).rig(id)` and `Release(...).stereo(..., rectified=0.0)` of Scrub-in do.

| key | unit | meaning |
| --- | --- | --- |
| `image_width`, `image_height` | px | size of the pictures; the centre of the first pixel is (0, 0) |
| `unit` | | of `T`: mm, cm or m |
| `convention` | | `X_right = R X_left + t`: a point of the left camera, as the right one has it |
| `distortion_model` | | radial-tangential (4 or 5 numbers), rational (8), thin-prism (12) or tilted (14), in OpenCV's order |
| `date` | | the year of the calibration; missing where nobody wanted to say it |
| `recordings` | | ids of the recordings that were made with this rig |
| `K1`, `K2` | px | camera matrices, 3 x 3 |
| `D1`, `D2` | | distortion of the lenses |
| `R`, `T` | , `unit` | rotation and translation from the left to the right camera |
"""


def dictionary_text(tables: Mapping[str, Table], *, calibrated: bool = False) -> str:
    """Return the data dictionary as Markdown; ``calibrated``: there are calibrations of stereo rigs."""
    head = (
        "# Data dictionary\n\n"
        "Tables are parquet files in `tables/`. Missing values are null: undefined, never zero. Rows are sorted by the key.\n"
    )
    return "\n".join(
        [head, *(_section(table) for table in tables.values()), _split_files(), *([DICTIONARY_CALIBRATION] if calibrated else [])]
    )


def _split_files() -> str:
    rows = "\n".join(f"| `splits/{kind}` | `{SPLIT_DELIMITERS[kind]}` | {', '.join(of)} |" for kind, of in SPLIT_COLUMNS.items())
    head = "The table `splits` once more, as CSV. In the files of a task, as LASANA has them, the subset is called split."
    return f"## Files of splits\n\n{head}\n\n| file | between columns | columns |\n| --- | --- | --- |\n{rows}\n"


def _section(table: Table) -> str:
    rows = "\n".join(_row(column) for column in table.columns)
    key = ", ".join(f"`{name}`" for name in table.key)
    return (
        f"## {table.name}\n\n{table.description[0].upper()}{table.description[1:]}. Key: {key}.\n\n"
        f"| column | type | unit | meaning | missing means | allowed |\n| --- | --- | --- | --- | --- | --- |\n{rows}\n"
    )


def _row(column: Column) -> str:
    cells = (
        f"`{column.name}`",
        DICTIONARY_TYPES[column.dtype],
        column.unit,
        column.description,
        column.null or "never missing",
        _allowed(column),
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _allowed(column: Column) -> str:
    if column.values:
        return ", ".join(column.values)
    if column.between is None:
        return ""
    low, high = column.between
    if high is None:
        return f"at least {low:g}" if low is not None else ""
    return f"at most {high:g}" if low is None else f"{low:g} to {high:g}"
