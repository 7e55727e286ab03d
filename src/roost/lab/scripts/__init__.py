"""JavaScript engines, measured as they are (WEB 4)."""
