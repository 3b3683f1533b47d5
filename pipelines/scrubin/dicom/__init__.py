"""DICOM recordings: their stream read in place, what stays behind of their headers, and the way back."""
