"""What a flow file looks like to checkers and drawers, with the lines of its tasks; and tasks that it does in vain."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from roost.languages.flow.drafts import Draft
from roost.languages.flow.types import gives
from roost.languages.outline import Outline, OutlineNode, OutlinePort, outline_of
from roost.languages.problems import Problems
from roost.model.task import EdgeKind

#: How many names one sentence lists.
_NAMES_LISTED = 8


def outline_of_flow(
    submission: Mapping[str, Any], drafts: Mapping[str, Draft], problems: Problems, final_line: int
) -> Outline:
    """Return the outline; what an included file holds stands on the line that includes it."""
    rough = outline_of(submission)
    waits = (wait for draft in drafts.values() for wait in draft.waits)
    links = zip(rough.links, waits, strict=True)
    return replace(
        rough,
        final_line=final_line,
        nodes=tuple(_placed(node, drafts[node.name], problems) for node in rough.nodes),
        links=tuple(replace(link, line=problems.first_file_line(wait.line)) for link, wait in links),
    )


def _placed(node: OutlineNode, draft: Draft, problems: Problems) -> OutlineNode:
    ports = tuple(
        OutlinePort(wait.port, "Array" if wait.kind is EdgeKind.ALL else wait.type, problems.first_file_line(wait.line))
        for wait in draft.waits
        if wait.port
    )
    return replace(node, line=problems.first_file_line(draft.line), ports=ports, gives=str(gives(draft)))


def warn_of_vain_tasks(drafts: Mapping[str, Draft], final: Iterable[str], problems: Problems) -> None:
    """Warn of tasks on which no result depends."""
    reached = set(final)
    waiting = list(reached)
    while waiting:
        draft = drafts[waiting.pop()]
        for source in (*(wait.source for wait in draft.waits), draft.sized_by):
            if source is not None and source not in reached:
                reached.add(source)
                waiting.append(source)
    vain = [draft for draft in drafts.values() if draft.name not in reached]
    if vain:
        names = ", ".join(f"'{draft.name}'" for draft in vain[:_NAMES_LISTED])
        more = f" and {len(vain) - _NAMES_LISTED:,} more" if len(vain) > _NAMES_LISTED else ""
        problems.warn(
            vain[0].line, f"no result of this flow depends on {names}{more}; add it to 'result', or remove it"
        )
