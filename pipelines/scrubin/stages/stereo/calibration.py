"""A rig from pictures of a board: each camera by itself, then both together; what does not fit is named, left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import CalibrationError
from scrubin.base.faults import Fault, error, warning
from scrubin.media.rigs.rig import MOST_FOLDED_SHARE, Camera, Matrix, Rig, opencv
from scrubin.stages.stereo.board import FEWEST_CORNERS, Board, Corners
from scrubin.stages.stereo.footage import pictures_of, read_picture

FEWEST_PAIRS, USUAL_PAIRS = 5, 15
OUTLIER_TIMES, OUTLIER_PX, MOST_OUTLIERS_SHARE = 3.0, 0.3, 0.25
"""A pair is left out when its error is more than so many times the median of all pairs, and more than so many pixels."""
MOST_FOCAL_SD_SHARE = 0.005
FEWEST_CELLS_SHARE, CELLS = 0.6, 6
AT_THE_EDGES = "add pictures with the board at the edges and corners"
K3 = 4
"""Place of the fifth coefficient of distortion."""
MOST_MEDIAN_PX = 2.0
"""When half of the pairs are further off, there is no telling which ones are wrong."""
# Pairs of which one picture is mirrored fit by this much worse than they do once it is mirrored back.
MIRROR_TIMES, MIRROR_PX = 3.0, 2.0


@dataclass(frozen=True, eq=False)
class BoardPair:
    """The corners of a board in both pictures of a pair.

    Parameters
    ----------
    name
        Of the pictures, as the curator knows them.
    left, right
        What was detected.
    """

    name: str
    left: Corners
    right: Corners


@dataclass(frozen=True)
class PairError:
    """How far the corners of one pair lie from where the calibration has them, root mean square in pixels.

    Parameters
    ----------
    left_px, right_px
        Each picture, when its board may lie where it fits that picture best.
    pair_px
        Both pictures, when the board lies at one place for both.
    left_out
        Whether the pair was left out as an outlier; it was measured before.
    """

    name: str
    left_px: float
    right_px: float
    pair_px: float
    left_out: bool = False

    @property
    def worst_px(self) -> float:
        """The largest of the three."""
        return max(self.left_px, self.right_px, self.pair_px)


@dataclass(frozen=True, eq=False)
class Calibration:
    """A rig, and how well it is known.

    Parameters
    ----------
    rig
        In mm.
    errors
        Of every pair, in the order of their names.
    rms_px
        Of all corners of all pairs that were used, with the board at one place for both cameras.
    focal_sd_px
        Standard deviation of the focal length of the left and the right camera, as the fit has it.
    warnings
        What makes it doubtful.
    """

    rig: Rig
    errors: tuple[PairError, ...]
    rms_px: float
    focal_sd_px: tuple[float, float]
    warnings: tuple[Fault, ...]


def calibrate(board: Board, pairs: Sequence[BoardPair], size: tuple[int, int]) -> Calibration:
    """Return the rig that saw a board in so many ways.

    Parameters
    ----------
    board
        What was seen.
    pairs
        In the order of their names.
    size
        Width and height of all pictures.

    Raises
    ------
    CalibrationError
        When there are too few pairs, too many do not fit, or the pictures are mirrored or of the wrong camera.
    """
    kept = [_alike(board, pair) for pair in pairs]
    if len(kept) < FEWEST_PAIRS:
        what = f"the board is seen in only {len(kept)} pairs of pictures"
        raise _refused(what, f"take at least {FEWEST_PAIRS}, better {USUAL_PAIRS}: near, far, tilted, in every corner", "pairs")
    most_outliers = int(MOST_OUTLIERS_SHARE * len(kept))
    outliers: list[PairError] = []
    solved = _solve(board, kept, size)
    _refuse_mirrored(board, kept, size, solved)
    while worst := _outlier(solved.errors):
        if len(outliers) == most_outliers:
            names = ", ".join(one.name for one in [*outliers, worst])
            what = f"more than a quarter of the pairs do not fit the others ({names})"
            raise _refused(what, "see that both pictures of a pair are of one instant, sharp, and of this board", "outliers")
        outliers.append(replace(worst, left_out=True))
        kept = [pair for pair in kept if pair.name != worst.name]
        solved = _solve(board, kept, size)
    usual = float(np.median([one.pair_px for one in solved.errors]))
    if usual > MOST_MEDIAN_PX:
        what = f"pairs do not fit one another: half of them are more than {usual:.1f} px off"
        raise _refused(what, "see that both pictures of a pair are of one instant, and of this board", "pairs")
    _refuse_impossible(solved.rig)
    errors = tuple(sorted([*solved.errors, *outliers], key=lambda one: one.name))
    return replace(solved, errors=errors, warnings=_warnings(kept, size, solved))


def _alike(board: Board, pair: BoardPair) -> BoardPair:
    """Return a pair with corners numbered from the same end: a chessboard looks alike when turned by half."""
    if board.kind != "chessboard":
        return pair
    left, right = (one.points[-1] - one.points[0] for one in (pair.left, pair.right))
    return replace(pair, right=pair.right.half_turned()) if left @ right < 0 else pair


def _solve(board: Board, pairs: Sequence[BoardPair], size: tuple[int, int]) -> Calibration:
    cv2 = opencv()
    points = board.points_mm.astype(np.float32)
    left = _one_camera(points, [pair.left for pair in pairs], size)
    right = _one_camera(points, [pair.right for pair in pairs], size)
    common = [np.intersect1d(pair.left.numbers, pair.right.numbers) for pair in pairs]
    objects = [points[numbers] for numbers in common]
    seen = [
        [getattr(pair, side).only(numbers).astype(np.float32)[:, None] for pair, numbers in zip(pairs, common, strict=True)]
        for side in ("left", "right")
    ]
    cameras = (left.camera.matrix, left.camera.distortion, right.camera.matrix, right.camera.distortion)
    criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 100, 1e-9)
    flags = cv2.CALIB_FIX_INTRINSIC
    solved = cv2.stereoCalibrateExtended(objects, *seen, *cameras, size, np.eye(3), np.zeros((3, 1)), flags=flags, criteria=criteria)
    rms, rotation, translation = float(solved[0]), np.asarray(solved[5]), np.asarray(solved[6]).ravel()
    by_pair = np.sqrt((np.asarray(solved[11]).reshape(-1, 2) ** 2).mean(axis=1))
    by_camera = zip(pairs, left.errors_px, right.errors_px, by_pair, strict=True)
    errors = [PairError(pair.name, float(of_left), float(of_right), float(both)) for pair, of_left, of_right, both in by_camera]
    rig = Rig(left.camera, right.camera, rotation, translation, *size, "mm")
    return Calibration(rig, tuple(errors), rms, (left.focal_sd_px, right.focal_sd_px), ())


@dataclass(frozen=True, eq=False)
class _OneCamera:
    camera: Camera
    errors_px: Matrix
    focal_sd_px: float


def _one_camera(points: Any, seen: Sequence[Corners], size: tuple[int, int]) -> _OneCamera:
    cv2 = opencv()
    objects = [points[one.numbers] for one in seen]
    pictures = [one.points.astype(np.float32)[:, None] for one in seen]
    criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 100, 1e-9)
    # Where no corner is seen the fifth coefficient is made up, and may fold the picture there.
    tried: list[tuple[float, _OneCamera]] = []
    for flags in (0, cv2.CALIB_FIX_K3):
        solved = cv2.calibrateCameraExtended(objects, pictures, size, np.eye(3), np.zeros(5), flags=flags, criteria=criteria)
        matrix, distortion, deviations, errors = (np.asarray(solved[place], dtype=np.float64) for place in (1, 2, 5, 7))
        fitted = _OneCamera(Camera(matrix, distortion.ravel()), errors.ravel(), float(deviations.ravel()[0]))
        tried.append((fitted.camera.folded_share(size), fitted))
        if not tried[-1][0]:
            break
    return min(tried, key=lambda one: one[0])[1]


def _outlier(errors: Sequence[PairError]) -> PairError | None:
    """Return the pair that fits worst if it is an outlier."""
    worst = max(errors, key=lambda one: one.worst_px)
    usual = float(np.median([one.worst_px for one in errors]))
    return worst if worst.worst_px > max(OUTLIER_PX, OUTLIER_TIMES * usual) else None


def _refuse_mirrored(board: Board, pairs: Sequence[BoardPair], size: tuple[int, int], solved: Calibration) -> None:
    """Refuse pairs that fit once the pictures of one camera are mirrored back; markers do not read when mirrored."""
    usual = float(np.median([one.pair_px for one in solved.errors]))
    if board.kind != "chessboard" or usual < MIRROR_PX:
        return
    for side, other in (("right", "left"), ("left", "right")):
        back = [_alike(board, replace(pair, **{side: getattr(pair, side).mirrored(size[0], board.columns)})) for pair in pairs]
        again = _solve(board, back, size)
        fits = float(np.median([one.pair_px for one in again.errors])) < usual / MIRROR_TIMES
        if fits and again.rig.right_centre[0] > 0:
            what = f"the pictures of the {side} camera are mirrored, or those of the {other} one turned by half"
            raise _refused(what, "export both cameras as they were recorded, and calibrate again", "mirrored")


def _refuse_impossible(rig: Rig) -> None:
    x, y, z = rig.right_centre
    if abs(x) < max(abs(y), abs(z)):
        what = f"the right camera would stand at ({x:.3g}, {y:.3g}, {z:.3g}) mm and not beside the left one"
        raise _refused(what, "see that pictures are upright, and that both of a pair are of one instant", "cameras")
    if x < 0:
        what = f"the right camera would stand {-x:.3g} mm left of the left one"
        raise _refused(what, "exchange both folders; if they are right, the pictures of both cameras are mirrored", "cameras")
    for side, camera in (("left", rig.left), ("right", rig.right)):
        if camera.folded_share(rig.size) >= MOST_FOLDED_SHARE:
            what = f"the {side} lens model folds inside the picture, also with four coefficients: where no corner is seen they are made up"
            raise _refused(what, AT_THE_EDGES, "distortion")


def _warnings(pairs: Sequence[BoardPair], size: tuple[int, int], solved: Calibration) -> tuple[Fault, ...]:
    faults = []
    more = "add pictures: near, far, tilted by 30 degrees, in every corner"
    cameras = {"left": solved.rig.left, "right": solved.rig.right}
    if len(pairs) < USUAL_PAIRS:
        about = " and ".join(
            f"{side} focal length {camera.matrix[0, 0]:.1f} +- {sd:.1f} px"
            for (side, camera), sd in zip(cameras.items(), solved.focal_sd_px, strict=True)
        )
        faults.append(warning("", "pairs", f"only {len(pairs)} pairs were used: {about} (one standard deviation)", more))
    for (side, camera), sd in zip(cameras.items(), solved.focal_sd_px, strict=True):
        if sd > MOST_FOCAL_SD_SHARE * camera.matrix[0, 0]:
            what = f"the {side} focal length is known to {100 * sd / camera.matrix[0, 0]:.1f} % only (one standard deviation)"
            faults.append(warning("", "focal_length", what, more))
        share = _covered([getattr(pair, side) for pair in pairs], size)
        if share < FEWEST_CELLS_SHARE:
            what = f"corners lie in {100 * share:.0f} % of the {side} picture: elsewhere the distortion is made up"
            faults.append(warning("", "coverage", what, AT_THE_EDGES))
        if camera.distortion[K3] == 0:
            what = (
                f"with five coefficients the {side} lens model folds inside the picture, where no corner is seen: it has four, and k3 is 0"
            )
            faults.append(warning("", "distortion", what, AT_THE_EDGES))
        if folded := camera.folded_share(size):
            what = f"the {side} lens model folds in {100 * folded:.2g} % of the picture, where no corner is seen: labels are left out there"
            faults.append(warning("", "distortion", what, AT_THE_EDGES))
    return tuple(faults)


def _covered(seen: Sequence[Corners], size: tuple[int, int]) -> float:
    """Return the share of the cells of a picture in which a corner was seen."""
    points = np.concatenate([one.points for one in seen])
    cells = np.clip((points / np.array(size) * CELLS).astype(int), 0, CELLS - 1)
    return len(np.unique(cells, axis=0)) / CELLS**2


def _refused(what: str, fix: str, rule: str) -> CalibrationError:
    return CalibrationError([error("", rule, what, fix)])


def common_corners(pair: BoardPair) -> bool:
    """Return whether enough corners are seen by both cameras."""
    return len(np.intersect1d(pair.left.numbers, pair.right.numbers)) >= FEWEST_CORNERS


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
        _refuse_mirrored_pictures(board, unseen)
    return BoardPictures(tuple(pairs), size, tuple(warnings))


def _pictures(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise CalibrationError(f"{folder}: there is no such folder; name a folder of pictures of the board")
    return {path.stem: path for path in pictures_of(folder, str(folder))}


def _grey(path: Path) -> npt.NDArray[np.uint8]:
    cv2 = opencv()
    return np.asarray(cv2.cvtColor(read_picture(path), cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def _refuse_other_size(path: Path, picture: npt.NDArray[np.uint8], size: tuple[int, int]) -> None:
    height, width = picture.shape
    if (width, height) != size:
        what = f"it is {width}x{height}, but the first picture is {size[0]}x{size[1]}"
        raise CalibrationError([error(str(path), "size", what, "calibrate with pictures of one size, as the recordings have it")])


def _refuse_mirrored_pictures(board: Board, unseen: list[npt.NDArray[np.uint8]]) -> None:
    """Refuse pictures in which markers read only once they are mirrored back."""
    mirrored = [one for one in unseen[:MOST_MIRROR_TRIES] if board.corners(np.ascontiguousarray(one[:, ::-1])) is not None]
    if mirrored:
        what = "the markers of the board read only when the pictures are mirrored"
        raise CalibrationError([error("", "mirrored", what, "export both cameras as they were recorded, and calibrate again")])


def lines(calibration: Calibration) -> list[str]:
    """Return how well each pair of pictures fits, then what the calibration is, for people."""
    rig, errors = calibration.rig, calibration.errors
    wide = max(len("pair"), *(len(one.name) for one in errors))
    lines = [f"{'pair':<{wide}}  left px  right px  both px"]
    for one in errors:
        left_out = "  left out" if one.left_out else ""
        lines.append(f"{one.name:<{wide}}  {one.left_px:7.3f}  {one.right_px:8.3f}  {one.pair_px:7.3f}{left_out}")
    used = len([one for one in errors if not one.left_out])
    return [
        *lines,
        f"{used} of {len(errors)} pairs used, reprojection error {calibration.rms_px:.3f} px",
        f"baseline {rig.baseline_mm:.3f} mm, cameras turned by {rig.angle_deg:.2f} degrees",
        f"focal length left {rig.left.matrix[0, 0]:.1f} +- {calibration.focal_sd_px[0]:.1f} px, "
        f"right {rig.right.matrix[0, 0]:.1f} +- {calibration.focal_sd_px[1]:.1f} px",
    ]
