"""Panoptic quality with pixels that are not counted, against the program of the paper's authors, which need not be installed here.

python benchmarks/panoptic_references.py FOLDER [cases] [golden.json]

FOLDER has the package panopticapi (github.com/cocodataset/panopticapi, 7bb4655), which needs Pillow. Its void is every pixel of the ground
truth of no segment: so what is background here is a segment of a class of its own there, and what is not counted is of none. The program
knows the last crowd of a class in a frame only: there is one at most. The greatest difference is printed, and some cases with the program's
numbers are written to the golden file.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from scrubin.evaluate.metrics.masks import panoptic

sys.path[:0] = [str(Path(__file__).parents[1] / "tests/helpers"), *sys.argv[1:2]]

from panopticapi.evaluation import pq_compute_single_core  # noqa: E402
from panopticapi.utils import id2rgb  # noqa: E402

import mask_cases  # noqa: E402

CASES, KEPT, CONFIDENCE = 300, 12, 0.3
REST = mask_cases.CLASSES
SIZED = (40, 50)


def main() -> None:
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else CASES
    apart, kept = 0.0, []
    for seed in range(cases):
        truth, found, void = mask_cases.with_void(seed, SIZED)
        results = panoptic.counted(mask_cases.study(truth, found, sized=SIZED, void=void), "i", CONFIDENCE).results()
        ours = np.array([[one.classes[str(class_)].value for one in results] for class_ in range(REST)])
        published = by_authors(truth, found, void)
        # Theirs is 0 where nothing is there, and where no pair is.
        apart = max(apart, float(np.abs(np.nan_to_num(ours) - published).max()))
        if seed < KEPT:
            kept.append({"seed": seed, "values": published.tolist()})
    print(f"panopticapi 7bb4655, {cases} cases of {sum(mask_cases.LENGTHS)} frames, greatest difference: {apart:.2g}")
    if len(sys.argv) > 3:
        source = "panopticapi 7bb4655, by benchmarks/panoptic_references.py; per class PQ, SQ and RQ"
        rows = ",\n".join(f"  {json.dumps(case)}" for case in kept)
        Path(sys.argv[3]).write_text(f'{{\n "source": {json.dumps(source)},\n "cases": [\n{rows}\n ]\n}}\n')


def by_authors(truth: list[Any], found: list[Any], void: Any) -> Any:
    """Return PQ, SQ and RQ of each class, (classes, 3)."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = []
        for place in range(sum(mask_cases.LENGTHS)):
            one, other = Path(folder) / f"{place}_true.png", Path(folder) / f"{place}_found.png"
            sure = [guess for guess in found if guess.score >= CONFIDENCE]
            nothing = np.zeros(SIZED, bool)
            pairs.append((written(one, truth, place, void[place], rest=True), written(other, sure, place, nothing, rest=False)))
        categories = {class_: {"id": class_, "isthing": 1} for class_ in range(REST + 1)}
        with contextlib.redirect_stdout(io.StringIO()):
            counted = pq_compute_single_core(0, pairs, folder, folder, categories)
        _, by_class = counted.pq_average(categories, isthing=None)
    return np.array([[by_class[class_][name] for name in ("pq", "sq", "rq")] for class_ in range(REST)])


def written(path: Path, side: list[Any], place: int, void: Any, *, rest: bool) -> dict[str, Any]:
    ids = np.full(SIZED, 1 if rest else 0)
    segments = [{"id": 1, "category_id": REST, "iscrowd": 0, "area": 1}] if rest else []
    for number, one in enumerate(one for one in side if one.place == place):
        pixels = one.pixels & ~void
        if pixels.any():
            ids[pixels] = number + 2
            segments.append({"id": number + 2, "category_id": one.class_, "iscrowd": int(one.crowd), "area": int(pixels.sum())})
    ids[void] = 0
    Image.fromarray(id2rgb(ids)).save(path)
    present = set(np.unique(ids).tolist())
    return {"file_name": path.name, "image_id": place, "segments_info": [one for one in segments if one["id"] in present]}


if __name__ == "__main__":
    main()
