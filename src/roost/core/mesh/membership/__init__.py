"""Which nodes there are and whether they live: heartbeats, gossip, and a failure detector that adapts."""
