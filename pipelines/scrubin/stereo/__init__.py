"""Stereo rigs: their calibration, rectified pairs, and checks of what was recorded with them."""
