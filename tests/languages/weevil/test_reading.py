"""Whole documents: those of the examples, damaged ones, and large ones."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.outline import Reading
from roost.languages.weevil.reading import read_weevil
from roost.model.errors import InvalidInput
from tests.growth import assert_linear
from tests.languages.weevil.documents import SOUND, Folder

EXAMPLES = Path(__file__).parents[3] / "examples" / "weevil"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("weevil"))


def example(name: str) -> Reading:
    path = EXAMPLES / name
    return read_weevil(path.read_bytes(), path, {})


def test_the_first_workflow_of_the_appendix_is_read(folder: Folder) -> None:
    """WEB figure 6.4: values and two instances of one job."""
    reading = example("add.xml")
    assert reading.warnings == []
    assert reading.submission["final"] == ["val4"]
    assert [task["name"] for task in reading.submission["tasks"]] == ["val1", "val2", "val3", "val4", "val5"]
    assert {(link.source, link.target, link.port) for link in reading.outline.links} == {
        ("val1", "val3", "a"),
        ("val2", "val3", "b"),
        ("val5", "val4", "a"),
        ("val3", "val4", "b"),
    }


def test_the_second_workflow_of_the_appendix_is_read(folder: Folder) -> None:
    """WEB figure 6.5: a value from a file, and a pool that is reached without naming its port."""
    reading = example("flops.xml")
    assert reading.warnings == []
    assert reading.submission["final"] == ["pool0.reducer"]
    value, processor, reducer = reading.submission["tasks"]
    assert value["value"] == {"json": [20_000] * 100}
    assert (processor["name"], processor["sized_by"]) == ("pool0.processor", "val0")
    assert reducer["edges"][0]["kind"] == "all"


def test_the_approximation_of_pi_is_read() -> None:
    """WEB 4.5.2: a pool whose size a job decides."""
    reading = example("pi.xml")
    assert reading.warnings == []
    sizes = [task["sized_by"] for task in reading.submission["tasks"] if "sized_by" in task]
    assert sizes == ["split"]


def test_there_are_no_other_documents_among_the_examples() -> None:
    assert sorted(path.name for path in EXAMPLES.glob("*.xml")) == ["add.xml", "flops.xml", "pi.xml"]


def test_several_mistakes_are_told_at_once_in_the_order_of_their_lines(folder: Folder) -> None:
    wrong = (
        SOUND.replace('value="2"', 'value="two"').replace('src="add"', 'src="ad"').replace('"one" dest', '"on" dest')
    )
    lines = [sentence.split(":")[1] for sentence in folder.told(wrong)]
    assert lines == ["4", "6", "29"]


def test_a_document_of_another_name_is_named_in_the_sentence(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"^my flow\.xml:1: a workflow begins with <workflow>, not with <task>$"):
        read_weevil(b"<task/>", Path("my flow.xml"), {})


def test_a_name_that_cannot_be_shown_is_replaced(folder: Folder) -> None:
    data = b"<workflow><nodes><value id='a' value='1' returntype='Number'/></nodes><finalnode id='a'/></workflow>"
    assert read_weevil(data, folder.path / "\x07.xml", {}).submission["name"] == "workflow"
    assert read_weevil(data, folder.path / f"{'x' * 100}.xml", {}).submission["name"] == "x" * 64


@given(st.binary(max_size=300))
def test_arbitrary_bytes_give_a_clear_error(shared: Folder, data: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"w\.xml:\d+: "):
        shared.read(data)


@given(st.binary(max_size=30), st.integers(0, len(SOUND)), st.integers(0, 40))
def test_any_damage_gives_a_reading_or_a_clear_error(shared: Folder, piece: bytes, at: int, gone: int) -> None:
    data = SOUND.encode()
    said = ""
    try:
        shared.read(data[:at] + piece + data[at + gone :])
    except InvalidInput as error:
        said = str(error)
    assert not said or "w.xml:" in said


WORDS = sorted(set(SOUND.replace('"', ' " ').replace("=", " = ").split()))


@given(st.lists(st.tuples(st.integers(0, len(SOUND)), st.integers(0, 12), st.sampled_from([*WORDS, ""])), max_size=5))
def test_any_exchange_of_words_gives_a_reading_or_a_clear_error(
    shared: Folder, exchanges: list[tuple[int, int, str]]
) -> None:
    document = SOUND
    for at, gone, word in exchanges:
        document = document[:at] + word + document[at + gone :]
    said = ""
    try:
        shared.read(document)
    except InvalidInput as error:
        said = str(error)
    assert not said or "w.xml:" in said


PIECES = st.sampled_from(SOUND.splitlines())


@given(st.lists(PIECES, max_size=12), st.randoms(use_true_random=False))
def test_any_order_of_lines_gives_a_reading_or_a_clear_error(shared: Folder, more: list[str], random: object) -> None:
    lines = SOUND.splitlines()
    body = lines[2:-1] + more
    random.shuffle(body)  # type: ignore[attr-defined]  # Hypothesis gives a Random under a wider type
    said = ""
    try:
        shared.read("\n".join([*lines[:2], *body, lines[-1]]))
    except InvalidInput as error:
        said = str(error)
    assert not said or "w.xml:" in said


def test_twenty_thousand_nodes_are_read_in_linear_time(folder: Folder) -> None:
    def read_chain(count: int) -> None:
        ports = '<parameters><parameter id="x" paramtype="Number"/></parameters>'
        jobs = [f'<job id="j{number}" src="square" returntype="Number">{ports}</job>' for number in range(1, count)]
        edges = [f'<edge id="e{number}" source="j{number - 1}" dest="j{number}"/>' for number in range(1, count)]
        value = '<value id="j0" value="1" returntype="Number"/>'
        final = f'<finalnode id="j{count - 1}"/></workflow>'
        lines = ["<workflow><nodes>", value, *jobs, "</nodes><edges>", *edges, "</edges>", final]
        assert len(folder.read("\n".join(lines)).submission["tasks"]) == count

    assert_linear(read_chain, 20_000)
