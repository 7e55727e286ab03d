"""The frames of the stream of changes stay what scripts rely on."""

import msgspec

from roost.api.streamed import RunEvent
from roost.model.ids import RunId


def test_events_say_their_type_first() -> None:
    assert msgspec.json.encode(RunEvent(RunId("1-a"), "added")) == b'{"type":"run","run":"1-a","state":"added"}'
