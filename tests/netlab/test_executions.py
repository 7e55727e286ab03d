"""Executions are noted by the elements themselves."""

import subprocess
from pathlib import Path

from netlab.executions import Executions, by_host, times, uptime_s


def execute(executions: Executions, run: str, index: int, seconds: float = 0.0) -> "subprocess.Popen[str]":
    variables = {"ROOST_TASK": f"{run}/work", "ROOST_INDEX": str(index)}
    words = executions.command(seconds)
    return subprocess.Popen(words, env=variables, stdout=subprocess.PIPE, text=True)


def test_an_execution_is_noted_where_it_began_and_where_it_ended(tmp_path: Path) -> None:
    executions = Executions(tmp_path / "executions")
    # The kernel tells the time in hundredths.
    before = uptime_s() - 0.01
    with execute(executions, "1-a", 7) as one, execute(executions, "2-b", 7) as other:
        said, _ = one.communicate(timeout=30)
        other.communicate(timeout=30)
    (begun,) = executions.begun("1-a")
    assert executions.ended("1-a") == [begun]
    assert executions.under_way("1-a") == []
    assert begun.task == "1-a/work"
    (ended,) = executions.ended("1-a")
    assert before <= begun.at_s <= ended.at_s <= uptime_s()
    assert said.split()[:2] == ["7", begun.host]
    assert by_host(executions.begun("2-b")) == {begun.host: 1}


def test_an_execution_that_was_killed_has_no_end(tmp_path: Path) -> None:
    executions = Executions(tmp_path / "executions")
    with execute(executions, "1-a", 3) as one:
        one.communicate(timeout=30)
    with execute(executions, "1-a", 3, seconds=1000) as killed:
        while times(executions.begun("1-a"))[3] < 2:
            assert killed.poll() is None
        killed.kill()
    assert times(executions.ended("1-a")) == {3: 1}
    assert [execution.index for execution in executions.under_way("1-a")] == [3]
