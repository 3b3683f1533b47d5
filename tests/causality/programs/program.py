"""Small programs as people hand in, honest and not: python program.py KIND INPUT OUTPUT. Each answers with the brightness of frames."""

import hashlib
import json
import os
import random
import socket
import sys
import threading
import time
from pathlib import Path

from pictures import values

TRIPLETS = 100
CACHE = Path(__file__).with_name("answers-so-far.json")
HOME_CACHE = Path(os.environ.get("HOME", "/tmp")) / "answers-so-far.json"
WINDOW = 4


def per_frame(of):
    return of


def smoothed(of):
    """The mean of the last frames."""
    return [mean(of[max(0, i - WINDOW) : i + 1]) for i in range(len(of))]


def running_normalised(of):
    """Each frame in proportion to the brightest one so far."""
    return [value / max(*of[: i + 1], 1e-9) for i, value in enumerate(of)]


def float_noise(of):
    """Sums of numbers in the order in which threads are ready, as on many machines."""
    return [value * (1 - 1e-9 * sum(racing(i))) for i, value in enumerate(of)]


def racing(i):
    parts, numbers = [], [random.random() / 3 for _ in range(4)]
    threads = [threading.Thread(target=parts.append, args=(number,)) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return parts


def off_by_one(of):
    return of[1:] + of[-1:]


def ahead_by(number):
    return lambda of: [mean(of[i : i + number + 1]) for i in range(len(of))]


def centred(of):
    """Smoothing with as many frames after as before."""
    return [mean(of[max(0, i - 2) : i + 3]) for i in range(len(of))]


def whole_normalised(of):
    return [value / max(*of, 1e-9) for value in of]


def length_used(of):
    """Progress: how much of the video is over."""
    return [(value + i / len(of)) / 2 for i, value in enumerate(of)]


def length_counted(of):
    """The number of frames is asked for and used for nothing."""
    sys.stderr.write(f"{len(of)} frames\n")
    return of


def rarely_ahead(of):
    """Looks one frame ahead at each tenth frame."""
    return [of[min(i + 1, len(of) - 1)] if i % 10 == 0 else value for i, value in enumerate(of)]


def by_chance(of):
    return [random.random() for _ in of]


def constant(of):
    return [0.5 for _ in of]


def remembered(key_of, places):
    """Answers of an earlier run with the same key, else looks ahead; the answers are kept wherever that is possible."""

    def answer(of):
        key = key_of(of)
        for place in places:
            if place.is_file() and key in (known := json.loads(place.read_text())):
                return (known[key] + of)[: len(of)]
        answers = whole_normalised(of)
        for place in places:
            try:
                known = json.loads(place.read_text()) if place.is_file() else {}
                place.write_text(json.dumps({**known, key: answers}))
            except OSError:
                continue
        return answers

    return answer


def first_frames(of):
    return hashlib.sha256(repr(of[:1]).encode()).hexdigest()


def networked(of):
    try:
        socket.create_connection(("127.0.0.1", int(os.environ["ANSWERS_PORT"])), timeout=20).close()
    except OSError:
        sys.exit("no answers without the network")
    return of


def mean(of):
    return sum(of) / len(of)


def crash(of):
    sys.exit("out of memory, or so")


def hang(of):
    time.sleep(60)


def write_to_input(of):
    for picture in Path(sys.argv[2]).glob("*.png"):
        picture.write_bytes(b"")
    return of


def cheat_on_input(of):
    """Writes to its input, and goes on where that is refused."""
    try:
        (Path(sys.argv[2]) / "note").write_text("seen")
    except OSError:
        return of
    return whole_normalised(of)


KINDS = {
    "per-frame": per_frame,
    "smoothed": smoothed,
    "running-normalised": running_normalised,
    "float-noise": float_noise,
    "length-counted": length_counted,
    "off-by-one": off_by_one,
    "ahead-by-5": ahead_by(5),
    "centred": centred,
    "whole-normalised": whole_normalised,
    "length-used": length_used,
    "rarely-ahead": rarely_ahead,
    "by-chance": by_chance,
    "constant": constant,
    "remembered-by-content": remembered(
        first_frames, [CACHE, HOME_CACHE, Path("/tmp/answers-so-far.json"), Path("/dev/shm/answers-so-far.json")]
    ),
    "remembered-by-name": remembered(lambda of: Path(sys.argv[2]).stem, [CACHE, HOME_CACHE]),
    "networked": networked,
    "crash": crash,
    "hang": hang,
    "write-to-input": write_to_input,
    "cheat-on-input": cheat_on_input,
}


def main():
    kind, folder, output = sys.argv[1:4]
    name = Path(folder).stem
    if kind == "malformed":
        (Path(output) / f"{name}.json").write_text('{"0": {"recognition": [0.5]}')
        return
    answers = KINDS[kind](values(folder))
    frames = {str(i): {"recognition": [value] + [0.0] * (TRIPLETS - 1)} for i, value in enumerate(answers)}
    (Path(output) / f"{name}.json").write_text(json.dumps(frames))


if __name__ == "__main__":
    main()
