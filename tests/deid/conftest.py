from __future__ import annotations

from pathlib import Path

import pytest

from scrubin.evaluate.choices import BenchmarkRequest
from scrubin.evaluate.deid.benchmark import make
from scrubin.evaluate.deid.key import Key


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Key:
    """A small benchmark: both cameras of one operation, 8 s each."""
    return make(BenchmarkRequest(recordings=2, seed=3, height=180, length_s=8), tmp_path_factory.mktemp("deid") / "benchmark")


@pytest.fixture(scope="session")
def benchmark(key: Key) -> Path:
    return key.folder.parent
