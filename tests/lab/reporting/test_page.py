"""The page of the laboratory: one file, which loads nothing and obeys nobody's text."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

from roost.lab.reporting.page import page_html
from tests.lab.reporting.test_outcome import outcome


class Reader(HTMLParser):
    """Collects scripts, links to elsewhere and text."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.policy = ""
        self.addresses: list[str] = []
        self.text: list[str] = []
        self._script: dict[str, str | None] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "script":
            self._script = told
        if tag == "meta" and told.get("http-equiv") == "Content-Security-Policy":
            self.policy = told["content"] or ""
        self.addresses += [told[name] or "" for name in ("src", "href") if name in told]

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.scripts.append((self._script, data))
        else:
            self.text.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


def test_every_script_of_the_page_is_named_by_its_policy_and_nothing_is_loaded() -> None:
    reader = read(page_html([outcome()], "Title", "today"))
    running = [text for told, text in reader.scripts if told.get("type") is None]
    assert len(running) == 2
    for text in running:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in reader.policy
    assert reader.policy.startswith("default-src 'none'")
    assert all(address.startswith("#") for address in reader.addresses)


def test_text_from_elsewhere_is_text() -> None:
    reader = read(page_html([outcome()], "<i>Title</i>", "today"))
    text = "".join(reader.text)
    assert "<b>differs</b>" in text
    assert "<i>Title</i>" in text
    assert "Squares </script>" in text


def test_plots_are_in_the_page_as_data() -> None:
    page = page_html([outcome(), outcome()], "Title", "today")
    (data,) = [text for told, text in read(page).scripts if told.get("type") == "application/json"]
    plots = json.loads(data)
    assert [plot["data"][0]["y"] for plot in plots] == [[0.0, 1.0], [0.0, 1.0]]
    assert re.findall(r'data-plot="(\d+)"', page) == ["0", "1"]


def test_several_experiments_have_an_overview_and_one_alone_has_none() -> None:
    assert "Overview" in page_html([outcome(), outcome()], "Title", "today")
    assert "Overview" not in page_html([outcome()], "Title", "today")


def test_rows_say_whether_they_hold_and_how_they_were_read() -> None:
    page = page_html([outcome()], "Title", "today")
    assert '<tr class="holds"><td>1 squared</td><td class="number">1</td>' in page
    assert '<td class="number">1.5 ± 0.2</td>' in page
    assert "<td>differs</td><td>the other | one</td>" in page
    assert "With quick parameters: up-to 2, factor 1, names a; seed 3." in page
