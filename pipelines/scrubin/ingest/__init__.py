"""Stage ingest: which recordings there are, what their files hold, which are kept."""
