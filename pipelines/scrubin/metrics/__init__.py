"""Metrics as pure functions on arrays: the same number for everyone, each with its definition.

`recognition` and `detection` of triplets, `phases`, `skill` and `error_recognition` return `result.Result`: a value with the count behind
it, and the name of the variant that it is. `runs` summarises results of repeated runs, `bootstrap` gives confidence intervals over videos,
`ensembles` combines predictions before they are scored, `inputs` checks what several metrics take. NaN is undefined, never 0. Two
semantics: ``paper``, the definition, and ``compat``, what a published program returns; `quirk` is how their differences are described.
"""
