"""Stage render: the released videos."""
