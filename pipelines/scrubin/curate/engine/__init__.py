"""Where the work of a flow runs: in processes of this machine, or on a cluster. Results are the same bytes."""
