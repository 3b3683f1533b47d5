"""Detection of action triplets: average precision at an IoU and over a range of them, best confidence, association scores.

`rows` is what they take, `average_precision`, `confidence` and `association` are the metrics, `matching` and `precision_recall` what they
are made of. `compat_ivtmetrics` and `compat_ivtdmetrics` are what the published packages return, `quirks` the differences by name.
`matching.draw` is for the bootstrap.
"""
