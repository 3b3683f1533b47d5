"""One module per label format. To add one: write the module and name it here."""

from scrubin.annotations.formats import cholec80, cholect50, labelme

__all__ = ["cholec80", "cholect50", "labelme"]
