"""Phase recognition: accuracy, precision, recall, F1 and Jaccard in every variant in which they are published.

From frames to a number: `videos` checks sequences, `confusion` counts them by video or pooled, `rates` divides and decides about
divisions by zero, `averaging` summarises, `choices` does all of that for one named choice. `relaxed` is the definition with relaxed
boundaries, `compat` what the published script returns instead, `quirks` the differences by name.

Source: "Metrics matter in surgical phase recognition", sections 3.2 to 3.3.5.
"""
