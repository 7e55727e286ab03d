"""The page: whole, bounded, and deaf to whatever people write into names and output."""

import base64
import hashlib
import re
import time
from html.parser import HTMLParser

from roost.app.drawing.report.page import page_html
from tests.app.cli.fake_node import step
from tests.app.drawing.report.made_up import facts, failure, large, span

NASTY = "</title></script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


class Reader(HTMLParser):
    """Notes tags, ids and attributes, as a browser would see them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_all_parts_are_there_and_every_tag_is_closed() -> None:
    read = Reader(page_html(facts(span(0, 1), failures=[failure(2)])))
    ids = [value for name, value in read.attributes if name == "id"]
    assert {"summary", "graph", "timeline", "nodes", "steps", "failures", "lanes"} <= set(ids)
    assert len(ids) == len(set(ids))
    assert read.open == []


def test_text_from_people_cannot_become_markup() -> None:
    steps = [step(done=1) | {"name": NASTY, "what": NASTY, "task": f"5-kedova/{NASTY}", "done_on": {NASTY: 1}}]
    spans = [span(0, 1, f"5-kedova/{NASTY}", node=NASTY)]
    failures = [failure(1, task=f"5-kedova/{NASTY}", reason=NASTY, detail=NASTY)]
    more = {"name": NASTY, "owner": NASTY, "host": NASTY, "state": NASTY, "steps": steps}
    page = page_html(facts(*spans, failures=failures, silent=[NASTY], **more))
    read = Reader(page)
    assert read.open == []
    assert read.tags.count("script") == 1
    assert "img" not in read.tags
    assert [name for name, _ in read.attributes if name.startswith("on")] == []


def test_only_its_own_script_may_run_and_nothing_is_loaded() -> None:
    page = page_html(facts(span(0, 1)))
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page
    read = Reader(page)
    assert [value for name, value in read.attributes if name in ("src", "srcset", "action")] == []
    assert all(value.startswith("#") for name, value in read.attributes if name == "href")
    assert "@import" not in page
    assert "url(" not in page.replace("url(#arrow)", "")


def test_a_run_of_a_hundred_thousand_elements_makes_a_small_page_soon() -> None:
    many = large()
    begin = time.process_time()
    page = page_html(many)
    assert time.process_time() - begin < 3.0
    assert 100_000 < len(page.encode()) < 5_000_000


def test_it_serves_light_and_dark_phones_keyboards_and_quiet_eyes() -> None:
    page = page_html(facts(span(0, 1)))
    for word in (
        "prefers-color-scheme:dark",
        "prefers-reduced-motion",
        "width=device-width",
        'tabindex="0"',
        "ArrowLeft",
        'lang="en"',
    ):
        assert word in page


def test_nodes_that_did_not_answer_are_named() -> None:
    assert "did not answer: yew" in page_html(facts(span(0, 1), silent=["yew"]))
    assert "did not answer" not in page_html(facts(span(0, 1)))
