"""Whatever is sent, the node answers with a sentence, stays up, and changes nothing that it refuses."""

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roost.app.web.routes import ROUTES
from tests.app.web.running_api import Answer, RunningApi

ACTS = ("cancel", "suspend", "resume", "retry")
POSTS = ("/v1/runs", *(f"/v1/runs/{run}/{act}" for run in ("1", "last", "9") for act in ACTS))

texts = st.text(max_size=8) | st.sampled_from(
    ["a", "b", "1-3", "0", "1/a", "last", "{i}", "{item.x}", "{needs.p}", "/tmp", "m:f", "each", "after", "p", "\0"]
)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 3)
any_json = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def mostly(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What fits, and now and then anything: a submission has many fields, and one that is wrong hides all others."""
    return st.integers(0, 29).flatmap(lambda chance: any_json if chance == 29 else strategy)


def some_fields(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[Any]:
    return mostly(st.fixed_dictionaries(required, optional=optional))


words = st.sampled_from(["x", "{i}", "{item}", "{needs.p}", "{}", "$HOME", "é"])
placeholders = st.sampled_from([{"port": "p"}, {"item": True}, {"index": True}, 1, "x", None])
commands = some_fields(
    {"argv": mostly(st.lists(words, min_size=1, max_size=3))},
    {
        "cwd": mostly(st.just("/tmp")),
        "env": mostly(st.dictionaries(st.sampled_from("AB"), words)),
        "stdin": mostly(words),
        "outputs": mostly(st.dictionaries(st.sampled_from("ab"), st.sampled_from(["a", "a/b"]), max_size=2)),
    },
)
functions = some_fields(
    {"call": mostly(st.just("math:sqrt"))},
    {
        "arguments": mostly(st.lists(placeholders, max_size=2)),
        "keywords": mostly(st.dictionaries(texts, st.lists(placeholders), max_size=2)),
        "path": mostly(st.lists(st.just("/tmp"), max_size=2)),
    },
)
edges = some_fields(
    {
        "source": mostly(st.sampled_from(["a", "1/a", "1", "last"])),
        "kind": mostly(st.sampled_from(["each", "all", "after"])),
    },
    {"port": mostly(st.just("p"))},
)
common = {
    "array": mostly(st.sampled_from(["1-3", "0", "2"])),
    "edges": mostly(st.lists(edges, max_size=1)),
    "cpus": mostly(st.sampled_from([0.5, 1, 2])),
    "memory_bytes": mostly(st.integers(0, 100)),
    "time_limit_s": mostly(st.integers(1, 100)),
    "length_s": mostly(st.integers(1, 100)),
    "retries": mostly(st.integers(0, 3)),
    "priority": mostly(st.sampled_from(["low", "interactive"])),
}
items = mostly(st.lists(any_json, min_size=1, max_size=3))


def tasks(name: str) -> st.SearchStrategy[Any]:
    names = mostly(st.just(name))
    return st.one_of(
        some_fields({"name": names, "command": commands}, common),
        some_fields({"name": names, "command": commands, "items": items}, common),
        some_fields({"name": names, "function": functions}, common),
        some_fields({"name": names, "function": functions, "items": items}, common),
    )


submissions = some_fields(
    {"tasks": mostly(st.tuples(tasks("a"), tasks("b")) | st.tuples(tasks("a")))},
    {
        "name": mostly(st.just("run")),
        "kind": mostly(st.sampled_from(["command", "flow"])),
        "cwd": mostly(st.just("/tmp")),
        "final": mostly(st.just(["a"])),
    },
)
acts = some_fields({}, {"task": mostly(st.sampled_from("ab")), "elements": mostly(st.sampled_from(["1", "1-3", "9"]))})

property_test = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture
def with_runs(api: RunningApi) -> RunningApi:
    api.submit({"name": "a", "array": "1-3"}, {"name": "b", "array": "1-3"})
    api.submit({"name": "a"})
    return api


def send(api: RunningApi, path: str, body: bytes) -> Answer:
    """Post, and check what holds for every answer."""
    before = api.service.snapshot()
    answer = api.send("POST", path, body)
    assert answer.status in (200, 201, 400, 404), answer
    if answer.status >= 400:
        assert api.service.snapshot() == before
        assert answer.message.isprintable()
        assert answer.kind == {400: "invalid", 404: "not_found"}[answer.status]
    return answer


@given(path=st.sampled_from(POSTS), body=st.binary(max_size=100))
@property_test
def test_arbitrary_bytes_are_refused_or_mean_something(with_runs: RunningApi, path: str, body: bytes) -> None:
    send(with_runs, path, body)


@given(path=st.sampled_from(POSTS), body=any_json)
@property_test
def test_arbitrary_json_is_refused_or_means_something(with_runs: RunningApi, path: str, body: Any) -> None:
    send(with_runs, path, msgspec.json.encode(body))


@given(body=submissions)
@settings(property_test, max_examples=200)
def test_what_almost_is_a_submission_is_refused_or_accepted_whole(with_runs: RunningApi, body: Any) -> None:
    count = len(with_runs.service.runs)
    answer = send(with_runs, "/v1/runs", msgspec.json.encode(body))
    if answer.status == 201:
        assert answer.json()["tasks"] == [f"{answer.json()['run']}/{task['name']}" for task in body["tasks"]]
        assert len(with_runs.service.runs) == count + 1


@given(path=st.sampled_from(POSTS[1:]), body=acts)
@property_test
def test_what_almost_is_an_act_is_refused_or_done(with_runs: RunningApi, path: str, body: Any) -> None:
    asked = len(with_runs.service.asked)
    answer = send(with_runs, path, msgspec.json.encode(body))
    assert len(with_runs.service.asked) == asked + (answer.status == 200)


@given(
    path=st.sampled_from([route.path.replace("{run}", "1") for route in ROUTES if route.method == "GET"]),
    query=st.dictionaries(
        st.sampled_from(["select", "limit", "task", "element", "elements", "stream", "offset", "name", "start", "run"]),
        texts | st.sampled_from(["a", "1", "2", "1-3", "stdout", "all"]),
        max_size=3,
    ),
)
@property_test
def test_arbitrary_queries_are_answered_or_refused(with_runs: RunningApi, path: str, query: dict[str, str]) -> None:
    before = with_runs.service.snapshot()
    assert with_runs.get(path, **query).status in (200, 400, 404, 426)
    assert with_runs.service.snapshot() == before


def test_no_two_routes_share_a_method_and_a_path() -> None:
    assert len({(route.method, route.path) for route in ROUTES}) == len(ROUTES)
