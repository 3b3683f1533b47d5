"""The fixed texts and keys of a ground truth: written by one stage, known as public to another."""

FRAME_CONTRACT = (
    "Frame k of a recording is the first decoded frame of the released video whose presentation time is >= k / fps, "
    "with fps the rate of the extracted frames; its true time and its number in the released video stand in the table frames."
)
DEFINITIONS = {
    "recognition": "Nwoye & Padoy 2022 (CholecT50 splits and ivtmetrics), section 3: a class is positive in a frame where it occurs at "
    "least once; components are the maximum over the triplets that share them (equation 3), null triplets included.",
    "detection": "Nwoye & Padoy 2022, section 3, in the layout of ivtmetrics: top-left corner and size in 0..1, score 1.",
    "phases": "one phase per labelled frame, for the video-wise and frame-wise metrics of Metrics Matter in Surgical Phase Recognition, "
    "section 3.",
    "skill": "LASANA, section Annotation process: mean over raters of scores normalised per rater; empty = undefined.",
    "errors": "LASANA, section Error annotation: whether a task-specific error occurred at least once.",
}
README = """\
# Ground truth: what each metric takes

Made from the released tables only; `manifest.json` has their SHA-256 hashes, the vocabularies, the definitions and
the hash of every file here.
{contract}
Ids are numbered from 0 unless stated. Undefined is empty, null or left out, never 0.
Which recordings are in which subset stands in `../splits`. Every file here is per recording or names the recording,
so any split can be taken from it.

- `<vocabulary>/recognition/<id>.npz`: `frame` (n) and per component a 0/1 matrix (n × classes, int8): `i` instrument,
  `v` verb, `t` target, `iv`, `it`, and `ivt` the triplet. Column k of a component is the class `<component>_ids[k]`,
  with iv = number of verbs × i + v and it = number of targets × i + t.
- `<vocabulary>/recognition.parquet`: the same for all recordings, one row per labelled frame and one column
  `<component>_<class>` per class.
- `<vocabulary>/detection/<id>.json`: for ivtmetrics; `list` has per frame rows of triplet, instrument, score, x, y, w, h,
  `dict` has the same as dictionaries, `frame` numbers the frames.
- `<vocabulary>/coco.json`: COCO; category id = triplet id + 1, boxes in pixels of the released image, `recording` and
  `frame` with every image.
- `<vocabulary>/phases/<id>.csv`: `frame,phase_id,phase`.
- `skill/<task>.csv`, `errors/<task>.csv`: one row per recording, with a column `split_<scheme>` per split
  (`split_<scheme>_<fold>` where it has several folds).

What is in it, and what is not:

- Only labelled frames. A frame labelled as "no instrument" is a row of zeros, or an empty list; a frame without a label
  is not there and must not be scored.
- Only frames that have a picture. A labelled frame that was dropped as unusable is left out; `manifest.json` counts them,
  and the tables `frames`, `triplets` and `phases` still have them.
- A recording of which only the instruments are labelled has the component `i` only.
- Detection has only frames in which every instance has a box, of recordings that have boxes.
"""

KEYS = """\
definitions detection errors phases recognition skill files frame_contract inputs annotations recordings vocabularies version sha256
source vocabulary instances recognition_frames recognition_components detection_frames detection_frames_left_out phase_frames
dropped_frames_left_out
id frame list dict triplet instrument verb target images categories file_name width height recording image_id category_id bbox area
iscrowd name supercategory split phase phase_id i v t iv it ivt ids
"""
"""Keys and columns of its JSON, CSV and npz files."""
