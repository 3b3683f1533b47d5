"""Walks through files, byte by byte, without the libraries that wrote them."""
