"""Recognition of action triplets: average precision of the triplets and of their parts, top-k accuracy, best classes.

`video_wise` and `pooled` are the two scopes of the average precision, `streaming` the same without keeping all videos,
`compat` what the published package returns, `quirks` the differences by name. For the bootstrap, `video_wise.per_video`,
`pooled.tables` and `top_k.hits_by_video` are counted once and drawn often; so is what `compat` holds.
"""
