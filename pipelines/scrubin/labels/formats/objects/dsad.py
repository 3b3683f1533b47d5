"""Dresden Surgical Anatomy Dataset: ``<organ>/<operation>/mask00.png``, a picture per image whose pixels are 255 where the organ is.

There is a folder for each of eleven organs, with a folder for each operation, 01 to 32; images are numbered within these, so that the
same number is another image for another organ: the 13,195 images of the data set are more than a thousand for each of eleven. A recording
is an operation for one organ, such as ``colon_03``, and its only class is that organ: nobody looked for the others, so they are not
absent. In the folder ``multilabel`` seven organs are labelled in each image, with a picture for each,
``multilabel/<operation>/mask00_<organ>.png``: there a recording has all seven classes. A mask is one instance, with the box around.
Pictures of single annotators (``anno_1`` ...) and ``weak_labels.csv`` are not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import own_categories
from scrubin.labels import registry
from scrubin.labels.model import Collection, LabelFiles, Labels
from scrubin.labels.parse import mask_pictures
from scrubin.labels.parse.mask_pictures import NO_CLASS, Legend
from scrubin.labels.registry import ByHand, dataset_format

NAME = "dsad"
ORGANS = (
    "abdominal_wall",
    "colon",
    "inferior_mesenteric_artery",
    "intestinal_veins",
    "liver",
    "pancreas",
    "small_intestine",
    "spleen",
    "stomach",
    "ureter",
    "vesicular_glands",
)
"""Carstens et al. 2023, Scientific Data 10:3."""
TOGETHER, OF_ALL = "multilabel", ("abdominal_wall", "colon", "liver", "pancreas", "small_intestine", "spleen", "stomach")
"""The folder of images in which these are labelled together."""
FOLDERS = "|".join((*ORGANS, TOGETHER))
FILE = re.compile(rf".*/(?P<folder>{FOLDERS})/(?P<operation>[0-9]{{2}})/mask(?P<number>[0-9]+)(?:_(?P<organ>[a-z_]+))?\.png")


@dataset_format(
    NAME,
    pattern=rf"(?:(?:{'|'.join(ORGANS)})/[0-9]{{2}}/mask[0-9]{{2,4}}|{TOGETHER}/[0-9]{{2}}/mask[0-9]{{2,4}}_(?:{'|'.join(OF_ALL)}))\.png",
    expected="<organ>/<operation>/mask00.png or multilabel/<operation>/mask00_<organ>.png, the operation in two digits",
    title="Dresden Surgical Anatomy Dataset: a picture per image, 255 where the organ of the folder is; read only",
    by_hand=ByHand(
        names_vocabulary=True,
        fps_unstated=True,
        evidence=registry.named,
        holds=("instances", "boxes", "masks", "empty frames"),
    ),
)
def read(source: LabelFiles) -> Collection:
    """Return the masks of each operation for each organ; all faults are in ``Collection.faults``."""
    folders: dict[tuple[str, str], dict[str, int]] = {}
    legends: dict[str, Legend] = {}
    for file in source.files:
        match = FILE.fullmatch(f"/{file}")
        assert match is not None
        folders.setdefault((match["folder"], match["operation"]), {})[file] = int(match["number"])
        legends[file] = mask_pictures.of_values({0: NO_CLASS, 255: OF_ALL.index(match["organ"]) if match["organ"] else 0})
    faults = Faults()
    found: list[Labels] = []
    for (folder, operation), frames in sorted(folders.items()):
        files: Mapping[str, bytes] = {file: source.files[file] for file in frames}
        vocabulary = own_categories.vocabulary_of({"instrument": OF_ALL if folder == TOGETHER else (folder,)})
        own = LabelFiles(f"{folder}_{operation}", files, vocabulary, source.box_tolerance, image_size=source.image_size)
        try:
            found.append(mask_pictures.labels_of(own, NAME, {file: legends[file] for file in frames}, frames))
        except AnnotationError as error:
            faults.extend(error.faults)
    return Collection(tuple(found), faults=faults.all())
