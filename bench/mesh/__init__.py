"""Measures of a mesh: real nodes, each on a host of its own in a network namespace, all on this machine."""
