"""Objects and their copies."""

import pytest

from roost.lab.availability.objects import copies_on, number_of, shares_of


def test_copies_are_on_nodes_that_follow_each_other_in_the_ring() -> None:
    assert copies_on(28, 3, 30) == (28, 29, 0)


def test_uniform_access_is_alike_and_zipf_falls_with_the_rank() -> None:
    assert shares_of(4, 0.0) == [0.25] * 4
    zipf = shares_of(3, 1.0)
    assert sum(zipf) == pytest.approx(1)
    assert zipf[0] / zipf[2] == pytest.approx(3)


def test_the_same_words_give_the_same_number_in_each_process() -> None:
    assert number_of("disks", 3) == 1681951861
    assert number_of("disks", 3) != number_of("disks", 4)
