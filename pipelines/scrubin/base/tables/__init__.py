"""Every table of a study, as data: columns, units, meanings, keys."""
