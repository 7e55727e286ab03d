"""Files that a task reads: named in the file, looked for before anything runs, handed over as full paths."""

from roost.languages.flow.fields import Fields
from roost.languages.placeholders import placeholders_in
from roost.languages.problems import shown


def read_inputs(task: Fields) -> dict[str, str]:
    """Return name -> full path. A path that depends on the element ({i}, {item}) is looked for when it runs."""
    found: dict[str, str] = {}
    for name, text in task.named_texts("inputs", "{data: data.csv}").items():
        wrong = next((item for item in placeholders_in(text) if item.root in {"needs", "inputs"}), None)
        if wrong is not None:
            task.wrong("inputs", f"the input '{name}' of {task.where} holds {wrong}; use {wrong} where it is wanted")
            continue
        path = task.folder("inputs") / text
        depends = any(placeholder.of_element for placeholder in placeholders_in(text))
        if not depends and not path.exists():
            task.wrong(
                "inputs",
                f"{shown(text)}, the input '{name}' of {task.where}, is not there; names begin at the flow's folder",
            )
        found[name] = str(path)
    return found
