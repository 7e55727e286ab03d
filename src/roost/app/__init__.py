"""What people touch: the command line, the HTTP API, the Python client, flow files; to a node it speaks by the API."""
