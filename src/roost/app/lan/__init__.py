"""LAN's client protocol on a TCP port that can be switched on: SCHEDULE, SUBSCRIBE, CANCEL by telnet (LAN 3.4)."""
