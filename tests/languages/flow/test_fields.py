from roost.languages.flow.fields import Fields, unquoted_placeholder
from roost.languages.flow.nodes import MapNode
from roost.languages.flow.reader import read_nodes
from roost.languages.flow.values import Values
from roost.languages.problems import Problems
from roost.model.errors import InvalidInput
from roost.model.resources import parse_size


class Told:
    """Fields over a text, and what was noted about them."""

    def __init__(self, text: str) -> None:
        node = read_nodes(text, "f")
        assert isinstance(node, MapNode)
        self.problems = Problems("f")
        self.fields = Fields(node, "task 't'", Values({}, self.problems), self.problems)

    @property
    def message(self) -> str:
        try:
            self.problems.stop_if_any()
        except InvalidInput as error:
            return str(error)
        return ""


def test_keys_that_are_not_known_are_refused_with_the_nearest() -> None:
    told = Told("comand: x\nzzzzz: y\n")
    told.fields.refuse_others(["command", "array"])
    assert told.message.splitlines() == [
        "f:1: task 't' has no 'comand'; did you mean 'command'?",
        "f:2: task 't' has no 'zzzzz'; it may have command, array",
    ]


def test_text_may_look_like_a_number_but_not_be_a_list_or_nothing() -> None:
    told = Told("a: 5\nb: [1]\nc:\n")
    assert told.fields.text("a") == "5"
    assert told.fields.text("missing") is None
    assert told.message == ""
    assert told.fields.text("b") is None
    assert told.fields.text("c") is None
    assert told.message == "f:2: 'b' of task 't' is a list; give text\nf:3: 'c' of task 't' is nothing; give text"


def test_a_placeholder_without_quotes_is_recognised() -> None:
    told = Told("a: {item}\nb: {x: }\n")
    told.fields.text("a")
    assert told.message == "f:1: 'a' of task 't' holds {item} without quotes; write \"{item}\""
    other = told.fields.raw("b")
    assert other is not None
    assert unquoted_placeholder(other) is None


def test_numbers_have_bounds() -> None:
    told = Told("a: 2\nb: '2.5'\nc: 0\nd: many\ne: true\nf: 1.5\n")
    assert told.fields.number_above_zero("a", 10) == 2.0
    assert told.fields.number_above_zero("b", 10) == 2.5
    assert told.fields.whole_number("c", 10) == 0
    assert told.message == ""
    assert told.fields.number_above_zero("c", 10) is None
    assert told.fields.number_above_zero("d", 10) is None
    assert told.fields.whole_number("e", 10) is None
    assert told.fields.whole_number("f", 10) is None
    assert [line[:4] for line in told.message.splitlines()] == ["f:3:", "f:4:", "f:5:", "f:6:"]


def test_a_choice_offers_the_nearest() -> None:
    told = Told("a: lwo\nb: urgent\n")
    told.fields.choice("a", ["low", "interactive"])
    told.fields.choice("b", ["low", "interactive"])
    assert told.message.splitlines() == [
        "f:1: 'a' of task 't' cannot be 'lwo'; did you mean 'low'?",
        "f:2: 'b' of task 't' cannot be 'urgent'; use low or interactive",
    ]


def test_measures_are_short() -> None:
    told = Told(f"a: 2KiB\nb: two\nc: {'9' * 400}\n")
    assert told.fields.measure("a", parse_size, "2GiB") == 2048
    assert told.fields.measure("b", parse_size, "2GiB") is None
    assert told.fields.measure("c", parse_size, "2GiB") is None
    assert "f:2: 'b' of task 't': 'two' is not a size" in told.message
    assert "f:3: 'c' of task 't' is '999" in told.message


def test_a_map_of_names_to_texts_keeps_what_is_right() -> None:
    told = Told("outputs:\n  good: out.txt\n  'b c': x\n  list: [1]\n")
    assert told.fields.named_texts("outputs", "{text: out.txt}") == {"good": "out.txt"}
    assert "f:3: 'b c' cannot be a name in 'outputs' of task 't'" in told.message
    assert "f:4: 'list' of 'outputs' of task 't' is a list" in told.message


def test_words_are_one_word_or_a_list_of_them() -> None:
    told = Told("a: x\nb:\n  - x\n  - y\nc: [[1]]\n")
    assert list(told.fields.words("a")) == [(1, "x")]
    assert list(told.fields.words("b")) == [(3, "x"), (4, "y")]
    assert list(told.fields.words("c")) == []
    assert "'c' of task 't' is a list; give a task's name" in told.message


def test_truth_is_true_or_false() -> None:
    told = Told("a: true\nb: yes\nc: [x]\n")
    assert told.fields.truth("a") is True
    assert told.fields.truth("missing") is None
    assert told.fields.truth("b") is None
    assert told.fields.truth("c") is None
    assert told.message.splitlines() == [
        "f:2: 'b' of task 't' is text; give true or false",
        "f:3: 'c' of task 't' is a list; give true or false",
    ]


def test_names_begin_at_the_folder_of_the_file_in_which_they_stand() -> None:
    told = Told("a: x\n")
    assert told.fields.folder("a") == told.problems.files[0].folder
