"""How nodes do, and who is told of it: what fairness between devices goes by."""
