"""Scrub-in: from raw surgical recordings to a released benchmark dataset.

Folders follow the stages of ``dvc.yaml``; nothing in here imports a flow.
"""
