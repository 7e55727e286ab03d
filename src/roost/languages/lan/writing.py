"""A workflow of LAN programs back into task descriptions, one file for each task (LAN listing 4.1)."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any
from xml.sax.saxutils import escape

from roost.executors.template import PortHole, parse
from roost.languages.outline import Reading
from roost.languages.problems import shown
from roost.model.errors import InvalidInput
from roost.model.task import EdgeKind, Protocol


def write_lan(reading: Reading) -> dict[str, str]:
    """Return the texts of the descriptions by the names of their files. Raise InvalidInput for other tasks than LAN's.

    What is passed on to the programs, the raw data and the parameters, is no part of a description.
    """
    programs = {node.name: node.what for node in reading.outline.nodes}
    return {
        f"{task['name']}.xml": "\n".join([*_description(task, programs), ""]) for task in reading.submission["tasks"]
    }


def _description(task: Mapping[str, Any], programs: Mapping[str, str]) -> Iterator[str]:
    name = task["name"]
    command = task.get("command")
    if command is None or command.get("protocol") != Protocol.LAN.value:
        raise InvalidInput(f"task {shown(name)} is not a LAN program; a task description has no words for it")
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield "<task>"
    yield f"  <name>{escape(programs[name])}</name>"
    yield f"  <type>{escape(name)}</type>"
    yield "  <inputs>"
    sources = {edge["port"]: edge["source"] for edge in task["edges"]}
    ports = {edge["port"]: EdgeKind(edge["kind"]) for edge in task["edges"]}
    for option, word in pairwise(command["argv"]):
        match option, *parse(word, task.get("items") is not None, ports):
            case "-i", PortHole(port=port, nth=nth) if nth:
                yield "    <input>"
                yield f"      <other_task_type>{escape(sources[port])}</other_task_type>"
                yield f"      <other_nth_output>{nth}</other_nth_output>"
                yield "    </input>"
    yield "  </inputs>"
    yield "</task>"
