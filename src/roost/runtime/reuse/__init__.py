"""Results of earlier runs are taken over where a task asks for it: found, looked at, explained."""
