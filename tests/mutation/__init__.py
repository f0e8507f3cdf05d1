"""Mutation testing: faults are planted in the modules that find answers, and the tests have to notice."""
