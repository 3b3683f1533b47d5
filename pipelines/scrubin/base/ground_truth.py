"""The fixed texts of a ground truth: written by one stage, known as public to another."""

from __future__ import annotations

FRAME_CONTRACT = (
    "Frame k of a recording is the first decoded frame of the released video whose presentation time is >= k / fps, "
    "with fps the rate of the extracted frames; its true time and its number in the released video stand in the table frames."
)
FRAMES_PER_SECOND = "frames_per_second"
"""The key of the manifest under which the rate of the extracted frames stands, such as 1 or 5/2."""
DEFINITIONS = {
    "recognition": "Nwoye & Padoy 2022 (CholecT50 splits and ivtmetrics), section 3: a class is positive in a frame where it occurs at "
    "least once; components are the maximum over the triplets that share them (equation 3), null triplets included.",
    "detection": "Nwoye & Padoy 2022, section 3, in the layout of ivtmetrics, and ProstaTD, appendix D, in the layout of ivtdmetrics: "
    "top-left corner and size in 0..1, score 1.",
    "coco": "COCO: average precision over IoU 0.50 to 0.95 with recall at 101 points; boxes as top-left corner and size in px, "
    "category id = triplet id + 1.",
    "yolo": "YOLO as in ProstaTD: centre and size in 0..1 with six digits, ids from 0; the class is the triplet.",
    "phases": "one phase per labelled frame, for the video-wise and frame-wise metrics of Metrics Matter in Surgical Phase Recognition, "
    "section 3.",
    "masks": "COCO: masks of instruments as compressed run lengths in px of the released image, category id = instrument id + 1; pixels of "
    "`ignored` are black in the image and are not counted.",
    "points": "COCO key points: x, y in px and the visibility 0 (not labelled, or black in the image), 1 (covered) or 2 (seen); category "
    "id = instrument id + 1.",
    "tracks": "MOTChallenge: frame, id, left, top, width, height, confidence, class, visibility; frame k has the number k + 1, "
    "boxes are in px, classes are the instruments from 0.",
    "marks": "what each annotator says of a frame, 0 or 1, or a share of several where no rater stands.",
    "skill": "LASANA, section Annotation process: mean over raters of scores normalised per rater; empty = undefined.",
    "errors": "LASANA, section Error annotation: whether a task-specific error occurred at least once.",
    "subset": "the recordings of one subset of one fold of a split, and the files of each.",
}
README = """\
# Ground truth: what each metric takes

Made from the released tables only. Every file carries a stamp: the SHA-256 hashes of the tables it was made of, version and
hash of the vocabulary, the frame contract and the definition of the metric. `manifest.json` has the same for the whole
folder, and the hash of every file here; `scrubin ground-truth-check` makes all hashes again.
{contract}
Ids are numbered from 0 unless stated. Undefined is empty, null or left out, never 0.

All recordings:

- `<vocabulary>/recognition/<id>.npz`: `frame` (n), `hidden` (n), and per component a 0/1 matrix (n × classes, int8): `i` instrument,
  `v` verb, `t` target, `iv`, `it`, and `ivt` the triplet. Column k of a component is the class `<component>_ids[k]`,
  with iv = number of verbs × i + v and it = number of targets × i + t. `stamp` is JSON.
- `<vocabulary>/recognition.parquet`: the same for all recordings, one row per labelled frame with `hidden` and one column
  `<component>_<class>` per class; the stamp is in its metadata.
- `<vocabulary>/detection/<id>.json`: `list` has per frame rows of triplet, instrument, score, x, y, w, h,
  `dict` has the same as dictionaries, both for ivtmetrics; `list_9` has rows of triplet, instrument, score, verb, target,
  x, y, w, h for ivtdmetrics; `frame` numbers the frames, `hidden` goes with it.
- `<vocabulary>/coco.json`: COCO; category id = triplet id + 1, boxes in pixels of the released image, `recording`,
  `frame` and `hidden` with every image; the stamp is in `info`.
- `<vocabulary>/yolo`, `<vocabulary>/yolo4`: one label file per frame, `frames/<task>/<camera>/<id>/<number>.txt`, with a row
  per box: `class cx cy w h`, or `triplet instrument verb target cx cy w h`; `data.yaml` has the names of the classes. YOLO
  looks for labels beside the pictures: copy or link the folder `frames` of the release into this one (archives unpacked).
- `<vocabulary>/phases/<id>.csv`: `frame,phase_id,phase,hidden`.
- `<vocabulary>/masks.json`, `<vocabulary>/points.json`: COCO of the instruments, masks as compressed run lengths and key points; category
  id = instrument id + 1. `ignored` of an image has the pixels that are black in it, as run lengths: they are not counted.
- `<vocabulary>/tracks/<kind>/<id>/gt/gt.txt` with `<id>/seqinfo.ini`: MOTChallenge, for each kind of track.
- `marks/<id>.csv`: `frame,mark,rater,value`, what each annotator says; a value without a rater is of nobody by name.
- `skill/<task>.csv`, `errors/<task>.csv`: one row per recording, with a column `split_<scheme>` per split
  (`split_<scheme>_<fold>` where it has several folds).
- `<folder>.stamp.json`: stamp and hashes of the files in `<folder>` that have no room for a stamp themselves. Label files of
  one recording have one hash together: that of the output of `sha256sum *.txt` in their folder.

One subset of a split, in `splits/<scheme>/<fold>/<subset>`:

- `files.json`: its recordings and the files of each, with their hashes, and the stamp.
- `<vocabulary>/recognition.parquet`, and `coco.json`, `masks.json` and `points.json` beside it; `skill/<task>.csv`,
  `errors/<task>.csv`: as above, of its recordings only. Images and annotations in COCO keep their ids.
- `<vocabulary>/yolo.txt`: the pictures, one per line, for a list beside `data.yaml`.

A subset without labels of a kind has no such file. What is per recording lies in one place for all splits.

What is in it, and what is not:

- Only labelled frames. A frame labelled as "no instrument" is a row of zeros, an empty list or an empty file; a frame without
  a label is not there and must not be scored.
- Only frames that have a picture. A labelled frame that was dropped as unusable is left out; `manifest.json` counts them,
  and the tables `frames`, `triplets` and `phases` still have them.
- Hidden frames too, marked by `hidden`. Their picture is black, so that nobody is recognised; their labels are what annotators saw in
  the original. Leave them out when you train. `scrubin score` counts them like all
  others, so that every program that reads these files gets the same numbers; `manifest.json` says how many there are.
- A recording of which only the instruments are labelled has the component `i` only.
- Detection has only frames in which every instance has a box and a whole triplet, of recordings that have such boxes. All boxes are in
  the table `triplets`: `scrubin score detection` and `scrubin convert` take the folder `tables` as well, with the instruments as classes.
- Masks, points and tracks have only frames in which every instance has one, of recordings that have any; masks and points none that is
  black as a whole. An instance that is black altogether has no mask and is left out.
"""

KEYS = """\
definitions detection errors phases recognition skill files frame_contract frames_per_second inputs annotations recordings vocabularies
version sha256 source vocabulary instances recognition_frames recognition_components detection_frames detection_frames_left_out phase_frames
dropped_frames_left_out hidden_frames hidden
id frame list list_9 dict triplet instrument verb target images categories file_name width height recording image_id category_id bbox area
iscrowd name supercategory split phase phase_id i v t iv it ivt ids
masks points tracks marks ignored segmentation size counts keypoints num_keypoints skeleton instance mark_frames mark_frames_left_out
mask_frames point_frames track_frames mark rater value gt seqinfo.ini
stamp kind definition coco yolo yolo4 subset scheme fold info description folders count manifest recognition.parquet nc names data.yaml txt
"""
"""Keys and columns of its JSON, CSV and npz files."""
