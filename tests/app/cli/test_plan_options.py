"""What the commands of `roost plan` share."""

from decimal import Decimal

import msgspec

from roost.app.cli.plan_options import Told, number, whole_number
from roost.lab.availability.precision import NEVER
from roost.lab.availability.transient import Transient
from roost.lab.planning.group import Failures, Kind
from roost.lab.planning.logs import Mean, Seen


def test_numbers_are_numbers_in_json_and_what_never_ends_is_null() -> None:
    told = {
        "long": number(Decimal("1.23456789012345e23")),
        "never": number(NEVER),
        "all": whole_number(Decimal("0.9999")),
    }
    assert msgspec.json.encode(told) == b'{"long":1.23456789e+23,"never":null,"all":0.9999}'


def test_at_the_unfavourable_ends_nodes_stay_shorter_and_are_away_longer() -> None:
    failures = Failures(Kind.TRANSIENT, network=Transient(Decimal(10), Decimal(2)))
    seen = Seen(3, Mean(Decimal(10), Decimal(8), Decimal(13), 9), Mean(Decimal(2), Decimal(1), Decimal(4), 9))
    worse = Told(failures, seen).pessimistic
    assert worse is not None
    assert worse.network == (8, 4)
    assert Told(failures).pessimistic is None
