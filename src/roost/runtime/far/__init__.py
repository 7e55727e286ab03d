"""What other nodes hold, brought here or read there because a person asks this node for it."""
