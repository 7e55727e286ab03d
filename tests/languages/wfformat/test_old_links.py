from typing import Any

import msgspec

from roost.languages.trace.simulation import Simulation
from roost.languages.wfformat.document import OldTask
from roost.languages.wfformat.old_links import OldLinks
from roost.languages.wfformat.reader import read_wfformat
from tests.languages.recorded import written


def task(own: str, name: str, reads: str, writes: str, *parents: str, children: tuple[str, ...] = ()) -> dict[str, Any]:
    """Describe a task whose files are single letters."""
    inputs = [{"name": file, "link": "input"} for file in reads]
    outputs = [{"name": file, "link": "output"} for file in writes]
    return {"id": own, "name": name, "parents": parents, "children": children, "files": [*inputs, *outputs]}


TASKS = [
    task("1", "trim", "", "a", children=("assemble", "report")),
    task("2", "trim", "", "b", children=("assemble", "report")),
    task("3", "assemble", "a", "c", "trim", children=("report",)),
    task("4", "assemble", "b", "d", "trim", children=("report",)),
    task("5", "report", "c", "", "trim", "assemble"),
]


def links_of(tasks: list[dict[str, Any]]) -> tuple[list[list[str]], list[list[str] | None]]:
    read = msgspec.convert(tasks, list[OldTask])
    ids = [one.id for one in read]
    links = OldLinks(read, ids)
    parents = [links.parents(one, own) for one, own in zip(read, ids, strict=True)]
    return parents, links.children(parents)


def test_of_tasks_that_share_a_name_those_are_meant_that_a_file_comes_from_or_that_say_so() -> None:
    parents, children = links_of(TASKS)
    assert parents == [[], [], ["1"], ["2"], ["1", "2", "3", "4"]]
    assert children == [["3", "5"], ["4", "5"], ["5"], ["5"], []]


def test_all_are_meant_if_nothing_tells_them_apart() -> None:
    parents, _ = links_of(
        [task("1", "trim", "", ""), task("2", "trim", "", ""), task("3", "end", "", "", "trim", "gone")]
    )
    assert parents[2] == ["1", "2", "gone"]
    assert links_of([task("1", "step", "", ""), task("2", "step", "", "", "step")])[0] == [[], ["1"]]


def test_two_tasks_with_one_id_keep_what_each_says() -> None:
    same = [task("1", "a", "", "x", children=("2",)), task("1", "a", "", "y"), task("2", "b", "xy", "", "a")]
    assert links_of(same) == ([[], [], ["1", "1"]], [["2"], [], []])


def test_such_a_document_is_read_without_a_word_about_it() -> None:
    document = {"name": "shared", "schemaVersion": "1.4", "workflow": {"tasks": TASKS}}
    assert not any("child" in told for told in read_wfformat(written(document), "w.json", to_run=False).warnings)
    assert [one["name"] for one in read_wfformat(written(document), simulation=Simulation()).submission["tasks"]] == [
        "trim_1", "trim_2", "assemble_3", "assemble_4", "report_5",
    ]  # fmt: skip
