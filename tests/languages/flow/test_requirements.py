import pytest

from tests.languages.flow.flow_texts import accepted, refused_tasks, tasks_of


def test_requirements_take_the_names_of_the_api() -> None:
    task = tasks_of("t: {command: a, cpus: 0.5, mem: 2GiB, time: 1h 30min, retries: 3, priority: interactive}")["t"]
    wanted = {"cpus": 0.5, "memory_bytes": 2 * 1024**3, "time_limit_s": 5400.0, "retries": 3, "priority": "interactive"}
    assert wanted.items() <= task.items()


def test_a_step_may_say_how_long_it_is_expected_to_take() -> None:
    assert tasks_of("t: {command: a, length: 1min 30s}")["t"]["length_s"] == 90.0


def test_a_step_may_say_what_its_node_must_be() -> None:
    flow = """
        values: {few: 4}
        defaults: {require: gpu}
        tasks:
          t: {command: a, require: 'os == "linux" and cores >= {values.few}'}
          u: {command: a}
    """
    tasks = accepted(flow)["tasks"]
    assert [task["require"] for task in tasks] == ['os == "linux" and cores >= 4', "gpu"]


def test_a_step_may_refuse_to_be_reused() -> None:
    tasks = tasks_of("t: {command: a, reuse: false}\nu: {command: a, reuse: true}\nv: {command: a}")
    assert [task.get("reuse") for task in tasks.values()] == [False, True, None]


def test_what_is_not_given_is_left_to_the_api() -> None:
    assert not {"cpus", "memory_bytes", "retries"} & tasks_of("t: {command: a}")["t"].keys()


def test_a_number_of_seconds_needs_no_unit_and_no_memory_needs_none_either() -> None:
    task = tasks_of("t: {command: a, time: 90, mem: 0}")["t"]
    assert (task["time_limit_s"], task["memory_bytes"]) == (90.0, 0)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("mem: 2", "'mem' of task 't': '2' has no unit; write for example 2MB or 2GiB"),
        ("mem: lots", "'lots' is not a size"),
        ("mem: 99999999TB", "is more than any machine has"),
        ("mem: [1]", "'mem' of task 't' is a list"),
        ("time: soon", "'soon' is not a duration"),
        ("time: 0", "is not a duration"),
        ("time: 20000 days", "is longer than ten years"),
        ("time: 1:30", "is not a duration"),
        ("length: soon", "'length' of task 't': 'soon' is not a duration"),
        ("length: 20000 days", "is longer than ten years; leave 'length' out"),
        ("require: oss", "'require' of task 't': column 1: no node says 'oss' of itself; did you mean 'os'?"),
        ("require: ''", "'require' of task 't': column 1: there is nothing here"),
        ("require: [gpu]", "'require' of task 't' is a list; give a condition in quotes"),
        ("retries: -1", "give a whole number from 0 to 1,000"),
        ("reuse: perhaps", "'reuse' of task 't'"),
        ("retries: 1.5", "give a whole number"),
        ("cpus: 0", "give a number above zero"),
        ("cpus: 1e9", "at most 1,000,000"),
        ("cpus: all", "give a number above zero"),
        ("priority: high", "'priority' of task 't' cannot be 'high'"),
    ],
)
def test_requirements_that_cannot_be_are_refused(task: str, message: str) -> None:
    told = refused_tasks(f"t:\n  command: a\n  {task}\n")
    assert told.startswith("flow.yaml:4: ")
    assert message in told
