"""Answers to people, in words and in values, computed from the machines' state; nothing here changes anything."""
