"""``commands.txt``: one command a line, each run by /bin/sh as if it had been typed."""
