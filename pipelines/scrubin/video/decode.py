"""Decoded frames of a video file, one after the other, each with its time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
from av.error import FFmpegError

from scrubin.core.cores import decoder_threads
from scrubin.core.errors import VideoError
from scrubin.video.damage import listening, with_threads
from scrubin.video.opening import open_video
from scrubin.video.packets import LATE_STREAMS
from scrubin.video.probe import picture_stream
from scrubin.video.truncation import FIX_COPY


def decoded(path: Path, name: str, *, ignore_edit_list: bool = False) -> Iterator[av.VideoFrame]:
    """Yield every frame of the first video stream in presentation order.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it, for messages.
    ignore_edit_list
        Yield also what an mp4 edit list hides from players.

    Raises
    ------
    VideoError
        When a frame cannot be decoded, is marked as damaged by the decoder, or has another size; behind the last one, when FFmpeg has
        said that the file is damaged.
    """
    count = 0
    size: tuple[int, int, int] | None = None
    try:
        with (
            listening(path, name, ignore_edit_list=ignore_edit_list),
            open_video(path, ignore_edit_list=ignore_edit_list) as container,
            with_threads(picture_stream(container, name), decoder_threads()) as stream,
        ):
            for frame in container.decode(stream):
                if frame.is_corrupt or frame.pts is None:
                    raise VideoError(name, f"frame {count} is damaged", FIX_COPY)
                size = size or (frame.width, frame.height, frame.rotation)
                if size != (frame.width, frame.height, frame.rotation):
                    raise VideoError(name, f"its picture changes size at frame {count}", "export it with one size")
                yield frame
                count += 1
    except IndexError as error:
        raise VideoError(name, LATE_STREAMS, FIX_COPY) from error
    except FFmpegError as error:
        raise VideoError(name, f"it cannot be decoded after frame {count} ({error.strerror})", FIX_COPY) from error
