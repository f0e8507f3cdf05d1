"""What people do differently: changes of one step, as hypotheses of why a number is wrong."""
