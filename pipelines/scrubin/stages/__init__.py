"""The stages of the pipeline, one room each, called like the stage in dvc.yaml."""
