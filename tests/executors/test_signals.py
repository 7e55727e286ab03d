"""Names of signals."""

from roost.executors.signals import signal_name


def test_signals_have_names_and_unknown_ones_numbers() -> None:
    assert signal_name(9) == "SIGKILL"
    assert signal_name(11) == "SIGSEGV"
    assert signal_name(48) == "signal 48"
