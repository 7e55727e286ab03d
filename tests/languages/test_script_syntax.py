from roost.languages.script_syntax import why_no_script


def test_what_can_be_read_has_no_mistake() -> None:
    assert why_no_script("function weevil_main(a) { return a; }") == ""


def test_the_line_of_a_mistake_is_told() -> None:
    told = why_no_script("function weevil_main(a) {\n  return a +;\n}")
    assert told == "is not JavaScript on line 2 (unexpected token in expression: ';')"
