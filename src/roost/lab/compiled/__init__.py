"""The same worlds in compiled code, for thousands of nodes and millions of executions (HTC chapter 4)."""
