"""Where programs of others run: no network, a read-only input, limits, and nothing left for the next run."""
