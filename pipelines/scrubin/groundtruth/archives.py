"""NumPy archives with the same bytes for the same arrays, everywhere."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip header can hold
UNIX = 3


def npz(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return the bytes of an ``.npz`` file that ``numpy.load`` reads.

    Unlike ``numpy.savez`` it has no clock in its headers. It is stored, not deflated: zlib builds
    differ in their output.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(arrays):
            entry = zipfile.ZipInfo(f"{name}.npy", EPOCH)
            entry.create_system = UNIX
            entry.external_attr = 0o644 << 16
            array = io.BytesIO()
            np.lib.format.write_array(array, np.asarray(arrays[name], order="C"), version=(1, 0), allow_pickle=False)
            archive.writestr(entry, array.getvalue())
    return buffer.getvalue()
