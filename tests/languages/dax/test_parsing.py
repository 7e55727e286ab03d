import pytest

from roost.languages.dax.parsing import DaxParser
from roost.languages.trace.trace import Place, Trace, TraceProblems, TraceTask
from roost.model.errors import InvalidInput

DIAMOND = b"""<?xml version="1.0" encoding="UTF-8"?>
<adag xmlns="http://pegasus.isi.edu/schema/DAX" xmlns:p="x" version="3.6" name="diamond">
  <file name="f.a"><metadata key="size">77</metadata><pfn url="file:///data/f%20a" site="local"/></file>
  <executable name="keg"><profile namespace="globus" key="maxtime">2</profile>
    <pfn url="file:///opt/keg"/><pfn url="gsiftp://x/keg"/></executable>
  <transformation name="t"><uses name="keg"/></transformation>
  <job id="A" name="keg">
    <argument>-i <file name="f.a"/> -o "two words" <filename file="f b"/></argument>
    <profile namespace="pegasus" key="runtime">60</profile>
    <uses name="f.a" link="input"/>
    <uses file="f b" link="output" size="12.0"/>
    <uses name="f.d" link="inout"><metadata key="size">5</metadata></uses>
    <uses name="f.n" link="none"/>
  </job>
  <p:job id="B" name="sort" runtime="0.5">
    <stdin name="f b"/><stdout file="f.c"/>
  </p:job>
  <dax id="C" name="inner.dax"/>
  <child ref="B"><parent ref="A" edge-label="x"/></child>
  <child ref="C"><parent ref="A"/><parent ref="B"/></child>
  <child ref="C"><parent ref="A"/></child>
</adag>
"""


def parsed(data: bytes) -> tuple[Trace, TraceProblems]:
    problems = TraceProblems()
    return DaxParser(problems).parse(data, "w.dax"), problems


def test_jobs_files_and_edges_are_read() -> None:
    trace, problems = parsed(DIAMOND)
    assert not problems
    assert trace.name == "diamond"
    assert trace.tasks == [
        TraceTask("A", "keg", ["keg", "-i", "f.a", "-o", "two words", "f b"], ["f.a", "f.d"], ["f b", "f.d"], [], 60),
        TraceTask("B", "sort", ["sort"], ["f b"], ["f.c"], ["A"], 0.5, stdin="f b", stdout="f.c"),
        TraceTask("C", "inner.dax", None, parents=["A", "B"]),
    ]
    assert trace.sizes == {"f.a": 77, "f b": 12, "f.d": 5}
    assert trace.found_at == {"f.a": "/data/f a", "keg": "/opt/keg"}


def test_the_lines_of_what_a_mistake_may_be_about_are_kept() -> None:
    parser = DaxParser(TraceProblems())
    parser.parse(DIAMOND, "w.dax")
    wanted: dict[Place, int] = {
        (0, "id", 0): 7, (0, "inputs", 0): 10, (0, "inputs", 1): 12, (0, "outputs", 0): 11, (0, "outputs", 1): 12,
        (1, "id", 0): 15, (2, "id", 0): 18, (1, "parents", 0): 19, (2, "parents", 0): 20, (2, "parents", 1): 20,
    }  # fmt: skip
    assert parser.lines == wanted


def test_variables_of_a_job_are_its_env_profiles() -> None:
    inner = (
        '<job id="a" name="x"><profile namespace="env" key="GREETING">hello world</profile>'
        '<profile namespace="ENV" key="runtime">7</profile><profile namespace="condor" key="universe">x</profile></job>'
        '<job id="b" name="x"/>'
    )
    trace, _ = parsed(f'<adag><profile namespace="env" key="X">1</profile>{inner}</adag>'.encode())
    assert [(task.env, task.seconds) for task in trace.tasks] == [
        ({"GREETING": "hello world", "runtime": "7"}, None),
        (None, None),
    ]


def test_links_may_have_capital_letters_and_files_without_one_are_passed_over() -> None:
    trace, problems = parsed(b'<adag><job id="a" name="x"><uses file="f" link="OUTPUT"/><uses file="g"/></job></adag>')
    assert not problems
    assert (trace.tasks[0].inputs, trace.tasks[0].outputs) == ([], ["f"])
    assert [sentence for _, sentence in problems.warnings()] == [
        "<uses> of job 'a' does not say what 'g' is, and is passed over; add link=\"input\" or output"
    ]


def test_a_workflow_inside_is_known_by_its_file() -> None:
    trace, _ = parsed(b'<adag><dax id="ID2" file="inner.dax"/><dag id="D" file="pre.dag"/></adag>')
    assert [(task.kind, task.argv) for task in trace.tasks] == [("inner.dax", None), ("pre.dag", None)]


def test_a_negative_size_counts_as_not_recorded() -> None:
    trace, problems = parsed(b'<adag><job id="a"><uses file="x" link="output" size="-1"/></job></adag>')
    assert (trace.sizes, problems.found) == (None, [])
    assert problems.warnings() == [((0, "size x", 0), "the size of 'x' is '-1'; it counts as not recorded")]


def test_the_size_is_what_the_writer_says() -> None:
    reader = '<job id="a"><uses file="x" link="input" size="1"/></job>'
    writer = '<job id="b"><uses file="x" link="output" size="2"/></job>'
    assert parsed(f"<adag>{reader}{writer}</adag>".encode())[0].sizes == {"x": 2}


@pytest.mark.parametrize(
    ("inner", "place", "sentence"),
    [
        ('<job name="x"/>', (0, "id", 0), "the job 'x' has no 'id'; give it one of its own"),
        ('<job id="a"><uses link="input"/></job>', (0, "uses ", 0),
         "<uses> of job 'a' names no file; add 'file' or 'name'"),
        ('<job id="a"><uses file="x" link="imput"/></job>', (0, "uses x", 0),
         "'x' has the link 'imput' in job 'a'; write input or output"),
        ('<job id="a"><uses file="x" link="input" size="big"/></job>', (0, "size x", 0),
         "the size of 'x' is 'big'; give its bytes as a number"),
        ('<job id="a" runtime="1:30"/>', (0, "id", 0),
         "the runtime of job 'a' is '1:30'; give its seconds as a number"),
        ('<job id="a" runtime="-1"/>', (0, "id", 0), "the runtime of job 'a' is '-1'; give its seconds as a number"),
        ('<job id="a"/><child ref="b"><parent ref="a"/></child>', (0, "child b", 0),
         "<child> names 'b', which is no job of this file; add it, or remove this"),
    ],
)  # fmt: skip
def test_mistakes_are_noted(inner: str, place: Place, sentence: str) -> None:
    assert parsed(f"<adag>{inner}</adag>".encode())[1].found == [(place, sentence)]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "w.dax:1: this is not XML"),
        (b"<adag>\n<job>\n</adag>", "w.dax:3: <job> of line 2 is not closed before this; write </job> first"),
        (b"<workflow/>", "w.dax begins with <workflow>; a DAX begins with <adag>"),
        (b'<!DOCTYPE a [<!ENTITY e "x">]><adag/>', "w.dax:1: a document type that defines entities"),
        (b'<!DOCTYPE a SYSTEM "/etc/passwd"><adag/>', "w.dax:1: a document type that defines entities"),
        (b"<adag>\xff</adag>", "w.dax:1: this is not utf-8 text"),
    ],
)
def test_what_is_no_dax_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parsed(data)
    assert str(caught.value).startswith(told)


def test_a_plain_document_type_and_blanks_before_it_do_no_harm() -> None:
    assert parsed(b"\n <!DOCTYPE adag><adag><job id='a'/></adag>")[0].tasks == [TraceTask("a")]
