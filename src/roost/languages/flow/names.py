"""What may be a name in a flow file: of a task, a value, a port, an input, an output.

Names stand in placeholders between dots, so they have none themselves.
"""

import re

from roost.model.limits import NAME_LENGTH_MAX

NAME = re.compile(rf"[A-Za-z_][A-Za-z0-9_-]{{0,{NAME_LENGTH_MAX - 1}}}")
NAME_RULE = f"use letters, digits, '_' and '-', at most {NAME_LENGTH_MAX}, a letter first"
