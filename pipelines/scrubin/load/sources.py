"""Where the pictures of frames come from: their files, loose or in shards, or the released videos."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scrubin.core.errors import ReleaseError
from scrubin.frames import reading
from scrubin.load.damage import damaged
from scrubin.load.pictures import Picture, decoded
from scrubin.load.rows import FrameRows


class PictureSource(Protocol):
    """Gives the picture of a row."""

    def picture(self, row: int, rows: FrameRows) -> Picture:
        """Return it: red, green, blue, shape (height, width, 3)."""


@dataclass(frozen=True)
class FileSource:
    """Pictures from the files of the frames.

    Parameters
    ----------
    folder
        The release folder.
    """

    folder: Path

    def picture(self, row: int, rows: FrameRows) -> Picture:
        """Return the picture.

        Raises
        ------
        ReleaseError
            When the file is missing, not whole, or not of the size that the table `frames` says.
        """
        path = rows.path[row].as_py()
        try:
            picture = decoded(reading.picture(self.folder, path))
        except ReleaseError as error:
            msg = f"{error}; 'scrubin verify {self.folder}' says what else is wrong"
            raise ReleaseError(msg) from error
        except ValueError as error:
            raise damaged(self.folder, f"{path}: {error}") from error
        height, width = int(rows.height[row]), int(rows.width[row])
        if picture.shape[:2] != (height, width):
            what = f"it is {picture.shape[1]}x{picture.shape[0]}, but the table 'frames' says {width}x{height}"
            raise damaged(self.folder, f"{path}: {what}")
        return picture
