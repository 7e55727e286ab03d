"""WEB's XML language: values, JavaScript jobs and pools of them, joined by edges, with a final node."""
