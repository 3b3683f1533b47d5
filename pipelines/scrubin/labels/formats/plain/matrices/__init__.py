"""Matrices of frames by classes, labels or predicted scores: npz, npy, CSV, parquet and JSON."""
