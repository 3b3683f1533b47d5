"""Formats that no data set defines: matrices, lists of boxes, tables of phases, COCO results, spans as CSV."""
