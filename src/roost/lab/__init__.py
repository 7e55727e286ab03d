"""Experiments over policies, models and simulated meshes, beside published figures; nothing below imports it."""
