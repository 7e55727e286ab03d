"""One call of a job in the real engine: what it may, what it may not, and what comes of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roost.executors.worker import script_engine
from roost.executors.worker.script_engine import Job, JobFailed, call, run_in_thread, syntax_mistake
from roost.model.errors import InvalidInput
from roost.model.limits import MIB, VALUE_DEPTH_MAX

MEMORY = 32 * MIB
WAIT_S = 60


class Sayings(list[tuple[str, Any, float]]):
    def say(self, kind: str, text: str, fraction: float) -> None:
        self.append((kind, text, fraction))


def in_thread(run: Callable[[], bytes]) -> bytes:
    """Run as workers do, in a thread with a stack that is deep enough."""
    outcome: list[bytes | Exception] = []

    def attempt() -> None:
        try:
            outcome.append(run())
        except Exception as error:  # noqa: BLE001 -- it is raised again where the test can see it
            outcome.append(error)

    run_in_thread(attempt).join(WAIT_S)
    (result,) = outcome
    if isinstance(result, Exception):
        raise result
    return result


def run(body: str, *arguments: Any, sayings: Sayings | None = None, memory: int = MEMORY) -> bytes:
    """Call a job whose entry point has this body, with the parameters a and b."""
    return run_code(f"function weevil_main(a, b) {{ {body} }}", *arguments, sayings=sayings, memory=memory)


def run_code(code: str, *arguments: Any, sayings: Sayings | None = None, memory: int = MEMORY) -> bytes:
    job = Job(code, "weevil_main", "job.js", memory)
    say = (Sayings() if sayings is None else sayings).say
    return in_thread(lambda: call(job, json.dumps(arguments), say))


def value(body: str, *arguments: Any) -> Any:
    return json.loads(run(body, *arguments))


def test_arguments_go_in_and_a_result_comes_out() -> None:
    assert value("return a + b", 1, 2) == 3
    assert value("return {sum: a.x + a.y[1], text: b, none: null}", {"x": 1, "y": [2, 3]}, "é😀\0") == {
        "sum": 4,
        "text": "é😀\0",
        "none": None,
    }


def test_the_jobs_of_the_documents_appendix() -> None:
    assert run_code("function weevil_main(a, b){\nreturn a+b;\n}", 2, 3) == b"5"
    summing = """
    function weevil_main(a){
        a = eval(a)
        var sum = 0
        for (var i = 0; i < a.length; ++i) {
            sum += a[i]
        }
        return sum;
    }
    """
    assert run_code(summing, "[1, 2, 3, 4]") == b"10"
    assert run_code(summing, "var n = 3; [n, n]") == b"6"


@pytest.mark.parametrize(
    "code",
    [
        "const weevil_main = (x) => x + 1",
        "let weevil_main = function (x) { return x + 1 }",
        "'use strict'; var weevil_main = async (x) => x + 1",
        "weevil_main = (x) => new Promise((done) => done(x + 1))",
        "function weevil_main(x) { return { then(done) { done(x + 1) } } }",
    ],
)
def test_an_entry_point_may_be_written_in_any_way_and_may_be_async(code: str) -> None:
    assert run_code(code, 4) == b"5"


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("undefined", None),
        ("-0", 0),
        ("[undefined, () => 1]", [None, None]),
        ("({a: undefined, f() {}, b: null})", {"b": None}),
        ("new Date(0)", "1970-01-01T00:00:00.000Z"),
        ("new Float64Array([0.5, 2])", [0.5, 2]),
        ("({deep: new Uint8Array(2)})", {"deep": [0, 0]}),
        ("new Map([[1, 2]])", {}),
        ("'null'", "null"),
        ("'\\ud83d!' + '\\\\ud83d'", "�!\\ud83d"),
        ("'😀'", "😀"),
        ("2 ** 70", 2**70),
    ],
)
def test_every_result_has_a_meaning(expression: str, result: Any) -> None:
    assert value(f"return {expression}") == result


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return NaN", "has no JSON form: it holds NaN"),
        ("return [1, {a: -Infinity}]", "has no JSON form: it holds -Infinity"),
        ("return new Float32Array([NaN])", "has no JSON form: it holds NaN"),
        ("return async () => 1", "has no JSON form: it is a function"),
        ("return Symbol('x')", "has no JSON form: it is a symbol"),
        ("return {big: 1n}", "has no JSON form: BigInt"),
        ("const o = {}; o.o = [o]; return o", "has no JSON form: circular reference"),
        ("return {toJSON() { throw new Error('not me') }}", "has no JSON form: not me"),
        (
            f"let v = 1; for (let i = 0; i <= {VALUE_DEPTH_MAX}; i++) v = [v]; return v",
            "more than 100 inside each other",
        ),
        ("let v = 1; for (let i = 0; i < 3000; i++) v = {v}; return v", "more than 100 inside each other"),
    ],
)
def test_what_has_no_json_form_fails_for_good(body: str, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        run(body)


def test_a_result_may_be_as_deep_as_the_limit() -> None:
    assert run(f"let v = 1; for (let i = 0; i < {VALUE_DEPTH_MAX}; i++) v = [v]; return v").startswith(b"[[[[")


def test_a_long_text_that_was_joined_of_many_comes_out_whole() -> None:
    body = "let text = ''; for (let i = 0; i < 20000; i++) text += i; console.log(text); return a ? text : {text}"
    whole = "".join(map(str, range(20000)))
    sayings = Sayings()
    assert json.loads(run(body, True, sayings=sayings)) == whole
    assert value(body, False) == {"text": whole}
    assert sayings == [("stdout", whole, 0)]
    assert value(f"return (async () => {{ {body} }})()", True) == whole
    with pytest.raises(JobFailed, match=r"^Error: 012345678910111213"):
        run("let text = ''; for (let i = 0; i < 20000; i++) text += i; throw new Error(text)")


def test_a_result_that_is_too_long_fails_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_engine, "VALUE_BYTES_MAX", 1000)
    assert len(run("return 'x'.repeat(998)")) == 1000
    with pytest.raises(InvalidInput, match="its result takes 1001 characters of JSON"):
        run("return 'x'.repeat(999)")
    with pytest.raises(InvalidInput, match="its result takes 1,002 bytes; the limit is 1000 B"):
        run("return 'é'.repeat(500)")


def test_an_error_is_told_with_its_stack_and_without_ours() -> None:
    code = "function inner() {\n  throw new TypeError('no\\nway');\n}\nfunction weevil_main() {\n  return inner();\n}"
    with pytest.raises(JobFailed) as caught:
        run_code(code)
    assert str(caught.value) == "TypeError: no\nway"
    assert [line.strip() for line in caught.value.stack.splitlines()] == [
        "at inner (job.js:2:13)",
        "at weevil_main (job.js:5:10)",
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("throw 5", "threw 5"),
        ("throw {code: 7}", 'threw {"code":7}'),
        ("throw null", "took more than the 32.0 MiB of memory that its task gives it, or threw null"),
        ("throw '\\ud800\\0'", "threw \ufffd\0"),
        ("throw new Proxy({}, {get() { throw 1 }, getPrototypeOf() { throw 2 }})", "threw something that has no text"),
        ("return Promise.reject(new RangeError('late'))", "RangeError: late"),
        ("return new Promise(() => {})", "its promise is still open"),
        ("return (async () => { await null; await new Promise(() => {}) })()", "its promise is still open"),
        ("missing()", "ReferenceError: missing is not defined"),
    ],
)
def test_whatever_a_job_throws_fails_it(body: str, reason: str) -> None:
    with pytest.raises(JobFailed) as caught:
        run(body)
    assert str(caught.value).startswith(reason)


def test_a_script_that_fails_while_it_is_loaded() -> None:
    with pytest.raises(JobFailed) as caught:
        run_code("const x = 1;\nthrow new Error('top');")
    assert (str(caught.value), caught.value.stack.strip()) == ("Error: top", "at <eval> (job.js:2:11)")
    with pytest.raises(JobFailed, match=r"^text$"):
        run_code("throw 'text'")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("function weevil_main( {", "SyntaxError: .* at job.js:1"),
        ("function other() {}", "the script has no function 'weevil_main'"),
        ("const weevil_main = 5", "the script has no function 'weevil_main'"),
        ("", "the script has no function 'weevil_main'"),
        ("export function weevil_main() {}", "SyntaxError"),
    ],
)
def test_a_script_that_can_never_work_fails_for_good(code: str, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        run_code(code)


def peak_kib() -> int:
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])


@pytest.mark.parametrize(
    "body",
    [
        "const all = []; while (true) all.push(new Array(1000).fill(1.5))",
        "const all = []; while (true) all.push(new Uint8Array(1 << 20).fill(1))",
        "const all = []; while (true) all.push(new SharedArrayBuffer(1 << 20))",
        "const all = []; while (all.push(new ArrayBuffer(8, {maxByteLength: 1 << 20}))) all.at(-1).resize(1 << 20)",
        "return new Float64Array(1e8)",
        "return 'x'.repeat(1e8)",
        "const all = []; while (true) all.push('x'.repeat(1e6) + all.length)",
        "const all = new Map(); for (let i = 0; ; i++) all.set(i, {i})",
        "let chain = null; while (true) chain = {chain}",
        "return (async () => { const all = []; while (true) { all.push(new Array(1000).fill(0)); await null } })()",
    ],
)
def test_memory_is_limited(body: str) -> None:
    before = peak_kib()
    with pytest.raises(JobFailed, match=r"took more than the 32.0 MiB of memory"):
        run(body)
    assert peak_kib() - before < 3 * MEMORY // 1024


def test_a_job_may_take_what_its_task_asked_for() -> None:
    assert run("return new Uint8Array(5e7).length", memory=64 * MIB) == b"50000000"


@pytest.mark.parametrize(
    "body",
    [
        "(function f() { f() })()",
        "const f = () => [1].map(f); f()",
        "const o = {get p() { return this.p }}; return o.p",
        "eval('('.repeat(1e6) + '1' + ')'.repeat(1e6))",
        "JSON.parse('['.repeat(1e6))",
        "class A { toString() { return `${this}` } } return `${new A()}`",
    ],
)
def test_calls_may_not_be_deeper_than_the_stack(body: str) -> None:
    with pytest.raises(JobFailed, match=r"^(RangeError: Maximum call stack|SyntaxError)"):
        run(body)


def test_calls_may_be_as_deep_as_in_browsers() -> None:
    assert value("const depth = (n) => n ? 1 + depth(n - 1) : 0; return depth(10000)") == 10000


def test_nothing_but_the_language_is_there() -> None:
    names = [
        "require",
        "process",
        "std",
        "os",
        "fetch",
        "XMLHttpRequest",
        "WebSocket",
        "Deno",
        "setTimeout",
        "roost_say",
    ]
    assert value(f"return {names}.filter((name) => name in globalThis)") == []
    assert value(
        "try { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) } catch (e) { return e.name }"
    ) == ("TypeError")
    for module in ("/etc/passwd", "fs", "os", "./script_help.js"):
        assert "could not load module" in value("return import(a).then(() => 'loaded', String)", module)


def test_an_element_leaves_nothing_to_the_next() -> None:
    mischief = """
    leaked = 1; globalThis.kept = 2; Object.prototype.polluted = 3; Array.prototype.map = null;
    JSON.stringify = () => "9"; Math.random = () => 4; String.prototype.toString = () => "mine";
    """
    assert run(f"{mischief} return 1") == b"1"
    assert value("return [typeof leaked, typeof kept, ({}).polluted === undefined, [1].map((x) => x), `${'own'}`]") == [
        "undefined",
        "undefined",
        True,
        [1],
        "own",
    ]


@pytest.mark.parametrize(
    "mischief",
    [
        "JSON.stringify = () => 'no json';",
        "JSON.stringify = () => '\\x80\\x04K.';",
        "String.prototype.includes = () => false; Number.isFinite = () => true;",
        "Promise.prototype.then = () => 5; globalThis.eval = () => 6;",
        "Object.defineProperty(Object.prototype, 'toJSON', {value: () => 'x'});",
    ],
)
def test_a_job_that_bends_its_own_context_still_gives_json_or_fails(mischief: str) -> None:
    for expression in ("[null, 1]", "({a: 1})", "Promise.resolve(1)", "undefined"):
        try:
            json.loads(run(f"{mischief} return {expression}"))
        except (JobFailed, InvalidInput):
            continue


def test_only_json_leaves_even_if_our_own_half_of_the_context_were_bent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_engine, "_START", "(() => () => '\\x80\\x04K.')")
    with pytest.raises(InvalidInput, match="its result is no JSON"):
        run("return 1")


def test_what_is_logged_is_said_as_it_happens() -> None:
    sayings = Sayings()
    run(
        "console.log('a', 1, {b: [2]}, null, undefined, 3n); console.error('\\0\\ud800'); console.warn('w');"
        "const o = {}; o.o = o; console.info(o); console.debug()",
        sayings=sayings,
    )
    assert [(kind, text) for kind, text, _ in sayings] == [
        ("stdout", 'a 1 {"b":[2]} null undefined 3'),
        ("stderr", "\0\ufffd"),
        ("stderr", "w"),
        ("stdout", "[object Object]"),
        ("stdout", ""),
    ]


def test_a_line_of_output_is_cut_before_it_leaves_the_context() -> None:
    sayings = Sayings()
    run("console.log('x'.repeat(5e6))", sayings=sayings)
    assert len(sayings[0][1]) == MIB


def test_progress_is_said() -> None:
    sayings = Sayings()
    run("weevil_progress(0.5, 'half'); weevil_progress(2); weevil_progress('x', 5)", sayings=sayings)
    assert sayings == [("progress", "half", 0.5), ("progress", "", 2), ("progress", "5", 0)]


@pytest.mark.parametrize(
    ("code", "mistake"),
    [
        ("function weevil_main(a) { return a; }", None),
        ("async function weevil_main(a) { return await a; }", None),
        ("#!/usr/bin/env node\nfunction weevil_main() {}", None),
        ("let a;\nreturn a +;", (2, "unexpected token in expression: ';'")),
        ("export function weevil_main() {}", (1, "unsupported keyword: export")),
        ("let a;\nfunction weevil_main() {\n", (3, "something is not closed")),
        ("let a;\nlet a;", (2, "invalid redefinition of lexical identifier")),
    ],
)
def test_code_is_read_before_it_runs(code: str, mistake: tuple[int, str] | None) -> None:
    assert syntax_mistake(code) == mistake


def test_reading_code_runs_nothing_that_lasts() -> None:
    assert syntax_mistake("}); while (true) {} (function () {") is None
    assert syntax_mistake("let a;\n(") == (2, "something is not closed")
