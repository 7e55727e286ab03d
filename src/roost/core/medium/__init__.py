"""How nodes agree: the port of the medium, and the medium of a node that is alone."""
