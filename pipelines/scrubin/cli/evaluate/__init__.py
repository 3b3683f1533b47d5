"""Commands on predictions: scores, ranks, submissions, challenges, tools of de-identification."""
