"""Our own tables as a format: parquet or CSV, with ``labels.json`` beside them."""
