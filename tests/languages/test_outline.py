from roost.languages.outline import TYPES, Outline, OutlineLink, OutlineNode, OutlinePort, Reading


def test_two_outlines_of_the_same_workflow_are_equal_and_can_be_kept_in_sets() -> None:
    def outline() -> Outline:
        node = OutlineNode("add", "job", 3, "add.js", (OutlinePort("a", "Number", 4),), "Number")
        return Outline("sum", (node,), (OutlineLink("one", "add", "a", "each", 9),), ("add",))

    assert outline() == outline()
    assert len({outline(), outline()}) == 1


def test_the_types_are_those_of_javascript() -> None:
    assert set(TYPES) == {"Number", "String", "Boolean", "Array", "Object", "null", "undefined"}


def test_an_outline_is_made_when_it_is_looked_at_and_once() -> None:
    made: list[Outline] = []

    def outline() -> Outline:
        made.append(Outline("w", (), (), ()))
        return made[-1]

    reading = Reading({"tasks": []}, outline, ["untidy"])
    assert made == []
    assert reading.outline is reading.outline
    assert len(made) == 1
    assert (reading.submission, reading.warnings) == ({"tasks": []}, ["untidy"])


def test_an_outline_may_be_there_already() -> None:
    outline = Outline("w", (), (), ())
    assert Reading({}, outline, []).outline is outline


def test_nodes_are_counted_without_an_outline_that_is_still_to_be_made() -> None:
    def outline() -> Outline:
        raise AssertionError("nobody draws it")

    tasks = [{"name": "a", "command": {}}, {"name": "b", "command": {}, "script": None}, {"name": "c", "manual": {}}]
    assert Reading({"tasks": tasks}, outline, []).kinds() == {"command": 2, "manual": 1}
    nodes = (OutlineNode("a", "pool", 1), OutlineNode("b", "value", 2))
    assert Reading({"tasks": tasks}, Outline("w", nodes, (), ()), []).kinds() == {"pool": 1, "value": 1}
