"""Observers that see every event, action and durable fact from outside and know the promises, never the code."""
