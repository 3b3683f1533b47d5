"""Conversion by hand: any label format to any other, through one canonical form."""
