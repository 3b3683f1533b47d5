"""What a recorded file holds, told: a video as plain values, a DICOM object in lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrubin.media.crops import refuse_cropped
from scrubin.media.probe import probe
from scrubin.media.structure import structure


def video(path: Path, name: str) -> dict[str, Any]:
    """Return what a video file holds as plain values; rates are exact fractions.

    Raises
    ------
    VideoError
        When it cannot be used.
    """
    probed, groups = probe(path, name), structure(path, name)
    refuse_cropped(path, name, probed)
    lengths = [group.end - group.first for group in groups.groups]
    doubts = [group.unsure for group in groups.groups if group.unsure]
    return {
        "video": name,
        "container": probed.container,
        "codec": probed.codec,
        "pixel_format": probed.pixel_format,
        "full_range": probed.full_range,
        "width": probed.width,
        "height": probed.height,
        "rotation_deg": probed.rotation_deg,
        "fps": str(probed.fps),
        "variable_rate": probed.variable_rate,
        "frame_count": probed.frame_count,
        "duration_s": float(probed.end_s),
        "has_audio": probed.has_audio,
        "groups_of_pictures": len(lengths),
        "longest_group": max(lengths, default=None),
        "copyable": not groups.unsure,
        "why_not_copyable": groups.unsure or "; ".join(dict.fromkeys(doubts)),
        "groups_not_copyable": len(doubts),
    }


def dicom_lines(path: Path, name: str) -> Iterator[str]:
    """Yield what a file is made of; no value of an element but those that the picture needs."""
    # A video is described without pydicom, which is of another extra.
    from scrubin.media.containers import dicom_header
    from scrubin.media.containers.dicom_recording import stream_of

    header = stream_of(path).header
    probed = probe(path, name)
    rate = "varying, on average " if probed.variable_rate else ""
    yield name
    count = len(header.fragments)
    yield f"  transfer syntax    {header.syntax.name}, {count} fragment{'' if count == 1 else 's'}"
    yield f"  stream             {probed.codec}, {'raw, timed by the header' if stream_of(path).head else probed.container}"
    yield f"  picture            {probed.width}x{probed.height}, {probed.pixel_format}"
    yield f"  frames             {probed.frame_count}, {rate}{probed.fps} a second, {float(probed.end_s):.3f} s"
    yield f"  sound              {'yes, it stays behind' if probed.has_audio else 'no'}"
    for sentence in stream_of(path).told:
        yield f"  contradiction      {sentence}"
    for hint, value in header.hints:
        yield f"  {hint:<27} {value if value in ('YES', 'NO') else 'neither YES nor NO'}"
    yield f"  header             {dicom_header.sentence(header.counts)}; all stay behind"
    for group, count in header.counts.items():
        kind = "private" if dicom_header.is_private(group) else dicom_header.GROUPS.get(group, "")
        yield f"    {group}  {count:>5}  {kind}".rstrip()
