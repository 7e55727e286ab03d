"""The schema of the HTTP API and of the Python session: requests and answers, typed, and nothing else."""
