"""YAML flow files: text in, the HTTP API's submission out, and for every mistake its line and the way out.

A flow is checked wholly before anything is sent, so that what can be wrong in the file is said at once and by line.
"""
