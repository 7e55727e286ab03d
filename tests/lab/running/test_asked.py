"""What a person asks for: names, parameters in words, seeds."""

import pytest

from roost.lab.catalogue import NAMES
from roost.lab.running import asked as asked_module
from roost.lab.running.asked import Asked, asked_for, changed, names_of
from roost.lab.running.runner import Done
from roost.model.errors import InvalidInput
from tests.lab import small_experiment
from tests.lab.small_experiment import Parameters


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked_module, "load", lambda name: small_experiment.EXPERIMENT)


def test_all_means_all_and_a_name_counts_once() -> None:
    assert names_of(["all"]) == list(NAMES)
    assert names_of(["htc-3.2", "htc-3.1", "htc-3.2"]) == ["htc-3.2", "htc-3.1"]


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(InvalidInput, match="there is no experiment 'x'"):
        names_of(["htc-3.1", "x"])


@pytest.mark.parametrize(("quick", "up_to"), [(False, 4), (True, 2)])
def test_quick_has_smaller_parameters(quick: bool, up_to: int) -> None:
    (asked,) = asked_for(["htc-3.1"], {}, 7, quick=quick)
    assert isinstance(asked, Asked)
    assert asked.parameters == Parameters(up_to=up_to)
    assert [cell.argument for cell in asked.cells()] == [small_experiment.Number(at, 7) for at in range(up_to)]


def test_parameters_are_set_in_words() -> None:
    settings = {"up-to": "9", "factor": "0.5", "names": "x,y"}
    assert changed(Parameters(), settings) == Parameters(up_to=9, factor=0.5, names=("x", "y"))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"depth": "3"}, "--set depth: there is no parameter 'depth'; there are factor, names, up-to"),
        ({"up-to": "many"}, "--set up-to: Expected `int`, got `str` - at `\\$.up_to`"),
    ],
)
def test_what_is_no_parameter_or_no_value_of_it_is_refused(settings: dict[str, str], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        asked_for(["htc-3.1"], settings, 0, quick=False)


def test_what_nothing_can_be_reckoned_with_is_refused_if_a_person_has_set_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def report_of(parameters: Parameters, seed: int, results: object) -> object:
        return 1 / (parameters.up_to - 7)

    monkeypatch.setattr(asked_module, "load", lambda name: small_experiment.EXPERIMENT._replace(report=report_of))
    (asked,) = asked_for(["htc-3.1"], {"up-to": "7"}, 0, quick=False)
    with pytest.raises(InvalidInput, match=r"htc-3\.1 cannot be reckoned with --set up-to=7; set something nearer"):
        asked.report(Done())
    with pytest.raises(ZeroDivisionError):
        asked._replace(settings={}).report(Done())
