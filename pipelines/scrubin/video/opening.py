"""Opening a raw video: the one place that knows how its bytes are reached."""

from __future__ import annotations

from pathlib import Path

import av

IGNORE_EDIT_LIST = {"ignore_editlist": "1"}


def open_video(path: Path, *, ignore_edit_list: bool = False) -> av.container.InputContainer:
    """Open a video file for reading.

    Parameters
    ----------
    path
        The file.
    ignore_edit_list
        Show also what an mp4 edit list hides from players.

    Raises
    ------
    av.error.FFmpegError
        When it cannot be read, or is no video.
    """
    options = IGNORE_EDIT_LIST if ignore_edit_list else {}
    # `file:` keeps names such as "pipe:0", "-" or "concat:a" from being taken for a protocol.
    return av.open(f"file:{path}", options=options, metadata_errors="replace")
