"""Networks that look at a picture: where their weights come from, what they see in it."""
