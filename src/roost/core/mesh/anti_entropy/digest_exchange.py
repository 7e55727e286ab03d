"""Anti-entropy: replicas that have missed something find out by digests, and what is missing.

Rules
- Every heartbeat carries the digest of all that its node knows. Nodes with the same number know the same.
- While work goes on, numbers differ for moments. Only a difference that has lasted DIFFERENCE_S is looked into, and
  with one node at most once in PAUSE_S.
- Then digests are compared in two steps, first of buckets of runs, then of the runs in buckets that differ; of large
  runs in a third one, of buckets of tasks. Each side sends the records that the other lacks or has otherwise
  (comparing.py); merging does the rest.
"""

from roost.core.queue.digests import Digests
from roost.model.ids import NodeId, RunId
from roost.model.limits import SYNC_BUCKETS
from roost.wire.messages import BucketDigests, RunDigests

#: How long another node's digest must differ from ours before we ask. Shorter: losses are repaired sooner. Longer:
#: fewer needless comparisons while much is going on.
DIFFERENCE_S = 1.0
#: How long to leave a node alone after a comparison.
PAUSE_S = 2.0


class DigestExchange:
    def __init__(self, digests: Digests) -> None:
        self._digests = digests
        self._differs_since: dict[NodeId, float] = {}
        self._asked_at: dict[NodeId, float] = {}

    def heard(self, node: NodeId, digest: bytes, now: float) -> BucketDigests | None:
        """A heartbeat brought a digest; return what to send to that node, if it is time to compare."""
        if digest == self._digests.total():
            self._differs_since.pop(node, None)
            return None
        since = self._differs_since.setdefault(node, now)
        if now - since < DIFFERENCE_S or now - self._asked_at.get(node, float("-inf")) < PAUSE_S:
            return None
        self._asked_at[node] = now
        return self.compare()

    def compare(self) -> BucketDigests:
        """Return what starts a comparison with another node."""
        return BucketDigests(self._digests.buckets())

    def forget(self, node: NodeId) -> None:
        self._differs_since.pop(node, None)
        self._asked_at.pop(node, None)

    def buckets_heard(self, message: BucketDigests) -> RunDigests | None:
        """Return the runs of those buckets that differ, for whoever sent theirs."""
        ours = self._digests.buckets()
        differ = tuple(at for at, theirs in enumerate(message.digests[:SYNC_BUCKETS]) if theirs != ours[at])
        return RunDigests(differ, self._digests.within(differ)) if differ else None

    def runs_heard(self, message: RunDigests) -> tuple[list[RunId], RunDigests | None]:
        """Return the runs of which we should send all that we know, and our own digests if we need theirs."""
        theirs = dict(message.digests)
        ours = dict(self._digests.within(message.buckets))
        to_send = [run for run, digest in ours.items() if theirs.get(run) != digest]
        lacking = any(ours.get(run) != digest for run, digest in theirs.items())
        answer = RunDigests(message.buckets, tuple(ours.items()), ask=False) if lacking and message.ask else None
        return to_send, answer
