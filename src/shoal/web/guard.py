"""Stands before everything: who may ask, from where, how much, and what every answer says to the browser."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from shoal.web import frames
from shoal.web.limits import Limits, TooManyError, in_words
from shoal.web.sessions import Session, Sessions

UPLOADS = ("/api/studies", "/api/verify")
PAGES = "/_nicegui/client/"
"""Where a page itself is asked, such as for an upload; its name follows."""
SOCKETS = "/_nicegui_ws/"

_PAGES = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' {sockets}; "
    "worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""NiceGUI's pages have scripts in them and compile templates, so these two are let; nothing is let out."""
_DATA = "default-src 'none'; frame-ancestors 'none'"
_ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_NO_SESSION = "open the link that shoal serve printed; it has a token that lets you in"


class Guard:
    """Middleware around the whole application; the session is in the scope's state for those within."""

    def __init__(self, app: Application, sessions: Sessions, place: Place) -> None:
        self.app = app
        self._sessions = sessions
        self._place = place
        # Not every browser takes a socket to the page's own server for a part of it.
        # A policy cannot name addresses of IPv6; browsers that serve those take sockets for 'self'.
        named = sorted(host for host in place.hosts if not host.startswith("["))
        self._pages = _PAGES.format(sockets=" ".join(f"ws://{host}" for host in named))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        send = self._with_headers(scope, send)
        try:
            self._check_origin(scope, headers)
            if await self._opened(scope, headers, send):
                return
            session = None
            if not self._opens_by_token(scope, headers):
                session = self._session(headers)
                if session is None:
                    raise RefusedError(401, _NO_SESSION)
                _check_page(scope, session)
            scope.setdefault("state", {})["session"] = session
            most = self._most(scope)
            if int(headers.get("content-length", "0") or 0) > most:
                raise RefusedError(413, f"larger than {in_words(most)}, the most that is taken here")
        except ValueError:
            await refuse(scope, send, RefusedError(400, "the length of the request is no number"))
            return
        except RefusedError as refused:
            await refuse(scope, send, refused)
            return
        counted = Counted(receive, send, scope, most, self._sessions.limits)
        await self.app(scope, counted.receive, counted.send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        try:
            if "origin" not in headers:
                raise RefusedError(403, "a socket needs an origin")
            self._check_origin(scope, headers)
            session = self._session(headers)
            if session is None:
                raise RefusedError(401, _NO_SESSION)
            page = _page_of_socket(scope, session)
        except RefusedError:
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        scope.setdefault("state", {})["session"] = session
        watched = Watched(receive, send, session, page)
        await self.app(scope, watched.receive, watched.send)

    def _check_origin(self, scope: Scope, headers: dict[str, str]) -> None:
        """Refuse what another page, or another name for this machine, makes a browser send."""
        if headers.get("host", "") not in self._place.hosts:
            raise RefusedError(403, "this server does not answer to that host; use the link it printed")
        if "origin" in headers and headers["origin"] not in self._place.origins:
            raise RefusedError(403, "another page's requests are not answered")
        site = headers.get("sec-fetch-site", "none")
        followed = headers.get("sec-fetch-mode") == "navigate" and scope.get("method") == "GET"
        if site not in ("none", "same-origin") and not (followed and not is_api(scope)):
            raise RefusedError(403, "another page's requests are not answered")

    async def _opened(self, scope: Scope, headers: dict[str, str], send: Send) -> bool:
        """Where the link with the token is opened, give a cookie and lead to the page without it."""
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if not given or scope["method"] != "GET" or is_api(scope):
            return False
        session = self._session(headers)
        # A browser may ask twice for the link that it was started with; then it has its session.
        if not (session is not None and self._sessions.is_spent(given[0])):
            if not self._sessions.opens(given[0]):
                raise RefusedError(
                    403, "the token in the link is not this server's; use the link it printed"
                )
            session = session or self._open()
        left = urlencode([(name, value) for name, value in query if name != "token"])
        path = scope["path"] if not scope["path"].startswith(("//", "/\\")) else "/"
        location = _quoted(path) + (f"?{left}" if left else "")
        await answer(send, 303, b"", [("location", location), ("set-cookie", self._cookie(session))])
        return True

    def _open(self) -> Session:
        try:
            return self._sessions.open()
        except TooManyError as problem:
            raise RefusedError(429, str(problem)) from None

    def _cookie(self, session: Session) -> str:
        return f"{self._place.cookie}={session.key}; Path=/; HttpOnly; SameSite=Strict"

    def _session(self, headers: dict[str, str]) -> Session | None:
        """Return the session of a cookie, or of a program's authorization."""
        for key in _cookies(headers, self._place.cookie):
            if (session := self._sessions.get(key)) is not None:
                return session
        bearer = _bearer(headers)
        return self._sessions.get(bearer) if bearer else None

    def _opens_by_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        """Whether a program asks for a session with the server's token."""
        if scope["method"] != "POST" or scope["path"] != "/api/session":
            return False
        bearer = _bearer(headers)
        return bool(bearer) and self._sessions.is_token(bearer)

    def _most(self, scope: Scope) -> int:
        """Return how many bytes a request may have."""
        limits = self._sessions.limits
        upload = scope["path"] in UPLOADS or scope["path"].startswith(PAGES)
        # An upload on a page comes with some words around it.
        return limits.upload_bytes + (1 << 16) if upload else limits.body_bytes

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        policy = _DATA if is_api(scope) and scope["path"] != API else self._pages

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = {**_ALWAYS, "content-security-policy": policy}
                if is_api(scope):
                    added["cache-control"] = "no-store"
                theirs = [
                    pair for pair in message.get("headers", ()) if pair[0].decode().lower() not in added
                ]
                ours = [(name.encode(), value.encode()) for name, value in added.items()]
                message["headers"] = [*theirs, *ours]
            await send(message)

        return sending


def _page_of_socket(scope: Scope, session: Session) -> str:
    """Return the page of a socket; refuse one of another session, or one that is not told."""
    try:
        page = frames.page_of(scope.get("query_string", b""))
    except frames.FrameError as problem:
        raise RefusedError(403, str(problem)) from None
    if not (scope["path"].startswith(SOCKETS) and session.owns(page)):
        raise RefusedError(403, "this session has opened no such page; reload it")
    return page


def _check_page(scope: Scope, session: Session) -> None:
    """Refuse requests to a page of another session, and those that speak to a page without a socket."""
    path: str = scope["path"]
    if path.startswith(SOCKETS):
        raise RefusedError(403, "pages are spoken to over websockets alone")
    if path.startswith(PAGES) and not session.owns(path.removeprefix(PAGES).partition("/")[0]):
        raise RefusedError(403, "this session has opened no such page; reload it")


def _cookies(headers: dict[str, str], name: str) -> list[str]:
    """Return the values of a cookie.

    Browsers send the cookies of every other port of this machine along, in whichever form these have.
    """
    pairs = [piece.strip().partition("=") for piece in headers.get("cookie", "").split(";")]
    return [value for found, _, value in pairs if found == name]


def _bearer(headers: dict[str, str]) -> str:
    kind, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if kind.lower() == "bearer" else ""


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path, safe="/")


