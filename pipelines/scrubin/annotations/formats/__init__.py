"""One module per label format. To add one: write the module and name it here."""

from scrubin.annotations.formats import (
    aixsuture,
    cholec80,
    cholect45,
    cholect50,
    cholect50_writer,
    cholectrack20,
    cholectriplet2022,
    coco,
    coco_writer,
    endoscapes,
    jigsaws,
    labelme,
    multibypass140,
    multibypasst40,
    spans,
    yolo,
)

__all__ = [
    "aixsuture",
    "cholec80",
    "cholect45",
    "cholect50",
    "cholect50_writer",
    "cholectrack20",
    "cholectriplet2022",
    "coco",
    "coco_writer",
    "endoscapes",
    "jigsaws",
    "labelme",
    "multibypass140",
    "multibypasst40",
    "spans",
    "yolo",
]
