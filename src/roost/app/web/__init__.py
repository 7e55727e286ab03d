"""The node's HTTP API: the one way in for the command line, the Python client and the pages."""
