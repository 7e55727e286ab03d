"""Which experiments a person asks for, with which parameters, and what has to be run for them."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from roost.lab.catalogue import NAMES, Entry, entry_of, load
from roost.lab.experiment import Cell, Experiment, Report, Results
from roost.model.errors import InvalidInput, RoostError
from roost.model.visible import quoted

#: What means all experiments.
ALL: Final = "all"

R = TypeVar("R")


class Asked(NamedTuple):
    """An experiment with its parameters."""

    entry: Entry
    experiment: Experiment[Any]
    parameters: msgspec.Struct
    seed: int
    is_quick: bool
    #: What a person has set, in words.
    settings: Mapping[str, str] = MappingProxyType({})

    def cells(self) -> Sequence[Cell[Any]]:
        return self._reckoned(lambda: self.experiment.cells(self.parameters, self.seed))

    def report(self, results: Results) -> Report:
        return self._reckoned(lambda: self.experiment.report(self.parameters, self.seed, results))

    def _reckoned(self, reckon: Callable[[], R]) -> R:
        """Reckon something. Raise InvalidInput for what a person has set and nothing can be reckoned with."""
        try:
            return reckon()
        except (ArithmeticError, LookupError, ValueError) as error:
            # Without settings it is a fault of the experiment, and told as one.
            if isinstance(error, RoostError) or not self.settings:
                raise
            words = " ".join(f"--set {name}={value}" for name, value in self.settings.items())
            raise InvalidInput(f"{self.entry.name} cannot be reckoned with {words}; set something nearer") from error


def names_of(words: Sequence[str]) -> list[str]:
    """Return the experiments that are meant: names, or all. Raise InvalidInput for what is none."""
    if ALL in words:
        return list(NAMES)
    return list(dict.fromkeys(entry_of(word).name for word in words))


def asked_for(names: Sequence[str], settings: Mapping[str, str], seed: int, *, quick: bool) -> list[Asked]:
    """Load experiments, with these settings of parameters. Raise InvalidInput for a setting that none of them has."""
    asked = []
    used: set[str] = set()
    for name in names:
        experiment = load(name)
        parameters = experiment.quick if quick else experiment.full
        own = {key: value for key, value in settings.items() if key.replace("-", "_") in parameters.__struct_fields__}
        used |= set(own)
        asked.append(Asked(entry_of(name), experiment, changed(parameters, own), seed, quick, own))
    for key in settings:
        if key not in used:
            known = sorted({as_written(field) for one in asked for field in one.parameters.__struct_fields__})
            raise InvalidInput(f"--set {key}: there is no parameter {quoted(key)}; there are {', '.join(known)}")
    return asked


def changed(parameters: msgspec.Struct, settings: Mapping[str, str]) -> msgspec.Struct:
    """Return parameters some of which a person has set in words; of several values, with commas between them."""
    values: dict[str, Any] = {field: getattr(parameters, field) for field in parameters.__struct_fields__}
    for key, word in settings.items():
        field = key.replace("-", "_")
        values[field] = word.split(",") if isinstance(values[field], tuple) else word
    try:
        return msgspec.convert(values, type(parameters), strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"--set {', '.join(settings)}: {error}") from None


def as_written(field: str) -> str:
    """Return a parameter's name as people write it."""
    return field.replace("_", "-")
