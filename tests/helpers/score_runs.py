"""Runs of `scrubin score` that must be good, or must fail with one message, and the files of both sides."""

import json
import re

import numpy as np

from scrubin.cli import main
from scrubin.evaluate.score_pictures import SIZE

LOADED = re.compile(r"https?:|src=|<script|<link|@import|url\(|\bhref=\"[^#]")
"""What a page would load from elsewhere."""


def fault(capsys, *arguments, code=1):
    """The one message of a run that must fail."""
    assert main(["score", *map(str, arguments)]) == code
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def good(capsys, *arguments):
    """What a run that must be good printed."""
    assert main(["score", *map(str, arguments)]) == 0
    return capsys.readouterr()


def sides(folder, metric, *more):
    """The arguments of a run of `truth` against `found` in a folder."""
    return (metric, "--ground-truth", folder / "truth", "--predictions", folder / "found", *more)


def results(capsys, folder, metric, *variant, more=()):
    """The results of a good run, and what it said beside them."""
    said = good(capsys, *sides(folder, metric, "--json", *more, *(("--variant", *variant) if variant else ())))
    return json.loads(said.out)["results"], said.err


def put(folder, **of_sides):
    """Write the files of each side by name: arrays as NumPy has them, text and bytes as they are, anything else as JSON."""
    for side, files in of_sides.items():
        (folder / side).mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            path = folder / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix in (".npz", ".npy"):
                np.savez(path, **content) if path.suffix == ".npz" else np.save(path, content)
            else:
                text = content if isinstance(content, (str, bytes)) else json.dumps(content)
                path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def area(path):
    """The area under a path of an SVG, in units of the square of precision and recall."""
    x, y, total = 0.0, 0.0, 0.0
    for kind, numbers in re.findall(r"([MHVL])([-\d. ]+)", path):
        values = [float(number) for number in numbers.split()]
        at = {"H": (values[0], y), "V": (x, values[0])}.get(kind) or tuple(values)
        total += (at[0] - x) * (2 * SIZE - y - at[1]) / 2 if kind != "M" else 0.0
        x, y = at
    return total / SIZE**2
