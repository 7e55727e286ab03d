from roost.languages.dax.writer import trace_dax
from roost.languages.trace.trace import Trace, TraceTask


def test_a_trace_becomes_a_document() -> None:
    tasks = [
        TraceTask("a", "make", ["x", "<two words>"], ["i", "b"], ["o", "b"], [], 1.5, stdout="o"),
        TraceTask("c", parents=["a"]),
    ]
    assert trace_dax(Trace('"w"', tasks, {"o": 3})) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="3.6" name=\'"w"\' count="1" index="0">\n'
        '  <job id="a" name="x" runtime="1.5">\n'
        "    <argument>'&lt;two words&gt;'</argument>\n"
        '    <stdout name="o"/>\n'
        '    <uses name="i" link="input"/>\n'
        '    <uses name="b" link="inout"/>\n'
        '    <uses name="o" link="output" size="3"/>\n'
        "  </job>\n"
        '  <job id="c" name="c">\n'
        "  </job>\n"
        '  <child ref="c">\n'
        '    <parent ref="a"/>\n'
        "  </child>\n"
        "</adag>\n"
    )
