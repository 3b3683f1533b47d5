"""The section ``flows`` of ``params.yaml``: where work runs. No output depends on it, so no stage does."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.base.errors import ParamsError
from scrubin.base.machine import cores, memory_bytes
from scrubin.base.params import ranged

AUTO = "auto"
SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")
"""How Dask's schedulers are reached."""
BYTES_PER_WORKER = 1 << 30
"""What one worker may need: the screen of a 1080p film takes three quarters of it."""


@dataclass(frozen=True)
class FlowsParams:
    """Where work runs.

    Parameters
    ----------
    workers
        Recordings at a time on this machine: a number in quotes, or ``auto``, as many as cores and memory allow.
    dask
        Address of a Dask scheduler such as ``tcp://host:8786``, or its scheduler file; None: this machine.
    store_gb
        The store of finished results may grow to so many gigabytes of results that no output uses any more.
    """

    workers: str
    dask: str | None
    store_gb: float | None = ranged(low=0)

    def __post_init__(self) -> None:
        if self.workers != AUTO and not (self.workers.isdecimal() and int(self.workers) > 0):
            raise ParamsError(f"params.yaml: 'flows.workers' must be {AUTO}, or a whole number above 0 in quotes, but is {self.workers!r}")
        scheme, is_address, _ = (self.dask or "").partition("://")
        if is_address and scheme not in SCHEMES:
            known = " or ".join(f"{one}://" for one in SCHEMES)
            raise ParamsError(f"params.yaml: 'flows.dask' must begin with {known}, or be a file, but is {self.dask!r}")

    def worker_count(self) -> int:
        """Return how many recordings are worked on at a time on this machine."""
        if self.workers != AUTO:
            return int(self.workers)
        memory = memory_bytes()
        return max(1, min(cores(), cores() if memory is None else memory // BYTES_PER_WORKER))
