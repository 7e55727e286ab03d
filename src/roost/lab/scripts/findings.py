"""What web-4.5 found, in paragraphs: readings, what does not hold and why."""

from collections.abc import Iterator

from roost.lab.scripts import published
from roost.lab.scripts.asking import KINDS
from roost.lab.scripts.engines import TARGETS
from roost.lab.scripts.fitting import of_rates
from roost.lab.scripts.outcome import PI_OPERATIONS, Outcome, fit_of

_PRINTED = (
    "Figure 4.2 multiplies constants: its product can be reckoned once, when the loop is compiled, and then two of ten"
    " counted operations are done. Here the turn stands for one of the constants, the sum is returned, and every result"
    " is checked. Rows compare both loops. Where both take the same time, the loop waits for its two additions, which"
    " follow from each other, and the eight multiplications are done beside them: so ten operations are counted in the"
    " time of two. The document's figures may have gained by either; they compare engines, and count no operations."
)
_MISPRINT = (
    "Table 4.5 has 50000000 twice. The second stands between 100000000 and 1000000000 and fits 500000000: with"
    " start and"
    " turn fitted to the other lines, that sample size gives the published rate to a few per cent."
)
_FORTY_SECONDS = (
    "Section 4.5.3 calls the start small above 100 million samples, a job of about 40 s. By its own table a job of 100"
    " million takes 9 s; 43 s belong to 500 million. The fit says more: what decides is how long a job takes, not how"
    " many samples it has. The start costs less than 1 % of any job that takes a hundred times as long as a start."
)
_CONTRADICTIONS = (
    "Three figures of the document cannot hold together: 408,948 random numbers a second (table 4.3), two random"
    " numbers"
    " a point (figure 4.3), and 45 MFLOPS with four operations a point (figure 4.7), which takes 22 million of them. In"
    " the same way table 4.1 has 3.5 million operations a second where figures 4.6 and 4.7 have 45 to 125 million"
    " of the"
    " same arithmetic. Perhaps the tables of 4.4 were measured in code that the engine did not compile. WebCL's"
    " Pi-Approximation Test has 211 MFLOPS in table 4.5 and 75 in figure 4.9: the first leaves the"
    " random numbers out, as 4.5.3 says. Figure 4.11's peak of 15 GFLOPS is above what 72 workers can give at the"
    " highest"
    " rate of one alone (13.7): it comes from counting a whole job at the moment of its submission."
)
_BUSY = (
    "All rates are the best of several repetitions, and of this machine at this moment: nothing of them is kept. The"
    " rows say for how many processors how many processes waited. A sample size is measured from before its worker is"
    " started until its result is there, each time with a new worker, except where a worker of Roost lives on. Roost's"
    " workers run at the priority of all others here; in a node they give way."
)


def findings(outcome: Outcome) -> tuple[str, ...]:
    return (
        *_missing(outcome),
        *_disturbed(outcome),
        *_starts(outcome),
        _MISPRINT,
        _FORTY_SECONDS,
        _eighty_percent(outcome),
        _CONTRADICTIONS,
        _PRINTED,
        _BUSY,
    )


def _missing(outcome: Outcome) -> Iterator[str]:
    for target in TARGETS:
        measured = outcome.engines.get(target.name)
        if measured is None:
            yield f"NOT MEASURED: {target.title}. Reason: the parameter 'engines' of this run does not name it."
        elif measured.missing:
            yield f"NOT MEASURED: {target.title}. Reason: {measured.missing}."
        elif measured.probe_ends:
            yield f"{target.title}: the probe ends early, because {measured.probe_ends}."


def _disturbed(outcome: Outcome) -> Iterator[str]:
    busy = [(target, one) for target, one in outcome.measured if one.load > one.processors]
    if busy:
        said = "; ".join(f"{target.title}: {one.load:g} for {one.processors}" for target, one in busy)
        yield (
            "DISTURBED: more processes wanted a processor than there are, so two workers side by side gain less, and"
            " jobs of seconds are slower than short ones, which fit between the others: the fit and the shares of the"
            f" peak suffer. Measure again on a quiet machine. Processes for processors: {said}."
        )


def _starts(outcome: Outcome) -> Iterator[str]:
    theirs = of_rates(list(published.WEBWORKER), list(published.WEBWORKER.values()), PI_OPERATIONS)
    said = [
        f"{target.title} {found.start_s * 1e3:.1f} ms (1 % of a job of {found.job_s(0.01):.2g} s)"
        for target, measured in outcome.measured
        if (found := fit_of(measured)) is not None
    ]
    if said:
        yield (
            f"What a job costs to start, by the fit: the document's Web Worker {theirs.start_s * 1e3:.0f} ms (1 %"
            f" of a job"
            f" of {theirs.job_s(0.01):.2g} s); {'; '.join(said)}. What an engine needs until it has compiled a loop"
            f" is in"
            " the start as well."
        )


def _eighty_percent(outcome: Outcome) -> str:
    clock, timer, _, ahead = (outcome.shares[kind.title, published.JOB_S] for kind in KINDS)
    short = outcome.shares[KINDS[0].title, 1.0].steady
    batch = outcome.shares[KINDS[2].title, 1.0].steady
    return (
        "The 80 % of section 4.5.5 are 4.5 of 5.6 GFLOPS; but 72 times 80 MFLOPS are 5.76 (78 %), and jobs of a billion"
        " points in 47 s are 85 MFLOPS each, 6.1 in all (73 %). Polling every 5 s explains little of what is lost: a"
        f" worker with jobs of 47 s attains {clock.steady:.1%} if it asks on the beat of a clock,"
        f" {timer.steady:.1%} if it"
        f" asks 5 s after each job; with the end, when some have no more jobs, {clock.whole:.1%} and {timer.whole:.1%}."
        " What was attained says that a worker was at each job for 64 s, 17 s more than the job. Those are lost"
        " elsewhere:"
        " in a server that answers late or with an empty message, or in the result page, which the document itself"
        f" suspects. Polling does cost much with short jobs: {short:.0%} is attained with jobs of 1 s, {batch:.0%} if a"
        f" worker takes as many at a time as fill a period, and {ahead.steady:.0%} if it asks before its last job ends."
    )
