"""Experiments over sim, policy and model, with tables beside published figures; nothing below imports it."""
