"""Errors name the culprit, so that a handler can catch one kind and let our own bugs through."""

from roost.model import errors


def test_the_person_the_peer_and_we_ourselves_are_told_apart() -> None:
    assert issubclass(errors.NotFound, errors.InvalidInput)
    culprits = [errors.InvalidInput, errors.Unavailable, errors.PeerError, errors.InvariantViolated]
    for culprit in culprits:
        assert issubclass(culprit, errors.RoostError)
        assert not any(issubclass(culprit, other) for other in culprits if other is not culprit)
