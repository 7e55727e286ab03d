"""What is handed in: values, scripts, and the two tasks of a pool."""

from typing import Any

from tests.languages.weevil.documents import SOUND, Folder, changed

UNREDUCED = """<workflow><nodes>
<value id="list" value="[1, 2]" returntype="Array" />
<pool id="one">
<processor id="p" src="square" returntype="Number"><parameter id="x" paramtype="Number"/></processor>
</pool>
<pool id="two">
<processor id="q" src="square" returntype="Number"><parameter id="x" paramtype="Number"/></processor>
</pool>
<job id="end" src="total" returntype="Number"><parameters><parameter id="xs" paramtype="Array"/></parameters></job>
</nodes><edges>
<edge source="list" dest="one"/><edge source="one" dest="two"/><edge source="two" dest="end"/>
</edges><finalnode id="end"/></workflow>"""


def tasks(folder: Folder, document: str = SOUND) -> dict[str, Any]:
    return {task["name"]: task for task in folder.read(document).submission["tasks"]}


def edge(source: str, kind: str, port: str, of: str) -> dict[str, str]:
    return {"source": source, "kind": kind, "port": port, "type": of}


def test_a_submission_is_a_flow_named_like_its_file(folder: Folder) -> None:
    submission = folder.read(SOUND).submission
    assert {key: submission[key] for key in ("name", "kind", "cwd", "final")} == {
        "name": "w",
        "kind": "flow",
        "cwd": None,
        "final": ["sum", "pool.reducer"],
    }


def test_values_and_jobs_are_tasks_of_their_own(folder: Folder) -> None:
    found = tasks(folder)
    assert found["one"] == {"name": "one", "value": {"json": 1}}
    assert found["sum"]["script"]["arguments"] == [{"port": "a"}, {"port": "b"}]
    assert found["sum"]["edges"] == [edge("one", "broadcast", "a", "Number"), edge("two", "broadcast", "b", "Number")]


def test_a_returntype_is_declared_and_not_demanded(folder: Folder) -> None:
    script = tasks(folder)["sum"]["script"]
    assert script["declares"] == "Number"
    assert "returns" not in script


def test_a_pool_is_a_processor_as_long_as_the_array_and_a_reducer_that_gathers(folder: Folder) -> None:
    found = tasks(folder)
    assert "pool" not in found
    processor, reducer = found["pool.processor"], found["pool.reducer"]
    assert processor["sized_by"] == "list"
    assert processor["edges"] == [edge("list", "spread", "x", "Number")]
    assert "sized_by" not in reducer
    assert reducer["edges"] == [edge("pool.processor", "all", "xs", "Array")]


def test_the_result_of_a_pool_is_that_of_its_reducer(folder: Folder) -> None:
    document = changed('source="one"', 'source="pool"')
    assert tasks(folder, document)["sum"]["edges"][0] == edge("pool.reducer", "broadcast", "a", "Number")


def test_pools_without_reducers_go_on_item_by_item_and_are_gathered_in_the_end(folder: Folder) -> None:
    found = tasks(folder, UNREDUCED)
    assert [found[name]["sized_by"] for name in ("one.processor", "two.processor")] == ["list", "list"]
    assert found["two.processor"]["edges"] == [edge("one.processor", "each", "x", "Number")]
    assert found["end"]["edges"] == [edge("two.processor", "all", "xs", "Array")]


def test_the_size_of_a_pool_may_be_known_only_at_run_time(folder: Folder) -> None:
    folder.put("jobs/make.js", "function weevil_main() { return [1, 2]; }")
    job = '<job id="list" src="make" returntype="Array"><parameters/></job>'
    document = changed('<value id="list" value="[1, 2, 3]" returntype="Array" />', job)
    assert tasks(folder, document)["pool.processor"]["sized_by"] == "list"


def test_ids_that_are_no_names_of_tasks_become_such(folder: Folder) -> None:
    document = SOUND.replace('"one"', '"the first"').replace('"pool"', '"große Menge"')
    submission = folder.read(document).submission
    assert [task["name"] for task in submission["tasks"]] == [
        "the_first", "two", "list", "sum", "gro_e_Menge.processor", "gro_e_Menge.reducer",
    ]  # fmt: skip
    assert submission["final"] == ["sum", "gro_e_Menge.reducer"]


def test_the_outline_shows_the_tasks_with_their_types_files_and_pools(folder: Folder) -> None:
    outline = folder.read(SOUND).outline
    assert [(node.name, node.kind, node.line, node.what, node.gives, node.pool) for node in outline.nodes] == [
        ("one", "value", 3, "1", "Number", ""),
        ("two", "value", 4, "2", "Number", ""),
        ("list", "value", 5, "[1,2,3]", "Array", ""),
        ("sum", "job", 6, "jobs/add.js", "Number", ""),
        ("pool.processor", "job", 16, "jobs/square.js", "Number", "list"),
        ("pool.reducer", "job", 21, "jobs/total.js", "Number", ""),
    ]
    assert [(link.source, link.target, link.port, link.kind, link.line) for link in outline.links] == [
        ("one", "sum", "a", "broadcast", 29),
        ("two", "sum", "b", "broadcast", 30),
        ("list", "pool.processor", "x", "spread", 31),
        ("pool.processor", "pool.reducer", "xs", "all", 21),
    ]
    assert outline.final == ("sum", "pool.reducer")
    assert outline.name == "w"


def test_pools_without_reducers_are_drawn_around_the_list_that_both_go_over(folder: Folder) -> None:
    pools = {node.name: node.pool for node in folder.read(UNREDUCED).outline.nodes}
    assert pools == {"list": "", "one.processor": "list", "two.processor": "list", "end": ""}
