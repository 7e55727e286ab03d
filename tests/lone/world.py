"""A simulated world: one seed draws a whole history of a node, with everything that goes wrong in it.

Two phases. First safety: people ask for things, disks fill up, elements fail, the power is cut between two actions.
Then liveness: the faults stop, every run is resumed, and all that was accepted must come to its end in bounded time.
"""

from collections.abc import Callable
from functools import partial
from random import Random

import msgspec

from roost.core.completion import ARCHIVE_GROUP
from roost.core.events import Recalled, Sealed, SuspendAsked
from roost.core.requests.requests import Request
from roost.model.clock import Stamp
from roost.model.errors import InvariantViolated
from roost.model.ids import CauseId, NodeId, RunId
from roost.model.resources import Capacity
from roost.sim.checkers.observer import Broken
from roost.sim.executor import Mishaps
from roost.sim.journal import SimDisk
from roost.sim.life import Crashed, Faults
from roost.sim.recall import recall_for
from roost.sim.trace import Trace
from tests.lone.driver import SimDriver
from tests.lone.ends_told import EndsTold
from tests.lone.inputs_first import InputsFirst
from tests.lone.nothing_left import NothingLeft
from tests.lone.observer import Observer
from tests.lone.one_result import OneResult
from tests.lone.workload import LoneWorkload

#: Simulated seconds within which everything must have ended once the faults stop.
LIVENESS_S = 3600.0
#: Simulated seconds that a node gets to calm down, and to do what it was asked to.
HEALING_S = 60.0
#: How often it is asked; a power cut may forget it once.
HEALING_ATTEMPTS = 3

#: How many of the crashes end the node's process alone, and leave the machine alive.
KILL_SHARE = 0.3


class Options(msgspec.Struct, frozen=True):
    """What a seed draws. Every field can be set by hand to narrow a failure down."""

    requests: int = 12
    #: Mean seconds between two requests.
    pause_s: float = 0.2
    #: Probability of a power cut before each action.
    crash: float = 0.0
    cpus: float = 2.0
    faults: Faults = Faults()
    #: Whether people also keep sessions open and build on earlier runs.
    sessions: bool = False
    #: Probability that they want something forgotten, when they want anything.
    forgetful: float = 0.0
    #: Ended tasks of an open session that leave memory together.
    archive_group: int = ARCHIVE_GROUP
    #: Whether people hand in chains of functions.
    chains: bool = False
    #: Whether people let go on what is leased of what they cancel.
    sparing: bool = False


class Result(msgspec.Struct, frozen=True):
    hash: str
    steps: int
    crashes: int
    simulated_s: float


def draw_options(seed: int) -> Options:
    """Draw all options of a world from its seed, so that seeds differ in kind and not only in luck."""
    rng = Random(f"{seed}/options")
    return Options(
        requests=rng.randint(1, 20),
        pause_s=rng.choice([0.01, 0.1, 1.0]),
        crash=rng.choice([0.0, 0.002, 0.02]),
        cpus=float(rng.choice([1, 2, 4])),
        faults=Faults(
            write_s=rng.choice([0.0005, 0.005, 0.1]),
            disk_full=rng.choice([0.0, 0.0, 0.05, 0.3]),
            promised=rng.choice([0.0, 0.5, 1.0]),
            mishaps=Mishaps(
                fail=rng.choice([0.0, 0.1, 0.4]), crash=rng.choice([0.0, 0.05]), mean_s=rng.choice([0.001, 0.05, 0.5])
            ),
        ),
        sessions=rng.choice([False, True]),
        archive_group=rng.choice([1, 3, ARCHIVE_GROUP]),
        forgetful=Random(f"{seed}/forgetful").choice([0.0, 0.1, 0.3]),
    )


class World:
    def __init__(self, seed: int, options: Options | None = None) -> None:
        self.seed = seed
        self.options = options or draw_options(seed)
        self.trace = Trace()
        self.crashes = 0
        #: Cut the power before the action with this number, whatever the seed says; for trying every boundary.
        self.crash_before: int | None = None
        self.actions = 0
        self._observer = Observer([NothingLeft(), OneResult(), InputsFirst(), EndsTold()])
        self._disk = SimDisk(NodeId("sim"))
        self._workload = LoneWorkload(
            Random(f"{seed}/people"),
            self.options.cpus,
            sessions=self.options.sessions,
            chains=self.options.chains,
            sparing=self.options.sparing,
            forgetful=(Random(f"{seed}/forgetting"), self.options.forgetful),
        )
        self._luck = Random(f"{seed}/power")
        self._calm = False
        self._now = 1_000_000.0
        self._driver = self._boot()

    def run(self) -> Result:
        """Live through both phases; raise Broken or InvariantViolated, with the story, if a promise does not hold."""
        try:
            self._safety()
            self._liveness()
        except (Broken, InvariantViolated) as failure:
            raise type(failure)(f"{failure}\n\nseed {self.seed}, last steps:\n{self.trace.story()}") from failure
        return Result(self.trace.hash, self.trace.steps, self.crashes, self._driver.now - 1_000_000.0)

    def _safety(self) -> None:
        people = Random(f"{self.seed}/pauses")
        for _ in range(self.options.requests):
            self._until(self._driver.now + people.expovariate(1 / self.options.pause_s))
            self._ask()

    def _liveness(self) -> None:
        self._calm = True
        self._driver.disk_may_fail = False
        self._until(self._driver.now + HEALING_S)
        self._heal()
        # The last request is over; what it recalled may leave.
        self._attempt(partial(self._driver.feed, Recalled((), ())))
        end = self._driver.now + LIVENESS_S
        while not self._driver.idle and self._driver.now < end:
            self._attempt(partial(self._driver.step, end))
        if not self._driver.idle:
            raise Broken(f"there is still something to do {LIVENESS_S:g} s after the last fault")
        self._observer.at_rest(self._driver.node, self._disk)

    def _heal(self) -> None:
        """Resume every run and seal every session, so that everything can come to its end."""
        for _ in range(HEALING_ATTEMPTS):
            suspended = [run for run, record in self._disk.runs.items() if record.suspended.on]
            unsealed = [run for run, record in self._disk.runs.items() if not record.sealed.on]
            if not suspended and not unsealed:
                return
            for run in suspended:
                self._feed(SuspendAsked(_cause(run), run, on=False))
            for run in unsealed:
                self._feed(Sealed(_cause(run), run))
            self._until(self._driver.now + HEALING_S)
        raise Broken("there are runs that cannot be resumed or sealed although no fault is left")

    def _ask(self) -> None:
        at = Stamp(int(self._driver.now * 1000), 0, self._disk.node)
        self._feed(self._workload.next_request(self._disk.flushed.tasks, at))

    def _feed(self, request: Request) -> None:
        recalled = recall_for(request, self._driver.node.queue.replica, self._disk)
        # A node that dies over the first of the two is not asked any more.
        if recalled is None or self._attempt(partial(self._driver.feed, recalled)):
            self._attempt(partial(self._driver.feed, request))

    def _until(self, time: float) -> None:
        while self._driver.now < time:
            self._attempt(partial(self._driver.step, time))

    def _attempt(self, act: Callable[[], object]) -> bool:
        """Do something; if the power is cut over it, begin the next life and return False."""
        try:
            act()
        except Crashed:
            self._crash()
            return False
        return True

    def _crash(self) -> None:
        self.crashes += 1
        self._now = self._driver.now + 1.0
        if self._luck.random() < KILL_SHARE:
            self.trace.remark("the node is killed")
            self._disk.kill(self._luck)
        else:
            self.trace.remark("power is cut")
            self._disk.crash(self._luck)
        self._observer.on_crash()
        self._driver = self._boot()
        self._driver.disk_may_fail = not self._calm
        # The first event of a life is that it has started; only then does anybody ask for something.
        self._attempt(partial(self._driver.step, self._now))

    def _boot(self) -> SimDriver:
        boot = self._disk.begin_boot()
        driver = SimDriver(
            self._disk,
            Capacity.of(self.options.cpus, 2**33, "3.11"),
            self.options.faults,
            Random(f"{self.seed}/node/boot{boot}"),
            self._observer,
            self.trace,
            now=self._now,
            archive_group=self.options.archive_group,
        )
        driver.before_action = self._before_action
        return driver

    def _before_action(self) -> None:
        self.actions += 1
        if self.actions == self.crash_before:
            raise Crashed
        unlucky = self._luck.random() < self.options.crash
        if unlucky and not self._calm:
            raise Crashed


def _cause(run: RunId) -> CauseId:
    return CauseId(f"healed-{run}")
