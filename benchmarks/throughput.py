"""A folder of recordings through screen, render and frames: two cores against one.

python benchmarks/throughput.py [recordings]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from timing import alternating

import clips

ROUNDS = 3
# As the stages do it: two recordings at a time, or on one core one after the other.
WORK = """
import sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from scrubin.cli import main
def one(source, folder):
    out = folder / (source.stem + '.mkv')
    if step == 'screen':
        return main(['screen', str(source), '--json'])
    if step == 'frames':
        return main(['frames', str(source), str(folder / source.stem), '--fps', '1'])
    return main(['render', str(source), str(out), '--start', '1.2', '--mode', step])
step, workers, *sources = sys.argv[1:]
with tempfile.TemporaryDirectory(dir=Path(sources[0]).parent) as name, ThreadPoolExecutor(int(workers)) as pool:
    assert not any(pool.map(lambda source: one(Path(source), Path(name)), sources))
"""


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    piece = clips.clip(clips.FOLDER / "20s_960x540_20fps.mkv", 20, "960x540", "20", 250)
    print(f"{count} recordings of 20 s, 960x540, 20 fps; median of {ROUNDS}")
    print(f"{'step':<12}{'1 core s':>10}{'2 cores s':>11}{'throughput':>12}")
    with tempfile.TemporaryDirectory(dir=clips.FOLDER) as name:
        sources = [Path(name) / f"{number}.mkv" for number in range(count)]
        for source in sources:
            shutil.copyfile(piece, source)
        for step in sys.argv[2:] or ("screen", "smart", "reencode", "frames"):
            work = [sys.executable, "-c", WORK, step]
            files = [str(source) for source in sources]
            found = alternating({"one": ["taskset", "-c", "0", *work, "1", *files], "two": [*work, "2", *files]}, ROUNDS)
            one_s, two_s = found["one"].middle_s, found["two"].middle_s
            print(f"{step:<12}{one_s:>10.2f}{two_s:>11.2f}{one_s / two_s:>10.2f} x")


if __name__ == "__main__":
    main()
