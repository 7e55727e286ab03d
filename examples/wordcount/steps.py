"""The function of the word count; the flow file names it as steps:total."""

from collections import Counter


def total(counts: list[str]) -> dict[str, object]:
    """Add up what the count step printed for each text: lines of a number and a word."""
    words: Counter[str] = Counter()
    for count in counts:
        for line in count.splitlines():
            number, word = line.split()
            words[word] += int(number)
    return {"texts": len(counts), "words": words.total(), "most": dict(words.most_common(5))}
