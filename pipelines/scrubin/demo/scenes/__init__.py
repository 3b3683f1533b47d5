"""The scenes of the synthetic study, drawn frame by frame."""
