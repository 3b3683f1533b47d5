"""The re-identification note: recordings whose length alone could link them to another log.

A hospital's log or a recorder's folder holds lengths too. A recording whose number of frames no
other of its task has is found there at once. A log to the second, or a random trim at the end,
leaves a window of lengths, and the recordings in it are the group among which one hides
(k-anonymity, Sweeney 2002, https://doi.org/10.1142/S0218488502001648, with the length as
quasi-identifier). The smallest such group tells how well the worst of them hides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

WINDOWS_S = (1.0, 10.0, 60.0)
# A frame ends up to one frame after the instant at which its recording was cut.
SLACK_S = 0.1
NOTE = (
    "unique_to_the_frame: recordings whose number of frames no other of their task has; a log that holds it names them. "
    "smallest_group_within_s: for the recording that is worst off, how many of its task are as long as it to within so many seconds, "
    "itself included; no trim of up to so many seconds can hide it among more. "
    "render.duration_jitter_s = n trims 0 to n s at the end, by a keyed draw. smallest_group_in_a_log: for the recording that is worst "
    "off, how many released lengths fit the untrimmed length in a log, which is up to n s longer. Trimming only shortens, so the "
    "longest and shortest gain least, and recordings that were cut at a time limit lose their common length"
)


def note(videos: pd.DataFrame, kept_s: Mapping[str, float], jitter_s: float) -> dict[str, Any]:
    """Return the note as a JSON value: by task, and of all recordings together.

    Parameters
    ----------
    videos
        The table ``videos``; cameras of one recording share their length, so a recording counts once.
    kept_s
        Length of each recording's kept interval before it was trimmed, in seconds, by id.
    jitter_s
        By up to how many seconds recordings were trimmed; 0: not at all.
    """
    tasks = {str(task): _task(rows.drop_duplicates("id"), kept_s, jitter_s) for task, rows in videos.groupby("task", sort=True)}
    return {
        "recordings": sum(task["recordings"] for task in tasks.values()),
        "unique_to_the_frame": sum(task["unique_to_the_frame"] for task in tasks.values()),
        "duration_jitter_s": jitter_s,
        "tasks": tasks,
        "note": NOTE,
    }


def sentence(stated: Mapping[str, Any]) -> str:
    """Return the note in one sentence.

    >>> sentence({"recordings": 9, "unique_to_the_frame": 2, "duration_jitter_s": 0.0, "tasks": {}}).partition(":")[0]
    '2 of 9 recordings have a number of frames that no other of their task has'
    """
    jitter_s = stated["duration_jitter_s"]
    worst = min((task["smallest_group_in_a_log"] for task in stated["tasks"].values()), default=0)
    state = f"is {jitter_s:g}, which leaves groups of {worst} or more" if jitter_s else "is off"
    return (
        f"{stated['unique_to_the_frame']} of {stated['recordings']} recordings have a number of frames that no other of their task has: "
        f"a log with such a length names them; render.duration_jitter_s {state}"
    )


def smallest_group(lengths_s: npt.NDArray[np.float64], low_s: npt.NDArray[np.float64], high_s: npt.NDArray[np.float64]) -> int:
    """Return the fewest lengths in any of the windows, both ends included; 0 without windows.

    Parameters
    ----------
    lengths_s
        Shape (n,), in seconds.
    low_s, high_s
        Shape (m,): where each window starts and ends.

    >>> lengths_s = np.array([10.0, 10.5, 30.0])
    >>> smallest_group(lengths_s, lengths_s - 1, lengths_s + 1), smallest_group(lengths_s[:2], lengths_s[:2] - 1, lengths_s[:2] + 1)
    (1, 2)
    """
    lengths_s = np.sort(lengths_s)
    held = np.searchsorted(lengths_s, high_s, side="right") - np.searchsorted(lengths_s, low_s, side="left")
    return int(held.min(initial=len(lengths_s)))


def _task(one: pd.DataFrame, kept_s: Mapping[str, float], jitter_s: float) -> dict[str, Any]:
    """Return the numbers of one task, from one row per recording."""
    equal = one.groupby(["frame_count", "fps"])["id"].transform("size")
    lengths_s = one["duration_s"].to_numpy(dtype=np.float64)
    windows_s = sorted({*WINDOWS_S, *([jitter_s] if jitter_s else [])})
    logged_s = np.array([kept_s[id_] for id_ in one["id"]])
    in_a_log = smallest_group(lengths_s, logged_s - jitter_s - SLACK_S, logged_s + SLACK_S) if jitter_s else int(equal.min())
    return {
        "recordings": len(one),
        "unique_to_the_frame": int((equal == 1).sum()),
        "smallest_group_in_a_log": in_a_log,
        "smallest_group_within_s": {f"{s:g}": smallest_group(lengths_s, lengths_s - s, lengths_s + s) for s in windows_s},
    }
