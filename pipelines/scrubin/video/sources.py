"""The recordings of a study as the table ``parts`` lists their files."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

from scrubin.video.source import FilePart, Source


def sources(parts: pd.DataFrame) -> dict[tuple[str, str], Source]:
    """Return the files of every recording and camera.

    Parameters
    ----------
    parts
        The table `parts`.
    """
    files: dict[tuple[str, str], list[FilePart]] = {}
    for row in parts.sort_values(["recording", "camera", "part"]).to_dict("records"):
        file = FilePart(row["path"], row["sha256"], int(row["first_frame"]), Fraction(row["gap_s"]))
        files.setdefault((row["recording"], row["camera"]), []).append(file)
    return {key: Source(tuple(members)) for key, members in files.items()}
