"""Every format that conversion knows: those of label files, and those that need more of the library.

To add one: write its module, beside the others in ``annotations/formats`` or here, and name it there or here.
"""

from scrubin.annotations import formats as label_formats
from scrubin.convert import lasana, own_tables

__all__ = ["label_formats", "lasana", "own_tables"]
