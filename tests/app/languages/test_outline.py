from roost.app.languages.outline import TYPES, Outline, OutlineLink, OutlineNode, OutlinePort


def test_two_outlines_of_the_same_workflow_are_equal_and_can_be_kept_in_sets() -> None:
    def outline() -> Outline:
        node = OutlineNode("add", "job", 3, "add.js", (OutlinePort("a", "Number", 4),), "Number")
        return Outline("sum", (node,), (OutlineLink("one", "add", "a", "each", 9),), ("add",))

    assert outline() == outline()
    assert len({outline(), outline()}) == 1


def test_the_types_are_those_of_javascript() -> None:
    assert set(TYPES) == {"Number", "String", "Boolean", "Array", "Object", "null", "undefined"}
