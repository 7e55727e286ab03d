"""Bytes to typed messages and back, with versions and limits; nothing here decides anything."""
