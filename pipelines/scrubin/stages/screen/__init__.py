"""Stage screen: what in a recording could identify a person."""
