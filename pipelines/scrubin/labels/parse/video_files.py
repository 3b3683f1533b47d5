"""The files of videos: what each is called, one for a recording or one for each of a data set, and tables with known columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from scrubin.base.faults import Faults
from scrubin.base.text import csv_text
from scrubin.labels import model
from scrubin.labels.model import LabelFiles, Labels
from scrubin.labels.parse import fields
from scrubin.labels.parse.fields import Where

_NAME = re.compile(r"[^./\\\x00-\x1f][^/\\\x00-\x1f]*")


def is_name(where: Where, video: str) -> bool:
    """Return whether a cell can name a video, and so its files, after noting one that cannot."""
    if _NAME.fullmatch(video) is None:
        what = f"'{csv_text.shown(video)}' is no name of a video"
        where.error("video-name", what, "name the video of every row, without '/' and not beginning with '.'")
        return False
    return True


def names_of(files: Iterable[str], faults: Faults) -> dict[str, str]:
    """Return the name of the video of each file: that of the file, or of the folders that tell files of one name apart.

    Some have ``video_1/phases.txt``, ``video_2/phases.txt``. A name with a number is that of a video all the same.
    """
    paths = {file: PurePosixPath(file) for file in files}
    stems = {file: path.stem for file, path in paths.items()}
    name = min(stems.values(), default="")
    if len(stems) < 2 or set(stems.values()) != {name} or any(character.isdigit() for character in name):
        return stems
    for depth in range(min(len(path.parts) for path in paths.values()) - 1):
        folders = {file: path.parents[depth].name for file, path in paths.items()}
        if len(set(folders.values())) == len(folders):
            what = f"all files are called {paths[min(paths)].name}, so that their videos are named after the folders"
            faults.warning(min(paths), "named-by-folder", what, "")
            return folders
    return stems


def only(source: LabelFiles, faults: Faults, fix: str = "keep one of them", what: str = "the video is also in") -> Where:
    """Return the first of files of which there should be one; each other one is noted.

    Parameters
    ----------
    what
        What is wrong with it, before the name of the first one.
    """
    first, *others = sorted(source.files)
    for other in others:
        faults.error(other, "file-repeated", f"{what} {first}", fix)
    return Where(faults, first)


def collection_of(
    source: LabelFiles, names: Mapping[str, str], read: Callable[[Where, str, bytes], Labels | None], faults: Faults | None = None
) -> model.Collection:
    """Return the labels of files of a video each, without those that have an error; all faults are in ``Collection.faults``.

    Parameters
    ----------
    names
        What the video of each file is called.
    read
        Returns the labels of a video by where its faults are noted, its name and the content of its file; None where it has none.
    faults
        Those before.
    """
    faults = Faults() if faults is None else faults
    found, first = dict[str, Labels](), dict[str, str]()
    for file, data in sorted(source.files.items()):
        where, name = Where(Faults(), file), names[file]
        if first.setdefault(name, file) != file:
            where.error("file-repeated", f"the video {name} is also in {first[name]}", "keep one of them")
        labels = read(where, name, data)
        if labels is not None and not where.faults.errors():
            found[name] = labels
        faults.extend(where.faults.all())
    return model.Collection(tuple(labels for _, labels in sorted(found.items())), faults=faults.all())


def table(where: Where, data: bytes, columns: Sequence[str], elsewhere: Collection[str] = ()) -> csv_text.Sheet:
    """Return a table that has some columns, after noting what is wrong with it, that it has no rows, and which others are not kept.

    Parameters
    ----------
    elsewhere
        Columns that say again what stands elsewhere.
    """
    sheet = csv_text.read(where.file, data, columns)
    # Beside a header that is wrong, its names say nothing.
    where.faults.extend(sheet.faults or fields.unkept(where.file, set(sheet.columns) - {*columns, *elsewhere}))
    if sheet.columns and not sheet.rows and not sheet.faults:
        where.error("no-labels", "has no rows", "remove the file, or export it again")
    return sheet
