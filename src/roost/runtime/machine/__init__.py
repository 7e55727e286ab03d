"""What the machine is and what is on it, as tasks may require it (model/attributes.py)."""
