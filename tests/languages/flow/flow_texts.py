"""Short ways to say what a flow text gives, or why it is refused."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest

from roost.languages.flow.flow import open_flow
from roost.model.errors import InvalidInput


def check_flow(
    text: str, name: str = "flow.yaml", folder: Path | None = None, overrides: Mapping[str, str] | None = None
) -> dict[str, Any]:
    return open_flow(text, name, folder, overrides).submission


def accepted(text: str, folder: Path | None = None, **overrides: str) -> dict[str, Any]:
    return check_flow(dedent(text), folder=folder, overrides=overrides)


def tasks_of(text: str, folder: Path | None = None, **overrides: str) -> dict[str, dict[str, Any]]:
    """Return the tasks of a flow by name; ``text`` is what stands below ``tasks:``."""
    flow = "tasks:\n" + indent(dedent(text).strip("\n"), "  ")
    return {task["name"]: task for task in accepted(flow, folder, **overrides)["tasks"]}


def refused(text: str, folder: Path | None = None, overrides: Mapping[str, str] | None = None) -> str:
    with pytest.raises(InvalidInput) as caught:
        check_flow(dedent(text), folder=folder, overrides=overrides)
    return str(caught.value)


def refused_tasks(text: str, folder: Path | None = None) -> str:
    """Say why the tasks in ``text`` are refused; its first line is line 2."""
    return refused("tasks:\n" + indent(dedent(text).strip("\n"), "  "), folder)
