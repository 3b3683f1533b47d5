"""Everything of a study that names a recording, and how it is taken out or named otherwise: whole, or not at all."""
