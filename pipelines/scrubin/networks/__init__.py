"""Networks that look at a picture: where their weights come from, and what they see in it."""
