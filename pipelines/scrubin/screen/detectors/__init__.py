"""Detectors: who proposes what to hide. See `scrubin.screen.detectors.registry`."""
