"""The recordings of a study as the table ``parts`` lists their files."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

from scrubin.video.source import FilePart, Source
from scrubin.video.view import View


def sources(parts: pd.DataFrame) -> dict[tuple[str, str], Source]:
    """Return the files of every recording and camera.

    Parameters
    ----------
    parts
        The table `parts`.
    """
    files: dict[tuple[str, str], list[FilePart]] = {}
    views: dict[tuple[str, str], View] = {}
    for row in parts.sort_values(["recording", "camera", "part"]).to_dict("records"):
        file = FilePart(row["path"], row["sha256"], int(row["first_frame"]), Fraction(row["gap_s"]))
        key = row["recording"], row["camera"]
        files.setdefault(key, []).append(file)
        if not pd.isna(row["x"]):
            views[key] = View(*(int(row[column]) for column in "xywh"))
    return {key: Source(tuple(members), views.get(key)) for key, members in files.items()}
