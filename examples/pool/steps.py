"""The two Python steps of the pool: split a text, and add up what was counted."""

from collections import Counter


def split(text: str) -> list[str]:
    """Return the paragraphs; how many there are nobody knows before."""
    return [paragraph for paragraph in text.split("\n\n") if paragraph.strip()]


def total(counts: list[dict[str, int]]) -> dict[str, int]:
    """Add up the counts of all paragraphs."""
    words: Counter[str] = Counter()
    for count in counts:
        words.update(count)
    return dict(words)
