"""The table ``lengths``: how long each released video is, without anything that changes with its pictures."""

from scrubin.tables.declare import Column, Table
from scrubin.tables.videos import VIDEOS

NAMES = ("id", "task", "camera", "frame_count", "duration_s")


def _columns() -> tuple[Column, ...]:
    by_name = {column.name: column for column in VIDEOS.columns}
    return tuple(by_name[name] for name in NAMES)


LENGTHS = Table(
    "lengths",
    "of `videos`, what scores and splits read: another pixel of the same video changes nothing here",
    private=True,
    key=("id", "camera"),
    columns=_columns(),
)
