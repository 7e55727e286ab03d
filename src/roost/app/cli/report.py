"""`roost report`: what happened in a run, as one page or as data."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import msgspec

from roost.app.cli.common import emit_json, hint, json_option, say, write_whole
from roost.app.cli.results import name_of_task
from roost.app.cli.selecting import choose, complete_runs, find_node
from roost.app.drawing.report.facts import Facts, ask, evenness, shares
from roost.app.drawing.report.lines import json_lines
from roost.app.drawing.report.page import page_html
from roost.app.drawing.wording import count_of
from roost.client.control import Control
from roost.client.paging import commands_of, failures_of, inputs_of, results_of
from roost.languages.trace.recorded import recorded_of
from roost.languages.wfformat.export import export_run
from roost.model.errors import InvalidInput
from roost.model.recorded import Replayed

_Path = click.Path(path_type=Path, dir_okay=False)


@click.command("report")
@click.argument("run", default="last", metavar="[RUN]", shell_complete=complete_runs)
@click.option("-o", "--output", type=_Path, metavar="FILE.html", help="Where to write the page.")
@click.option("--jsonl", type=_Path, metavar="FILE", help="Write JSON lines: a run, node, step, span or element each.")
@click.option("--wfformat", type=_Path, metavar="FILE", help="Write a WfFormat trace, for WfCommons and 'roost run'.")
@json_option
def command(run: str, output: Path | None, jsonl: Path | None, wfformat: Path | None, as_json: bool) -> None:
    """Write what happened in a run. Default: a page about the last run, RUN.html in this folder.

    The page is one file that needs no network: summary, graph, timeline, what each node did, steps, failures.
    A run that goes on is written as it is now.

    \b
    Example:
      roost report 5 -o render.html
      roost report 5 --jsonl render.jsonl --wfformat render.json
    """
    control = find_node()
    named = choose(control, (run,), counted=True)
    chosen = named.runs
    if len(chosen) != 1:
        raise InvalidInput(f"'{run}' means {len(chosen):,} runs; a report is about one")
    if named.task is not None:
        raise InvalidInput(f"a report is about a whole run; leave '/{named.task}' out")
    _require_folders(output, jsonl, wfformat)
    facts = ask(control, chosen[0]["run"])
    if output is None and jsonl is None and wfformat is None:
        output = Path(f"{facts.detail['run']}.html")
    # What cannot be told in a trace is said before anything is written.
    trace = b"" if wfformat is None else _trace(control, facts)
    written = []
    for path, content in (
        (output, lambda: [page_html(facts).encode()]),
        (jsonl, lambda: json_lines(facts, failures_of(control, facts.detail["run"]))),
        (wfformat, lambda: [trace]),
    ):
        if path is not None:
            write_whole(path, content())
            written.append(str(path))
    if as_json:
        emit_json({"run": facts.detail["run"], "written": written, **_who_did_what(facts)})
        return
    for name in written:
        say(name)
    if facts.silent:
        hint(f"roost: without what these nodes remember, which did not answer: {', '.join(facts.silent)}")


def _who_did_what(facts: Facts) -> dict[str, Any]:
    found = shares(facts)
    done, busy = evenness(found)
    nodes = [{"node": share.node, "done": share.done, "busy_s": share.busy_s} for share in found]
    return {"owner": facts.detail["owner"], "nodes": nodes, "evenness": {"done": done, "busy_s": busy}}


def _require_folders(*paths: Path | None) -> None:
    for path in paths:
        if path is not None and not path.parent.is_dir():
            raise InvalidInput(f"there is no folder {path.parent} to write {path.name} into; make it first")


def _trace(control: Control, facts: Facts) -> bytes:
    run = facts.detail["run"]
    results = [result for step in facts.detail["steps"] for result in results_of(control, run, step["name"], None)]
    commands = list(commands_of(control, run))
    document = export_run(
        facts.detail, results, failures_of(control, run), facts.nodes, facts.spans, facts.at,
        commands=commands, inputs=inputs_of(control, run),
    )  # fmt: skip
    _tell_timeless(facts, document)
    _tell_wordless(commands, document)
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def _tell_timeless(facts: Facts, document: dict[str, Any]) -> None:
    """Say how many elements have ended of which no time is known."""
    ended = facts.detail["counts"]["done"] + facts.detail["counts"]["failed"]
    lacking = ended - len(document["workflow"].get("execution", {}).get("tasks", ()))
    if lacking > 0:
        told = f"roost: no time is known of {count_of(lacking, 'element')}: not run this time, or its node is gone"
        hint(f"{told}; the trace has them in 'specification' only")


def _tell_wordless(commands: Iterable[dict[str, Any]], document: dict[str, Any]) -> None:
    """Say how many elements have no command in the trace: placeholders, and those of which it is not known any more."""
    is_placeholder = {name_of_task(command): isinstance(recorded_of(command), Replayed) for command in commands}
    names = {task["id"]: task["name"] for task in document["workflow"]["specification"]["tasks"]}
    executed = document["workflow"].get("execution", {}).get("tasks", ())
    lacking = Counter(is_placeholder.get(names[task["id"]]) for task in executed if "command" not in task)
    for kind, why in ((False, "is not known, because what arrived is not"), (True, "is that of a placeholder")):
        if lacking[kind]:
            told = f"roost: the command line of {count_of(lacking[kind], 'element')} {why}"
            hint(f"{told}; the trace has no 'command' for them")
