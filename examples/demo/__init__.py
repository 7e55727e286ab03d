"""The demonstration behind `scripts/demo`: three nodes here, one is killed, and the run ends whole."""
