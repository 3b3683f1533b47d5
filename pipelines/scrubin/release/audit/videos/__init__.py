"""Released videos, decoded to their end: their streams, how black hidden pictures are, and the frames extracted from them."""
