"""Luma and colour of limited range, stretched to full range: tables by their 256 levels."""

from __future__ import annotations

import numpy as np

LEVELS = np.arange(256)
# 16 to 235 (luma) and 16 to 240 (colour) stretched to 0 to 255 (ITU-R BT.601, section 2.5.3).
STRETCHED_LUMA = np.clip(np.rint((LEVELS - 16) * 255 / 219), 0, 255).astype(np.uint8)
STRETCHED_COLOUR = np.clip(np.rint((LEVELS - 128) * 255 / 224 + 128), 0, 255).astype(np.uint8)
