"""Opening a raw video: the one place that knows how its bytes are reached."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import av

from scrubin.core import strangers
from scrubin.video.pieces import Pieces

IGNORE_EDIT_LIST = {"ignore_editlist": "1"}
PREAMBLE_BYTES, DICOM = 128, b"DICM"
BUFFER_BYTES = 1 << 18


def is_dicom(path: Path) -> bool:
    """Return whether a file is a DICOM object: it says so behind a preamble (PS3.10, 7.1).

    Raises
    ------
    OSError
        When it cannot be read.
    """
    return Pieces(path).read(PREAMBLE_BYTES + len(DICOM))[PREAMBLE_BYTES:] == DICOM


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
        When it is no video.
    OSError
        When it cannot be opened or read, also later on: the disk is to blame, not the content.
    """
    options = IGNORE_EDIT_LIST if ignore_edit_list else {}
    if is_dicom(path):
        from scrubin.dicom import recording

        return recording.opened(path, options)
    wanted = {"format_whitelist": strangers.CONTAINERS, **options}
    return av.open(Pieces(path), "r", options=wanted, buffer_size=BUFFER_BYTES, metadata_errors="replace")


def refuse_other_count(path: Path, count: int) -> None:
    """Raise an `UnreadableError` when the header of a DICOM recording states another number of frames."""
    if is_dicom(path):
        from scrubin.dicom import recording
        from scrubin.dicom.contradictions import refuse_other_count as refuse

        refuse(recording.stream_of(path).header, count)


def contradictions(path: Path) -> tuple[str, ...]:
    """Return, one sentence each, where the header of a DICOM recording and its stream differ without harm; of another file nothing."""
    if not is_dicom(path):
        return ()
    from scrubin.dicom import recording

    return recording.stream_of(path).told


def left_behind_text(paths: Sequence[Path]) -> str:
    """Return how many elements the headers of a recording's DICOM files have, by group, such as "0008:21 0010:5"; "" without any."""
    with_header = [path for path in paths if is_dicom(path)]
    if not with_header:
        return ""
    from scrubin.dicom import elements, recording

    return elements.text(sum((Counter(recording.stream_of(path).header.counts) for path in with_header), Counter()))


@contextmanager
def for_programs(path: Path, folder: Path) -> Iterator[Path]:
    """Return a file that other programs can read: the video itself, or the stream of a DICOM recording, for so long.

    Parameters
    ----------
    folder
        Where the stream is written.
    """
    if not is_dicom(path):
        yield path
        return
    from scrubin.dicom import recording

    with tempfile.NamedTemporaryFile(dir=folder, prefix="stream-", delete=False) as file:
        stream = Path(file.name)
        file.writelines(recording.file_of(path, recording.stream_of(path)).chunks())
    try:
        yield stream
    finally:
        stream.unlink()
