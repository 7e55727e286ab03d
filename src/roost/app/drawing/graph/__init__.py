"""Drawings of workflows and runs: what is drawn, made smaller if need be, laid out, and put on a screen or a page."""
