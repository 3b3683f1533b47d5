"""Challenge kit: submissions checked frame by frame, and teams ranked with what the ranking is worth."""
