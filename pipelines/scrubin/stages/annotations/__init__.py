"""Stage annotations: label files of any supported format to the tables triplets, phases, spans."""
