"""All routes of the API in one table; the router and the OpenAPI description both read it."""

from typing import Final

from aiohttp import web

from roost.api import answers
from roost.api.element_waiting import WAITING_PATH
from roost.api.handed_in import Commands, Inputs
from roost.api.requests import (
    ActAsked,
    AnswerAsked,
    DrainAsked,
    EventsQuery,
    ExplainQuery,
    FilesQuery,
    ForgetWanted,
    KeyAsked,
    LeaveAsked,
    LogsQuery,
    Nothing,
    PageQuery,
    RawBytes,
    RejectAsked,
    RunsQuery,
    SessionQuery,
    Submission,
    TodoQuery,
    ValueQuery,
)
from roost.app.web import acts, commands, data, events, forgetting, nodes, outlook, people, runs, todo
from roost.app.web.calls import AnyRoute, Call, get, post
from roost.app.web.openapi import document
from roost.app.web.python_session import handle_session
from roost.app.web.waiting import hear_waits


async def _session(call: Call[SessionQuery, Nothing]) -> web.WebSocketResponse:
    return await handle_session(call.request)


async def _openapi(_: Call[Nothing, Nothing]) -> web.Response:
    return web.Response(body=document(ROUTES), content_type="application/json")


_RUN = "/v1/runs/{run}"

ROUTES: Final[tuple[AnyRoute, ...]] = (
    get("/v1/status", "Who the node is and how it does", Nothing, answers.Status, runs.status),
    get(
        "/v1/nodes",
        "List the nodes of the cluster, and how they are found",
        Nothing,
        answers.NodeList,
        nodes.list_nodes,
    ),
    get("/v1/drain", "Say what keeps the node from being switched off", Nothing, answers.Draining, nodes.draining),
    post("/v1/drain", "Take no new work, or work again", DrainAsked, answers.Draining, nodes.drain),
    post("/v1/leave", "Leave the cluster for good and end the node", LeaveAsked, answers.Stopping, nodes.leave),
    post("/v1/key", "Give the cluster a new key", KeyAsked, answers.NewKey, nodes.change_key),
    post("/v1/shutdown", "End the node politely", Nothing, answers.Stopping, acts.shut_down),
    post(
        "/v1/runs", "Submit a run; it is on disk when the answer comes", Submission, answers.Submitted, runs.submit, 201
    ),
    get("/v1/runs", "List runs", RunsQuery, answers.RunList, runs.list_runs),
    get(_RUN, "Show a run with its tasks", Nothing, answers.RunDetail, runs.show_run),
    get(f"{_RUN}/results", "Read results of done elements", PageQuery, answers.Results, data.results),
    get(f"{_RUN}/failures", "Read why elements failed", PageQuery, answers.Failures, data.failures),
    get(f"{_RUN}/commands", "Read the commands of its tasks", PageQuery, Commands, commands.commands),
    get(f"{_RUN}/inputs", "Read the items of elements of commands", PageQuery, Inputs, commands.inputs),
    get(f"{_RUN}/logs", "Read an element's output from an offset on", LogsQuery, web.StreamResponse, data.logs),
    get(f"{_RUN}/files", "Read an output file of an element", FilesQuery, web.FileResponse, data.files),
    get(f"{_RUN}/explain", "Say why it is where it is", ExplainQuery, answers.Explanation, runs.explain),
    get(f"{_RUN}/timeline", "Say who worked on it and when", Nothing, answers.Timeline, outlook.timeline),
    get(f"{_RUN}/outlook", "Say how long it will still take", Nothing, answers.Outlook, outlook.look_ahead),
    post(f"{_RUN}/cancel", "Cancel what is not done", ActAsked, answers.Touched, acts.cancel),
    post(f"{_RUN}/suspend", "Start no more elements of the run", ActAsked, answers.Touched, acts.suspend),
    post(f"{_RUN}/resume", "Let a suspended run go on", ActAsked, answers.Touched, acts.resume),
    post(f"{_RUN}/retry", "Try failed and cancelled elements again", ActAsked, answers.Touched, acts.retry),
    post("/v1/forget", "Keep nothing of runs that have ended", ForgetWanted, answers.ForgottenRuns, forgetting.forget),
    get("/v1/todo", "List what waits for people", TodoQuery, answers.TodoList, todo.list_todo),
    post(f"{_RUN}/answer", "Answer a manual step, or amend an answer", AnswerAsked, answers.AnswerTaken, people.answer),
    post("/v1/files", "Hand in a file, for an answer", RawBytes, answers.FileTaken, people.take_file),
    post("/v1/values", "Hand in large arguments, for the Python client", RawBytes, answers.FileTaken, data.take_value),
    get("/v1/values", "Read a large value, for the Python client", ValueQuery, web.FileResponse, data.value),
    post(f"{_RUN}/reject", "Send an earlier step back", RejectAsked, answers.Rejected, people.reject),
    get("/v1/events", "Listen to changes", EventsQuery, web.WebSocketResponse, events.stream),
    get("/v1/session", "Talk binary, for the Python client", SessionQuery, web.WebSocketResponse, _session),
    get(WAITING_PATH, "Say that an element waits for other work", SessionQuery, web.WebSocketResponse, hear_waits),
    get("/v1/openapi.json", "This description", Nothing, web.Response, _openapi),
)
