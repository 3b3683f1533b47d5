"""The page of a score: what was scored how, every number, pictures of where predictions are right or wrong."""
