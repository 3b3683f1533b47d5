"""A benchmark of video de-identification: recordings with planted identifiers beside an answer key, the score of any tool's output."""
