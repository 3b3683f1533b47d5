"""Labels: the one door through which every label file is detected, read, checked and written."""
