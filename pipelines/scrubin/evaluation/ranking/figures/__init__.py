"""Figures of a ranking: where everything lies, in pixels; templates draw it as SVG."""
