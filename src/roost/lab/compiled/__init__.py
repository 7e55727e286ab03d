"""Worlds of a thousand nodes, compiled: HTC chapter 4 in seconds. They decide as policy/ does, which tests show."""
