"""What runs in the processes that executors start: the launcher of commands and the worker that calls functions."""
