"""Recognition of action triplets: average precision of the triplets and of their parts, top-k accuracy, best classes.

`videos` checks what the metrics take, `components` makes parts of triplets. `video_wise` and `global_wise` are the two scopes of the
average precision, `top_k` the accuracy, `compat` what the published package returns, `quirks` the differences by name. For the bootstrap,
`video_wise.per_video`, `global_wise.tables` and `top_k.hits_by_video` are counted once and drawn often; so is what `compat` holds.
"""
