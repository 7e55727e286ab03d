"""What handlers find in their application."""

from roost.app.web.application import ADDRESS, SERVICE, TOKEN
from roost.app.web.door import Door
from roost.app.web.server import make_app
from tests.app.web.running_api import RunningApi


def test_an_application_carries_its_node_its_token_and_its_address(api: RunningApi) -> None:
    app = make_app(api.service, "a token", "http://127.0.0.1:1", Door())
    assert app[SERVICE] is api.service
    assert (app[TOKEN], app[ADDRESS]) == ("a token", "http://127.0.0.1:1")
