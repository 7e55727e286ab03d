from tests.languages.flow.flow_texts import refused_tasks, tasks_of


def test_a_function_and_a_script_read_arguments_alike() -> None:
    written = "needs: {n: v.a}, arguments: ['{needs.n}', [{deep: '{i}'}], '{{i}}']"
    tasks = tasks_of(
        f"v: {{value: {{a: 1}}}}\nf: {{function: 'json:dumps', {written}}}\ns: {{script: weevil_main, {written}}}"
    )
    assert tasks["f"]["function"]["arguments"] == tasks["s"]["script"]["arguments"]
    assert tasks["s"]["script"]["arguments"] == [{"port": "n"}, [{"deep": {"index": True}}], "{i}"]


def test_a_pools_task_gets_its_item_as_what_arrives() -> None:
    tasks = tasks_of("v: {value: [1]}\nt: {spread: {x: v}, function: 'json:dumps'}")
    assert tasks["t"]["function"]["arguments"] == [{"port": "x"}]
    told = refused_tasks("v: {value: [1]}\nt: {spread: {x: v}, function: 'json:dumps', arguments: ['{item}']}")
    assert "lies in a pool, where the item arrives by 'spread'; write {needs.x}" in told
