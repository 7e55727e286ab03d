"""What a node says of itself, and what a task may require of it (HTC 2.4: matchmaking).

Rules
- An attribute is matched and never taken: any number of elements may rest on it. What is taken and given back is a
  quantity (resources.py).
- Fail-closed: what a node does not say satisfies nothing (policy/conditions/evaluation.py).
- Most of it does not travel with heartbeats, which are many (resources.py, ``in_brief``); whoever needs it asks.
"""

from typing import Annotated, Final, TypeAlias

import msgspec

from roost.model.limits import ATTRIBUTE_NAME_LENGTH_MAX, ATTRIBUTE_TEXT_LENGTH_MAX, ATTRIBUTE_TEXTS_MAX, ATTRIBUTES_MAX

#: Its operating system: linux, macos, windows.
OS: Final = "os"
#: The instructions that its processors know: x86_64, arm64.
ARCH: Final = "arch"
#: The name of its processors' model.
PROCESSOR: Final = "processor"
#: How many processors the machine has, whatever it offers of them.
CORES: Final = "cores"
#: Bytes of memory that the machine has, whatever it offers of them.
MEM: Final = "mem"
#: Bytes that are free on the disk where the node's home is, as of the last look.
DISK: Final = "disk"
#: The minor version of Python that a node's function workers run, e.g. "3.11".
PYTHON: Final = "python"
#: Whether it has the engine that runs scripts.
JAVASCRIPT: Final = "javascript"
#: The names of the programs that can be run there: those on its PATH and those in its programs' folder, sorted.
PROGRAMS: Final = "programs"
#: The names of the Python distributions that functions find there, sorted.
LIBRARIES: Final = "libraries"
#: The names of its graphics processors, and of their makers in small letters, sorted.
GPU: Final = "gpu"
#: The words that its owner gave it, sorted.
TAGS: Final = "tags"
#: The names of what is in its programs' folder, which LAN's clients may run; sorted. Not there if there is nothing.
PROGRAMS_FOLDER: Final = "programs_folder"

AttributeName: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=ATTRIBUTE_NAME_LENGTH_MAX)]
_Text: TypeAlias = Annotated[str, msgspec.Meta(max_length=ATTRIBUTE_TEXT_LENGTH_MAX)]
#: A flag, a number, a text; or a set of texts, in their order.
Attribute: TypeAlias = (
    bool | int | float | _Text | Annotated[tuple[_Text, ...], msgspec.Meta(max_length=ATTRIBUTE_TEXTS_MAX)]
)
#: All that a node says of itself.
Attributes: TypeAlias = Annotated[dict[AttributeName, Attribute], msgspec.Meta(max_length=ATTRIBUTES_MAX)]
