"""Our own tables as a format: labelled, triplets, phases, ratings, skill, errors as parquet or CSV, and ``labels.json`` beside them."""
