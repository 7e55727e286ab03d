"""The network laboratory: hosts with cables, a switch and faults on one machine, for tests of the mesh."""
