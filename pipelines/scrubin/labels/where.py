"""One place in a label file: what is wrong there is noted under its file, place and frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scrubin.core.faults import Faults


@dataclass(frozen=True)
class Where:
    """A file, a place in it or a frame.

    Parameters
    ----------
    faults
        What is wrong so far; what is noted here is added.
    file, place, frames
        As of ``Fault``.
    """

    faults: Faults
    file: str
    place: str = ""
    frames: tuple[int, ...] = ()

    def at(self, place: str) -> Where:
        """Return a place of this file, or of this frame."""
        return replace(self, place=place)

    def at_frame(self, frame: int, place: str = "") -> Where:
        """Return a frame of this file, and a place in it."""
        return replace(self, frames=(frame,), place=place)

    def error(self, rule: str, what: str, fix: str) -> None:
        """Note what cannot be used here."""
        self.faults.error(self.file, rule, what, fix, place=self.place, frames=self.frames)

    def deviation(self, rule: str, what: str, fix: str) -> None:
        """Note what is not as the format says here, but clear."""
        self.faults.deviation(self.file, rule, what, fix, place=self.place, frames=self.frames)

    def warning(self, rule: str, what: str, fix: str = "") -> None:
        """Note what is possible here, but looks wrong or is not kept."""
        self.faults.warning(self.file, rule, what, fix, place=self.place, frames=self.frames)
