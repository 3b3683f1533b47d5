"""Stage ingest: what the raw study holds, which recordings are kept."""
