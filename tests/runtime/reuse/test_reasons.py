"""Why something was reused or not, in words."""

from pathlib import Path

import msgspec
import pytest

from roost.executors.reuse.entries import Entry
from roost.model.ids import NodeId, TaskId
from roost.model.states import Cancelled, Done, Failed, State
from roost.model.task import Command, Manual, Reuse, Value, Work
from roost.runtime.reuse.reasons import ReuseReasons
from tests.runtime.journalling import NODE
from tests.runtime.reuse_lab import FIRST, FOURTH, KEY, SECOND, THIRD, Lab, lab
from tests.tokens import attempt

ENTRY, CHANGED = Entry(KEY, {"file a.py": b"1"}), Entry(b"x" * 16, {"file a.py": b"2"})


def told(at: Lab, task: TaskId, index: int | None = 0) -> str:
    return "\n".join(ReuseReasons(at.journal, at.shelf(), NODE).explain(task, index))


@pytest.mark.parametrize(
    ("work", "reuse", "words"),
    [
        (Manual("look"), Reuse.PURE, "a person does it"),
        (Value("3"), Reuse.PURE, "nothing to run"),
        (Command(("x",)), Reuse.OFF, "nobody asked"),
        (Command(("x",)), Reuse.KEPT, "a later run with --resume may"),
        (Command(("x",)), Reuse.FRESH, "--fresh"),
        (Command(("x",)), Reuse.NEVER, "'reuse: false'"),
    ],
)
def test_what_is_not_looked_up_says_why(tmp_path: Path, work: Work, reuse: Reuse, words: str) -> None:
    with lab(tmp_path) as at:
        assert words in told(at, at.run(FIRST, work=work, reuse=reuse))


def test_what_was_reused_says_from_where(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task, again = at.run(FIRST), at.run(SECOND)
        at.kept(again, 0, b"1", Entry(task=task, index=7), state=Done(attempt(1), NODE, reused=True))
        at.moved(again, 1, Done(attempt(1), NodeId("elm"), reused=True))
        assert told(at, again) == f"element 0: taken over from {task} element 7"
        assert told(at, again, 1) == "element 1: taken over by elm, which knows from where"
        assert told(at, again, None).splitlines()[0] == f"1 of 2 elements: taken over from {task}"


def test_what_was_noted_of_a_result_that_was_not_accepted_is_not_told(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task, again = at.run(FIRST), at.run(SECOND)
        at.kept(task, 0, b"1", ENTRY)
        at.kept(again, 0, b"1", Entry(task=task, index=0), state=Done(attempt(1), NODE, reused=True))
        at.moved(again, 0, Done(attempt(2), NodeId("elm")))
        assert told(at, again) == "element 0: not taken over: it was done on elm, which alone may know why"


def test_changes_since_the_last_run_are_named(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        at.kept(at.run(FIRST, work=Command(("a",))), 0, b"1", ENTRY)
        again = at.run(SECOND, work=Command(("b",)))
        at.kept(again, 0, b"1", CHANGED)
        sentence = told(at, again)
        assert f"since run {FIRST} the command changed (was 'a', is 'b'); the file a.py changed" in sentence
        assert "it has not run yet" in told(at, again, 1)


def test_it_looks_through_what_was_itself_reused(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task = at.run(FIRST)
        at.kept(task, 0, b"1", ENTRY)
        second = at.run(SECOND)
        at.kept(second, 0, b"1", Entry(task=task, index=0), state=Done(attempt(1), NODE, reused=True))
        third = at.run(THIRD)
        at.kept(third, 0, b"1", CHANGED)
        assert told(at, third) == f"element 0: not taken over: since run {SECOND} the file a.py changed"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (Failed(0, attempt(1), NODE, 1), f"the earlier one, in run {FIRST}, failed"),
        (Cancelled(attempt(1)), f"the earlier one, in run {FIRST}, was cancelled"),
        (Done(attempt(1), NodeId("elm")), "was done on elm, and is not known here"),
        (None, "it never ran before"),
    ],
)
def test_what_became_of_the_earlier_one_is_said(tmp_path: Path, state: State | None, words: str) -> None:
    with lab(tmp_path) as at:
        task, again = at.run(FIRST), at.run(SECOND)
        if state is not None:
            at.moved(task, 0, state)
        at.kept(again, 0, b"1", ENTRY)
        assert words in told(at, again)


def test_without_an_earlier_run_it_never_ran_before(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task = at.run(FIRST)
        at.kept(task, 0, b"1", ENTRY)
        assert "it never ran before" in told(at, task)


@pytest.mark.parametrize(
    ("entry", "reuse", "words"),
    [
        (
            Entry(b"", ENTRY.parts, why="the file out changed while it ran"),
            Reuse.PURE,
            "was not kept for it: the file out",
        ),
        (ENTRY, Reuse.PURE, "nothing changed since"),
    ],
)
def test_what_was_not_kept_and_what_is_gone_is_said(tmp_path: Path, entry: Entry, reuse: Reuse, words: str) -> None:
    with lab(tmp_path) as at:
        at.kept(at.run(FIRST, reuse=reuse), 0, b"1", entry)
        again = at.run(SECOND)
        at.kept(again, 0, b"1", ENTRY)
        assert words in told(at, again)


def test_a_run_that_kept_no_keys_is_named(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        at.moved(at.run(FIRST, reuse=Reuse.OFF), 0, Done(attempt(1), NODE))
        again = at.run(SECOND)
        at.kept(again, 0, b"1", ENTRY)
        assert f"run {FIRST} did not ask for it" in told(at, again)


def test_work_that_is_never_reused_says_so(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task = at.run(FIRST)
        at.kept(task, 0, b"1", Entry(why="it speaks", never=True))
        assert told(at, task) == "element 0: not taken over: it speaks"


def test_what_a_person_sent_back_was_not_reused(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        at.kept(at.run(FIRST), 0, b"1", ENTRY)
        again = at.run(SECOND)
        at.kept(again, 0, b"1", ENTRY, state=Done(attempt(1), NODE, edition=1))
        assert told(at, again) == "element 0: not taken over: a person had it done again"


def test_who_gave_it_and_who_was_asked_in_vain_is_said(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task, again = at.run(FIRST), at.run(SECOND)
        elsewhere = Entry(b"k", task="9-nowhere/work", index=4, node="elm")
        at.kept(task, 0, b"1", elsewhere, state=Done(attempt(1), NODE, reused=True))
        assert told(at, task) == "element 0: taken over from 9-nowhere/work element 4, which elm had"
        for asked, silent, words in (
            (1, (), "one other node was asked and does not have it"),
            (3, (), "3 other nodes were asked, and none has it"),
            (3, ("oak",), "2 other nodes were asked, and none has it, and oak did not give it in time"),
            (1, ("oak",), "oak did not give it in time"),
        ):
            at.kept(again, 1, b"1", msgspec.structs.replace(ENTRY, asked=asked, silent=silent))
            assert told(at, again, 1).endswith(f"; {words}")


def test_what_is_resumed_is_compared_with_the_last_run_of_the_same_workflow(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        at.kept(at.run(FIRST, reuse=Reuse.KEPT, workflow="a"), 0, b"1", CHANGED)
        at.kept(at.run(SECOND, reuse=Reuse.KEPT, workflow="b"), 0, b"1", ENTRY)
        for run, workflow, words in (
            (THIRD, "a", f"since run {FIRST} the file a.py changed"),
            (FOURTH, "c", "no earlier run of this workflow has it"),
        ):
            task = at.run(run, reuse=Reuse.RESUMED, workflow=workflow)
            at.kept(task, 0, b"1", ENTRY)
            assert words in told(at, task)
        reasons = ReuseReasons(at.journal, at.shelf(), NODE)
        assert reasons.has_run_of("a")
        assert not reasons.has_run_of("d")


def test_what_was_kept_for_its_place_is_not_found_by_content(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        at.kept(at.run(FIRST, reuse=Reuse.KEPT, workflow="a"), 0, b"1", ENTRY)
        again = at.run(SECOND, workflow="a")
        at.kept(again, 0, b"1", Entry(b"y" * 16, ENTRY.parts))
        assert "the step did not say 'reuse' as it does now" in told(at, again)
