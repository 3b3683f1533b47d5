"""Detection of action triplets: average precision at an IoU and over a range of them, best confidence, association scores.

`rows` is what they take, `average_precision`, `map_range`, `confidence` and `association` are the metrics, `compat_ivtmetrics`
and `compat_ivtdmetrics` what the published packages return, `quirks` the differences by name. `matching.draw` is for the bootstrap.
"""
