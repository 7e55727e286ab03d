"""The figures of web-4.5: table 4.5 as curves, figures 4.6, 4.7 and 4.12, and what polling costs."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.scripts import published
from roost.lab.scripts.asking import JOB_LENGTHS_S, KINDS
from roost.lab.scripts.engine import Lap
from roost.lab.scripts.fitting import of_rates
from roost.lab.scripts.outcome import PI_OPERATIONS, Outcome, attained, fit_of, mflops

_SIZES = Axis(title="sample size", is_log=True)


def figures(outcome: Outcome) -> tuple[Figure, ...]:
    return (_probe(outcome), _over_time(outcome), _office(outcome), _polling(outcome))


def _probe(outcome: Outcome) -> Figure:
    absolute, relative = [], []
    for name, rates in (("document, WebWorker", published.WEBWORKER), ("document, WebCL", published.WEBCL)):
        peak = of_rates(list(rates), list(rates.values()), PI_OPERATIONS).flops(PI_OPERATIONS)
        absolute.append(_curve(name, rates, 1.0, is_reference=True))
        relative.append(_curve(name, rates, None if peak is None else peak / 1e6, is_reference=True))
    for target, measured in outcome.measured:
        rates = {one.size: mflops(measured, one.size) or 0.0 for one in measured.probed}
        found = fit_of(measured)
        peak = None if found is None else found.flops(PI_OPERATIONS)
        absolute.append(_curve(target.title, rates, 1.0))
        relative.append(_curve(target.title, rates, None if peak is None else peak / 1e6))
    rate, share = Axis(title="MFLOPS, with the start of a worker", is_log=True), Axis(title="share of the fitted peak")
    panels = (
        Panel(title="attained", x=_SIZES, y=rate, series=tuple(absolute)),
        Panel(title="how the start fades", x=_SIZES, y=share, series=tuple(one for one in relative if one.x)),
    )
    return Figure(title="Table 4.5: probing for the sample size", panels=panels, columns=2)


def _curve(name: str, rates: Mapping[int, float], unit: float | None, *, is_reference: bool = False) -> Series:
    """Draw rates in a unit; without one nothing."""
    x = tuple(float(size) for size in rates) if unit else ()
    y = tuple(rate / unit for rate in rates.values()) if unit else ()
    return Series(name=name, kind="line and points", x=x, y=y, is_reference=is_reference)


def _over_time(outcome: Outcome) -> Figure:
    panels = []
    for workers, title in ((1, "one worker"), (2, "two workers side by side")):
        series = []
        for target, measured in outcome.measured:
            one = attained(measured, workers)
            if one is not None:
                x, y = over_time(one.laps)
                series.append(Series(name=target.title, kind="line", x=x, y=y))
        y_axis = Axis(title="attained MFLOPS", is_log=True)
        panels.append(Panel(title=title, x=Axis(title="seconds"), y=y_axis, series=tuple(series)))
    return Figure(title="Figures 4.6 and 4.7: attained performance over time", panels=tuple(panels), columns=2)


def over_time(laps: Sequence[Lap]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return steps: the moments, and the MFLOPS just before and just after each.

    As in WEB 4.2, the rate of a job holds from when it was taken until its result was there.
    """
    moments = sorted({moment for lap in laps for moment in (lap.begun_s, lap.ended_s)})
    x: list[float] = []
    y: list[float] = []
    for begun, ended in pairwise(moments):
        rate = sum(lap.result.operations / lap.seconds for lap in laps if lap.begun_s <= begun and ended <= lap.ended_s)
        # A moment between two jobs has no place on a logarithmic axis.
        if rate:
            x += [begun, ended]
            y += [rate / 1e6] * 2
    return tuple(x), tuple(y)


def _office(outcome: Outcome) -> Figure:
    series = []
    for kind in (KINDS[0], KINDS[-1]):
        share = outcome.shares[kind.title, published.JOB_S]
        x = tuple(time for time in share.times for _ in range(2))
        rates = [working * published.SARA_EACH / 1e9 for working in share.working]
        y = (0.0, *(rate for rate in rates[:-1] for _ in range(2)), rates[-1])
        series.append(Series(name=f"model: a worker {kind.title}", kind="line", x=x, y=y))
    end = max(max(outcome.shares[kind.title, published.JOB_S].times) for kind in KINDS[:1])
    for name, level in (
        ("document, theoretical", published.SARA_THEORETICAL),
        ("document, attained", published.SARA_ATTAINED),
    ):
        series.append(Series(name=name, kind="line", x=(0.0, end), y=(level / 1e9,) * 2, is_reference=True))
    panel = Panel(x=Axis(title="seconds"), y=Axis(title="GFLOPS"), series=tuple(series))
    return Figure(title="Figure 4.12: 72 workers of 80 MFLOPS, 1000 jobs of 47 s", panels=(panel,))


def _polling(outcome: Outcome) -> Figure:
    series = [
        Series(
            name=f"a worker {kind.title}",
            kind="line and points",
            x=JOB_LENGTHS_S,
            y=tuple(outcome.shares[kind.title, job_s].steady for job_s in JOB_LENGTHS_S),
        )
        for kind in KINDS
    ]
    point = Series(name="document", kind="points", x=(published.JOB_S,), y=(published.SARA_SHARE,), is_reference=True)
    panel = Panel(
        x=Axis(title="seconds a job", is_log=True),
        y=Axis(title="share attained", span=(0.0, 1.0)),
        series=(*series, point),
    )
    return Figure(title="What a dequeue period of 5 s costs", panels=(panel,))
