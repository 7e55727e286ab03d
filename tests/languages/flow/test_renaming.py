"""Names for flow files: what can stay does, what cannot is changed wherever it stands."""

from hypothesis import given
from hypothesis import strategies as st

from roost.languages.flow.names import NAME
from roost.languages.flow.renaming import flow_names, with_flow_names


@given(
    st.lists(st.text(max_size=80) | st.sampled_from(["a", "a_b", "a.b", "a/b", "", "1", "_1", "a_b-2"]), unique=True)
)
def test_every_name_gets_one_of_its_own_that_a_flow_can_hold(names: list[str]) -> None:
    renamed = flow_names(names)
    assert list(renamed) == names
    assert len(set(renamed.values())) == len(names)
    for name, new in renamed.items():
        assert NAME.fullmatch(new)
        assert new == name or not NAME.fullmatch(name)


def test_a_name_is_changed_wherever_it_stands() -> None:
    command = {
        "argv": ["cat", "{needs.p.x.1}", "{needs.p.other}", "{{needs.p.x.1}}", "x.1"],
        "stdin": "{needs.p.x.1}",
        "env": {"A": "at {needs.p.x.1}!"},
        "outputs": {"y.1": "y.1"},
    }
    source = {"name": "a.b", "command": {"argv": ["ls"], "outputs": {"x.1": "x.1", "other": "o"}}}
    edges = [
        {"source": "a.b", "kind": "broadcast", "port": "p"},
        {"source": "a.b", "kind": "broadcast", "port": "q", "pick": "x.1"},
        {"source": "5-kedova", "kind": "after", "port": ""},
    ]
    target = {"name": "c", "command": command, "edges": edges, "sized_by": "a.b"}
    renamed = with_flow_names({"name": "n.n", "tasks": [source, target], "final": ["a.b", "c"]})
    assert renamed == {
        "name": "n.n",
        "final": ["a_b", "c"],
        "tasks": [
            {"name": "a_b", "command": {"argv": ["ls"], "outputs": {"x_1": "x.1", "other": "o"}}},
            {
                "name": "c",
                "sized_by": "a_b",
                "command": {
                    "argv": ["cat", "{needs.p.x_1}", "{needs.p.other}", "{{needs.p.x.1}}", "x.1"],
                    "stdin": "{needs.p.x_1}",
                    "env": {"A": "at {needs.p.x_1}!"},
                    "outputs": {"y_1": "y.1"},
                },
                "edges": [
                    {"source": "a_b", "kind": "broadcast", "port": "p"},
                    {"source": "a_b", "kind": "broadcast", "port": "q", "pick": "x_1"},
                    {"source": "5-kedova", "kind": "after", "port": ""},
                ],
            },
        ],
    }
