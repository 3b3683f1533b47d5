"""What it costs to send a recording's work away: threads of this process, processes of this machine, and Dask, with the same work.

    .venv/bin/python benchmarks/engines.py [--workers 2] [--project .] [--items 40]

The project is a finished one, such as the synthetic study; nothing in it is changed, results go to a store of their own. Dask is a
scheduler and separate worker processes on this machine. Nothing is work that only looks up its name: what is left is the engine's own cost.
Starting an engine is counted by itself.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import engines
import psutil
from cluster_kills import Machines
from workers import stages

from scrubin.base.store import store
from scrubin.curate.engine import Piece
from scrubin.curate.engine.cluster import Cluster
from scrubin.curate.engine.engines import Engine, Here, Processes

NOTHING_TIMES = 1000
MEMORY = "4GB"


def nothing(item: Any) -> str:
    """Do nothing with an item."""
    return type(item).__name__


def cpu_s() -> float:
    """Return the CPU seconds of this process and of all that it started."""
    own = psutil.Process()
    total = 0.0
    for process in (own, *own.children(recursive=True)):
        with_children = process.cpu_times()
        total += with_children.user + with_children.system + with_children.children_user + with_children.children_system
    return total


def measured(engine: Engine, workers: int, work: Callable[[Any], Any], items: list[Any]) -> tuple[float, float]:
    """Return wall and CPU seconds of all items."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as threads:
        piece = partial(Piece, work, store_path=Path(folder, store.STORE_PATH), run=None)
        cpu, began = cpu_s(), time.monotonic()
        list(threads.map(lambda item: engine.do(piece(item)), items))
        return time.monotonic() - began, cpu_s() - cpu


def main() -> None:
    # A worker looks for this file by its name, too.
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--project", type=Path, default=Path())
    parser.add_argument("--items", type=int, default=40, help="so many files of each stage (default: %(default)s)")
    args = parser.parse_args()
    root = args.project.resolve()
    work = {name: (do, items[: args.items]) for name, (do, items) in stages(root).items() if name != "audit"}
    work["nothing"] = (engines.nothing, [work["frames"][1][0]] * NOTHING_TIMES)
    os.chdir(root)
    with tempfile.TemporaryDirectory() as folder:
        machines = Machines(Path(folder, "project"), args.workers, MEMORY)
        try:
            kinds: dict[str, Callable[[], Engine]] = {
                "threads": Here,
                "processes": partial(Processes, args.workers),
                "dask": partial(Cluster, str(machines.file), root),
            }
            for kind, begin in kinds.items():
                began = time.monotonic()
                engine = begin()
                measured(engine, args.workers, engines.nothing, [None] * args.workers)
                print(f"{kind}, {args.workers} workers: first answer after {time.monotonic() - began:.1f} s")
                for name, (do, items) in work.items():
                    # The first files load networks and libraries, which every worker does once.
                    if name != "nothing":
                        measured(engine, args.workers, do, items[: 2 * args.workers])
                    wall, cpu = measured(engine, args.workers, do, items)
                    print(
                        f"  {name:8}{1000 * wall / len(items):>10.1f} ms wall{1000 * cpu / len(items):>10.1f} ms CPU per file",
                        flush=True,
                    )
                engine.close()
        finally:
            machines.stop()


if __name__ == "__main__":
    main()
