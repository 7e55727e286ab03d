"""The elements of the language: every mistake in one of them, by its exact sentence; what is untidy, by its warning."""

import pytest

from tests.languages.weevil.documents import SOUND, Folder, changed

ONE = '<value id="one" value="1" returntype="Number" />'
SUM = '<job id="sum" src="add" returntype="Number">'
E1 = '<edge id="e1" source="one" dest="sum" paramdest="a" />'
REDUCER_PARAMETER = '<parameter id="xs" paramtype="Array" />'


def test_the_sound_document_is_sound(folder: Folder) -> None:
    assert folder.warned(SOUND) == []


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (ONE, ONE.replace('id="one" ', ""), "w.xml:3: <value> has no 'id'; write id=\"...\""),
        (ONE, ONE.replace('value="1" ', ""), "w.xml:3: <value> 'one' has no 'value'; write value=\"...\""),
        (
            ONE,
            ONE.replace('value="1"', 'value="1" src="x"'),
            "w.xml:3: <value> 'one' has both 'value' and 'src'; remove one of the two",
        ),
        (ONE, ONE.replace("Number", "int"), "w.xml:3: 'int' of <value> 'one' is not a type; write 'Number'"),
        (ONE, f"{ONE}\n<vlaue/>", "w.xml:4: <vlaue> has no place in <nodes>; did you mean 'value'?"),
        (ONE, f"{ONE}\n<script/>", "w.xml:4: <script> has no place in <nodes>; there may be <value>, <job>, <pool>"),
        (ONE, f"{ONE}\n{E1}", "w.xml:4: <edge> has no place in <nodes>; put it into <edges>"),
        (ONE, f"{ONE}\n<processor/>", "w.xml:4: <processor> has no place in <nodes>; put it into <pool>"),
        (ONE, f"{ONE} words", "w.xml:2: <nodes> holds the text 'words', which means nothing; remove it"),
        (SUM, SUM.replace('src="add" ', ""), "w.xml:6: <job> 'sum' has no 'src'; write src=\"...\""),
        (
            SUM,
            SUM.replace("src", 'jobtype="webcl" src'),
            (
                "w.xml:6: <job> 'sum' is a WebCL job, which needs a graphics card; "
                "only jobs of type javascript can be run"
            ),
        ),
        (
            SUM,
            SUM.replace("src", 'jobtype="python" src'),
            "w.xml:6: the jobtype 'python' of <job> 'sum' is not known; write jobtype=\"javascript\"",
        ),
        (
            '<parameter id="b" paramtype="Number" />',
            '<parameter id="a" paramtype="Number" />',
            "w.xml:9: <job> has a second parameter 'a'; rename or remove one",
        ),
        (
            SUM,
            f"{SUM}\n<parameters/>",
            "w.xml:8: <job> has a second <parameters>, the first is on line 7; make them one",
        ),
        (E1, E1.replace('dest="sum" ', ""), "w.xml:29: <edge> 'e1' has no 'dest'; write dest=\"...\""),
        (
            E1,
            E1.replace("dest=", "target=", 1),
            "w.xml:29: <edge> 'e1' has 'target', which is not known there; write 'dest'",
        ),
        (
            '  <finalnode id="sum" />\n  <finalnode id="pool" />\n',
            "",
            'w.xml:1: the workflow has no <finalnode>; add <finalnode id="pool" />',
        ),
        ('<finalnode id="sum" />', "<finalnode />", "w.xml:33: <finalnode> has no 'id'; write id=\"...\""),
        (
            "</nodes>",
            "</nodes>\n<nodes/>",
            "w.xml:28: <workflow> has a second <nodes>, the first is on line 2; make them one",
        ),
        (
            '<parameter id="items" paramtype="Array" />',
            '<parameter id="items" paramtype="Number" />',
            "w.xml:14: <parameter> 'items' of <pool> 'pool' takes Number; write paramtype=\"Array\"",
        ),
        (
            REDUCER_PARAMETER,
            REDUCER_PARAMETER.replace("Array", "Number"),
            "w.xml:23: <parameter> 'xs' of <reducer> 'total' takes Number; write paramtype=\"Array\"",
        ),
        (
            REDUCER_PARAMETER,
            f'{REDUCER_PARAMETER}<parameter id="n" paramtype="Number" />',
            "w.xml:21: <reducer> 'total' has 2 parameters; it takes exactly one",
        ),
        (REDUCER_PARAMETER, "", "w.xml:21: <reducer> 'total' has no <parameter>; it takes exactly one"),
        (
            '<pool id="pool" returntype="Number">',
            '<pool id="pool" returntype="String">',
            "w.xml:12: <pool> 'pool' gives String, but its reducer gives Number; make the two types the same",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line_the_element_and_the_way_out(
    folder: Folder, old: str, new: str, sentence: str
) -> None:
    assert sentence in folder.told(changed(old, new))


def test_a_pool_takes_one_array_and_has_one_processor(folder: Folder) -> None:
    two = changed('<parameter id="items"', '<parameter id="n" paramtype="Number" />\n<parameter id="items"')
    assert "w.xml:15: <pool> 'pool' has 2 parameters; it takes exactly one, an Array" in folder.told(two)
    begin, end = SOUND.index("      <processor"), SOUND.index("      <reducer")
    assert folder.told(SOUND[:begin] + SOUND[end:]) == [
        "w.xml:12: <pool> 'pool' has no <processor>, so that nothing is done; add one"
    ]


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ("<task/>", "w.xml:1: a workflow begins with <workflow>, not with <task>"),
        ("<workflow/>", "w.xml:1: the workflow has no <nodes>; add it, with a <value> or a <job> inside"),
        ("<workflow>\n<nodes/></workflow>", "w.xml:2: <nodes> is empty; add a <value>, a <job> or a <pool>"),
        ("<workflow><nodes><value id='a' value='1'/></nodes></workflow>", None),
    ],
)
def test_a_document_without_its_parts_is_told(folder: Folder, document: str, sentence: str | None) -> None:
    expected = sentence or 'w.xml:1: the workflow has no <finalnode>; add <finalnode id="a" />'
    assert folder.told(document) == [expected]


@pytest.mark.parametrize(
    ("old", "new", "warning"),
    [
        (ONE, ONE.replace('"one"', '" one "'), None),
        (ONE, ONE.replace("1", " 1 "), None),
        (SUM, SUM.replace("src", 'jobtype="javascript" src'), None),
        (SUM, SUM.replace("src", 'jobtype=" JavaScript " src'), None),
        ('<edge id="e3" source="list" dest="pool" paramdest="items" />', '<edge source="list" dest="pool"/>', None),
        ('<edge id="e2"', '<edge id="e1"', "w.xml:30: the edge id 'e1' is taken on line 29; give each its own"),
        (ONE, ONE.replace("value", "Value", 1), "w.xml:3: <Value> is taken for <value>; write <value>"),
        (
            ONE,
            ONE.replace("Number", "number"),
            "w.xml:3: 'number' of <value> 'one' is taken for Number; write 'Number'",
        ),
        (
            ONE,
            ONE.replace("/>", 'x="10" />'),
            "w.xml:3: 'x' of <value> 'one' means nothing here and is ignored",
        ),
        (
            ONE,
            '<value id="one" returntype="Number">1</value>',
            "w.xml:3: the text in <value> 'one' is taken for its value; write value=\"...\"",
        ),
        (
            ONE,
            '<value id="one" value="1" />',
            "w.xml:3: <value> 'one' has no 'returntype', so that its type cannot be checked; add it",
        ),
        (
            ONE,
            ONE.replace("/>", "><b/></value>"),
            "w.xml:3: <b> in <value> means nothing there and is ignored",
        ),
        (
            ONE,
            ONE.replace("/>", '><parameters><parameter id="a"/></parameters></value>'),
            "w.xml:3: <parameters> in <value> means nothing there and is ignored",
        ),
        (
            "<workflow>",
            '<workflow><parameters><parameter id="a"/></parameters>',
            "w.xml:1: <parameters> in <workflow> means nothing there and is ignored",
        ),
        (SUM, f'{SUM}<return type="Number" />', "w.xml:6: <return> in <job> means nothing there and is ignored"),
        ('<finalnode id="sum" />', '<final id="sum" />', None),
        ('<finalnode id="sum" />', '<finalnodes id="sum" />', None),
        ('<finalnode id="sum" />', '<finalnodes><finalnode id="sum" /></finalnodes>', None),
        ('<finalnode id="sum" />', "<finalnode>sum</finalnode>", None),
        ('<finalnode id="sum" />', '<finalnode id="sum" /><finalnode id="sum" />', None),
    ],
)
def test_what_is_only_untidy_reads_as_the_same_workflow(
    folder: Folder, old: str, new: str, warning: str | None
) -> None:
    document = changed(old, new)
    assert folder.read(document).submission == folder.read(SOUND).submission
    assert folder.warned(document) == ([] if warning is None else [warning])


def test_parameters_may_stand_in_the_job_itself(folder: Folder) -> None:
    begin, end = SOUND.index('      <parameters>\n        <parameter id="a"'), SOUND.index("    </job>")
    loose = SOUND[begin:end].replace("<parameters>", "").replace("</parameters>", "")
    document = SOUND[:begin] + loose + SOUND[end:]
    assert folder.read(document).submission == folder.read(SOUND).submission
    assert folder.warned(document) == ["w.xml:8: <parameter> stands in <job> itself; put it into <parameters>"]


def test_a_pool_need_not_declare_its_port(folder: Folder) -> None:
    begin, end = SOUND.index('      <parameters>\n        <parameter id="items"'), SOUND.index("      <processor")
    document = changed(' paramdest="items"', "", SOUND[:begin] + SOUND[end:])
    assert folder.read(document).submission == folder.read(SOUND).submission


@pytest.mark.parametrize("kind", ["null", "undefined"])
def test_a_value_that_is_nothing_needs_no_value(folder: Folder, kind: str) -> None:
    document = f"<workflow><nodes><value id='a' returntype='{kind}'/></nodes><finalnode id='a'/></workflow>"
    assert folder.read(document).submission["tasks"] == [{"name": "a", "value": {"json": None}}]
    assert folder.warned(document) == []
