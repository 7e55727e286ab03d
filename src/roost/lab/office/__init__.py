"""The protocol of LAN's document, as it stands there, and the schedule without overhead (LAN 3.6, 5)."""
