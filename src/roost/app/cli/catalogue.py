"""Which commands there are, in which order and group; known without loading any of them, so that help comes at once."""

from typing import Final, NamedTuple


class Entry(NamedTuple):
    """A command: its module in this package has the same name and holds the click command as ``command``."""

    name: str
    summary: str


GROUPS: Final[dict[str, tuple[Entry, ...]]] = {
    "This machine": (
        Entry("up", "start a node on this machine"),
        Entry("down", "stop the node of this machine"),
        Entry("status", "say how the node does"),
        Entry("doctor", "check that everything is in order, and say what to do"),
        Entry("config", "show and change settings"),
    ),
    "The cluster": (
        Entry("nodes", "list the nodes that work together"),
        Entry("invite", "let another machine into the cluster"),
        Entry("join", "join the cluster of another machine"),
        Entry("drain", "take no new work here, and say when the machine may be switched off"),
        Entry("leave", "hand everything over and leave the cluster"),
        Entry("keys", "list the keys of the cluster, and change them"),
        Entry("policies", "list the policies by which nodes choose their work"),
    ),
    "Hand in work": (
        Entry("submit", "run a command, once or for every element of an array"),
        Entry("run", "run a workflow from a file of any language"),
        Entry("check", "check workflow files, and run nothing"),
        Entry("convert", "write a workflow file in another language"),
    ),
    "Look": (
        Entry("ps", "list runs"),
        Entry("show", "show a run or a file: its steps, counts and failures, its graph"),
        Entry("top", "watch the node live"),
        Entry("logs", "print what elements wrote"),
        Entry("report", "write what happened in a run as one page, or as data"),
        Entry("explain", "say why something waits or failed"),
    ),
    "For people": (
        Entry("todo", "list what waits for a person's answer"),
        Entry("complete", "answer a manual step"),
        Entry("amend", "change an answer that was given"),
        Entry("reject", "send an earlier step back, to be done again"),
    ),
    "Results": (
        Entry("wait", "wait until runs have ended"),
        Entry("get", "print or save results"),
        Entry("attach", "come back to a run: wait for it and print its results"),
    ),
    "Change": (
        Entry("cancel", "stop elements"),
        Entry("suspend", "hold runs back until 'resume'"),
        Entry("resume", "let suspended runs go on"),
        Entry("retry", "run failed and cancelled elements again, and what waits for them"),
        Entry("forget", "keep nothing of runs that have ended"),
    ),
    "Laboratory": (
        Entry("lab", "run experiments beside published figures, or on your machines"),
        Entry("plan", "how many copies, and which consistency, for these failures"),
        Entry("sim", "try Roost itself in simulated meshes where everything goes wrong"),
    ),
    "About": (
        Entry("version", "print the version"),
        Entry("completion", "print the script that completes words in your shell"),
    ),
}
NAMES: Final = tuple(entry.name for entries in GROUPS.values() for entry in entries)
