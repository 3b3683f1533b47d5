"""The table ``people``: who is in which recording, without anything that changes with a file."""

from scrubin.tables.declare import Column, Table
from scrubin.tables.private.recordings import RECORDINGS

NAMES = ("recording", "camera", "participant", "trial", "site", "task")


def _columns() -> tuple[Column, ...]:
    by_name = {column.name: column for column in RECORDINGS.columns}
    return tuple(by_name[name] for name in NAMES)


PEOPLE = Table(
    "people",
    "of `recordings`, what scores and splits read: another file of the same recording changes nothing here",
    private=True,
    key=("recording", "camera"),
    columns=_columns(),
)
