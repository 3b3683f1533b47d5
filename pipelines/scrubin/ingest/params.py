"""The section ``ingest`` of ``params.yaml``."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.core.params import ranged

NO_CLOCK, CREATION_TIME, FILE_NAME = "none", "creation_time", "file_name"
TIMECODE, DICOM_TIME = "timecode", "dicom_time"
CLOCKS = (NO_CLOCK, CREATION_TIME, TIMECODE, DICOM_TIME, FILE_NAME)


@dataclass(frozen=True)
class TaskParams:
    """What holds for all recordings of one task.

    Parameters
    ----------
    cameras
        The cameras that each recording must have: left and right, or mono.
    time_limit_s
        Longest kept interval; None for no limit.
    over_limit
        What happens to a longer one: ``exclude`` it, or ``truncate`` it at the limit.
    """

    cameras: tuple[str, ...] = ranged(choices=("left", "right", "mono"))
    time_limit_s: float | None = ranged(low=0.001)
    over_limit: str = ranged(choices=("exclude", "truncate"))


@dataclass(frozen=True)
class ClockParams:
    """What says when each file of a recording of several files began; the column ``clock`` of the list says otherwise for one recording.

    Parameters
    ----------
    format
        Of a time in a name, as `datetime.strptime` takes it.
    source
        ``none``: files follow each other without a gap. ``creation_time``: the tag of the container. ``timecode``: of its timecode
        track. ``dicom_time``: of the DICOM header. ``file_name``: a time in its name.
    """

    format: str
    source: str = ranged(choices=CLOCKS)


@dataclass(frozen=True)
class IngestParams:
    """Tasks by name, the clock of files that are joined, and how much the cameras of a pair may differ in length."""

    tasks: dict[str, TaskParams]
    clock: ClockParams
    stereo_tolerance_s: float = ranged(low=0, high=10)
