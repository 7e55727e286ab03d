"""The experiments, a file each, by document and number."""
