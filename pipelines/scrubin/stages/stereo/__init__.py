"""Stereo rigs: their calibration, rectified pairs, checks of what was recorded with them."""
