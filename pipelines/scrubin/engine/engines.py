"""All engines by what ``params.yaml`` asks for: one more is one more module and one more line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from scrubin.engine.local import Here, Processes
from scrubin.engine.params import FlowsParams
from scrubin.engine.piece import Piece


class Engine(Protocol):
    """Does pieces of work for as many threads as it has lanes; each waits for its own."""

    lanes: int

    def do(self, piece: Piece) -> Any:
        """Return what comes of a piece of work, or raise what it raises."""

    def close(self) -> None:
        """End what was started."""


def engine(params: FlowsParams, root: Path) -> Engine:
    """Return the engine of a project at an absolute path.

    Raises
    ------
    StageError
        When a cluster is asked for that cannot be used.
    """
    if params.dask is not None:
        # Only now: importing it takes a second, and it is an extra of its own.
        from scrubin.engine.cluster import Cluster

        return Cluster(params.dask, root)
    count = params.worker_count()
    return Processes(count) if count > 1 else Here()
