"""A folder of LAN programs with their descriptions, for tests."""

from pathlib import Path

import pytest

from roost.languages.lan.reading import read_lan
from roost.languages.outline import Reading
from roost.model.errors import InvalidInput

#: LAN table 4.1: what each task takes.
INSPECTION = {
    "import": ("I", ()),
    "georeferencing": ("G", ("I/1st", "I/2nd", "I/3rd")),
    "segmentation": ("S", ("I/1", "G/1", "G/2")),
    "anomaly_detection": ("AD", ("S/1",)),
}


def description(name: str, type_: str, inputs: tuple[str, ...] = ()) -> str:
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<task>", f"  <name>{name}</name>", f"  <type>{type_}</type>"]
    for one in inputs:
        other, _, nth = one.partition("/")
        lines += [
            f"<input><other_task_type>{other}</other_task_type><other_nth_output>{nth}</other_nth_output></input>"
        ]
    begin = [*lines[:4], "  <inputs>", *lines[4:], "  </inputs>", "</task>"]
    return "\n".join(begin) + "\n"


class Tasks:
    """The four tasks of the document, described and executable."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, (type_, inputs) in INSPECTION.items():
            self.describe(name, type_, inputs)

    def describe(self, name: str, type_: str, inputs: tuple[str, ...] = (), program: str | None = None) -> None:
        (self.folder / f"{name}.xml").write_text(description(program or name, type_, inputs))
        file = self.folder / (program or name)
        file.write_text("#!/bin/sh\necho TERMINATED 1\n")
        file.chmod(0o755)

    def read(self, name: str, **overrides: str) -> Reading:
        path = self.folder / f"{name}.xml"
        return read_lan(path.read_bytes(), path, overrides)

    def told(self, name: str, **overrides: str) -> str:
        with pytest.raises(InvalidInput) as caught:
            self.read(name, **overrides)
        return str(caught.value).replace(f"{self.folder}/", "")

    def words(self, name: str, final: str = "anomaly_detection", **overrides: str) -> list[str]:
        """Return the options with which a program is called, without the program and what stands before it."""
        for task in self.read(final, **overrides).submission["tasks"]:
            if task["name"] == name:
                argv: list[str] = task["command"]["argv"]
                return argv[argv.index(f"{self.folder}/{name}") + 1 :]
        raise AssertionError(f"there is no task {name}")
