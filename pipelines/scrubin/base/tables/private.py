"""Tables that never leave a project."""

from __future__ import annotations

import pandas as pd

from scrubin.base.errors import RecordingError
from scrubin.base.tables import Column, Table
from scrubin.base.tables.public import CAMERA, ID, TASK, VIDEOS

RECORDING = Column("recording", "str", "", "the curator's name of the recording")
KINDS = ("out_of_body", "black", "frozen", "text", "other")
DETECTORS = ("scene", "unknown_scene", "inset", "appearance", "face", "black", "frozen", "text", "header", "onnx", "seam")
_SEEN = (
    Column("faces", "int64", "", "most faces seen in one of its frames", null="not looked for", between=(0, None)),
    Column("text", "str", "", "what was read there", null="no text", between=None),
)


def _sides(of: str, *, null: str, at: str | None = None) -> tuple[Column, ...]:
    """Return the columns of a rectangle in px; ``at`` is what it is called where its edges are told, if otherwise."""
    told = {"x": f"left edge of {at or of}", "y": f"top edge of {at or of}", "w": f"width of {of}", "h": f"height of {of}"}
    return tuple(Column(name, "int64", "px", says, null=null, between=(int(name in "wh"), None)) for name, says in told.items())


RECORDINGS = Table(
    "recordings",
    "every video file named in the manifest, what it holds, and whether it is kept",
    private=True,
    key=("recording", "camera"),
    columns=(
        RECORDING,
        Column("participant", "str", "", "who performed; for a procedure, the patient"),
        Column("trial", "str", "", "which session of the participant", null="not a training recording"),
        Column("site", "str", "", "where it was recorded", null="not stated"),
        TASK,
        CAMERA,
        Column("path", "str", "", "file, relative to the raw folder"),
        Column("sha256", "str", "", "SHA-256 of the file", null="the file cannot be read"),
        Column("container", "str", "", "container format", null="not a video"),
        Column("codec", "str", "", "video codec", null="not a video"),
        Column("width", "int64", "px", "width as displayed", null="not a video", between=(1, None)),
        Column("height", "int64", "px", "height as displayed", null="not a video", between=(1, None)),
        Column("rotation_deg", "int64", "degree", "clockwise rotation that players apply", null="not a video"),
        Column("fps", "str", "1/s", "frame rate as an exact fraction such as 30000/1001", null="not a video"),
        Column("variable_rate", "bool", "", "whether the time between frames varies", null="not a video"),
        Column("frame_count", "int64", "frames", "frames that have a time", null="not a video", between=(1, None)),
        Column("duration_s", "float64", "s", "from the first frame to the end of the last", null="not a video", between=(0, None)),
        Column("has_audio", "bool", "", "whether there is an audio stream", null="not a video"),
        Column("start_s", "float64", "s", "first kept instant, from the first frame", null="not usable", between=(0, None)),
        Column("end_s", "float64", "s", "first instant no longer kept", null="not usable", between=(0, None)),
        Column("status", "str", "", "what happens to it", values=("kept", "excluded", "quarantined")),
        Column("reason", "str", "", "why it is not kept, or what was changed", null="kept as it is"),
        Column("mend", "str", "", "what the curator can do", null="nothing to do"),
    ),
)


def every_file(recordings: pd.DataFrame, parts: pd.DataFrame) -> pd.DataFrame:
    """Return the table `recordings` with a row for each file: every name of a raw file is private.

    Parameters
    ----------
    recordings, parts
        The tables of these names.
    """
    later = parts.loc[parts["part"] > 1, ["recording", "camera", "path"]]
    rows = recordings.drop(columns="path").merge(later, on=["recording", "camera"])
    return pd.concat([recordings, rows[recordings.columns]], ignore_index=True) if len(rows) else recordings


PEOPLE = Table(
    "people",
    "of `recordings`, what scores and splits read: another file of the same recording changes nothing here",
    private=True,
    key=("recording", "camera"),
    columns=RECORDINGS.only("recording", "camera", "participant", "trial", "site", "task"),
)

PARTS = Table(
    "parts",
    "every readable file of every recording, in order, what of it stands in the file before as well, and what is missing before it",
    private=True,
    key=("recording", "camera", "part"),
    columns=(
        RECORDING,
        CAMERA,
        Column("part", "int64", "", "which file of this camera it is, from 1", between=(1, None)),
        Column("path", "str", "", "file, relative to the raw folder"),
        Column("sha256", "str", "", "SHA-256 of the file"),
        Column(
            "first_frame", "int64", "frames", "its frames before this one end the part before, too, and are left out", between=(0, None)
        ),
        Column("frame_count", "int64", "frames", "its frames that count", between=(1, None)),
        Column("start_s", "str", "s", "when its first frame that counts is shown, from that of the recording, an exact fraction"),
        *_sides("this camera's view", null="the whole picture", at="this camera's view in the picture"),
        Column("gap_s", "str", "s", "how much is missing between the part before and it, an exact fraction"),
        Column("doubt", "str", "", "what speaks against that it stands here as it is", null="nothing", between=None),
        Column("doubtful_first", "int64", "frames", "first frame of the recording that is doubtful", null="none", between=(0, None)),
        Column("doubtful_last", "int64", "frames", "last frame of the recording that is doubtful", null="none", between=(0, None)),
    ),
)

LINKAGE = Table(
    "linkage",
    "the only place that ties released ids to recordings",
    private=True,
    key=("recording",),
    columns=(
        RECORDING,
        ID,
        Column(
            "draw",
            "int64",
            "",
            "keyed uniform number, 0 to 2^63 - 1: decides how much of the end is trimmed",
            between=(0, None),
        ),
    ),
)

QUARANTINE = Table(
    "quarantine",
    "what went wrong with which file, and how to mend it",
    private=True,
    key=("recording", "camera", "stage", "path", "reason"),
    columns=(
        RECORDING,
        Column("camera", "str", "", "left or right of a stereo pair, or mono; empty where the manifest does not tell"),
        Column("stage", "str", "", "the stage that could not use it"),
        Column("path", "str", "", "file, or place in the manifest"),
        Column("reason", "str", "", "what is wrong"),
        Column("mend", "str", "", "what the curator can do"),
    ),
)


def quarantine_row(recording: str, camera: str, stage: str, error: RecordingError) -> dict[str, str]:
    """Return the row that an error gives."""
    return {
        "recording": recording,
        "camera": camera,
        "stage": stage,
        "path": error.where,
        "reason": error.reason,
        "mend": error.fix,
    }


def of_recordings(quarantine: pd.DataFrame) -> pd.DataFrame:
    """Return the rows about recordings: a file that no row of the manifest names is called by its own path, and is none."""
    return quarantine[quarantine["recording"] != quarantine["path"]]


PROPOSALS = Table(
    "proposals",
    "what the detectors propose to hide, in source time from the first frame",
    private=True,
    key=("recording", "camera", "start_s", "end_s", "kind", "source", "x", "y", "w", "h"),
    columns=(
        RECORDING,
        CAMERA,
        Column("kind", "str", "", "what it is", values=KINDS),
        Column("first_frame", "int64", "frames", "first proposed frame of the source", between=(0, None)),
        Column("last_frame", "int64", "frames", "last proposed frame of the source", between=(0, None)),
        Column("start_s", "float64", "s", "first proposed instant, from the first frame", between=(0, None)),
        Column("end_s", "float64", "s", "first instant no longer proposed", between=(0, None)),
        *_sides("the proposed rectangle", null="the whole frame"),
        Column("score", "float64", "", "how sure the detector is", between=(0, 1)),
        *_SEEN,
        Column("source", "str", "", "which detector", values=DETECTORS),
        Column("detectors", "str", "", "version of all detectors and their limits"),
    ),
)

REDACTIONS = Table(
    "redactions",
    "what was proposed or decided to be hidden, in source time from the first frame",
    private=True,
    key=("recording", "camera", "start_s", "end_s", "kind", "source", "x", "y", "w", "h"),
    columns=(
        RECORDING,
        CAMERA,
        Column("kind", "str", "", "what it is", values=KINDS),
        Column("start_s", "float64", "s", "first hidden instant, from the first frame", between=(0, None)),
        Column("end_s", "float64", "s", "first instant no longer hidden", between=(0, None)),
        *_sides("the hidden rectangle", null="the whole frame"),
        Column("score", "float64", "", "how sure the detector is", null="proposed by a person", between=(0, 1)),
        *_SEEN,
        Column(
            "source",
            "str",
            "",
            "who proposed it; pair: it is hidden in the other camera; sheet: redactions.csv, not imported",
            values=(*DETECTORS, "curator", "pair", "gap", "sheet"),
        ),
        Column("decision", "str", "", "what people decided about it", values=("accepted", "rejected", "unreviewed")),
        Column("accepted", "bool", "", "whether it is hidden in the release"),
    ),
)

STOPS = Table(
    "stops",
    "stills that a person must look at by themselves, at full size, beside one of every second",
    private=True,
    key=("recording", "camera", "frame"),
    columns=(
        RECORDING,
        CAMERA,
        Column("frame", "int64", "frames", "number of the frame in the source", between=(0, None)),
        Column("time_s", "float64", "s", "when it appears, from the first frame", between=(0, None)),
        Column(
            "kind",
            "str",
            "",
            "jump: between two jumps of the picture less than a second apart; scene: for a scene, or five minutes of one",
            values=("jump", "scene"),
        ),
    ),
)

CUTS = Table(
    "cuts",
    "per rendered video: released time 0 is source time offset_s, and so on exactly",
    private=True,
    key=("recording", "camera"),
    columns=(
        RECORDING,
        CAMERA,
        ID,
        Column("offset_s", "str", "s", "source time of the first released frame, an exact fraction, from the first source frame"),
        Column("first_source_frame", "int64", "frames", "source number of the first released frame", between=(0, None)),
        Column("frame_count", "int64", "frames", "number of released frames", between=(1, None)),
        Column("source_width", "int64", "px", "width of the source as displayed", between=(1, None)),
        Column("source_height", "int64", "px", "height of the source as displayed", between=(1, None)),
        Column("mode", "str", "", "smart: only touched groups of pictures were encoded again; reencode: all", values=("smart", "reencode")),
        Column("copied_frames", "int64", "frames", "number of released frames that were copied bit for bit", between=(0, None)),
        Column("left_behind", "str", "", "elements of the source's DICOM header by group, such as 0010:12 0018:30", null="it has none"),
        Column("why", "str", "", "why nothing was copied", null="something was copied"),
    ),
)

HIDDEN = Table(
    "hidden",
    "spans and rectangles that are black in a released video, in its own frame numbers",
    private=True,
    key=("id", "camera", "first_frame", "last_frame", "x", "y", "w", "h"),
    columns=(
        ID,
        CAMERA,
        Column("first_frame", "int64", "frames", "first hidden frame of the released video", between=(0, None)),
        Column("last_frame", "int64", "frames", "last hidden frame of the released video", between=(0, None)),
        *_sides("the hidden rectangle", null="the whole frame"),
    ),
)

LENGTHS = Table(
    "lengths",
    "of `videos`, what scores and splits read: another pixel of the same video changes nothing here",
    private=True,
    key=("id", "camera"),
    columns=VIDEOS.only("id", "task", "camera", "frame_count", "duration_s"),
)

RIGS = Table(
    "rigs",
    "stereo rigs of the released recordings",
    private=True,
    key=("rig",),
    columns=(
        Column("rig", "str", "", "the curator's name of the rig"),
        Column("calibration", "str", "", "the released calibration, such as rig_1", null="no released recording fits it"),
    ),
)

STEREO = Table(
    "stereo",
    "what both cameras of a released stereo recording say of their calibration, their order and their time",
    private=True,
    key=("id",),
    columns=(
        ID,
        Column("rig", "str", "", "the released calibration, such as rig_1", null="its rig is not known, or its calibration does not fit"),
        Column("matches", "int64", "", "points that both cameras see, in all pairs that were looked at", between=(0, None)),
        Column("offset_px", "float64", "px", "median row of the right picture less that of the left one, rectified", null="not known"),
        Column("p95_px", "float64", "px", "95th percentile of its size", null="not known", between=(0, None)),
        Column("lag_frames", "float64", "frames", "by how much the right camera is behind", null="it cannot be told"),
        Column("lag_error_frames", "float64", "frames", "how well that is known", null="it cannot be told", between=(0, None)),
        Column("depth_mm", "float64", "mm", "median distance of what both see", null="not known", between=(0, None)),
        Column("error", "str", "", "why its pairs are not to be used", null="nothing is wrong"),
        Column("warning", "str", "", "what somebody should look at", null="nothing is odd"),
        Column("undecided", "str", "", "what could not be told, and why", null="all of it was checked"),
    ),
)

PRIVATE_TABLES = (RECORDINGS, PARTS, LINKAGE, PROPOSALS, REDACTIONS, CUTS, HIDDEN, RIGS, STEREO, QUARANTINE)
