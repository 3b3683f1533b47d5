"""A benchmark of video de-identification: recordings with planted identifiers and an answer key, and the score of any tool's output."""
