"""The packets of a stream, whatever the file is like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import av

from scrubin.core.errors import VideoError
from scrubin.video.truncation import FIX_COPY

LATE_STREAMS = "further streams begin in the middle of it, so it is damaged"


def packets(container: av.container.InputContainer, stream: av.VideoStream, name: str) -> Iterator[av.Packet[Any]]:
    """Yield every packet of a stream that holds something, in the order of the file.

    Raises
    ------
    VideoError
        When streams appear that the file's head does not know: PyAV cannot go on then.
    """
    try:
        for packet in container.demux(stream):
            if packet.size:
                yield packet
    except IndexError as error:
        raise VideoError(name, LATE_STREAMS, FIX_COPY) from error
