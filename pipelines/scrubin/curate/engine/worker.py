"""The program of a worker process: pieces of work come in, outcomes go out, until the one who asked for it ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
from multiprocessing.connection import Connection

import cv2

from scrubin.base.machine import decoder_threads
from scrubin.curate.engine import Piece, portable


def main() -> None:
    """Work until nobody is at the other end of the line."""
    line, life = Connection(int(sys.argv[1])), int(sys.argv[2])
    # Ctrl-C reaches the whole group; who asked for the work decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(life,), daemon=True).start()
    cv2.setNumThreads(decoder_threads())
    while True:
        try:
            piece: Piece = line.recv()
        except (EOFError, ConnectionError):
            return
        except Exception as error:
            line.send((False, portable(error)))
            continue
        try:
            answer = (True, piece.do())
        except Exception as error:
            answer = (False, portable(error))
        line.send(answer)


def _end_with(life: int) -> None:
    """End at once when the other end is gone, also in the middle of a piece: what is half done is nowhere to be seen."""
    os.read(life, 1)
    os._exit(0)


if __name__ == "__main__":
    main()
