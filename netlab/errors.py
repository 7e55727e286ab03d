"""What can go wrong with the laboratory itself, apart from what is tested in it."""


class LabError(Exception):
    """The laboratory could not do what it was told; the message says what and why."""


class LabUnavailable(LabError):
    """This machine lacks something that the laboratory needs; the message says what."""
