"""Bundles of a challenge: what CodaBench, EvalAI and Grand Challenge take, and what runs on their machines."""
