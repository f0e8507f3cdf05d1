"""Which entry of a distribution is the largest, as one or two entries of the inputs vary."""
