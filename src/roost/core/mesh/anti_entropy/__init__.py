"""Replicas that have missed something find out by digests, and get what they lack."""
