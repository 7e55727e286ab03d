"""LAN's task descriptions as a workflow: one description, and those beside it that describe what it needs."""
