"""Graphs of workflows and reports of runs, as text, SVG and HTML; below the command line and the pages."""
