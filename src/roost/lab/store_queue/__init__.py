"""A queue on a store that is only eventually consistent: loads, delays, collisions (HTC 2.4, 2.5)."""
