from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.dax import read_dax
from roost.languages.dax.plain import replayed_plainly
from roost.languages.dax.writer import trace_dax
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.trace import Trace
from tests.languages.dax.test_reader import mutated
from tests.languages.recorded import traces

#: As the generator of Pegasus writes it.
PLAIN = b"""<?xml version="1.0" encoding="UTF-8"?>
<!-- generated: 2008-09-24T14:28:09-07:00 -->
<adag xmlns="http://pegasus.isi.edu/schema/DAX" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="test">
<!-- part 1: definition of all jobs (at least one) -->
  <job id="ID00000" namespace="Montage" name="mProject" version="1.0" runtime="13.59">
    <uses file="region.hdr" link="input" register="true" size="304"/>
    <uses file="p1.fits" link="output" register="true" size="4167312"/>
  </job>
  <job id="ID00001" namespace="Montage" name="mBackground" version="1.0" runtime="10">
    <uses file="p1.fits" link="input" register="true" size="4167312"/>
    <uses file="region.hdr" link="input" register="true" size="304"/>
    <uses file="c1.fits" link="output" register="true" size="0"/>
  </job>
  <job id="ID00002" namespace="Montage" name="mTidy" version="1.0" runtime="0.0">
  </job>
<!-- part 2: list of control-flow dependencies (may be empty) -->
  <child ref="ID00001">
    <parent ref="ID00000"/>
  </child>
  <child ref="ID00002">
    <parent ref="ID00001"/>
    <parent ref="ID00000"/>
  </child>
</adag>
"""


def carefully_replayed(data: bytes, simulation: Simulation) -> Any:
    """Return the submission and the warnings of the careful way, which whoever does not mean to run it gets."""
    reading = read_dax(data, "w.dax", None, simulation, to_run=False)
    return reading.submission, reading.warnings


@pytest.mark.parametrize("simulation", [Simulation(), Simulation(0.1, 2.5)])
def test_a_document_becomes_what_the_careful_way_makes_of_it(simulation: Simulation) -> None:
    made = replayed_plainly(PLAIN, simulation)
    assert made is not None
    assert made == carefully_replayed(PLAIN, simulation)


def test_jobs_that_wait_for_nobody_and_files_that_are_called_names_are_plain() -> None:
    data = PLAIN[: PLAIN.index(b"<!-- part 2")].replace(b"<uses file", b"<uses name") + b"<!-- the end --></adag>"
    made = replayed_plainly(data, Simulation())
    assert made is not None
    assert made == carefully_replayed(data, Simulation())


def test_a_long_document_is_taken_apart_piece_by_piece() -> None:
    jobs, edges = [], []
    for at in range(3_000):
        before = [at - step for step in (3, 1) if at >= step]
        jobs.append(f'<job id="t{at}" name="t" runtime="{at / 8}">')
        jobs += [f'<uses file="f{other}" link="input" size="{other}"/>' for other in [*before, "start"]]
        jobs += [f'<uses file="f{at}" link="output" size="{at}"/>', "</job>"]
        edges += [f'<child ref="t{at}">', *(f'<parent ref="t{other}"/>' for other in before), "</child>"]
    data = "\n".join(["<adag>", *jobs, *edges, "</adag>"]).replace('size="start"', 'size="1"').encode()
    made = replayed_plainly(data, Simulation())
    assert made is not None
    assert made == carefully_replayed(data, Simulation())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"mProject", b"m&amp;Project"),
        (b"mProject", b"m\xc3\xa4"),
        (b"mProject", b"m\tProject"),
        (b'runtime="10"', b'runtime="ten"'),
        (b'runtime="10"', b""),
        (b'runtime="10"', b'runtime="10" runtime="11"'),
        (b'version="1.0" runtime="10"', b'runtime="10" version="1.0"'),
        (b' namespace="Montage"', b' name="Montage"'),
        (b'link="output" register="true" size="0"', b'link="inout" register="true" size="0"'),
        (b'size="0"', b'size="-1"'),
        (b"ID00001", b"ID00003"),
        (b'<child ref="ID00001">', b'<child ref="ID00003">'),
        (b'<child ref="ID00002">', b'<child ref="ID00001">'),
        (b"  </job>\n  <job", b"  </job>\n  and\n  <job"),
        (b"  </job>\n  <job", b"  </job>\n  <!-- and --><job"),
        (b"  </job>\n  <job", b"  </job></job>\n  <job"),
        (b"  </job>\n  <job", b"  \n  <job"),
        (b"<uses", b"<argument/><uses"),
        (b"  </child>\n</adag>", b"  and </child>\n</adag>"),
        (b"  </child>\n</adag>", b"<!-- </child>\n</adag>"),
        (b"  <child", b"  child <child"),
        (b"  <child", b"  <![CDATA[<child"),
        (b"<!-- part 1: definition", b"<job id='x'/><!-- definition"),
        (b"(at least one) -->", b""),
        (b"(may be empty) -->", b"-- -->"),
        (b"</adag>", b"</dag>"),
        (b"</adag>", b"</adag></adag>"),
        (b"UTF-8", b"cp864"),
        (b"<!-- generated", b"<!DOCTYPE adag SYSTEM 'adag.dtd'><!-- generated"),
        (b'name="test">', b'name="test"><file name="f"><metadata key="size">7</metadata></file>'),
    ],
)
def test_what_is_not_plain_is_left_to_the_careful_way(old: bytes, new: bytes) -> None:
    assert old in PLAIN
    assert replayed_plainly(PLAIN.replace(old, new, 1), Simulation()) is None


def test_what_is_no_dax_is_left_to_the_careful_way() -> None:
    for data in (b"", b"<adag/>", b"<adag></adag>", b"<job <job </job>", PLAIN + b" " * 64 * 2**20):
        assert replayed_plainly(data, Simulation()) is None


def test_scales_that_make_no_numbers_of_sizes_are_left_to_the_careful_way() -> None:
    for scale in (float("inf"), float("nan"), 1e308, 1e30):
        assert replayed_plainly(PLAIN, Simulation(1.0, scale)) is None


@given(traces(recorded=True))
def test_what_is_written_is_mostly_plain(trace: Trace) -> None:
    data = trace_dax(trace).encode()
    made = replayed_plainly(data, Simulation())
    assert (made is None) == (not trace.tasks[0].outputs)
    assert made is None or made == carefully_replayed(data, Simulation())


@given(mutated(PLAIN) | st.binary(max_size=40))
def test_both_ways_agree_about_anything(data: bytes) -> None:
    made = replayed_plainly(data, Simulation())
    assert made is None or made == carefully_replayed(data, Simulation())
