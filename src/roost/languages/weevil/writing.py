"""A workflow back into WEB's language: the document, and the files of jobs and values that it names.

What is written reads as the same workflow again. Only values, jobs and pools of them can be written: the language has
no commands and no manual steps.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from xml.sax.saxutils import quoteattr

import msgspec

from roost.languages.naming import PROCESSOR, REDUCER
from roost.languages.outline import OutlineNode, Reading
from roost.languages.problems import shown
from roost.languages.weevil.files import inside
from roost.languages.xml_tree import NOT_IN_XML
from roost.model.errors import InvalidInput

DOCUMENT: Final = "workflow.xml"


def write_weevil(reading: Reading) -> dict[str, str]:
    """Return the texts of all files by their names, DOCUMENT among them. Raise InvalidInput for what has no words."""
    return _Writer(reading).files()


class _Writer:
    def __init__(self, reading: Reading) -> None:
        self._submission = reading.submission
        self._tasks: dict[str, dict[str, Any]] = {task["name"]: task for task in reading.submission["tasks"]}
        self._outlined: Mapping[str, OutlineNode] = {node.name: node for node in reading.outline.nodes}
        self._files: dict[str, str] = {}
        self._edges: list[str] = []

    def files(self) -> dict[str, str]:
        nodes = [line for task in self._tasks.values() for line in self._node(task)]
        finals = [f"  <finalnode id={quoteattr(self._id(name))} />" for name in self._submission["final"]]
        edges = [f'    <edge id="edge{number}" {words} />' for number, words in enumerate(self._edges, start=1)]
        lines = ["<workflow>", "  <nodes>", *nodes, "  </nodes>", "  <edges>", *edges, "  </edges>", *finals]
        return {DOCUMENT: "\n".join([*lines, "</workflow>", ""]), **self._files}

    def _node(self, task: Mapping[str, Any]) -> Iterator[str]:
        name = task["name"]
        if "value" in task:
            yield f"    <value {self._value(name, task['value']['json'])} />"
        elif "script" not in task:
            raise InvalidInput(
                f"task {shown(name)} is neither a value nor a JavaScript job; WEB's language has no words for it"
            )
        elif task.get("sized_by") is not None:
            yield from self._pool(task)
        elif not self._is_reducer(name):
            yield from self._job("job", name, task, "    ")
            self._edges += [self._edge(edge, name) for edge in task["edges"]]

    def _value(self, name: str, value: Any) -> str:
        kind = self._outlined[name].gives
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        words = f"id={quoteattr(name)} returntype={quoteattr(kind)}"
        if not NOT_IN_XML.search(text):
            return f"{words} value={quoteattr(text)}"
        file = self._free(f"{name}.txt")
        # One end of a line is taken off again when the file is read, be it of one character or of two.
        self._files[file] = text + ("\r\n" if text.endswith("\r") else "\n")
        return f"{words} src={quoteattr(file)}"

    def _pool(self, task: Mapping[str, Any]) -> Iterator[str]:
        name = task["name"].removesuffix(PROCESSOR)
        reducer = self._tasks.get(name + REDUCER) if self._is_reducer(name + REDUCER) else None
        gives = self._outlined[name + REDUCER].gives if reducer is not None else "Array"
        (edge,) = task["edges"]
        self._edges.append(self._edge(edge | {"port": ""}, name))
        yield f"    <pool id={quoteattr(name)}{_typed('returntype', gives)}>"
        yield from self._job("processor", task["name"], task, "      ")
        if reducer is not None:
            yield from self._job("reducer", reducer["name"], reducer, "      ")
        yield "    </pool>"

    def _is_reducer(self, name: str) -> bool:
        """Whether a task gathers what the processor of its own pool gives."""
        if not name.endswith(REDUCER) or name not in self._tasks:
            return False
        processor = name.removesuffix(REDUCER) + PROCESSOR
        return [edge["source"] for edge in self._tasks[name]["edges"]] == [processor]

    def _job(self, tag: str, name: str, task: Mapping[str, Any], indent: str) -> Iterator[str]:
        node = self._outlined[name]
        if task["script"].get("returns"):
            wrong = f"task {shown(name)} fails if it returns no {task['script']['returns']}"
            raise InvalidInput(f"{wrong}; WEB's language has no words for it, and 'declares' is what it says instead")
        file = self._job_file(node, task["script"]["code"])
        yield f"{indent}<{tag} id={quoteattr(name)} src={quoteattr(file)}{_typed('returntype', node.gives)}>"
        yield f"{indent}  <parameters>"
        for port in node.ports:
            yield f"{indent}    <parameter id={quoteattr(port.name)}{_typed('paramtype', port.type)} />"
        yield f"{indent}  </parameters>"
        yield f"{indent}</{tag}>"

    def _job_file(self, node: OutlineNode, code: str) -> str:
        """Return the file of a job: the one it came from, as far as that is free or holds the same code."""
        wanted = node.what if _is_file_name(node.what) else f"{node.name}.js"
        if self._files.get(wanted) == code:
            return wanted
        file = self._free(wanted)
        self._files[file] = code
        return file

    def _free(self, file: str) -> str:
        stem, dot, ending = file.rpartition(".")
        number = 1
        while file in self._files:
            number += 1
            file = f"{stem}-{number}{dot}{ending}"
        return file

    def _edge(self, edge: Mapping[str, str], target: str) -> str:
        words = f"source={quoteattr(self._id(edge['source']))} dest={quoteattr(target)}"
        return f"{words} paramdest={quoteattr(edge['port'])}" if edge["port"] else words

    def _id(self, task: str) -> str:
        """Return the id of the node behind a task: what is inside a pool is named by the pool."""
        if self._tasks[task].get("sized_by") is not None:
            return task.removesuffix(PROCESSOR)
        return task.removesuffix(REDUCER) if self._is_reducer(task) else task


def _is_file_name(text: str) -> bool:
    try:
        return inside(text) == text != DOCUMENT
    except InvalidInput:
        return False


def _typed(attribute: str, kind: str) -> str:
    return f" {attribute}={quoteattr(kind)}" if kind else ""
