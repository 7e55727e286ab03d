"""All routes of the API in one table; the router and the OpenAPI description both read it."""

from typing import Final

from aiohttp import web

from roost.api.element_waiting import WAITING_PATH
from roost.api.requests import Nothing
from roost.app.web import acts, commands, data, events, forgetting, nodes, outlook, people, runs, todo
from roost.app.web.calls import Call, Route
from roost.app.web.openapi import document
from roost.app.web.python_session import handle_session
from roost.app.web.waiting import hear_waits


async def _openapi(_: Call[Nothing, Nothing]) -> web.Response:
    return web.Response(body=document(ROUTES), content_type="application/json")


_RUN = "/v1/runs/{run}"

ROUTES: Final = (
    Route("GET", "/v1/status", "Who the node is and how it does", runs.status),
    Route("GET", "/v1/nodes", "List the nodes of the cluster, and how they are found", nodes.list_nodes),
    Route("POST", "/v1/fitting", "Say whether any node can run something, and what the nearest lack", nodes.fit),
    Route("GET", "/v1/drain", "Say what keeps the node from being switched off", nodes.draining),
    Route("POST", "/v1/drain", "Take no new work, or work again", nodes.drain),
    Route("POST", "/v1/leave", "Leave the cluster for good and end the node", nodes.leave),
    Route("POST", "/v1/key", "Give the cluster a new key", nodes.change_key),
    Route("POST", "/v1/shutdown", "End the node politely", acts.shut_down),
    Route("POST", "/v1/runs", "Submit a run; it is on disk when the answer comes", runs.submit, 201),
    Route("GET", "/v1/runs", "List runs", runs.list_runs),
    Route("GET", _RUN, "Show a run with its tasks", runs.show_run),
    Route("GET", f"{_RUN}/results", "Read results of done elements", data.results),
    Route("GET", f"{_RUN}/failures", "Read why elements failed", data.failures),
    Route("GET", f"{_RUN}/commands", "Read the commands of its tasks", commands.commands),
    Route("GET", f"{_RUN}/inputs", "Read the items of elements of commands", commands.inputs),
    Route("GET", f"{_RUN}/logs", "Read an element's output from an offset on", data.logs),
    Route("GET", f"{_RUN}/files", "Read an output file of an element", data.files),
    Route("GET", f"{_RUN}/explain", "Say why it is where it is", runs.explain),
    Route("GET", f"{_RUN}/timeline", "Say who worked on it and when", outlook.timeline),
    Route("GET", f"{_RUN}/outlook", "Say how long it will still take", outlook.look_ahead),
    Route("POST", f"{_RUN}/cancel", "Cancel what is not done", acts.cancel),
    Route("POST", f"{_RUN}/suspend", "Start no more elements of the run", acts.suspend),
    Route("POST", f"{_RUN}/resume", "Let a suspended run go on", acts.resume),
    Route("POST", f"{_RUN}/retry", "Try failed and cancelled elements again", acts.retry),
    Route("POST", "/v1/forget", "Keep nothing of runs that have ended", forgetting.forget),
    Route("GET", "/v1/todo", "List what waits for people", todo.list_todo),
    Route("POST", f"{_RUN}/answer", "Answer a manual step, or amend an answer", people.answer),
    Route("POST", "/v1/files", "Hand in a file, for an answer", people.take_file),
    Route("POST", "/v1/values", "Hand in large arguments, for the Python client", data.take_value),
    Route("GET", "/v1/values", "Read a large value, for the Python client", data.value),
    Route("POST", f"{_RUN}/reject", "Send an earlier step back", people.reject),
    Route("GET", "/v1/events", "Listen to changes", events.stream),
    Route("GET", "/v1/session", "Talk binary, for the Python client", handle_session),
    Route("GET", WAITING_PATH, "Say that an element waits for other work", hear_waits),
    Route("GET", "/v1/openapi.json", "This description", _openapi),
)
