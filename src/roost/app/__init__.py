"""What people touch: the command line, the HTTP API, the Python client, flow files; it speaks to a node only through the API."""
