"""What came out, for people: one page with plots and tables, and JSON."""
