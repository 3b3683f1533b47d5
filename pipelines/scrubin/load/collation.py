"""Items to a batch without torch, and with it where items differ in size."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np


def collate(items: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a batch: the values of all items by name.

    Numbers and arrays of one shape become one array with a first axis for the items, tensors one tensor; texts, and what
    differs in shape, as boxes do, become a list.

    >>> batch = collate([{"id": "a", "frame": 1, "x": np.zeros(2)}, {"id": "b", "frame": 4, "x": np.ones(2)}])
    >>> batch["id"], batch["frame"].tolist(), batch["x"].shape
    (['a', 'b'], [1, 4], (2, 2))
    """
    return {name: _together([item[name] for item in items]) for name in items[0]} if items else {}


def _together(values: list[Any]) -> Any:
    first = values[0]
    torch = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(first, torch.Tensor)
    if is_tensor or isinstance(first, np.ndarray):
        if any(value.shape != first.shape for value in values):
            return values
        return torch.stack(values) if torch is not None and is_tensor else np.stack(values)
    return np.array(values) if isinstance(first, bool | int | float | np.generic) else values
