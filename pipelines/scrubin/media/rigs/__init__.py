"""Stereo rigs: how two cameras stand to each other, and the files that say it."""
