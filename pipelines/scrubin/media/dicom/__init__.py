"""DICOM recordings: their stream read in place, what stays behind of their headers, the way back."""
