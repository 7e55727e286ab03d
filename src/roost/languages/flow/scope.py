"""Which placeholders a task may use, and what is wrong with those that it may not."""

from collections.abc import Mapping
from functools import cached_property

from roost.languages.flow.drafts import Draft
from roost.languages.flow.keywords import DOES
from roost.languages.placeholders import Placeholder, placeholders_in, replace_placeholders, slip_in
from roost.languages.problems import did_you_mean
from roost.model.task import EdgeKind


class Scope:
    """What one task knows: its inputs, its item, and the results that arrive."""

    def __init__(self, draft: Draft, drafts: Mapping[str, Draft], inputs: Mapping[str, str]) -> None:
        self._draft = draft
        self._drafts = drafts
        self._inputs = inputs

    @cached_property
    def _sources(self) -> dict[str, Draft]:
        return {wait.port: self._drafts[wait.source] for wait in self._draft.waits if wait.port}

    @cached_property
    def _item_keys(self) -> frozenset[str] | None:
        return self._draft.elements.item_keys

    def resolved(self, key: str, text: str, line: int | None = None) -> str:
        """Return ``text`` with the inputs put in place; note what is wrong with its placeholders under ``key``."""
        if "{" not in text:
            return text
        text = replace_placeholders(text, self._input_in_place)
        slip = slip_in(text)
        if slip is not None:
            wrong = f"{slip[0]} in {self._draft.fields.where} means nothing"
            self._draft.fields.wrong(key, f"{wrong}; write {slip[1]}, or {{{slip[0]}}} if the braces are meant", line)
        for placeholder in placeholders_in(text):
            self.check(key, placeholder, line)
        return text

    def check(self, key: str, placeholder: Placeholder, line: int | None = None) -> bool:
        """Note what is wrong with a placeholder; return whether all is well."""
        checks = {"item": self._item, "needs": self._need, "inputs": self._input}
        # Values were put in place before; one that is left has been noted as unknown.
        check = checks.get(placeholder.root)
        wrong = check(placeholder) if check is not None else None
        if wrong is not None:
            self._draft.fields.wrong(key, f"{self._draft.fields.where} uses {placeholder}{wrong}", line)
        return wrong is None

    def _item(self, placeholder: Placeholder) -> str | None:
        if self._draft.elements.items is None:
            spread = next((wait.port for wait in self._draft.waits if wait.kind is EdgeKind.SPREAD), None)
            if spread is not None:
                return f", but lies in a pool, where the item arrives by 'spread'; write {{needs.{spread}}}"
            return ", but has no items; give it 'items', 'items_from' or 'matrix'"
        if not placeholder.path:
            return None
        if self._item_keys is None or len(placeholder.path) > 1:
            return ", but its items are not all maps with that name; write {item}"
        name = placeholder.path[0]
        return None if name in self._item_keys else f", which not every item has{did_you_mean(name, self._item_keys)}"

    def _need(self, placeholder: Placeholder) -> str | None:
        if not placeholder.path:
            return "; name what it needs, for example {needs.make}"
        written, *rest = placeholder.path
        port, slash, nth = written.partition("/")
        source = self._sources.get(port)
        if source is None:
            return self._unknown_port(port)
        if slash:
            return self._dataset(source, nth, rest)
        if not rest:
            return None
        if len(rest) == 1 and rest[0] in source.files:
            return None
        if source.files and not source.is_command:
            return f", but '{source.name}' has no file '{'.'.join(rest)}'{did_you_mean(rest[0], source.files)}"
        if not source.is_command:
            part = rest[0]
            way = f"write {{needs.{port}}}, or name the part: 'needs: {{{part}: {source.name}.{part}}}'"
            return f", but '{source.name}' {DOES.get(source.work or '', 'does nothing')}, which leaves no files; {way}"
        hint = did_you_mean(rest[0], source.outputs) or f"; add it to the 'outputs' of '{source.name}'"
        return f", but '{source.name}' has no output '{'.'.join(rest)}'{hint}"

    def _dataset(self, source: Draft, nth: str, rest: list[str]) -> str | None:
        """Only programs that speak LAN's protocol name datasets, the first of which has the number 1."""
        if not source.is_command:
            return f", but '{source.name}' {DOES.get(source.work or '', 'does nothing')}, which names no datasets"
        if rest or not nth.isdecimal() or int(nth) < 1:
            return "; name a dataset by its number, the first by 1"
        return None

    def _unknown_port(self, port: str) -> str:
        if any(wait.source == port for wait in self._draft.waits):
            return f", but gets no result under that name{did_you_mean(port, self._sources)}"
        if port in self._drafts and port != self._draft.name:
            return f" but does not wait for it; add 'needs: {port}' (or 'each' or 'all')"
        return f", but nothing arrives under that name{did_you_mean(port, self._sources)}"

    def _input(self, placeholder: Placeholder) -> str | None:
        name = ".".join(placeholder.path)
        if name in self._inputs:
            return None
        return f", which is not among its 'inputs'{did_you_mean(name, self._inputs) or '; add it there'}"

    def _input_in_place(self, placeholder: Placeholder) -> str:
        known = self._inputs.get(".".join(placeholder.path)) if placeholder.root == "inputs" else None
        return str(placeholder) if known is None else known
