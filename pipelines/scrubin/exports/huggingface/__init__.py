"""The layout of a Hugging Face data set: parquet files, and a README.md whose first lines say which splits they are."""
