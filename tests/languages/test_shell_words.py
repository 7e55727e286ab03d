from roost.languages.shell_words import shell_operator


def test_the_first_word_that_only_a_shell_understands_is_found() -> None:
    assert shell_operator(["ls", "|", "wc", ">", "x"]) == "|"
    assert shell_operator(["echo", "a|b", "2>&1"]) == "2>&1"
    assert shell_operator(["grep", "-c", "a b"]) is None
