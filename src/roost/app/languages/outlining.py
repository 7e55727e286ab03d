"""The outline of a workflow from its submission: for languages that are read straight into one, and to draw a run."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from roost.app.languages.outline import Outline, OutlineLink, OutlineNode, OutlinePort
