"""What holds whatever the weights: statements, each proven, refuted, or undecided."""
