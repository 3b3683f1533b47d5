"""A challenge on a platform: what CodaBench, EvalAI, Grand Challenge take, what runs on their machines."""
