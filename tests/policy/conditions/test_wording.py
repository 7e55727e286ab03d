"""What a node lacks, in words."""

import pytest
from hypothesis import given

from roost.model.attributes import Attribute as Value
from roost.policy.conditions.evaluation import holds
from roost.policy.conditions.tree import Condition
from roost.policy.conditions.wording import Lack, lacks_for
from tests.policy.conditions.trees import conditions, said_by_node

NODE: dict[str, Value] = {
    "os": "windows", "cores": 4, "mem": 4 * 2**30, "disk": 2**30, "python": "3.11", "javascript": False,
    "programs": ("sh",), "gpu": (), "tags": ("laptop",),
}  # fmt: skip


@pytest.mark.parametrize(
    ("condition", "there"),
    [
        ("mem >= 8GiB", "has 4.0 GiB"),
        ('os == "linux"', "has 'windows'"),
        ("cores > 4", "has 4"),
        ("javascript", "has false"),
        ('version(python) >= "3.12"', "has '3.11'"),
        ('"ffmpeg" in programs', "has no such one"),
        ('"laptop" not in tags', "has it"),
        ('not "laptop" in tags', "has it"),
        ("gpu", "has none"),
        ("not tags", "has some"),
        ('arch == "arm64"', "says nothing of that"),
        ('"numpy" in libraries', "says nothing of that"),
        ("mem < disk", "has mem 4.0 GiB, has disk 1.0 GiB"),
        ('os == "linux" or os == "macos"', "has os 'windows'"),
        (
            '(cores > 8 or gpu) or "cc" in programs or arch == "arm64"',
            "has cores 4, has no gpu, has no 'cc' in programs, says nothing of arch",
        ),
        ("os in tags", "has os 'windows', has no 'windows' in tags"),
        ("arch in tags", "says nothing of arch"),
        ("not (tags or gpu)", "has some tags, has no gpu"),
        ("false", "cannot meet it, nor can any other"),
        ("false or false", "cannot meet it, nor can any other"),
    ],
)
def test_a_part_that_is_not_met_is_told_with_what_is_there(condition: str, there: str) -> None:
    assert lacks_for(condition, NODE) == [
        Lack(f"it requires {condition}, and this node {there}", f"{condition} ({there})")
    ]


def test_each_part_of_a_conjunction_is_told_by_itself() -> None:
    lacks = lacks_for('os == "windows" and mem >= 8GiB and (gpu or cores >= 4) and "ffmpeg" in programs', NODE)
    assert [lack.brief for lack in lacks] == ["mem >= 8GiB (has 4.0 GiB)", '"ffmpeg" in programs (has no such one)']


def test_what_another_version_wrote_and_nobody_can_read_here_is_met_by_nothing() -> None:
    (lack,) = lacks_for("battery > 3", NODE)
    assert lack.sentence.startswith("this node cannot read what it requires: column 1: no node says 'battery'")


@given(conditions, said_by_node)
def test_whoever_meets_a_condition_lacks_nothing_and_nobody_else(tree: Condition, said: dict[str, Value]) -> None:
    assert (lacks_for(str(tree), said) == []) is (holds(tree, said) is True)
