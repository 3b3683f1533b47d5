"""The tools of a curator: the page of the review, the first list, the look before a run, the project on its disk."""
