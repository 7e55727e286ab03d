"""Hypothesis strategies for flows without a mistake: whatever they make must be accepted."""

from typing import Any

from hypothesis import strategies as st

#: One of everything, and nothing in vain.
LARGE_FLOW = """\
name: everything
values: {n: 3}
defaults: {retries: 1, env: {LEVEL: low}}
env: {LANG: C}
tasks:
  list: {value: [1, 2, 3]}
  table: {value: {count: "{values.n}", name: x}}
  make: {array: 1-3, command: "echo {i}", outputs: {text: out.txt}, cpus: 0.5, mem: 2GiB, time: 1h, retries: 3}
  each_one: {each: make, shell: "cat {needs.make.text}", priority: interactive, stdin: x, cwd: scratch}
  items: {items: [a, {b: 1}], function: "json:dumps"}
  grid: {matrix: {a: [1, 2], b: [x]}, command: "x {item.a} {item.b}", protocol: lan}
  square:
    spread: {x: {from: list, type: Number}}
    needs: {n: {from: table, pick: count, type: Number}, name: table.name}
    script: "function weevil_main(x, n) { return {v: [x, n]}; }"
    arguments: ["{needs.x}", "{needs.n}", {literal: "{{i}}", index: "{i}", "null": ~}]
  numbers: {each: square, function: "builtins:list", arguments: ["{needs.square}"]}
  inner: {spread: numbers, each: {inner-name: square}, function: "json:dumps", arguments: {obj: "{needs.inner-name}"}}
  up: {sized_by: list, all: inner, function: "builtins:len"}
  total: {all: [up, make, items, grid, each_one], function: "json:dumps", arguments: [["{needs.up}"]]}
  ask:
    needs: {total: total}
    manual:
      title: Look
      instructions: "several\\nlines"
      fields: {ok: boolean, size: number, note: {required: false, label: Say}, colour: [red, "no"]}
      who: ann
      deadline: 36h
  end: {needs: {ok: {from: ask, pick: ok, type: Boolean}}, after: total, command: "x {needs.ok}"}
result: [end, up]
"""

_ITEMS = st.lists(st.sampled_from(["a", "two words", 3, 2.5, None, True, "{i}", "no"]), min_size=3, max_size=3)
_COINS: st.SearchStrategy[Any] = st.booleans()
_SINGLE: dict[str, Any] = {}
_ARRAY = {"array": "1-3"}
#: What a word of a command, a script or an argument may hold, by what the task has.
_ALWAYS = ["x", "{i}", "{run}", "{{i}}", "${HOME}", "{print}", "{values.n}", "a b"]


_CONSTANTS = st.recursive(
    st.sampled_from(
        ["a", "no", "007", "1e5", " x ", "a: b", "{i}", "{{", "<<", "~", "", "\n", "é\u2028", "- a", "#", "'", '"']
    )
    | st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["a", "no", "1", "<<", "a b"]), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


@st.composite
def sound_flows(draw: st.DrawFn) -> dict[str, Any]:
    """Make a flow of up to six tasks, each of which takes what it can from those before it, and perhaps of pools."""
    tasks: dict[str, dict[str, Any]] = {}
    arrays: dict[str, bool] = {}
    for at in range(draw(st.integers(1, 6))):
        name = f"t{at}"
        tasks[name], arrays[name] = draw(_tasks(tasks, arrays))
    if draw(st.booleans()):
        tasks |= draw(_pools([name for name, is_array in arrays.items() if not is_array]))
    flow: dict[str, Any] = {"values": {"n": 2}, "tasks": tasks}
    if draw(st.booleans()):
        flow["defaults"] = {"retries": 1, "env": {"LEVEL": 3}, "time": "5min"}
    if draw(st.booleans()):
        flow["env"] = {"LEVEL": "flow", "MORE": "{run}"}
    if draw(st.booleans()):
        flow["result"] = draw(st.lists(st.sampled_from(sorted(tasks)), min_size=1, max_size=2))
    return flow


@st.composite
def _pools(draw: st.DrawFn, singles: list[str]) -> dict[str, dict[str, Any]]:
    """Make a list, a pool of its items, a pool inside that, and what gathers them: as many of these as wanted."""
    outside: dict[str, Any] = {}
    if singles and draw(_COINS):
        outside = {"needs": {"same": draw(st.sampled_from(singles))}}
    item: Any = draw(st.sampled_from(["list", {"from": "list", "type": "Number"}]))
    list_: dict[str, Any] = draw(
        st.sampled_from(
            [
                {"value": [1, 2.5]},
                {"command": "seq 3"},
                {"script": "function f() {}", "entry": "f", "returns": "Array"},
                {"script": "function f() {}", "entry": "f", "declares": "Array"},
            ]
        )
    )
    steps: list[tuple[str, dict[str, Any]]] = [
        ("list", list_),
        ("part", {"spread": {"x": item}, "function": "json:dumps", "retries": 1} | outside),
        ("next", {"each": {"y": "part"}, "command": ["x", "{needs.y}"]}),
        ("lines", {"each": "next", "spread": {"z": {"from": "list", "pick": draw(st.sampled_from(["0", "a b"]))}},
                   "script": "weevil_main", "arguments": ["{needs.z}", {"a": ["{i}", "{{"]}, "}}"]}),
        ("inner", {"spread": "next", "each": {"o": "part"}, "command": "x {needs.o}"}),
        ("ask", {"each": "inner",
                 "manual": {"fields": {"a": ["b", "no"], "c": {"required": False}}, "deadline": "0.5s"}}),
        ("up", {"all": {"all-of-it": "ask"}, "sized_by": "list", "shell": "x \"{needs.all-of-it}\""}),
        ("top", {"all": ["up", "part"], "function": "json:dumps", "arguments": {"obj": "{needs.up}"}}),
    ]  # fmt: skip
    if list_.get("value"):
        steps = [step for step in steps if step[0] != "lines"]
    return dict(steps[: draw(st.integers(1, len(steps)))])


@st.composite
def _tasks(draw: st.DrawFn, earlier: dict[str, dict[str, Any]], arrays: dict[str, bool]) -> tuple[dict[str, Any], bool]:
    if draw(st.integers(0, 5)) == 0:
        return {"value": draw(_CONSTANTS)}, False
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
        arguments.map(lambda given: {"script": "function weevil_main() {\n  return `{i}`;\n}\n", "arguments": given}),
    )
