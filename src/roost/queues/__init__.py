"""The queue port: look, claim, renew, end; memory.py is the plain reference that every other queue must equal."""
