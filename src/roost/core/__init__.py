"""Machines with one mutating method, handle(event, now) -> list[Action]: no clock, socket, thread, file, randomness."""
