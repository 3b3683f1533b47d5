"""Stage frames: still images of the released videos."""
