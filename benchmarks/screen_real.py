"""How well out-of-body spans are found in films of real operations, of sources that the network was not fitted on.

From the repository root:

    .venv/bin/python benchmarks/screen_real.py PICTURES --fold 0 --network FOLD0.onnx --films 2
    .venv/bin/python benchmarks/screen_real.py PICTURES --unseen

PICTURES is the folder of `fit_endoscopy.py`, and FOLD0.onnx a network that this script fitted with
`--hold-back 0`. `--unseen` takes the sources that `endoscopy.json` does not name, and the network
as shipped. Of each source of operations a film is made: a picture a second at 25 fps, with a slow
pan and noise, in H.264. Eight spans of 0.2 to 8 s are cut in, of rooms, people and screens of the
same fold, each picture for 4 to 13 frames. Behind every film stands whether its source was in
training, of the network that is measured and of the one that is shipped, as `endoscopy.json` says.
For every limit of `screen.outside_score` the table says how many spans are found, how many are
hidden to the last frame, how many frames stay visible, and how many seconds are hidden although
they are wanted (the margin of 0.2 s apart). `--bursts` cuts in spans of 1, 2, 5, 10 and 25 frames
instead.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import av
import cv2
import numpy as np

from scrubin.media.decode import boundaries_s
from scrubin.media.networks import endoscopy
from scrubin.media.networks.weights import session
from scrubin.media.probe import probe
from scrubin.stages.screen import all_detectors
from scrubin.stages.screen.detector import DEFAULTS, ObservedFile
from scrubin.stages.screen.pass_over_file import observe

WIDTH, HEIGHT, SPARE = 480, 270, 24
FPS, SECONDS, SPANS, MARGIN = 25, 150, 8, 5
LIMITS = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
BURSTS = (1, 2, 5, 10, 25)
DETECTORS = ("scene", "appearance", "face", "black")
SMALLEST_SOURCE = 60
Span = tuple[int, int]


@dataclass(frozen=True)
class Film:
    """A film and the spans of it that are outside, first and last frame."""

    name: str
    source: str
    path: Path
    spans: list[Span]


def pictures(folder: Path) -> list[np.ndarray]:
    """Return the pictures of a source, a little larger than a film, so that they can pan."""
    read = (cv2.imread(str(path)) for path in sorted(folder.iterdir()))
    return [
        cv2.resize(one, (WIDTH + SPARE, HEIGHT + SPARE), interpolation=cv2.INTER_AREA)
        for one in read
        if one is not None and one.max() >= 40
    ]


def shown(picture: np.ndarray, count: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield a picture for some frames, panning, with noise."""
    at, step = rng.uniform(0, SPARE, 2), rng.uniform(-0.5, 0.5, 2)
    for number in range(count):
        x, y = np.clip(at + step * number, 0, SPARE)
        moved = cv2.warpAffine(picture, np.float32([[1, 0, -x], [0, 1, -y]]), (WIDTH, HEIGHT)).astype(np.int16)
        yield np.clip(moved + rng.normal(0, 3, (HEIGHT, WIDTH, 1)).astype(np.int16), 0, 255).astype(np.uint8)


def film(
    path: Path, inside: list[np.ndarray], outside: list[np.ndarray], lengths: list[int], rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Write a film and return where it shows the outside."""
    every, spans, count = max(1, len(inside) // (len(lengths) + 1)), [], 0
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=FPS, options={"preset": "veryfast", "crf": "23", "g": "250"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for number, picture in enumerate(inside):
            frames = list(shown(picture, FPS, rng))
            if number % every == every - 1 and len(spans) < len(lengths):
                cut, length, at = int(rng.integers(1, FPS - 1)), lengths[len(spans)], int(rng.integers(len(outside)))
                span: list[np.ndarray] = []
                while len(span) < length:
                    span += shown(outside[at % len(outside)], min(length - len(span), int(rng.integers(4, 14))), rng)
                    at += 1
                frames[cut:cut] = span
                spans.append((count + cut, count + cut + length - 1))
            for frame in frames:
                out.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="bgr24")))
            count += len(frames)
        out.mux(stream.encode())
    return spans


def fold_of() -> dict[tuple[str, str], int]:
    """Return the fold of every source that the shipped network was fitted on, by its side and name."""
    document = json.loads(resources.files("scrubin.media.networks").joinpath("endoscopy.json").read_text(encoding="utf-8"))
    return {("outside" if source["outside"] else "inside", source["source"]): source["fold"] for source in document["sources"]}


def in_training(source: str, held_back: int | None) -> str:
    """Return whether a source of operations was in training, of the measured network and of the shipped one."""
    fold = fold_of().get(("inside", source))
    measured, shipped = ("yes" if known else "no" for known in (fold is not None and fold != held_back, fold is not None))
    return f"in training: {measured} (of the shipped network: {shipped})"


def films(folder: Path, out: Path, fold: int | None, most: int, bursts: bool) -> Iterator[Film]:
    """Yield films of the larger sources of a fold, or of no fold; what is cut in comes from all of its sources of the outside."""
    folds = fold_of()
    mine = [(side, path.name) for side in ("inside", "outside") for path in sorted((folder / side).iterdir())]
    mine = [one for one in mine if folds.get(one) == fold]
    outside = [one for side, source in mine if side == "outside" for one in pictures(folder / side / source)[:60]]
    for number, (side, source) in enumerate(mine):
        inside = [] if side == "outside" else pictures(folder / side / source)
        for part in range(min(most, len(inside) // SMALLEST_SOURCE)):
            rng = np.random.default_rng([0 if fold is None else fold, number, part])
            lengths = list(BURSTS) if bursts else [round(float(np.exp(rng.uniform(np.log(5), np.log(200))))) for _ in range(SPANS)]
            name = f"{source}-{part}"
            path = out / f"{name}.mp4"
            yield Film(name, source, path, film(path, inside[part * SECONDS : (part + 1) * SECONDS], outside, lengths, rng))


def measure(one: Film) -> dict[float, tuple[int, int, int, int, float, float]]:
    """Return for every limit: spans found, hidden whole, all; frames visible; wanted seconds hidden, and all."""
    params = replace(DEFAULTS, detectors=DETECTORS)
    boundaries = boundaries_s(probe(one.path, one.name))
    observed = observe(one.path, one.name, all_detectors.observers(params), boundaries[:-1])
    count = len(boundaries) - 1
    outside, near = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    for first, last in one.spans:
        outside[first : last + 1] = True
        near[max(0, first - MARGIN) : last + MARGIN + 1] = True
    results = {}
    for limit in LIMITS:
        hidden = np.zeros(count, np.bool_)
        at_limit = replace(params, outside_score=limit)
        for detector in all_detectors.chosen(at_limit).values():
            for proposal in detector.propose(ObservedFile(boundaries, (WIDTH, HEIGHT), observed), at_limit):
                first, end = (int(np.searchsorted(boundaries, at - 1e-6)) for at in proposal.interval_s)
                hidden[first:end] |= proposal.kind == "out_of_body"
        parts = [hidden[first : last + 1] for first, last in one.spans]
        results[limit] = (
            sum(bool(part.any()) for part in parts),
            sum(bool(part.all()) for part in parts),
            len(parts),
            int(np.count_nonzero(outside & ~hidden)),
            float(np.count_nonzero(hidden & ~near)) / FPS,
            float(np.count_nonzero(~outside)) / FPS,
        )
    return results


def main() -> None:
    """Make the films, and print a table for each and for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", type=Path)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--fold", type=int)
    which.add_argument("--unseen", action="store_true", help="sources that endoscopy.json does not name")
    parser.add_argument("--network", type=Path, help="fitted without this fold; the shipped one where it is left out")
    parser.add_argument("--films", type=int, default=1, help="at most so many of each source")
    parser.add_argument("--bursts", action="store_true")
    args = parser.parse_args()
    if args.network:
        held_back = session(args.network.read_bytes())
        endoscopy._network = lambda: held_back  # type: ignore[assignment]
    whole: dict[float, list[float]] = {limit: [0.0] * 6 for limit in LIMITS}
    with tempfile.TemporaryDirectory() as folder:
        for one in films(args.pictures, Path(folder), args.fold, args.films, args.bursts):
            results = measure(one)
            for limit, row in results.items():
                whole[limit] = [a + b for a, b in zip(whole[limit], row, strict=True)]
            print(one.name, results[DEFAULTS.outside_score], in_training(one.source, args.fold if args.network else None), flush=True)
            one.path.unlink()
    print("limit  found whole spans  visible frames  wanted seconds hidden of all")
    for limit, (found, all_of_it, spans, visible, needless_s, wanted_s) in whole.items():
        print(f"{limit:5.2f} {found:6.0f} {all_of_it:5.0f} {spans:5.0f} {visible:8.0f} {needless_s:16.1f} {wanted_s:8.0f}")


if __name__ == "__main__":
    main()
