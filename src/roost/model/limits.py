"""Every size, count and depth that may come from outside, with its name.

A limit is reached with a clear sentence, never with an exhausted machine. Each says what it bounds and why that much.
"""

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

#: Largest index of an array's element: far beyond use, well inside what JSON numbers carry exactly.
INDEX_MAX = 2**40
#: Largest index in a pool (model/pools.py): what JSON numbers carry exactly.
POOL_INDEX_MAX = 2**53 - 1
#: Elements of one array.
ELEMENTS_MAX = 100_000_000
#: Ranges in a selector or an array's description (``1-9:2`` is five of them).
RANGES_MAX = 100_000
#: Tasks in one submission.
TASKS_MAX = 200_000
#: Edges into one task.
EDGES_MAX = 10_000
#: Elements that hand in work, each from within the one before it: one that calls itself without end must be told so.
NESTING_MAX = 32
#: Lanes of a node whose elements wait for other work and have lent their processors; each is a process that stays.
LENT_LANES_MAX = 512
#: Fields of the form of a manual task.
FIELDS_MAX = 100
#: An answer to one: all its values together, as JSON.
FORM_BYTES_MAX = 1 * MIB
#: A file that a person hands in with an answer.
HANDED_FILE_BYTES_MAX = 256 * MIB
#: Its name, as people see it.
FILE_NAME_LENGTH_MAX = 255
#: Why a person sends work back, in characters.
REASON_LENGTH_MAX = 1_000
#: Elements that wait for people in one answer of the API.
TODO_ELEMENTS_MAX = 1_000
#: Values of a port that a person is shown, and bytes of each; all of them together are bounded by PAGE_BYTES_MAX.
SHOWN_VALUES_MAX = 20
SHOWN_BYTES_MAX = 64 * KIB
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
#: One element's result or arguments that travel with its records; those of functions may be larger, and are files then.
VALUE_BYTES_MAX = 64 * MIB
#: Such a file.
STORED_VALUE_BYTES_MAX = 16 * GIB
#: A pickled function or initializer.
FUNCTION_BYTES_MAX = 32 * MIB
#: The source of a script.
SCRIPT_BYTES_MAX = 8 * MIB
#: What a script may allocate if its task names no memory, and the least that it may be given: its engine takes a part.
SCRIPT_MEMORY_BYTES = 256 * MIB
SCRIPT_MEMORY_BYTES_MIN = 1 * MIB
#: How deep the calls of a script may be, in bytes of stack: as deep as in browsers, some 10,000 calls.
SCRIPT_STACK_BYTES = 32 * MIB
#: A command's output that travels with its result and can be the next task's input.
OUTPUT_INLINE_BYTES_MAX = 64 * KIB
#: What an element may write to each of its streams if the owner sets nothing else; with more it fails.
OUTPUT_QUOTA_BYTES = 10 * GIB
#: Lines of output that a failure carries.
FAILURE_LINES_MAX = 20
#: Text of a failure (a traceback, the last lines).
FAILURE_TEXT_MAX = 16 * KIB
#: What a function raised, pickled with its causes, and how many exceptions that may be. All nodes hear of a failure.
EXCEPTION_BYTES_MAX = 64 * KIB
EXCEPTION_CHAIN_MAX = 16
#: Words and bytes of one command.
COMMAND_WORDS_MAX = 10_000
COMMAND_BYTES_MAX = 1 * MIB
#: One word of a command: Linux gives a program none of 128 KiB or more.
COMMAND_WORD_BYTES_MAX = 128 * KIB - 1
#: The text that a command reads from its standard input: a list of ten thousand files with long names.
STDIN_BYTES_MAX = 8 * MIB
#: Items whose places for outputs are compared; with more, the paths must hold the index.
OUTPUT_ITEMS_COMPARED_MAX = 100_000
#: Names and titles.
NAME_LENGTH_MAX = 64
#: A flow file: a hundred thousand tasks of three hundred characters.
FLOW_BYTES_MAX = 32 * MIB
FLOW_DEPTH_MAX = 32
#: What aliases and values may add to a flow file when they are copied into place, in characters.
FLOW_COPIES_MAX = 64 * MIB
#: Items that the tasks of a flow file have together, or combinations of values on a command line.
FLOW_ITEMS_MAX = 1_000_000
#: Files that a flow includes, those that they include counted in, and how deep they may include each other.
FLOW_FILES_MAX = 200
FLOW_INCLUDES_DEPTH_MAX = 8
#: A workflow file of any language: recorded workflows of a hundred thousand tasks have about 100 MB.
WORKFLOW_BYTES_MAX = 256 * MIB
#: Seconds until somebody must have begun to write a workflow into a pipe from which it is read.
WRITER_AWAITED_S = 10
#: By how much the runtimes and sizes of a recorded workflow may be scaled.
SCALE_MAX = 1_000_000
#: Files that a task of a recorded workflow names, and the length of a name: Linux opens no longer path.
RECORDED_FILES_MAX = 100_000
RECORDED_NAME_LENGTH_MAX = 4_096
#: Tasks and links of a run that is written as a trace.
TRACE_TASKS_MAX = 1_000_000
TRACE_LINKS_MAX = 5_000_000
#: A workflow in XML: room for a hundred thousand nodes and as many edges; the documents nest five deep.
XML_BYTES_MAX = 64 * MIB
XML_ELEMENTS_MAX = 2_000_000
XML_DEPTH_MAX = 32
#: A JavaScript job, and a value that a workflow takes from a file.
JOB_BYTES_MAX = 4 * MIB
VALUE_FILE_BYTES_MAX = 16 * MIB
#: How large a node's own log may be set to grow before a new one begins, and how many older ones may be kept.
NODE_LOG_BYTES_MIN = 64 * KIB
NODE_LOG_BYTES_MAX = 1024 * MIB
NODE_LOGS_MAX = 100
#: Lines of a task's story that are kept of each drawer (model/happenings.py).
STORY_LINES_MAX = 200
#: Lines that are told of each kind of what a run went through: nodes that were lost, and what people did.
HAPPENED_MAX = 1000
#: Pieces of a run's timeline that a node keeps; when there are as many more, neighbours are merged.
SPANS_KEPT_MAX = 1024
#: Pieces of a timeline that the API answers with.
SPANS_TOLD_MAX = 5_000
#: Tasks of a run whose outlook is reckoned step by step; with more, it is by their elements alone.
OUTLOOK_TASKS_MAX = 5_000
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
#: Programs in a node's programs' folder; heartbeats name them all.
PROGRAMS_MAX = 128
#: Quantities that a node offers or an element takes, and attributes that a node has. A name among them, a text, and the
#: texts of one set, as programs are: machines for developers have 3,000 on their PATH.
QUANTITIES_MAX = 32
ATTRIBUTES_MAX = 64
ATTRIBUTE_NAME_LENGTH_MAX = 64
ATTRIBUTE_TEXT_LENGTH_MAX = 255
ATTRIBUTE_TEXTS_MAX = 4_096
#: Words that an owner gives a node, the length of one, and names of graphics processors.
TAGS_MAX = 16
TAG_LENGTH_MAX = 48
GRAPHICS_MAX = 16
#: What a task requires of its node (policy/conditions): its characters, what lies inside each other, and its parts.
CONDITION_LENGTH_MAX = 1_000
CONDITION_DEPTH_MAX = 32
CONDITION_PARTS_MAX = 200
#: Different conditions of one submission of which it is told whether any node meets them, and nodes that are asked for
#: what their heartbeats leave out.
CONDITIONS_TOLD_MAX = 32
FITTING_ASKED_MAX = 64
#: Disks on which a submission can be before it is answered.
SAFE_MAX = 64
#: Nodes that vote on the results of a task with a quorum; each of them is asked about all of them.
VOTERS_MAX = 64
#: Findings at an element whose results have to agree, each of another node (core/agreement/agreeing.py).
FINDINGS_MAX = 32
#: Findings that are known of elements that have not ended; who has made more of them repeats it.
FINDINGS_KNOWN_MAX = 1_000_000
#: Results that a voter was asked to hold and fetches; who asked repeats it.
HOLDS_WANTED_MAX = 256
#: The number of a ballot.
BALLOT_NUMBER_MAX = 2**53
#: Nodes of which an explanation says why they do not start something, reasons that one of them has, and their length.
NAMED_MAX = 8
REASONS_MAX = 8
REASON_TEXT_MAX = 400
#: Requests of one Python session that a node works on at a time; it reads on when one of them is answered.
SESSION_REQUESTS_MAX = 64
#: Inputs and functions that travel with the news of their tasks; larger ones are fetched by whoever needs them.
INLINE_DATA_BYTES_MAX = 8 * KIB
#: Tasks in one message of records; more travel in several.
RECORDS_TASKS_MAX = 1_000
#: Parts into which all runs are divided when two replicas are compared: digests of all fit into one datagram.
SYNC_BUCKETS = 64
#: Parts into which the tasks of a large run are divided then.
SYNC_TASK_BUCKETS = 1_024
#: One datagram: the most that UDP carries over IPv4.
DATAGRAM_BYTES_MAX = 65_507
#: How far a datagram may come behind later ones of its sender and still count.
REPLAY_WINDOW = 1_024
#: Datagrams of which it is remembered when they came, to tell copies by several ways from recordings.
REPETITIONS_KEPT_MAX = 4_096
#: Sessions of other nodes that have proved to be alive; each life of a node process is one.
SESSIONS_MAX = 4_096
#: Sessions that were heard of and have not proved to be alive.
STRANGERS_MAX = 256
#: Datagrams of such a session that wait for the proof, and the size up to which one does.
HELD_DATAGRAMS_MAX = 2
HELD_BYTES_MAX = 16 * KIB
#: Keys of a cluster that count at the same time, and how often it may change them.
KEYS_MAX = 8
KEY_GENERATION_MAX = 2**32
#: The file with the cluster's keys.
KEYS_FILE_BYTES_MAX = 64 * KIB
#: The file with the token of the HTTP API.
TOKEN_BYTES_MAX = KIB
#: One message between an inviting and a joining node, before and after they trust each other.
PAIRING_HELLO_BYTES_MAX = 512
PAIRING_BYTES_MAX = 128 * KIB
#: Connections to an invitation at a time that have not named it, and those of its life that may begin an exchange,
#: which costs 10 ms.
PAIRING_CONNECTIONS_MAX = 8
PAIRING_EXCHANGES_MAX = 64
#: Inviting nodes that a joining one tries; whoever answers the search counts as one.
PAIRING_CANDIDATES_MAX = 16
#: Addresses of nodes that an invitation hands over, and the length of one ("host:port").
ADDRESSES_MAX = 256
ADDRESS_LENGTH_MAX = 262
#: One line of LAN's client protocol: room for a thousand UUIDs, or for long paths.
LAN_LINE_BYTES_MAX = 64 * KIB
#: Clients of LAN's protocol that are connected at a time.
LAN_CONNECTIONS_MAX = 256
#: Tasks that one connection of LAN's protocol follows at a time.
LAN_SUBSCRIPTIONS_MAX = 1_000
#: Inputs of one LAN task (``-a``): the document's tasks have three.
LAN_INPUTS_MAX = 100
#: The largest number that an output of a LAN task may have.
LAN_OUTPUTS_MAX = 1_000
#: Bytes that wait for one client of LAN's protocol to read them.
LAN_BACKLOG_BYTES_MAX = 64 * KIB
#: Tasks of a run among which one is looked for by its UUID.
LAN_RUN_TASKS_MAX = 10_000
#: A LAN task description file.
LAN_DESCRIPTION_BYTES_MAX = 256 * KIB
#: XML files of a folder that are looked through for the descriptions of tasks.
LAN_DESCRIPTIONS_MAX = 1_000
#: Nodes that an election of the coordinator takes into account.
ELECTORS_MAX = 4_096
#: Tasks that a node has heard named, does not know and asks about at a time; anti-entropy brings the others.
UNKNOWN_TASKS_MAX = 256
#: Answers about tasks that wait for their moment at a time; whoever asks asks again.
ANSWERS_MAX = 1_024
#: How long it is remembered that a run was forgotten, and of how many runs at most. Longer: a machine that was away for
#: long does not bring it back. Shorter: less to compare between nodes.
TOMBSTONE_KEPT_S = 365 * 86_400
TOMBSTONES_MAX = 100_000
#: Finished tasks that have left memory and are remembered by name for a while.
FINISHED_TASKS_MAX = 100_000
#: Ranges in one bid: it must fit into a datagram, and every node looks through it.
BID_RANGES_MAX = 256
#: Bids that are remembered, of all nodes and of one, so that one that bids without end pushes out only its own.
BIDS_MAX = 20_000
BIDS_OF_A_NODE_MAX = 512
#: Nodes of which it is remembered how old their bids may be.
BIDDERS_MAX = 4_096
#: Nodes of a mesh that one node knows as living; further ones are not heard until one has gone.
MEMBERS_MAX = 4_096
#: Nodes with which one compares itself, itself among them (policy/fairness.py): with fewer there is nobody, and more
#: cost more messages.
FAIRNESS_GROUP_MIN = 2
FAIRNESS_GROUP_MAX = 100
#: The performance of a machine that is idle, on mains and wired (policy/performance.py); no other says more of its own.
#: A lane that takes the whole machine uses up one of these parts in 5 ms (core/mesh/performance/load.py).
PERFORMANCE_MAX = 1_000_000
#: Nodes whose performance is known, and nodes that are told this one's: those of a few groups of the largest size.
PERFORMANCES_MAX = 512
#: Nodes that have died or left and are remembered; the oldest is forgotten first.
GONE_MAX = 1_024
#: Members that one answer to a newcomer names: fits a datagram, however long names and addresses are.
MEMBERS_ANSWER_MAX = 128
#: Newcomers whose answer waits for its moment; others ask again.
WELCOMES_MAX = 256
#: Pieces of news, and echoes, in one heartbeat; further ones go with the next.
HEARTBEAT_NEWS_MAX = 16
HEARTBEAT_ECHOES_MAX = 32
#: What a fencing token counts (model/token.py): how often an element was sent back and a person asked for a retry, and
#: its attempts since. Each fits into four bytes.
EDITION_MAX = 2**32 - 1
ROUND_MAX = 2**32 - 1
ATTEMPT_MAX = 2**32 - 1
#: How many more lives another node may have had and be believed. Fewer: a node that crashes again and again counts
#: beyond them, and tokens of others can come again. More: a wrong number uses up the lives of all.
LIVES_LEAD_MAX = 2**24
#: Lives of one node, and what it counts within one.
BOOT_MAX = 2**31 - 1
BEATS_PER_BOOT = 2**32
INCARNATION_MAX = 2**32
#: Simulated worlds of one 'roost sim', those that live side by side, nodes of one world, and users who hand in there.
SIM_SEEDS_MAX = 1_000_000
SIM_JOBS_MAX = 256
SIM_NODES_MAX = 1_000
SIM_OWNERS_MAX = 1_000
#: Seconds of a trace of machines that come and go, and their stays in it.
SIM_TRACE_S_MAX = 3_600
SIM_TRACE_STAYS_MAX = 10_000
#: Nodes of 'roost lab what-if', stays in their log and how large that is, elements of the work, and worlds that are
#: lived through with each policy.
WHAT_IF_NODES_MAX = 4_096
WHAT_IF_STAYS_MAX = 1_000_000
WHAT_IF_LOG_BYTES_MAX = 64 * MIB
WHAT_IF_ELEMENTS_MAX = 200_000
WHAT_IF_WORLDS_MAX = 1_000
#: How fast one of those nodes may be, compared with the usual one.
WHAT_IF_SPEED_MAX = 1_000
#: The file with the plan of a simulated world.
PLAN_BYTES_MAX = 16 * MIB
#: What a node that runs may write of what its core is fed (core/recording.py), in bytes on its disk; what it takes if
#: the owner says nothing; and the lives that it keeps which ended with a failure of Roost itself.
RECORDING_BYTES_MIN = 64 * KIB
RECORDING_BYTES = 64 * MIB
FAILED_LIVES_KEPT = 3
#: One chunk of a recording, on disk and unpacked: a submission of 200,000 tasks, or a start with a million, fits.
RECORDED_CHUNK_BYTES_MAX = 1 * GIB
#: Letters of the name of a policy.
POLICY_NAME_LENGTH_MAX = 40
#: On-line times of this node that are kept one by one; of older ones how many there were and how long.
ONLINE_STRETCHES_MAX = 256
#: Addresses of this machine on which neighbours are spoken to; containers may have made many more.
INTERFACES_MAX = 32
#: Bytes that wait for one node's stream to take them; one message may wait, however large. What comes on top is lost.
STREAM_QUEUE_BYTES_MAX = 64 * MIB
#: Streams of other nodes to this one at a time, and those of them that have not proved yet to be of the cluster.
STREAMS_MAX = 4_096
HANDSHAKES_MAX = 16
#: Announcements by mDNS that are looked into at a time, and addresses from them that are told in half a second.
MDNS_ASKED_MAX = 64
MDNS_FOUND_MAX = 16
#: Connections to the HTTP API at a time that have not shown its token.
HTTP_STRANGERS_MAX = 64
#: Data in one answer to another node; one value that is larger travels alone. Whoever wants the rest asks on.
ANSWER_BYTES_MAX = 1 * MIB
#: Failures in one answer to another node: each may carry a long traceback.
ANSWER_FAILURES_MAX = 64
#: Questions of other nodes' people that are being answered at a time, and questions of this node's that are open.
ANSWERS_AT_A_TIME_MAX = 64
INQUIRIES_MAX = 1_024
#: What an element says of itself, as far as it travels with heartbeats.
NOTE_TOLD_MAX = 60
#: Finished runs of this node whose results elsewhere it still means to bring home; the oldest are left where they are.
HOMECOMING_RUNS_MAX = 1_000
#: Content travels in chunks, whose hashes are told for so many at a time; so many chunks, a tebibyte, have all of it.
CONTENT_CHUNK_BYTES = 1 * MIB
CONTENT_LISTED_CHUNKS = 64
CONTENT_CHUNKS_MAX = 2**20
#: What is said on a content stream beside content: names of tasks are the longest of it.
CONTENT_HEAD_BYTES_MAX = 1 * KIB
#: Content streams of a node at a time. Each takes the memory of two chunks; whoever finds no place asks another node.
CONTENT_STREAMS_MAX = 32
#: Questions on one of them that have not been answered.
CONTENT_QUESTIONS_MAX = 64
#: Contents that a node brings at a time, nodes from which one of them is brought, and chunks that each is asked for.
#: More chunks: quicker over long lines. Fewer: less memory, and less that comes twice when a slow node is overtaken.
CONTENT_TRANSFERS_MAX = 8
CONTENT_SOURCES_MAX = 8
CONTENT_WINDOW_CHUNKS = 8
#: Threads in which a node reads, checks and writes content.
CONTENT_THREADS_MAX = 4
#: Configured addresses of other nodes.
PEERS_MAX = 256

#: A file that a description names counts with its content up to this size, beyond it with its size and last change.
REUSE_CONTENT_BYTES_MAX = 4 * MIB
#: A folder that a description names counts with the names, sizes and last changes of so many files; one with more
#: keeps the step from being taken over.
REUSE_FOLDER_FILES_MAX = 1000
#: Elements that one lease asks other nodes about. Longer leases are of work that is run sooner than it is asked for.
REUSE_ASKED_MAX = 4096
#: Elements of a task of which ``explain --cache`` says why they were not taken over.
REUSE_EXPLAINED_MAX = 10_000
#: The name of a workflow, which holds the path of its file.
WORKFLOW_NAME_LENGTH_MAX = 32 * KIB
#: Earlier runs among which the one to compare with is looked for.
REUSE_EARLIER_RUNS_MAX = 500

#: How far a stamp may be after the time that most nodes agree on and still be followed. More: clocks that are off by
#: that much drag the others along. Less: the order of what nodes with such clocks do is less often that of cause and
#: effect. Five minutes is what other systems let clocks be off.
CLOCK_LEAD_MAX_S = 300

#: With so many different nodes that went down when it had just begun there, an element has failed
#: (core/mesh/contest/takedowns.py). Fewer: it costs fewer nodes. More: less often is it the fault of something else.
TAKEDOWNS_MAX = 3
#: The nodes that its record names: there are more where replicas have heard of different ones.
DOWNED_MAX = 4 * TAKEDOWNS_MAX
