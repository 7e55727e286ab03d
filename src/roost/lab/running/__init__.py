"""Runs the cells of experiments: side by side, kept on disk, with progress."""
