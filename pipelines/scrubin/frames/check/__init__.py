"""Which convention made an existing folder of frames."""
