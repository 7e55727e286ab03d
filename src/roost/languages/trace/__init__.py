"""Recorded workflows, whatever format they come in: tasks, files between them, and how long each took."""
