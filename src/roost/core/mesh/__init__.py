"""The medium on a local network: nodes find each other, tell what changes, and compete for work."""
