"""Every attribute that nodes tell of can be asked for."""

from roost.model import attributes
from roost.policy.conditions.kinds import KIND_OF, Kind


def test_every_attribute_has_a_kind_but_the_folder_that_follows_from_the_work() -> None:
    names = {value for name, value in vars(attributes).items() if name.isupper() and isinstance(value, str)}
    assert names - KIND_OF.keys() == {attributes.PROGRAMS_FOLDER}
    assert KIND_OF.keys() <= names


def test_no_attribute_is_a_version_by_itself() -> None:
    assert Kind.VERSION not in KIND_OF.values()
