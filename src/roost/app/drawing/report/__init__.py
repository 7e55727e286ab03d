"""What happened in a run, to keep: one page that needs nothing else, or data for programs."""
