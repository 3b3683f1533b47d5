"""Files of labels as a whole: found out what they are, read, judged, written."""
