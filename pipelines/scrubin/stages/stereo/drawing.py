"""Drawn stereo pictures of known geometry: boards or a moving scene, as a rig with strong lenses would see them.

For tests, benchmarks and trying: every pixel's ray is intersected with textured sheets, so nothing is approximated but
the texture between its pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scrubin.media.rigs import written_rig
from scrubin.media.rigs.rig import Camera, Matrix, Rig, Side, opencv

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
SUPERSAMPLING = 2
OCTAVES = 6
NOISE = 2.0
BACKGROUND = 24


@dataclass(frozen=True, eq=False)
class Sheet:
    """A flat textured rectangle.

    Parameters
    ----------
    texture
        (rows, columns, 3), blue, green, red.
    mm_per_px
        Size of a pixel of the texture.
    rotation, translation
        Where its first corner lies and how it is turned, as the left camera sees it; in mm.
    """

    texture: Picture
    mm_per_px: float
    rotation: Matrix
    translation: Matrix


@dataclass(frozen=True, eq=False)
class View:
    """One camera of a rig: where it stands, and the ray of each of its pixels, as the left camera sees them."""

    size: tuple[int, int]
    drawn: tuple[int, int]
    centre: Matrix
    rays: npt.NDArray[np.float32]


def view(rig: Rig, side: Side, supersampling: int = SUPERSAMPLING) -> View:
    """Return the view of one camera, drawn with so many rays per pixel and direction; the rig's unit must be mm."""
    cv2 = opencv()
    scaled: Rig = rig.scaled(rig.width * supersampling, rig.height * supersampling)
    camera: Camera = scaled.left if side == "left" else scaled.right
    pixels = np.stack(np.meshgrid(np.arange(scaled.width), np.arange(scaled.height)), axis=-1).reshape(-1, 1, 2).astype(np.float64)
    criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-6)
    plane = np.asarray(cv2.undistortPoints(pixels, camera.matrix, camera.distortion, criteria=criteria)).reshape(-1, 2)
    rays = np.column_stack([plane, np.ones(len(plane))])
    if side == "left":
        return View(rig.size, scaled.size, np.zeros(3), rays.astype(np.float32))
    return View(rig.size, scaled.size, rig.right_centre, (rays @ rig.rotation).astype(np.float32))


def picture(seen_by: View, sheets: Sequence[Sheet]) -> Picture:
    """Return what a camera sees of some sheets: blue, green, red; the nearest one hides the others."""
    cv2 = opencv()
    width, height = seen_by.drawn
    drawn: Picture = np.full((height, width, 3), BACKGROUND, np.uint8)
    nearest = np.full((height, width), np.inf, np.float32)
    for sheet in sheets:
        origin = sheet.rotation.T @ (seen_by.centre - sheet.translation)
        rays = cv2.transform(seen_by.rays[:, None], sheet.rotation.T.astype(np.float32))[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = np.float32(-origin[2]) / rays[:, 2]
        x = _texel(origin[0], distance, rays[:, 0], sheet.mm_per_px).reshape(height, width)
        y = _texel(origin[1], distance, rays[:, 1], sheet.mm_per_px).reshape(height, width)
        rows, columns = sheet.texture.shape[:2]
        distance = distance.reshape(height, width)
        hit = (distance > 0) & (distance < nearest) & (x >= 0) & (y >= 0) & (x <= columns - 1) & (y <= rows - 1)
        if hit.any():
            colours = cv2.remap(sheet.texture, x, y, cv2.INTER_LINEAR)
            cv2.copyTo(colours, hit.astype(np.uint8), drawn)
            nearest = np.where(hit, distance, nearest)
    return np.asarray(cv2.resize(drawn, seen_by.size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _texel(origin: float, distance: Floats, ray: Floats, mm_per_px: float) -> Floats:
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray((distance * ray + np.float32(origin)) / np.float32(mm_per_px) - np.float32(0.5), dtype=np.float32)


def noisy(clean: Picture, sigma: float, rng: np.random.Generator) -> Picture:
    """Return a picture with the noise of a sensor, ``sigma`` grey levels."""
    noise = rng.standard_normal(clean.shape, dtype=np.float32) * np.float32(sigma)
    return np.asarray(np.clip(clean + noise, 0, 255), dtype=np.uint8)


def rig(rng: np.random.Generator, size: tuple[int, int] = (480, 270)) -> Rig:
    """Return a rig by lot as stereo endoscopes are: 3 to 8 mm apart, a few degrees of toe-in, lenses that bend lines."""
    cv2 = opencv()
    width, height = size
    focal = width * rng.uniform(0.75, 1.2)

    def camera() -> Camera:
        """Return a camera whose lens model has an inverse in all of the picture."""
        drawn = by_lot()
        while drawn.folded_share(size):
            drawn = by_lot()
        return drawn

    def by_lot() -> Camera:
        fx, cx, cy = focal * rng.uniform(0.98, 1.02), width * rng.uniform(0.46, 0.54), height * rng.uniform(0.45, 0.55)
        matrix = np.array([[fx, 0, cx], [0, fx * rng.uniform(0.995, 1.005), cy], [0, 0, 1]])
        k1, p1, p2 = rng.uniform(-0.35, 0.05), *rng.uniform(-0.001, 0.001, 2)
        return Camera(matrix, np.array([k1, rng.uniform(0.3, 0.6) * k1**2, p1, p2, 0.0]))

    angles = np.radians([rng.uniform(-0.8, 0.8), rng.uniform(0, 4.0), rng.uniform(-0.8, 0.8)])
    rotation = np.asarray(cv2.Rodrigues(angles)[0], dtype=np.float64)
    baseline = rng.uniform(3, 8)
    centre = np.array([baseline, *rng.uniform(-0.03, 0.03, 2) * baseline])
    return Rig(camera(), camera(), rotation, -rotation @ centre, width, height, "mm")


def turned(x_deg: float, y_deg: float, z_deg: float) -> Matrix:
    """Return the rotation about x, y and z by some degrees, as one vector."""
    return np.asarray(opencv().Rodrigues(np.radians([float(x_deg), float(y_deg), float(z_deg)]))[0], dtype=np.float64)


def chessboard(columns: int, rows: int, px: int = 40) -> Picture:
    """Return a chessboard with so many inner corners, each square ``px`` wide, in a white border of one square."""
    squares = (np.add.outer(np.arange(rows + 1), np.arange(columns + 1)) % 2 == 0) * np.uint8(255)
    grey = np.pad(np.kron(255 - squares, np.ones((px, px), np.uint8)), px, constant_values=255)
    return np.repeat(grey[..., None], 3, axis=2).astype(np.uint8)


def charuco(columns: int, rows: int, dictionary: int, px: int = 40, marker_share: float = 0.75) -> Picture:
    """Return a ChArUco board of so many squares, each ``px`` wide, in a white border of one square."""
    cv2 = opencv()
    board = cv2.aruco.CharucoBoard((columns, rows), 1.0, marker_share, cv2.aruco.getPredefinedDictionary(dictionary))
    grey = np.pad(board.generateImage((columns * px, rows * px), marginSize=0, borderBits=1), px, constant_values=255)
    return np.repeat(grey[..., None], 3, axis=2).astype(np.uint8)


def board_sheets(texture: Picture, board_mm: float, rig_: Rig, count: int, rng: np.random.Generator) -> list[Sheet]:
    """Return a board held before a rig in so many ways, tilted, all over the picture; ``board_mm`` is its width."""
    mm_per_px = board_mm / texture.shape[1]
    width, height = board_mm, texture.shape[0] * mm_per_px
    fx, fy = rig_.left.matrix[0, 0], rig_.left.matrix[1, 1]
    sheets = []
    for _ in range(count):
        away = board_mm * fx / rig_.width * rng.uniform(1.2, 2.2)
        rotation = turned(rng.uniform(-35, 35), rng.uniform(-35, 35), rng.uniform(-25, 25))
        free_x = max(0.0, rig_.width / fx * away - width) / 2
        free_y = max(0.0, rig_.height / fy * away - height) / 2
        centre = np.array([rng.uniform(-free_x, free_x), rng.uniform(-free_y, free_y), away]) + rig_.right_centre / 2
        sheets.append(Sheet(texture, mm_per_px, rotation, centre - rotation @ np.array([width / 2, height / 2, 0.0])))
    return sheets


def tissue(rng: np.random.Generator, rows: int = 900, columns: int = 1400) -> Picture:
    """Return a red texture with detail of every size."""
    cv2 = opencv()
    grey = np.zeros((rows, columns), np.float32)
    for octave in range(1, OCTAVES + 1):
        coarse = rng.normal(0, 1, (max(2, rows >> octave), max(2, columns >> octave))).astype(np.float32)
        grey += cv2.resize(coarse, (columns, rows), interpolation=cv2.INTER_CUBIC) * octave**0.5
    grey = (grey - grey.mean()) / grey.std()
    colour = np.array([70.0, 75.0, 150.0]) + grey[..., None] * np.array([18.0, 20.0, 32.0])
    return np.asarray(np.clip(colour, 0, 255), dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Scene:
    """A wall, a slope and a moving instrument, before which the rig sways.

    Parameters
    ----------
    textures
        Of the three sheets.
    depth_mm
        Of the wall.
    phases, rates_hz
        (6,), of the swaying, by lot.
    """

    textures: tuple[Picture, Picture, Picture]
    depth_mm: float
    span_mm: float
    phases: Matrix
    rates_hz: Matrix

    @classmethod
    def by_lot(cls, rng: np.random.Generator, rig_: Rig) -> Scene:
        """Return a scene that fills the picture of a rig."""
        depth = rig_.baseline_mm * rng.uniform(10, 18)
        textures = (tissue(rng), tissue(rng, 900, 700), tissue(rng, 160, 700))
        span = 2.2 * depth * rig_.width / rig_.left.matrix[0, 0]
        return cls(textures, depth, span, rng.uniform(0, 2 * np.pi, 6), rng.uniform(0.15, 0.9, 6))

    def sheets(self, time_s: float) -> list[Sheet]:
        """Return where everything is at a time."""
        sway = np.sin(2 * np.pi * self.rates_hz * time_s + self.phases)
        turn = turned(1.5 * sway[0], 2.0 * sway[1], 3.0 * sway[2])
        shift = np.array([0.05, 0.05, 0.06]) * self.depth_mm * sway[3:6]
        slope = turned(8, 35, 4)
        tool_turn = turned(20 * sway[4], -20, 25 + 15 * sway[0])
        places = [
            (0, 1.0, turned(-6, 5, 2), np.array([-0.5, -0.4, 1.0])),
            (1, 0.5, slope, np.array([-0.42, -0.4, 0.75])),
            (2, 0.4, tool_turn, np.array([0.05 + 0.1 * sway[3], 0.05 + 0.1 * sway[5], 0.65])),
        ]
        scale = np.array([self.span_mm, self.span_mm, self.depth_mm])
        return [
            Sheet(self.textures[which], share * self.span_mm / self.textures[which].shape[1], turn @ own, turn @ (place * scale) + shift)
            for which, share, own, place in places
        ]


def write_trial(folder: Path) -> Rig:
    """Write a folder to try the commands on, and return its rig.

    ``boards/left`` and ``boards/right`` show a ChArUco board of 10x7 squares of 4 mm with markers of 3 mm (``5X5_100``),
    ``scene/left`` and ``scene/right`` a moving scene at 12 pictures a second; ``true.yaml`` is the rig that saw them.
    """
    cv2 = opencv()
    rng = np.random.default_rng(1)
    own = rig(rng)
    boards = board_sheets(charuco(10, 7, cv2.aruco.DICT_5X5_100), 48.0, own, 16, rng)
    scene = Scene.by_lot(rng, own)
    sides: tuple[Side, Side] = ("left", "right")
    for side in sides:
        seen_by = view(own, side)
        shown = {"boards": [[board] for board in boards], "scene": [scene.sheets(number / 12) for number in range(24)]}
        for name, pictures in shown.items():
            (folder / name / side).mkdir(parents=True)
            for number, sheets in enumerate(pictures):
                cv2.imwrite(str(folder / name / side / f"{number:03d}.png"), noisy(picture(seen_by, sheets), NOISE, rng))
    written_rig.write(folder / "true.yaml", own)
    return own
