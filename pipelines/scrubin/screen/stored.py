"""Features of a raw file, kept in the store: changing a limit decodes nothing again."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from scrubin.core import store
from scrubin.errors import VideoError
from scrubin.screen.features import CELLS, Features, measure

CODE = ("screen/features.py", "screen/stored.py", "video/decode.py")
NAMES = ("pts", "histograms", "brightest")


def stored_features(path: Path, name: str, sha256: str, thumbnail_height: int) -> Features:
    """Return the features of a raw file, see `scrubin.screen.features.measure`."""

    def work(folder: Path) -> dict[str, int | str]:
        try:
            found = measure(path, name, thumbnail_height)
        except VideoError as error:
            if isinstance(error.__cause__, OSError):
                raise  # a disk that is away comes back
            return {"reason": error.reason, "mend": error.mend}
        for array in NAMES:
            kind = np.int64 if array == "pts" else np.uint32
            np.save(folder / f"{array}.npy", getattr(found, array).astype(kind))
        return {"pixels": found.pixels}

    code = store.code_version(CODE, ("av", "numpy"))
    entry, _ = store.make(store.key_of("screen", code, {"sha256": sha256, "height": thumbnail_height}), work)
    if "reason" in entry.value:
        raise VideoError(name, entry.value["reason"], entry.value["mend"])
    pts, histograms, brightest = (np.load(entry.folder / f"{array}.npy").astype(np.int64) for array in NAMES)
    return Features(pts, histograms.reshape(-1, CELLS), brightest, int(entry.value["pixels"]))
