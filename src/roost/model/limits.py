"""Every size, count and depth that may come from outside, with its name.

A limit is reached with a clear sentence, never with an exhausted machine. Each says what it bounds and why that much.
"""

KIB = 1024
MIB = 1024 * KIB

#: Largest index of an array's element: far beyond use, well inside what JSON numbers carry exactly.
INDEX_MAX = 2**40
#: Elements of one array.
ELEMENTS_MAX = 100_000_000
#: Ranges in a selector or an array's description (``1-9:2`` is five of them).
RANGES_MAX = 100_000
#: Tasks in one submission.
TASKS_MAX = 200_000
#: Edges into one task.
EDGES_MAX = 10_000
#: Bytes of memory or of a file that a person may name: an exbibyte.
SIZE_BYTES_MAX = 2**60
#: Seconds that a person may name: a century.
DURATION_S_MAX = 100 * 365 * 86_400
#: Attempts after the first.
RETRIES_MAX = 1_000
#: One request of the HTTP API or one frame of a session.
REQUEST_BYTES_MAX = 64 * MIB
#: One message between a node and its worker process.
FRAME_BYTES_MAX = 256 * MIB
#: One element's result or arguments.
VALUE_BYTES_MAX = 64 * MIB
#: A pickled function or initializer.
FUNCTION_BYTES_MAX = 32 * MIB
#: A command's output that travels with its result and can be the next task's input.
OUTPUT_INLINE_BYTES_MAX = 64 * KIB
#: A command's output that is kept at all, for each stream; what comes after is dropped, and the log says so.
OUTPUT_KEPT_BYTES_MAX = 64 * MIB
#: Lines of output that a failure carries.
FAILURE_LINES_MAX = 20
#: Text of a failure (a traceback, the last lines).
FAILURE_TEXT_MAX = 16 * KIB
#: Words and bytes of one command.
COMMAND_WORDS_MAX = 10_000
COMMAND_BYTES_MAX = 1 * MIB
#: Names and titles.
NAME_LENGTH_MAX = 64
#: A flow file.
FLOW_BYTES_MAX = 8 * MIB
FLOW_DEPTH_MAX = 32
#: What aliases and values may add to a flow file when they are copied into place, in characters.
FLOW_COPIES_MAX = 64 * MIB
#: Items that the tasks of a flow file have together.
FLOW_ITEMS_MAX = 1_000_000
#: Lines of a task's story that are kept.
STORY_LINES_MAX = 200
#: Elements that one lease holds at most, however short they are.
LEASE_ELEMENTS_MAX = 20_000
#: What one element may ask for: far beyond any machine, well inside what every format carries exactly.
CPUS_MAX = 1_000_000
MEMORY_BYTES_MAX = 2**50
TIME_LIMIT_S_MAX = 10 * 365 * 86_400
#: Elements and bytes in one page of results or failures; a page has at least one element, however large.
PAGE_ELEMENTS_MAX = 10_000
PAGE_BYTES_MAX = 16 * MIB
#: Changes that wait for one listener of the event stream; a slower one is dropped and may come back.
LISTENER_EVENTS_MAX = 10_000
#: Lists and objects inside each other in a JSON value.
VALUE_DEPTH_MAX = 100
#: Tasks that one explanation covers.
EXPLAINED_TASKS_MAX = 20
#: Requests of one Python session that a node works on at a time; it reads on when one of them is answered.
SESSION_REQUESTS_MAX = 64
