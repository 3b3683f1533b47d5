"""Folders of pictures of a board: which belong together, and where the board lies in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scrubin.core.errors import CalibrationError
from scrubin.core.faults import Fault, error, warning
from scrubin.stereo.board import Board
from scrubin.stereo.calibration import BoardPair, common_corners
from scrubin.stereo.footage import pictures_of, read_picture
from scrubin.stereo.rectification import opencv

MOST_MIRROR_TRIES = 8


@dataclass(frozen=True, eq=False)
class BoardPictures:
    """What was detected in two folders.

    Parameters
    ----------
    pairs
        Those in which both cameras see the board, in the order of their names.
    size
        Width and height of all pictures.
    warnings
        What was passed over.
    """

    pairs: tuple[BoardPair, ...]
    size: tuple[int, int]
    warnings: tuple[Fault, ...]


def read(left: Path, right: Path, board: Board) -> BoardPictures:
    """Return where a board lies in the pictures of two folders; pictures of one name are a pair.

    Raises
    ------
    CalibrationError
        When there is no pair, pictures differ in size, cannot be read, or show a mirrored board.
    """
    folders = {"left": _pictures(left), "right": _pictures(right)}
    names = sorted(folders["left"].keys() & folders["right"].keys())
    if not names:
        what = f"no picture of {left} has the name of one of {right}"
        raise CalibrationError([error("", "pairs", what, "give the two pictures of a pair one name, such as left/03.png and right/03.png")])
    warnings = [
        warning(str(of / folders[side][name].name), "pairs", "the other camera has no picture of this name", "it is passed over")
        for side, of in (("left", left), ("right", right))
        for name in sorted(folders[side].keys() - set(names))
    ]
    pairs: list[BoardPair] = []
    unseen: list[npt.NDArray[np.uint8]] = []
    size: tuple[int, int] | None = None
    for name in names:
        pictures = [_grey(folders[side][name]) for side in ("left", "right")]
        size = size or (pictures[0].shape[1], pictures[0].shape[0])
        for side, picture in zip(("left", "right"), pictures, strict=True):
            _refuse_other_size(folders[side][name], picture, size)
        corners = [board.corners(picture) for picture in pictures]
        if corners[0] is not None and corners[1] is not None and common_corners(pair := BoardPair(name, corners[0], corners[1])):
            pairs.append(pair)
            continue
        unseen += [picture for picture, seen in zip(pictures, corners, strict=True) if seen is None]
        warnings.append(warning(name, "board", "the board is not seen well enough in both pictures", "the pair is passed over"))
    if size is None:  # there is a name
        raise AssertionError
    if board.kind == "charuco" and len(pairs) < len(names) / 2:
        _refuse_mirrored(board, unseen)
    return BoardPictures(tuple(pairs), size, tuple(warnings))


def _pictures(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        msg = f"{folder}: there is no such folder; name a folder of pictures of the board"
        raise CalibrationError(msg)
    return {path.stem: path for path in pictures_of(folder, str(folder))}


def _grey(path: Path) -> npt.NDArray[np.uint8]:
    cv2 = opencv()
    return np.asarray(cv2.cvtColor(read_picture(path), cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def _refuse_other_size(path: Path, picture: npt.NDArray[np.uint8], size: tuple[int, int]) -> None:
    height, width = picture.shape
    if (width, height) != size:
        what = f"it is {width}x{height}, but the first picture is {size[0]}x{size[1]}"
        raise CalibrationError([error(str(path), "size", what, "calibrate with pictures of one size, as the recordings have it")])


def _refuse_mirrored(board: Board, unseen: list[npt.NDArray[np.uint8]]) -> None:
    """Refuse pictures in which markers read only once they are mirrored back."""
    mirrored = [one for one in unseen[:MOST_MIRROR_TRIES] if board.corners(np.ascontiguousarray(one[:, ::-1])) is not None]
    if mirrored:
        what = "the markers of the board read only when the pictures are mirrored"
        raise CalibrationError([error("", "mirrored", what, "export both cameras as they were recorded, and calibrate again")])
