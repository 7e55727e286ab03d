"""Hypothesis strategies for flows without a mistake: whatever they make must be accepted."""

from typing import Any

from hypothesis import strategies as st

_ITEMS = st.lists(st.sampled_from(["a", "two words", 3, 2.5, None, True, "{i}", "no"]), min_size=3, max_size=3)
_SINGLE: dict[str, Any] = {}
_ARRAY = {"array": "1-3"}
#: What a word of a command, a script or an argument may hold, by what the task has.
_ALWAYS = ["x", "{i}", "{run}", "{{i}}", "${HOME}", "{print}", "{values.n}", "a b"]


@st.composite
def sound_flows(draw: st.DrawFn) -> dict[str, Any]:
    """Make a flow of up to six tasks, each of which takes what it can from those before it."""
    tasks: dict[str, dict[str, Any]] = {}
    arrays: dict[str, bool] = {}
    for at in range(draw(st.integers(1, 6))):
        name = f"t{at}"
        tasks[name], arrays[name] = draw(_tasks(tasks, arrays))
    flow: dict[str, Any] = {"values": {"n": 2}, "tasks": tasks}
    if draw(st.booleans()):
        flow["defaults"] = {"retries": 1, "env": {"LEVEL": 3}, "time": "5min"}
    if draw(st.booleans()):
        flow["result"] = draw(st.lists(st.sampled_from(sorted(tasks)), min_size=1, max_size=2))
    return flow


@st.composite
def _tasks(draw: st.DrawFn, earlier: dict[str, dict[str, Any]], arrays: dict[str, bool]) -> tuple[dict[str, Any], bool]:
    is_array = draw(st.booleans())
    task: dict[str, Any] = draw(_elements()) if is_array else dict(_SINGLE)
    words = [*_ALWAYS, *(["{item}"] if "items" in task else [])]
    for source in draw(st.lists(st.sampled_from(sorted(earlier)), unique=True, max_size=3)) if earlier else []:
        key = draw(st.sampled_from(["all", "after", *_close(is_array, arrays[source])]))
        port = f"port-{source}"
        task.setdefault(key, [] if key == "after" else {})
        if key == "after":
            task[key].append(source)
        else:
            task[key][port] = source
            words.append(f"{{needs.{port}}}")
            words += [f"{{needs.{port}.{output}}}" for output in earlier[source].get("outputs", {})]
    task.update(draw(_works(words, "items" in task)))
    return task, is_array


def _elements() -> st.SearchStrategy[dict[str, Any]]:
    return st.just(dict(_ARRAY)) | _ITEMS.map(lambda items: {"items": items, "array": "1-3"})


def _close(is_array: bool, source_is_array: bool) -> list[str]:
    """Return the keys that take a result at a time from a source."""
    if not source_is_array:
        return ["needs"] if is_array else ["needs", "each"]
    return ["each"] if is_array else []


def _works(words: list[str], has_items: bool) -> st.SearchStrategy[dict[str, Any]]:
    word = st.sampled_from(words)
    alone = st.sampled_from([text for text in words if text.count(".") < 2 and text != "{run}"])
    arguments = st.lists(alone, max_size=2).map(lambda given: [*given, "{item}"] if has_items else given)
    script = st.lists(word, max_size=3).map(lambda given: f'echo "{" ".join(given)}" | sort')
    outputs = st.dictionaries(st.sampled_from(["text", "log-2"]), st.sampled_from(["a.txt", "d/{i}"]), max_size=2)
    return st.one_of(
        st.builds(
            lambda given, files: {"command": ["x", *given], "outputs": files}, st.lists(word, max_size=3), outputs
        ),
        st.builds(lambda given, files: {"shell": given, "outputs": files}, script, outputs),
        arguments.map(lambda given: {"function": "json:dumps", "arguments": given}),
    )
