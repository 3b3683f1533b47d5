"""Where several people differ: how far a recording is, and what an adjudicator says of it."""
