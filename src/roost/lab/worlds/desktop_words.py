"""What roost-desktops has found, in paragraphs."""

from collections.abc import Iterator, Sequence

from roost.lab.worlds.desktop_report import BASE
from roost.lab.worlds.desktop_trials import Average, Bag, Found
from roost.policy.catalogue import DEFAULT_POLICY


def all_findings(found: Found) -> Iterator[str]:
    rivals = [policy for policy in found.trials.policies if policy != DEFAULT_POLICY]
    if len(rivals) < len(found.trials.policies) and rivals:
        yield _beside_the_best(found, rivals)
        if BASE in rivals:
            yield _beside_base(found)
    yield _winners(found)
    yield _models(found)


def _beside_the_best(found: Found, rivals: Sequence[str]) -> str:
    sooner: list[str] = []
    later: list[str] = []
    bags = list(found.trials.bags())
    for bag in bags:
        best = found.by_make_span(bag, rivals)[0]
        difference = found.later(bag, DEFAULT_POLICY, best)
        if difference.is_clear:
            told = f"{bag.name} ({best}, {abs(difference.mean):.1f} %)"
            (later if difference.mean > 0 else sooner).append(told)
    level = len(bags) - len(sooner) - len(later)
    return (
        f"Roost's default beside the best of the {len(rivals)} others, which is another one from bag to bag: it is "
        f"done sooner in {len(sooner)} of {len(bags)} bags, level in {level}, and later in {len(later)}. "
        f"Sooner: {'; '.join(sooner) or 'nowhere'}. Later: {'; '.join(later) or 'nowhere'}. Level means that chance "
        f"explains the difference, in {found.trials.seeds} seeds and at 95 %; so one comparison in twenty is clear by "
        "chance alone. The best other is picked after the fact from the same seeds, which flatters it."
    )


def _beside_base(found: Found) -> str:
    differences = {bag: found.later(bag, DEFAULT_POLICY, BASE) for bag in found.trials.bags()}
    sooner = [bag for bag, difference in differences.items() if difference.is_clear and difference.mean < 0.0]
    later = [bag for bag, difference in differences.items() if difference.is_clear and difference.mean > 0.0]
    most = min(differences, key=lambda bag: differences[bag].mean)
    return (
        f"Beside first come, first served it is done sooner in {len(sooner)} of {len(differences)} bags and later in "
        f"{len(later)}{_named(later, differences)}. It gains most with {most.name}: {-differences[most].mean:.0f} %."
    )


def _named(bags: Sequence[Bag], differences: dict[Bag, Average]) -> str:
    told = [f"{bag.name}, {differences[bag].mean:.1f} %" for bag in bags]
    return f" ({'; '.join(told)})" if told else ""


def _winners(found: Found) -> str:
    first: dict[str, int] = {}
    for bag in found.trials.bags():
        soonest = found.by_make_span(bag, found.trials.policies)[0]
        first[soonest] = first.get(soonest, 0) + 1
    told = ", ".join(f"{policy} {count}" for policy, count in sorted(first.items(), key=lambda one: -one[1]))
    return f"Done soonest on average, in so many bags: {told}."


def _models(found: Found) -> str:
    return (
        f"Times of the measured populations are drawn from {found.trials.knobs.family} fits, each of which describes a "
        "whole population by one distribution. Its machines are alike, and differ only by how long they have been "
        "there: the least that a policy can go by. Real ones differ from each other for good, as those of mixed do. "
        "All are on line when the work comes, but for those by the clock. Lengths are known. The shortest make-span is "
        "that of work which could be divided at will, so no policy reaches it."
    )
