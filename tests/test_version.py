import re
from importlib.metadata import version

import roost
from roost.version import VERSION


def test_the_package_the_module_and_the_installation_agree() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
    assert roost.__version__ == VERSION
    assert version("roost") == VERSION
