"""The cell of FAIR's experiments."""

import msgspec

from roost.lab.mobile.live import live
from roost.lab.mobile.setting import Outcome, Setting


def test_the_same_setting_gives_the_same_and_another_seed_something_else() -> None:
    setting = Setting(seed=1, strategy="worst", jobs=30, repetitions=2)
    found = live(setting)
    assert found == live(setting)
    assert found[0] != found[1]
    assert found != live(msgspec.structs.replace(setting, seed=2))


def test_what_comes_out_can_be_kept() -> None:
    found = live(Setting(seed=1, jobs=3))
    assert msgspec.json.decode(msgspec.json.encode(found), type=tuple[Outcome, ...]) == found
