"""Whole meshes of the real core in the simulated world, measured (LAN 5, DICE)."""
