"""A trace as a DAX document: the way back."""

import shlex
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from roost.languages.problems import shown
from roost.languages.trace.trace import Trace, TraceTask
from roost.languages.xml_tree import NOT_IN_XML
from roost.model.errors import InvalidInput

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="3.6" name={name} count="1" index="0">'
)


def trace_dax(trace: Trace) -> str:
    """Return the document. Raise InvalidInput for what cannot be written as XML."""
    text = "\n".join([*_lines(trace), "</adag>", ""])
    if sign := NOT_IN_XML.search(text):
        raise InvalidInput(f"the workflow holds the sign {sign[0]!r}, which XML cannot hold; write a flow (.yaml)")
    return text


def _lines(trace: Trace) -> Iterator[str]:
    yield _HEAD.format(name=quoteattr(trace.name))
    sizes = trace.sizes or {}
    for task in trace.tasks:
        yield from _job(task, sizes)
    for task in trace.tasks:
        if task.parents:
            yield f"  <child ref={quoteattr(task.id)}>"
            yield from (f"    <parent ref={quoteattr(parent)}/>" for parent in task.parents)
            yield "  </child>"


def _job(task: TraceTask, sizes: Mapping[str, int]) -> Iterator[str]:
    program = task.argv[0] if task.argv else task.kind or task.id
    runtime = "" if task.seconds is None else f' runtime="{task.seconds}"'
    yield f"  <job id={quoteattr(task.id)} name={quoteattr(program)}{runtime}>"
    if task.argv and task.argv[1:]:
        yield f"    <argument>{escape(shlex.join(task.argv[1:]))}</argument>"
    profiles = [("env", name, text) for name, text in (task.env or {}).items()]
    if task.cpus > 1:
        profiles.append(("pegasus", "cores", f"{task.cpus:g}"))
    for namespace, key, text in profiles:
        if text != text.strip():
            wrong = f"the variable {shown(key)} of job {shown(task.id)} begins or ends with blanks"
            raise InvalidInput(f"{wrong}, which a DAX does not keep; write a flow (.yaml)")
        yield f'    <profile namespace="{namespace}" key={quoteattr(key)}>{escape(text)}</profile>'
    for stream in ("stdin", "stdout", "stderr"):
        file = getattr(task, stream)
        if file:
            yield f"    <{stream} name={quoteattr(file)}/>"
    changed = set(task.inputs) & set(task.outputs)
    for link, files in (("input", task.inputs), ("output", task.outputs)):
        for file in files:
            if file not in changed or link == "input":
                yield _uses(file, "inout" if file in changed else link, sizes)
    yield "  </job>"


def _uses(file: str, link: str, sizes: Mapping[str, int]) -> str:
    size = f' size="{sizes[file]}"' if file in sizes else ""
    return f'    <uses name={quoteattr(file)} link="{link}"{size}/>'
