"""Requests and sockets as they pass the guard: counted, checked, or refused."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from shoal.web.server import frames_in as frames
from shoal.web.server.server_limits import Limits, in_words
from shoal.web.server.sessions import WebSession

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

API = "/api"

log = logging.getLogger("shoal.web")


class RefusedError(Exception):
    """The guard refuses a request."""

    def __init__(self, status: int, what: str) -> None:
        super().__init__(what)
        self.status, self.what = status, what


def is_api(scope: Scope) -> bool:
    """Whether a request is for the API."""
    return bool(scope["path"] == API or scope["path"].startswith(API + "/"))


class Watched:
    """Checks what comes over a socket, and closes the socket if it must."""

    def __init__(self, receive: Receive, send: Send, session: WebSession, page: str) -> None:
        self._receive, self._send, self._session, self._page = receive, send, session, page
        self._ended = False

    async def receive(self) -> Message:
        """Return the next message, or a disconnect if the page did not send it."""
        message = await self._receive()
        if message["type"] == "websocket.receive" and not self._ended:
            try:
                frames.check(message, self._page)
                if not self._session.owns(self._page):
                    raise frames.FrameError("an event of a session that has ended")
            except frames.FrameError as problem:
                log.warning("closed a socket of the session %s: %s", self._session.name, problem)
                await self.send({"type": "websocket.close", "code": 1008})
                self._ended = True
        return {"type": "websocket.disconnect", "code": 1008} if self._ended else message

    async def send(self, message: Message) -> None:
        """Send what the application says, until the socket is closed."""
        if not self._ended:
            await self._send(message)


class CountedBody:
    """Refuses a request that is too large or arrives too slowly."""

    def __init__(self, receive: Receive, send: Send, scope: Scope, most: int, limits: Limits) -> None:
        self._receive, self._send, self._scope, self._most = receive, send, scope, most
        self._limits = limits
        self._size = 0
        self._waited = 0.0
        self._whole = self._started = self._refused = False

    async def receive(self) -> Message:
        """Return the next part of the request, or a disconnect if it is too large or too late."""
        if self._whole or self._started:
            return await self._receive()
        clock = asyncio.get_running_loop().time
        begun = clock()
        patience = self._limits.body_seconds + self._size / self._limits.body_rate - self._waited
        try:
            message = await asyncio.wait_for(self._receive(), max(patience, 0))
        except TimeoutError:
            return await self._refuse(
                408, "the rest of the request did not arrive in time; send it again"
            )
        self._waited += clock() - begun
        if message["type"] == "http.request":
            self._size += len(message.get("body", b""))
            self._whole = not message.get("more_body", False)
            if self._size > self._most:
                return await self._refuse(413, too_large(self._most))
        return message

    async def _refuse(self, status: int, what: str) -> Message:
        self._started = self._refused = True
        await refuse(self._scope, self._send, RefusedError(status, what), [("connection", "close")])
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Send what the application says, unless the request has been refused."""
        if self._refused:
            return
        self._started = True
        await self._send(message)


def too_large(most: int) -> str:
    """Say that a request has more than so many bytes."""
    return f"the request is larger than {in_words(most)}, the limit here"


def headers_of(scope: Scope) -> dict[str, str]:
    """Return the headers by name; repeated ones are joined, as HTTP says."""
    found: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        between = "; " if name == "cookie" else ", "
        found[name] = found[name] + between + value if name in found else value
    return found


async def refuse(
    scope: Scope, send: Send, refused: RefusedError, more: Iterable[tuple[str, str]] = ()
) -> None:
    """Answer with one sentence: as JSON for programs, as a page for browsers."""
    if is_api(scope) or scope.get("method") != "GET":
        body = json.dumps({"error": refused.what}).encode()
        kind = "application/json"
    else:
        body = (
            "<!doctype html><html lang='en'><meta charset='utf-8'><title>Shoal</title>"
            f"<h1>Shoal</h1><p>Refused: {refused.what}.</p></html>"
        ).encode()
        kind = "text/html; charset=utf-8"
    await answer(send, refused.status, body, [("content-type", kind), *more])


async def answer(send: Send, status: int, body: bytes, headers: Iterable[tuple[str, str]]) -> None:
    """Send a complete answer."""
    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    pairs.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
