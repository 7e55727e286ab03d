"""What kinds of values there are in conditions, and of which kind each attribute is that nodes tell of."""

from enum import StrEnum
from typing import Final

from roost.model.attributes import (
    ARCH,
    CORES,
    DISK,
    GPU,
    JAVASCRIPT,
    LIBRARIES,
    MEM,
    OS,
    PROCESSOR,
    PROGRAMS,
    PYTHON,
    TAGS,
)


class Kind(StrEnum):
    """Values of one kind compare with each other, and with nothing else. The words stand in errors."""

    FLAG = "true or false"
    NUMBER = "a number"
    SIZE = "a size"
    TEXT = "text"
    VERSION = "a version"
    SET = "a set of words"


#: Owners have words of their own among the tags, so no other names are needed.
KIND_OF: Final = {
    OS: Kind.TEXT,
    ARCH: Kind.TEXT,
    PROCESSOR: Kind.TEXT,
    CORES: Kind.NUMBER,
    MEM: Kind.SIZE,
    DISK: Kind.SIZE,
    PYTHON: Kind.TEXT,
    JAVASCRIPT: Kind.FLAG,
    PROGRAMS: Kind.SET,
    LIBRARIES: Kind.SET,
    GPU: Kind.SET,
    TAGS: Kind.SET,
}
