from hypothesis import given
from hypothesis import strategies as st

from roost.languages.naming import PROCESSOR, REDUCER, task_names
from roost.model.ids import TASK_NAME

IDS = st.lists(
    st.text(min_size=1, max_size=70) | st.sampled_from(["a", "a.reducer", "A b", "A_b", "é", "1"]), unique=True
)


def test_an_id_that_is_a_name_stays_what_it_is() -> None:
    assert task_names(["val1", "sum-2", "a.b"], ["pool0"]) == {
        "pool0": "pool0", "val1": "val1", "sum-2": "sum-2", "a.b": "a.b",
    }  # fmt: skip


def test_other_ids_become_names_that_are_near_and_free() -> None:
    names = task_names(["my node", "my_node", "1st", "é", "x" * 100], [])
    assert names == {"my_node": "my_node", "my node": "my_node-2", "1st": "_1st", "é": "_", "x" * 100: "x" * 64}


def test_the_names_inside_a_pool_are_left_free() -> None:
    assert task_names(["p.reducer", "p.processor"], ["p"]) == {
        "p": "p", "p.reducer": "p.reducer-2", "p.processor": "p.processor-2",
    }  # fmt: skip


@given(IDS, IDS)
def test_all_names_are_legal_and_different(plain: list[str], pools: list[str]) -> None:
    names = task_names(plain, pools)
    assert names.keys() == {*plain, *pools}
    every = [*names.values(), *(names[pool] + ending for pool in pools for ending in (PROCESSOR, REDUCER))]
    assert len(set(every)) == len(every)
    assert all(TASK_NAME.fullmatch(name) for name in every)


def test_a_hundred_thousand_ids_that_look_alike_take_no_time() -> None:
    ids = [chr(0x4E00 + number % 20_000) * (1 + number // 20_000) for number in range(100_000)]
    assert len(set(task_names(ids, []).values())) == len(ids)
