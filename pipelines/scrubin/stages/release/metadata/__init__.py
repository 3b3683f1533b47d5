"""What a release says of itself: Croissant, datasheet, card, DataCite, BibTeX, and the facts that they share."""
