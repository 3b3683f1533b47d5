"""Decoding of one released video for the audit, kept by content: the same bytes have the same faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from scrubin.core import store
from scrubin.core.files import sha256_of
from scrubin.release import pictures
from scrubin.release.findings import Fault
from scrubin.release.plan import VideoPlan

CODE = ("release/containers/nal.py", "release/findings.py", "release/pictures.py", "release/plan.py")
PACKAGES = ("av", "numpy")


def examine(folder: Path, video: VideoPlan, root: Path = store.STORE_PATH) -> list[Fault]:
    """Return the faults of a released video, found now or in an earlier run on the same bytes and plan."""
    path = folder / video.path
    if not path.is_file():
        return []  # the audit says that it is missing
    plan = {"frame_count": video.frame_count, "hidden": [asdict(hidden) for hidden in video.hidden]}
    key = store.key_of("release", store.code_version(CODE, PACKAGES), {"sha256": sha256_of(path), "plan": plan})
    entry, _ = store.make(key, lambda _: [asdict(fault) for fault in pictures.video_faults(path, video)], root)
    return [Fault(**fault) for fault in entry.value]


class Examined:
    """Results at hand, in the form that ``audit`` takes; other files are decoded when they are asked for."""

    def __init__(self, folder: Path, found: Mapping[str, Sequence[Fault]]) -> None:
        self._found = {folder / name: list(faults) for name, faults in found.items()}

    def __call__(self, path: Path, video: VideoPlan | None) -> list[Fault]:
        """Return the faults of a video file."""
        if path in self._found:
            return self._found[path]
        return pictures.video_faults(path, video)
