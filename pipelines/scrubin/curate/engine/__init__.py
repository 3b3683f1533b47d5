"""One piece of work, as it is sent to whoever does it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubin.base.store import store, uses


@dataclass(frozen=True)
class Piece:
    """A library function with its one argument, and what a worker must know beside them.

    Parameters
    ----------
    work, item
        ``work(item)`` is what is done; both can be pickled.
    store_path
        Where results are kept: absolute, because a worker has a working folder of its own.
    run
        The run of a stage for which it is done, if it is one.
    """

    work: Callable[[Any], Any]
    item: Any
    store_path: Path
    run: uses.Run | None

    def do(self) -> Any:
        """Do it here."""
        uses.join(self.run)
        with store.kept_in(self.store_path):
            return self.work(self.item)


def portable(error: BaseException) -> BaseException:
    """Return an error that can be sent to another process, the same where that is possible."""
    try:
        again = pickle.loads(pickle.dumps(error))
    except Exception:
        again = None
    return error if type(again) is type(error) else RuntimeError(f"{type(error).__name__}: {error}")
