"""`roost doctor`: is everything in order, and if not, what to do."""

import click
from rich.text import Text

from roost.app.cli import exits
from roost.app.cli.checks import FAIL, OK, WARN, all_findings
from roost.app.cli.common import emit_json, json_option
from roost.app.cli.disk_checks import deep_findings, journal
from roost.app.cli.draw import console
from roost.app.cli.network_checks import network_findings
from roost.client.control import this_home

_COLOUR = {OK: "green", WARN: "yellow", FAIL: "red"}


@click.command("doctor")
@click.option("--deep", is_flag=True, help="Read everything that the node keeps, and compare it with its checksums.")
@json_option
def command(deep: bool, as_json: bool) -> int:
    """Check that everything is in order, and say what to do where it is not. The exit code is 1 if something fails.

    \b
    Example:
      roost doctor
      roost doctor --deep
    """
    home = this_home()
    findings = [*all_findings(home), journal(home), *(deep_findings(home) if deep else []), *network_findings(home)]
    if as_json:
        emit_json({"findings": [finding._asdict() for finding in findings]})
    else:
        out = console()
        for finding in findings:
            verdict = (finding.verdict.ljust(4), _COLOUR[finding.verdict])
            out.print(Text.assemble(verdict, f"  {finding.what}: {finding.found}"))
            if finding.remedy:
                out.print(Text(f"      {finding.remedy}"))
    return exits.WORK_FAILED if any(finding.verdict == FAIL for finding in findings) else exits.WELL
