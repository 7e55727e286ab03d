"""What people touch: the command line, the API, the Python client, flow files. To a node it speaks only by the API."""
