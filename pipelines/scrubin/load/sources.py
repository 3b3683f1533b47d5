"""Where the pictures of frames come from: their files, loose or in shards, or the released videos."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scrubin.core.errors import ReleaseError
from scrubin.frames import reading
from scrubin.load.damage import damaged
from scrubin.load.pictures import Picture, decoded
from scrubin.load.rows import FrameRows
from scrubin.load.videos import ReleasedVideo


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


@dataclass(frozen=True)
class VideoSource:
    """Pictures from the released videos: those that the files were encoded from.

    Parameters
    ----------
    videos
        By id and camera.
    """

    videos: Mapping[tuple[str, str], ReleasedVideo]

    def picture(self, row: int, rows: FrameRows) -> Picture:
        """Return the picture, of the size of its file.

        Raises
        ------
        ReleaseError
            When the video is missing, damaged or another one.
        """
        video = self.videos[rows.ids[rows.recording[row]], rows.camera[row].as_py()]
        number, clock = int(rows.source_frame[row]), video.clock()
        if number >= len(clock.ticks) or clock.time_s(number) != rows.time_s[row]:
            what = f"its frame {number} is not shown at {rows.time_s[row]:.3f} s, as the table 'frames' says"
            raise damaged(video.folder, f"{video.path}: {what}")
        picture: Picture = video.pictures([number])[0]
        height = int(rows.height[row])
        if picture.shape[0] == height:
            return picture
        from scrubin.frames.picture import shrunk

        return shrunk(picture, height)
