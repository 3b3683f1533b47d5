"""The page of a score: what was scored and how, every number, and pictures of where predictions are right and wrong."""
