"""`roost ps`: a table of runs."""

import click
from rich.table import Table

from roost.app.cli.common import emit_json, hint, json_option
from roost.app.cli.draw import clock_text, console, ended_of, notes_text, state_text, table_of, time_taken
from roost.app.cli.selecting import Run, find_node, runs_argument

LIMIT = 20


@click.command("ps")
@runs_argument()
@click.option("--limit", type=click.IntRange(1), default=LIMIT, show_default=True, help="The newest N runs.")
@click.option("--all", "every", is_flag=True, help="All runs, however many.")
@json_option
def command(runs: tuple[str, ...], limit: int, every: bool, as_json: bool) -> None:
    """List runs, the newest last.

    \b
    Example:
      roost ps
      roost ps 10-20
      roost ps --all --json | jq '.runs[].state'
    """
    select = ",".join(runs) or "all"
    told = find_node().get("/v1/runs", select=select, limit=None if every else limit)
    listed = told["runs"]
    listed.sort(key=lambda run: run["submitted_at"])
    if as_json:
        emit_json({"runs": listed, "damaged": told.get("damaged", [])})
        return
    for sentence in told.get("damaged", ()):
        hint(sentence)
    if not listed:
        hint("there are no runs yet; 'roost submit -- CMD' makes one")
        return
    console().print(table_of_runs(listed))
    if not every and len(listed) == limit:
        hint(f"the newest {limit}; 'roost ps --all' lists every run")


def table_of_runs(runs: list[Run]) -> Table:
    table = table_of(
        "RUN", "NAME", "STATE", "ENDED", "OF", "WRONG", "SUBMITTED", "TIME", "", right=("ENDED", "OF", "WRONG")
    )
    for run in runs:
        counts = run["counts"]
        ended = ended_of(counts)
        wrong = ended - counts["done"]
        table.add_row(
            run["run"],
            run["name"],
            state_text(run["state"]),
            f"{ended:,}",
            f"{counts['total']:,}",
            f"{wrong:,}" if wrong else "",
            clock_text(run["submitted_at"]),
            time_taken(run),
            notes_text(run),
        )
    return table
