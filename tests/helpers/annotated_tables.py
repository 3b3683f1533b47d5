"""The tables of one released recording that the stage annotations reads."""

from fractions import Fraction

from scrubin.base.tables import io
from scrubin.base.tables.private import CUTS, HIDDEN, RECORDINGS
from scrubin.base.tables.public import FRAMES, VIDEOS

MADE = {}


def tables_of(**changes):
    """The five tables of `made`, each made once: nobody changes them."""
    key = repr(sorted(changes.items()))
    if key not in MADE:
        MADE[key] = made(**changes)
    return MADE[key]


def made(*, seconds=10, source_s=20, offset_s=Fraction(0), fps=25, cameras=("mono",), recording="case one", id_="mabolu", hidden=()):
    """The five tables of one recording, cut to [offset_s, offset_s + seconds) of a source of source_s seconds."""
    cuts, videos, frames, recordings = [], [], [], []
    for camera in cameras:
        key = {"recording": recording, "camera": camera}
        cuts.append(
            {
                **key,
                "id": id_,
                "offset_s": str(offset_s),
                "first_source_frame": int(offset_s * fps),
                "frame_count": seconds * fps,
                "source_width": 320,
                "source_height": 240,
                "mode": "smart",
                "copied_frames": 0,
                "left_behind": None,
                "why": None,
            }
        )
        size = {"width": 320, "height": 240, "fps": str(fps), "variable_rate": False}
        shared = {"task": "Cholecystectomy", "path": "v.mp4", "sha256": "0" * 64}
        released = {"frame_count": seconds * fps, "duration_s": float(seconds)}
        videos.append({"id": id_, "camera": camera, **size, **shared, **released})
        quality = dict.fromkeys(("sharpness", "brightness", "contrast", "saturated_share", "difference"), 0.5)
        for k in range(seconds):
            row = {"id": id_, "camera": camera, "frame": k, "source_frame": k * fps, "time_s": float(k)}
            row |= {"width": 96, "height": 64, "redacted": k == 1, "dropped": False, "dropped_why": None}
            frames.append({**row, "path": f"{k:06d}.jpg", **quality, "perceptual_hash": "0" * 16})
        source = {"frame_count": source_s * fps, "duration_s": float(source_s), "has_audio": False, "rotation_deg": 0}
        kept = {"participant": "p", "start_s": 0.0, "end_s": 1.0, "status": "kept", "container": "mp4", "codec": "h264"}
        recordings.append({**key, **size, **shared, **source, **kept, **dict.fromkeys(("trial", "site", "reason", "mend"))})
    hidden = [{"id": id_, "camera": "mono", **dict.fromkeys("xywh"), **row} for row in hidden]
    declared = ((RECORDINGS, recordings), (CUTS, cuts), (VIDEOS, videos), (FRAMES, frames), (HIDDEN, hidden))
    return [io.frame_of(table, rows) for table, rows in declared]
