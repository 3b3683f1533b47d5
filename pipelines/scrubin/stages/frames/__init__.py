"""Stage frames: still images of the released videos; which convention made an existing folder of them."""
