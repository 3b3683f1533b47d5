"""Files that are taken for one recording, before it has a name: by camera, each with its parts in order."""

from __future__ import annotations

from dataclasses import dataclass, field

from scrubin.drafting.series import Named, Run

MONO, LEFT, RIGHT = "mono", "left", "right"


@dataclass
class Group:
    """A recording before it has a name: its runs by camera, what is noted of all of its files, and whether no other has such names."""

    cameras: dict[str, Run]
    alone: bool = False
    guesses: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    @property
    def members(self) -> list[Named]:
        """All of its files, by camera and part."""
        return [member for _, run in sorted(self.cameras.items()) for member in run.members]
