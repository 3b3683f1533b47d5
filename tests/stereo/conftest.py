"""The drawn rig of these tests."""

from __future__ import annotations

import numpy as np
import pytest

from scrubin.stages.stereo import drawing


@pytest.fixture(scope="session")
def rig():
    return drawing.rig(np.random.default_rng(3), (640, 360))
