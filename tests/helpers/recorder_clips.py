"""Short films in the containers and codecs that recorders write, and what becomes of each: the table of `docs/containers.md`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clips import ffmpeg

COPIED, ENCODED, REFUSED = "copied", "encoded", "refused"
SOUND = ("-f", "lavfi", "-i", "sine=frequency=440:duration=2.4")
X264 = ("-c:v", "libx264", "-preset", "veryfast", "-g", "12", "-pix_fmt", "yuv420p")
X265 = ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=0:keyint=12:bframes=2")
FIELDS = ("-flags", "+ilme+ildct")
BARE = "its container {} states no presentation times"
OTHER = "its codec is {}, only H.264 is copied"
PIXELS = "its pixels are {}, only 8-bit 4:2:0 is copied"
TOUCHED = "every group of pictures is touched"
INTERLACED = "it is, or may be, interlaced"


@dataclass(frozen=True)
class Case:
    """One kind of file.

    Parameters
    ----------
    kind
        Container and codec, as a table shows them.
    who
        Which recorders write it.
    make
        Makes one below a folder.
    verdict
        What the pipeline does with it.
    why
        The library's reason; "" where it is copied.
    interlaced
        Whether a frame holds two pictures.
    """

    kind: str
    who: str
    make: Callable[[Path], Path]
    verdict: str
    why: str = ""
    interlaced: bool = False


def film(
    name: str, *more: object, size: str = "176x144", rate: str = "25", sound: tuple[object, ...] = ("-c:a", "aac"), weave: str = ""
) -> Callable[[Path], Path]:
    """A moving picture with sound."""

    def make(folder: Path) -> Path:
        picture = ("-f", "lavfi", "-i", f"testsrc2=size={size}:rate={rate}:duration=2.4{weave}")
        maps = ("-map", 0, "-map", 1) if sound else ("-map", 0)
        ffmpeg(*picture, *SOUND, *maps, "-shortest", *sound, *more, folder / name)
        return folder / name

    return make


def woven(name: str, *more: object, size: str = "176x144", sound: tuple[object, ...] = ("-c:a", "mp2")) -> Callable[[Path], Path]:
    """The same with two pictures in each frame, as interlaced recorders weave them."""
    return film(name, *more, size=size, rate="50", sound=sound, weave=",tinterlace=interleave_top,fieldorder=tff")


def unfinished(folder: Path) -> Path:
    path = film("a.mp4", *X264)(folder)
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"moov") - 4])
    return path


def edited(folder: Path) -> Path:
    """The first frames are hidden by an edit list, and a timecode track counts from one o'clock."""
    whole = film("whole.mov", *X264, "-timecode", "01:00:00:00")(folder)
    ffmpeg("-ss", "0.3", "-i", whole, "-map", "0", "-c", "copy", folder / "edited.mov")
    return folder / "edited.mov"


def varying(folder: Path) -> Path:
    """Frames are there only where the screen changed."""
    picture = ("-f", "lavfi", "-i", "testsrc2=size=176x144:rate=25:duration=4,select='gt(mod(n\\,5)\\,1)'")
    ffmpeg(*picture, *X264, "-fps_mode", "passthrough", folder / "varying.mp4")
    return folder / "varying.mp4"


def rotated(folder: Path) -> Path:
    upright = film("upright.mp4", *X264)(folder)
    ffmpeg("-display_rotation", -90, "-i", upright, "-c", "copy", folder / "rotated.mp4")
    return folder / "rotated.mp4"


def resized(folder: Path) -> Path:
    """Somebody pressed a button: from the middle on the picture has another size."""
    names = [film("first.ts", *X264, sound=())(folder).name, film("second.ts", *X264, size="128x96", sound=())(folder).name]
    (folder / "both.txt").write_text("".join(f"file {name}\n" for name in names))
    ffmpeg("-f", "concat", "-i", folder / "both.txt", "-c", "copy", folder / "resized.ts")
    return folder / "resized.ts"


def two_views(folder: Path) -> Path:
    one = film("one.mp4", *X264)(folder)
    ffmpeg("-i", one, "-i", one, "-map", "0:v", "-map", "1:v", "-c", "copy", folder / "two.mkv")
    return folder / "two.mkv"


def sound_only(folder: Path) -> Path:
    ffmpeg(*SOUND, "-c:a", "aac", folder / "sound.m4a")
    return folder / "sound.m4a"


def cut_off(folder: Path) -> Path:
    path = film("a.mkv", *X264)(folder)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return path


CASES = (
    Case("MP4, H.264", "most recorders, cameras, phones", film("a.mp4", *X264), COPIED),
    Case(
        "MP4, H.264, open groups of pictures",
        "recorders, exports of editors",
        film("a.mp4", *X264, "-x264-params", "open-gop=1:bframes=3"),
        ENCODED,
        TOUCHED,
    ),
    Case("MP4, H.264, full range", "phones, webcams", film("a.mp4", *X264, "-pix_fmt", "yuvj420p"), COPIED),
    Case("MP4, fragmented, H.264", "recorders that may lose power", film("a.mp4", *X264, "-movflags", "+frag_keyframe+empty_moov"), COPIED),
    Case(
        "MP4, without its index (`moov`)",
        "a recorder that lost power",
        unfinished,
        REFUSED,
        "it is unfinished: its index (moov) is missing",
    ),
    Case("MP4, H.264, variable rate", "screen captures, phones", varying, COPIED),
    Case("MP4, H.264, turned by 90 degrees", "phones", rotated, ENCODED, "players rotate it by 90 degrees"),
    Case("MOV, H.264, edit list, timecode track", "cameras, exports of editors", edited, COPIED),
    Case("MKV, H.264", "OBS and other captures", film("a.mkv", *X264), COPIED),
    Case("MKV, cut off", "a copy that did not end", cut_off, REFUSED, "it is truncated"),
    Case("FLV, H.264", "streaming servers", film("a.flv", *X264), COPIED),
    Case("MPEG-TS, H.264", "recorders of operating rooms", film("a.ts", *X264), COPIED),
    Case("M2TS (AVCHD), H.264", "camcorders", film("a.m2ts", *X264, sound=("-c:a", "ac3")), COPIED),
    Case(
        "MTS (AVCHD), H.264, interlaced",
        "camcorders",
        woven("a.mts", *X264, *FIELDS, "-x264-params", "tff=1", "-mpegts_m2ts_mode", 1),
        ENCODED,
        INTERLACED,
        True,
    ),
    Case("MPEG-TS, H.264, size changes", "a recorder whose input was switched", resized, REFUSED, "its picture changes size"),
    Case(
        "MPEG-TS, MPEG-2",
        "recorders, tuners",
        film("a.ts", "-c:v", "mpeg2video", "-g", 12, "-bf", 2, "-q:v", 3),
        ENCODED,
        OTHER.format("mpeg2video"),
    ),
    Case(
        "MPEG-TS, MPEG-2, interlaced",
        "recorders",
        woven("a.ts", "-c:v", "mpeg2video", "-q:v", 3, *FIELDS),
        ENCODED,
        OTHER.format("mpeg2video"),
        True,
    ),
    Case(
        "MPEG-2 PS, MPEG-2",
        "endoscopy towers",
        film("a.mpg", "-c:v", "mpeg2video", "-g", 12, "-bf", 2, "-q:v", 3, sound=("-c:a", "mp2")),
        ENCODED,
        BARE.format("mpeg"),
    ),
    Case(
        "VOB, MPEG-2, interlaced",
        "DVD recorders",
        woven("a.vob", "-f", "vob", "-c:v", "mpeg2video", "-q:v", 3, *FIELDS, size="720x576", sound=("-c:a", "ac3")),
        ENCODED,
        BARE.format("mpeg"),
        True,
    ),
    Case(
        "MPEG-1",
        "old recorders, VCD",
        film("a.mpg", "-f", "mpeg", "-c:v", "mpeg1video", "-q:v", 3, sound=("-c:a", "mp2")),
        ENCODED,
        BARE.format("mpeg"),
    ),
    Case(
        "MXF, MPEG-2 4:2:2",
        "professional cameras",
        film("a.mxf", "-c:v", "mpeg2video", "-pix_fmt", "yuv422p", "-q:v", 3, sound=("-c:a", "pcm_s16le", "-ar", 48000)),
        ENCODED,
        BARE.format("mxf"),
    ),
    Case(
        "MXF, DNxHD",
        "editing",
        film("a.mxf", "-c:v", "dnxhd", "-b:v", "36M", "-pix_fmt", "yuv422p", size="1920x1080", sound=("-c:a", "pcm_s16le", "-ar", 48000)),
        ENCODED,
        BARE.format("mxf"),
    ),
    Case(
        "AVI, DV (PAL, interlaced)",
        "DV recorders",
        woven("a.avi", "-c:v", "dvvideo", "-pix_fmt", "yuv420p", size="720x576", sound=("-c:a", "pcm_s16le", "-ar", 48000)),
        ENCODED,
        BARE.format("avi"),
        True,
    ),
    Case(
        "DV (raw, PAL, interlaced)",
        "DV recorders",
        woven("a.dv", "-c:v", "dvvideo", "-pix_fmt", "yuv420p", size="720x576", sound=("-c:a", "pcm_s16le", "-ar", 48000, "-ac", 2)),
        ENCODED,
        BARE.format("dv"),
        True,
    ),
    Case(
        "AVI, MJPEG",
        "capture cards, microscopes",
        film("a.avi", "-c:v", "mjpeg", "-q:v", 3, "-pix_fmt", "yuvj420p", sound=("-c:a", "pcm_s16le")),
        ENCODED,
        BARE.format("avi"),
    ),
    Case(
        "AVI, MPEG-4 part 2 (DivX, Xvid)",
        "older recorders",
        film("a.avi", "-c:v", "mpeg4", "-q:v", 3, "-bf", 2, sound=("-c:a", "mp2")),
        ENCODED,
        BARE.format("avi"),
    ),
    Case("AVI, H.264", "capture cards", film("a.avi", *X264, sound=("-c:a", "mp2")), ENCODED, BARE.format("avi")),
    Case(
        "AVI, without compression",
        "microscopes, laboratories",
        film("a.avi", "-c:v", "rawvideo", "-pix_fmt", "yuv420p", sound=("-c:a", "pcm_s16le")),
        ENCODED,
        BARE.format("avi"),
    ),
    Case(
        "WMV, Windows Media Video 8",
        "Windows capture programs",
        film("a.wmv", "-c:v", "wmv2", "-q:v", 3, sound=("-c:a", "wmav1")),
        ENCODED,
        BARE.format("asf"),
    ),
    Case("MP4, HEVC", "newer recorders, phones", film("a.mp4", *X265, "-pix_fmt", "yuv420p"), ENCODED, OTHER.format("hevc")),
    Case("MP4, HEVC, 10 bit", "4K towers, phones with HDR", film("a.mp4", *X265, "-pix_fmt", "yuv420p10le"), ENCODED, OTHER.format("hevc")),
    Case("MPEG-TS, HEVC", "newer recorders", film("a.ts", *X265, "-pix_fmt", "yuv420p"), ENCODED, OTHER.format("hevc")),
    Case("MP4, H.264, 10 bit", "cameras", film("a.mp4", *X264, "-pix_fmt", "yuv420p10le"), ENCODED, PIXELS.format("yuv420p10le")),
    Case("MP4, H.264, 4:2:2", "professional cameras", film("a.mp4", *X264, "-pix_fmt", "yuv422p"), ENCODED, PIXELS.format("yuv422p")),
    Case("MP4, H.264, 4:4:4", "screen captures", film("a.mp4", *X264, "-pix_fmt", "yuv444p"), ENCODED, PIXELS.format("yuv444p")),
    Case(
        "WebM, VP9",
        "browsers",
        film(
            "a.webm",
            "-c:v",
            "libvpx-vp9",
            "-deadline",
            "realtime",
            "-cpu-used",
            8,
            "-crf",
            20,
            "-b:v",
            0,
            "-pix_fmt",
            "yuv420p",
            sound=("-c:a", "libopus"),
        ),
        ENCODED,
        OTHER.format("vp9"),
    ),
    Case(
        "WebM, VP8",
        "browsers",
        film("a.webm", "-c:v", "libvpx", "-deadline", "realtime", "-b:v", "2M", "-pix_fmt", "yuv420p", sound=("-c:a", "libopus")),
        ENCODED,
        OTHER.format("vp8"),
    ),
    Case(
        "MP4, AV1",
        "newer captures",
        film("a.mp4", "-c:v", "libsvtav1", "-preset", 12, "-crf", 20, "-pix_fmt", "yuv420p"),
        ENCODED,
        OTHER.format("libdav1d"),
    ),
    Case(
        "MOV, ProRes 4:2:2, 10 bit",
        "cameras, editing",
        film("a.mov", "-c:v", "prores_ks", "-pix_fmt", "yuv422p10le", sound=("-c:a", "pcm_s16le")),
        ENCODED,
        OTHER.format("prores"),
    ),
    Case(
        "MOV, MJPEG",
        "older cameras",
        film("a.mov", "-c:v", "mjpeg", "-q:v", 3, "-pix_fmt", "yuvj420p", sound=("-c:a", "pcm_s16le")),
        ENCODED,
        OTHER.format("mjpeg"),
    ),
    Case(
        "MKV, FFV1", "archives", film("a.mkv", "-c:v", "ffv1", "-pix_fmt", "yuv420p", sound=("-c:a", "flac")), ENCODED, OTHER.format("ffv1")
    ),
    Case(
        "OGV, Theora",
        "free programs",
        film("a.ogv", "-c:v", "libtheora", "-q:v", 9, "-pix_fmt", "yuv420p", sound=("-c:a", "libvorbis")),
        ENCODED,
        BARE.format("ogg"),
    ),
    Case("3GP, MPEG-4 part 2", "older phones", film("a.3gp", "-c:v", "mpeg4", "-q:v", 3), ENCODED, OTHER.format("mpeg4")),
    Case(
        "H.264 without a container",
        "exports of servers",
        film("a.h264", *X264, sound=()),
        REFUSED,
        "it is a bare stream, which has no times",
    ),
    Case("two views in one file", "recorders with two inputs", two_views, REFUSED, "it has 2 video streams"),
    Case("sound alone", "microphones", sound_only, REFUSED, "it has no video stream"),
)
