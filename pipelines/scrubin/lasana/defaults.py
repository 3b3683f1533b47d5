"""How LASANA was scored, for who has rater files but no params.yaml.

Source: LASANA, sections Skill annotation and Annotation process.
"""

from __future__ import annotations

from scrubin.ratings.params import FailureRule, ScoresParams

LASANA = ScoresParams(
    aspects=("depth_perception", "efficiency", "bimanual_dexterity", "tissue_handling"),
    lowest=1.0,
    highest=5.0,
    step=1.0,
    failed_mark=None,
    failed_grs=-2.5,
    min_ratings=2,
    strong_percentile=95.0,
    error_rule="majority",
    reviewer="3",
    complementary_raters=(("0", "2"),),
    errors={
        "PegTransfer": ("object_dropped_within_fov", "object_dropped_outside_of_fov"),
        "CircleCutting": ("cutting_imprecise", "gauze_detached"),
        "BalloonResection": ("cutting_imprecise", "cutting_incomplete", "balloon_opened", "balloon_damaged", "balloon_perforated"),
        "SutureAndKnot": (
            "needle_dropped",
            "suture_imprecise",
            "fewer_than_three_throws",
            "slit_not_closed",
            "knot_comes_apart",
            "drain_detached",
        ),
    },
    failure_rules={
        "BalloonResection": FailureRule("balloon_opened", "implies"),
        "SutureAndKnot": FailureRule("fewer_than_three_throws", "iff"),
    },
)
"""The same as the section ``scores`` of the params.yaml that comes with the project."""
