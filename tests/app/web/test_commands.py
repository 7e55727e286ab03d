"""Reading what commands were handed in with."""

from tests.app.web.running_api import RunningApi


def test_a_task_has_its_command_without_what_always_goes_along(api: RunningApi) -> None:
    env = {"PATH": "/bin", "ROOST_SUBMIT_DIR": "/home", "LEVEL": "{i}", "LANG": "{item}"}
    command = {"argv": ["echo", "{i}"], "env": env, "stdin": "text", "cwd": "/"}
    task = api.submit_one(command=command, items=["a"])
    assert api.get("/v1/runs/last/commands").json() == {
        "commands": [
            {
                "task": task, "argv": ["echo", "{i}"], "has_items": True, "cwd": "/", "stdin": "text", "outputs": {},
                "env": {"LEVEL": "{i}", "LANG": "{item}"}, "recorded": None,
            }
        ],
        "next": None,
        "next_task": None,
    }  # fmt: skip


def test_what_a_command_was_is_told_as_it_was_handed_in(api: RunningApi) -> None:
    recorded = {"type": "staged", "program_at": 2, "stdout": "o", "outside": ["f"]}
    api.submit_one(command={"argv": ["nice", "--", "wc"], "recorded": recorded})
    assert api.get("/v1/runs/last/commands").json()["commands"][0]["recorded"] == recorded


def test_elements_have_their_items_page_by_page(api: RunningApi) -> None:
    task = api.submit_one(command={"argv": ["echo"]}, items=["a", 2, None])
    page = api.get("/v1/runs/last/inputs?limit=2").json()
    assert page["inputs"] == [
        {"task": task, "index": 0, "path": "0", "item": "a"},
        {"task": task, "index": 1, "path": "1", "item": 2},
    ]
    rest = api.get(f"/v1/runs/last/inputs?limit=2&start={page['next']}&start_task={page['next_task']}").json()
    assert rest == {"inputs": [{"task": task, "index": 2, "path": "2", "item": None}], "next": None, "next_task": None}


def test_pages_of_commands_go_on_with_the_next_task(api: RunningApi) -> None:
    api.submit(*({"name": name, "command": {"argv": [name]}} for name in "abc"))
    page = api.get("/v1/runs/last/commands?limit=2").json()
    assert [command["argv"] for command in page["commands"]] == [["a"], ["b"]]
    rest = api.get(f"/v1/runs/last/commands?start={page['next']}&start_task={page['next_task']}").json()
    assert [command["argv"] for command in rest["commands"]] == [["c"]]


def test_functions_have_no_command_and_items_of_their_own(api: RunningApi) -> None:
    api.submit_one(function={"call": "math:sqrt", "arguments": [4]})
    assert api.get("/v1/runs/last/commands").json()["commands"] == []
    assert api.get("/v1/runs/last/inputs").json()["inputs"] == []
