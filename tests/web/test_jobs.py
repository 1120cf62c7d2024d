"""Jobs: progress as it comes, a stop that keeps the best so far, and no more of them than there may be."""

from __future__ import annotations

import json
import threading

import pytest

from shoal.errors import InputError, NoSolutionError, TooManyError
from shoal.running.stopping import StoppedError
from shoal.web.server.jobs import Jobs
from shoal.web.server.server_limits import Limits
from tests.web.test_guard import refused

HARD = {"l": 3, "metric": "CM", "scheme": "vioRec", "time_limit": 50}


@pytest.fixture
def hard(client):
    """A study on which the best cut is not proven for long."""
    made = client.post("/api/studies/built-in", json={"rows": 10_000}).json()
    return f"/api/studies/{made['id']}"


def events(client, job):
    """The events of a job, as they come."""
    with client.stream("GET", f"/api/jobs/{job}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        name = None
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))


def test_a_search_is_watched_and_stopped_with_the_best_so_far(client, hard):
    started = client.post(f"{hard}/optimize", json=HARD)
    assert started.status_code == 202
    job = started.json()["id"]
    bounds, status, last = [], None, None
    for name, document in events(client, job):
        progress = document["progress"]
        if name == "progress" and progress.get("gap") is not None:
            bounds.append(
                (progress["cost"], progress["lower_bound"], progress["gap"], progress["examined"])
            )
            assert progress["lower_bound"] <= progress["cost"]
            if len(bounds) == 3:
                client.post(f"/api/jobs/{job}/cancel")
        status, last = name, document
    assert status == "stopped"
    result = last["result"]
    assert result["cost"] <= bounds[-1][0]
    assert result["optimal"] is False
    assert result["lower_bound"] <= result["cost"]
    assert result["seconds"] < HARD["time_limit"]
    assert [bound[1] for bound in bounds] == sorted(bound[1] for bound in bounds)
    assert client.get(f"/api/jobs/{job}").json() == last
    assert client.post(f"{hard}/pins", json={"solution": result}).status_code == 201
    # A finished job's events are its end.
    assert [name for name, _ in events(client, job)] == ["stopped"]


def test_a_frontier_is_stopped_with_the_points_so_far(client, study):
    """What is asked for by a job of the frontier is what the study gives."""
    whole = client.post(f"{study}/frontier", json={"suppress": "1%"}).json()
    started = client.post(f"{study}/frontier", params={"wait": 0}, json={"suppress": "1%"})
    assert started.status_code == 202
    *_, (name, last) = events(client, started.json()["id"])
    assert name == "done"
    assert last["result"]["points"] == whole["points"]
    listed = client.get("/api/jobs").json()["jobs"]
    assert [job["kind"] for job in listed] == ["frontier", "frontier"]
    assert all(job["result"] is None for job in listed)


def test_one_session_has_so_many_unfinished_jobs(client, hard):
    keys = [client.post(f"{hard}/optimize", json=HARD).json()["id"] for _ in range(3)]
    assert "wait for one, or stop it" in refused(client.post(f"{hard}/optimize", json=HARD), 429)
    assert client.get(f"/api/jobs/{keys[2]}").json()["status"] == "queued"
    assert client.post(f"/api/jobs/{keys[2]}/cancel").json()["status"] == "stopped"
    assert client.post(f"{hard}/negotiate", json={"k": 2}).status_code == 200  # is answered all the same
    # Deleting the study ends its jobs.
    assert client.delete(hard).status_code == 204
    assert client.get("/api/jobs").json() == {"jobs": []}


def test_a_job_is_its_sessions_alone(server, client, study):
    key = client.post(f"{study}/frontier", params={"wait": 0}, json={}).json()["id"]
    with server.client() as other:
        refused(other.get(f"/api/jobs/{key}"), 404)
        refused(other.post(f"/api/jobs/{key}/cancel"), 404)
        refused(other.get(f"/api/jobs/{key}/events"), 404)
        assert other.get("/api/jobs").json() == {"jobs": []}


@pytest.fixture
def jobs():
    made = Jobs(Limits(running_jobs=1, waiting_jobs=1, jobs=5, kept_jobs=2))
    yield made
    made.close()


def test_jobs_end_in_their_own_ways(jobs):
    def fail(problem):
        def function(_):
            raise problem

        return function

    ends = [
        jobs.start("me", "s", "x", lambda work: {"a": 1}),
        jobs.start("me", "s", "x", fail(NoSolutionError("there is\nnone"))),
    ]
    for job in ends:
        assert job.finished.wait(60)
    ends.append(jobs.start("me", "s", "x", fail(InputError("no", file="/tmp/shoal-serve-1/table.csv"))))
    assert ends[-1].finished.wait(60)
    ends.append(jobs.start("me", "s", "x", fail(StoppedError())))
    assert ends[-1].finished.wait(60)
    ends.append(jobs.start("me", "s", "x", fail(ZeroDivisionError("secret"))))
    assert ends[-1].finished.wait(60)
    assert [job.status for job in ends] == ["done", "failed", "failed", "stopped", "failed"]
    assert [job.error for job in ends[:3]] == [None, "there is none", "no"]
    assert "secret" not in ends[-1].error
    assert [job.no_solution for job in ends] == [False, True, False, False, False]
    assert len(jobs.of("me")) <= 3  # the oldest are forgotten


def test_what_a_forgotten_job_fails_of_is_its_own_end_and_no_error(jobs, caplog):
    begun = threading.Event()

    def work(handle):
        begun.set()
        while not handle.lost:
            begun.wait(0.01)
        raise ValueError("its folder is gone")

    job = jobs.start("me", "study", "frontier", work)
    assert begun.wait(10)
    jobs.end("me")
    assert job.finished.wait(10)
    assert (job.status, job.error) == ("stopped", None)
    assert caplog.text == ""


def test_the_server_has_so_many_jobs_at_once(jobs):
    go, begun = threading.Event(), threading.Event()

    def wait(_):
        begun.set()
        go.wait(60)
        return {}

    first = jobs.start("one", "s", "x", wait)
    assert begun.wait(60)
    second = jobs.start("two", "s", "x", wait)
    with pytest.raises(TooManyError, match="as many jobs as it can take"):
        jobs.start("three", "s", "x", wait)
    assert (first.status, second.status) == ("running", "queued")
    assert jobs.get("one", second.key) is None
    go.set()
    assert first.finished.wait(60)
    assert second.finished.wait(60)


def test_closing_stops_everything(jobs):
    def until_stopped(work):
        while not work.progress(0.5, "at it"):
            pass
        return {"best": 1}

    job = jobs.start("me", "s", "x", until_stopped)
    while job.version < 3:
        pass
    jobs.close()
    assert job.status == "stopped"
    assert job.result == {"best": 1}
    with pytest.raises(TooManyError, match="stopping"):
        jobs.start("me", "s", "x", until_stopped)


def test_a_job_that_does_not_hear_is_not_waited_for(jobs, monkeypatch):
    monkeypatch.setattr("shoal.web.server.jobs.PATIENCE", 0.05)
    go = threading.Event()
    job = jobs.start("me", "s", "x", lambda work: {"heard": go.wait(60)})
    while job.status != "running":
        pass
    assert jobs.close() is False
    go.set()
    assert job.finished.wait(60)
    assert jobs.close() is True


def test_a_job_that_waits_knows_what_is_before_it():
    jobs, go = Jobs(Limits(running_jobs=1, running_jobs_one=1)), threading.Event()
    try:
        first = jobs.start("a", "s", "optimize", lambda _: {"waited": go.wait(20)})
        second = jobs.start("a", "s", "frontier", lambda _: {})
        other = jobs.start("b", "t", "release", lambda _: {})
        while first.status == "queued":
            pass
        assert jobs.ahead(second) == ["optimize"]
        # Of another session it knows only what runs.
        assert jobs.ahead(other) == ["optimize"]
        third = jobs.start("a", "s", "frontier", lambda _: {})
        assert jobs.ahead(third) == ["optimize", "frontier"]
        go.set()
        third.finished.wait(20)
        assert jobs.ahead(third) == []
    finally:
        go.set()
        jobs.close()
