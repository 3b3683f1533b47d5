"""One file of a recording as rendering reads it, and where its frames stand in the recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scrubin.render.plan import Hidden, Plan
from scrubin.video.probe import Probe
from scrubin.video.structure import Structure
from scrubin.video.view import View


@dataclass(frozen=True)
class SourceFile:
    """A file; frame n of it is frame ``n - first + before`` of the recording.

    Parameters
    ----------
    path, name
        Where it lies, and what the curator calls it, for messages.
    probe, structure
        What it holds.
    first
        Its first frame that counts.
    before
        Number of frames of the recording before it.
    view
        The part of its picture that is released; None: all of it.
    """

    path: Path
    name: str
    probe: Probe
    structure: Structure
    first: int = 0
    before: int = 0
    view: View | None = None

    @property
    def frame_count(self) -> int:
        """Number of its frames that count."""
        return self.probe.frame_count - self.first

    def own_plan(self, plan: Plan) -> tuple[int, Plan] | None:
        """Return the first released frame that comes from this file, and the plan of these frames alone; None when there are none.

        The plan counts frames as this file does.
        """
        start = max(plan.first_source_frame, self.before)
        end = min(plan.first_source_frame + plan.frame_count, self.before + self.frame_count)
        if start >= end:
            return None
        shift = start - plan.first_source_frame
        hidden = tuple(
            Hidden(max(item.first - shift, 0), min(item.last - shift, end - start - 1), item.box_xywh)
            for item in plan.hidden
            if item.last >= shift and item.first < shift + end - start
        )
        own = replace(plan, first_source_frame=start - self.before + self.first, frame_count=end - start, hidden=hidden)
        return shift, replace(own, ticks=plan.ticks[shift : shift + end - start])


def files_of(
    paths: Sequence[tuple[Path, str]],
    probes: Sequence[Probe],
    structures: Sequence[Structure],
    firsts: Sequence[int],
    view: View | None = None,
) -> tuple[SourceFile, ...]:
    """Return the files of a recording in order.

    Parameters
    ----------
    paths
        Where each lies, and what the curator calls it.
    firsts
        The first frame of each that counts.
    view
        The part of their pictures that is released.
    """
    files: list[SourceFile] = []
    before = 0
    for (path, name), probe, structure, first in zip(paths, probes, structures, firsts, strict=True):
        files.append(SourceFile(path, name, probe, structure, first, before, view))
        before += files[-1].frame_count
    return tuple(files)
