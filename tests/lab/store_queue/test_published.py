"""Table 2.4 of HTC."""

from roost.lab.store_queue.published import LOADS, SIZES, table_2_4


def test_the_table_has_what_the_document_says_in_words() -> None:
    for nodes in SIZES:
        even = table_2_4(nodes, 1.0)
        assert even is not None
        # HTC: near 85 % at load 1.0 for all sizes, and deviations of less than 4 points when load increases.
        assert abs(even.mean - 85.0) < 3.0
        last = table_2_4(nodes, 2.0)
        assert last is not None
        assert last.deviation < 4.0
    assert len(LOADS) == 10


def test_what_is_not_in_the_table_is_none() -> None:
    assert table_2_4(30, 0.2) is None
    assert table_2_4(20, 0.3) is None
