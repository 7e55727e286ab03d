"""The command line: a file a command, each loaded only when it is used; data on stdout, everything else on stderr."""
