"""What a ground truth was made of and what it means: ``manifest.json`` and ``README.md``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scrubin.core.files import sha256_of
from scrubin.vocabulary.vocabulary import Vocabulary

FRAME_CONTRACT = (
    "Frame k of a recording is the first decoded frame of the released video whose presentation time is >= k / fps, "
    "with fps the rate of the extracted frames; its true time and its number in the released video stand in the table frames."
)
DEFINITIONS = {
    "recognition": "Nwoye & Padoy 2022 (CholecT50 splits and ivtmetrics), section 3: a class is positive in a frame where it occurs at "
    "least once; components are the maximum over the triplets that share them (equation 3), null triplets included.",
    "detection": "Nwoye & Padoy 2022, section 3, in the layout of ivtmetrics: top-left corner and size in 0..1, score 1.",
    "phases": "one phase per labelled frame, for the video-wise and frame-wise metrics of Metrics Matter in Surgical Phase Recognition, "
    "section 3.",
    "skill": "LASANA, section Annotation process: mean over raters of scores normalised per rater; empty = undefined.",
    "errors": "LASANA, section Error annotation: whether a task-specific error occurred at least once.",
}
README = """\
# Ground truth: what each metric takes

Made from the released tables only; `manifest.json` has their SHA-256 hashes, the vocabularies, the definitions and
the hash of every file here.
{contract}
Ids are numbered from 0 unless stated. Undefined is empty, null or left out, never 0.
Which recordings are in which subset stands in `../splits`. Every file here is per recording or names the recording,
so any split can be taken from it.

- `<vocabulary>/recognition/<id>.npz`: `frame` (n) and per component a 0/1 matrix (n × classes, int8): `i` instrument,
  `v` verb, `t` target, `iv`, `it`, and `ivt` the triplet. Column k of a component is the class `<component>_ids[k]`,
  with iv = number of verbs × i + v and it = number of targets × i + t.
- `<vocabulary>/recognition.parquet`: the same for all recordings, one row per labelled frame and one column
  `<component>_<class>` per class.
- `<vocabulary>/detection/<id>.json`: for ivtmetrics; `list` has per frame rows of triplet, instrument, score, x, y, w, h,
  `dict` has the same as dictionaries, `frame` numbers the frames.
- `<vocabulary>/coco.json`: COCO; category id = triplet id + 1, boxes in pixels of the released image, `recording` and
  `frame` with every image.
- `<vocabulary>/phases/<id>.csv`: `frame,phase_id,phase`.
- `skill/<task>.csv`, `errors/<task>.csv`: one row per recording, with a column `split_<scheme>` per split
  (`split_<scheme>_<fold>` where it has several folds).

What is in it, and what is not:

- Only labelled frames. A frame labelled as "no instrument" is a row of zeros, or an empty list; a frame without a label
  is not there and must not be scored.
- A recording of which only the instruments are labelled has the component `i` only.
- Detection has only frames in which every instance has a box, of recordings that have boxes.
"""


def readme() -> str:
    """Return the text of ``README.md``."""
    return README.format(contract=FRAME_CONTRACT)


def manifest(
    folder: Path, inputs: Mapping[str, Path], vocabularies: Iterable[Vocabulary], recordings: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the stamp of a finished folder.

    Parameters
    ----------
    folder
        The ground truth; all files in it are named by their SHA-256.
    inputs
        The tables it was made from, by name.
    recordings
        Counts per released id.
    """
    return {
        "frame_contract": FRAME_CONTRACT,
        "definitions": DEFINITIONS,
        "inputs": {name: sha256_of(path) for name, path in inputs.items()},
        "vocabularies": {words.name: {"version": words.version, "sha256": words.sha256, "source": words.source} for words in vocabularies},
        "recordings": recordings,
        "files": {path.relative_to(folder).as_posix(): sha256_of(path) for path in sorted(folder.rglob("*")) if path.is_file()},
    }
