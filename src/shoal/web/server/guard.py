"""Stands in front of everything: who may ask, from where and how much, and the headers of every answer."""

from __future__ import annotations

from urllib.parse import parse_qsl, quote, urlencode

from shoal.errors import InputError, TooManyError
from shoal.web.server import frames_in as frames
from shoal.web.server.listening import ListeningPlace
from shoal.web.server.sessions import Sessions, WebSession
from shoal.web.server.streams import (
    API,
    Application,
    CountedBody,
    Message,
    Receive,
    RefusedError,
    Scope,
    Send,
    Watched,
    answer,
    headers_of,
    is_api,
    refuse,
    too_large,
)

UPLOADS = ("/api/studies", "/api/verify")
PAGES = "/_nicegui/client/"
"""Requests to one page, such as an upload; the page's name follows."""
SOCKETS = "/_nicegui_ws/"

_PAGES = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' {sockets}; "
    "worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors {ancestors}"
)
"""NiceGUI's pages contain scripts and compile templates, so both are allowed; nothing may be sent out."""
_DATA = "default-src 'none'; frame-ancestors 'none'"
_ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_PARTS = ("/_nicegui/", SOCKETS)
"""Paths that pages load; nobody opens them first."""
_NO_COOKIE = "open a page first, or ask for a session with POST /api/session, and send its cookie along"
_ENDED = (
    "the server was started anew since, or the session was ended. Open the link that shoal serve printed: "
    "work that the server keeps (--keep) is there again, other work is gone unless you saved its project"
)
_NOT_OURS = "the token in the link is not this server's; use the link it printed"
_SPENT = (
    "this link worked once, or for two minutes, and works no more; open the link that shoal serve printed "
    "or, in a notebook, run the cell with explore() again"
)
_NO_SESSION = "open the link that shoal serve printed; its token lets you in"


class Guard:
    """Middleware around the whole application, which finds the session in the scope's state."""

    def __init__(self, app: Application, sessions: Sessions, place: ListeningPlace) -> None:
        self.app = app
        self._sessions = sessions
        self._place = place
        # Not every browser counts a socket to the page's own server as 'self'.
        self._pages = _PAGES.format(
            sockets=" ".join(place.sockets), ancestors=" ".join(place.framed_by) or "'none'"
        )
        # This older header knows no origins.
        self._always = _ALWAYS if place.framed_by else {**_ALWAYS, "x-frame-options": "DENY"}

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
            account = self._place.proxy.account(scope)
            if await self._opened(scope, headers, account, send):
                return
            state = scope.setdefault("state", {})
            if account is not None and _asks_for_session(scope):
                opened = self._open(account)
                state["cookie"] = self._cookie(opened, scope, headers)
                session: WebSession | None = opened
            elif self._opens_by_token(scope, headers, account):
                session = None
            else:
                session = self._session(headers, account)
                if session is None:
                    known = bool(_cookies(headers, self._place.cookie)) and not is_api(scope)
                    told = _ENDED if known else _NO_SESSION
                    raise RefusedError(401, told if account is None else _NO_COOKIE)
                _check_page(scope, session)
            state["session"] = session
            most = self._most(scope)
            if int(headers.get("content-length", "0") or 0) > most:
                raise RefusedError(413, too_large(most))
        except ValueError:
            await refuse(scope, send, RefusedError(400, "the length of the request is not a number"))
            return
        except RefusedError as refused:
            await refuse(scope, send, refused)
            return
        counted = CountedBody(receive, send, scope, most, self._sessions.limits)
        await self.app(scope, counted.receive, counted.send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        try:
            if "origin" not in headers:
                raise RefusedError(403, "a socket needs an origin")
            self._check_origin(scope, headers)
            session = self._session(headers, self._place.proxy.account(scope))
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
        """Refuse what another page, or another name for this machine, made a browser send."""
        self._place.check_host(scope, headers)
        site = headers.get("sec-fetch-site", "none")
        followed = headers.get("sec-fetch-mode") == "navigate" and scope.get("method") == "GET"
        if site not in ("none", "same-origin") and not (followed and not is_api(scope)):
            raise RefusedError(403, "this server does not answer requests from other pages")

    async def _opened(
        self, scope: Scope, headers: dict[str, str], account: str | None, send: Send
    ) -> bool:
        """If this opens the link with the token, set a cookie and redirect to the page without the token.

        With an account no token is needed: the first page that is opened sets the cookie.
        """
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if scope["method"] != "GET" or is_api(scope) or scope["path"].startswith(_PARTS):
            return False
        session = self._session(headers, account)
        if account is not None:
            if session is None or given:
                await self._lead(scope, headers, query, session or self._open(account), send)
            return session is None or bool(given)
        if not given:
            return False
        # A browser may open its first link twice; the second time it already has a session.
        if not (session is not None and self._sessions.is_spent(given[0])):
            if not self._sessions.opens(given[0]):
                spent = self._sessions.is_spent(given[0])  # now, or before
                raise RefusedError(403, _SPENT if spent else _NOT_OURS)
            session = session or self._sessions.opened_by(given[0]) or self._open()
        await self._lead(scope, headers, query, session, send)
        return True

    async def _lead(
        self,
        scope: Scope,
        headers: dict[str, str],
        query: list[tuple[str, str]],
        session: WebSession,
        send: Send,
    ) -> None:
        """Set a session's cookie, and redirect to the same page without a token."""
        left = urlencode([(name, value) for name, value in query if name != "token"])
        path = scope["path"] if not scope["path"].startswith(("//", "/\\")) else "/"
        location = quote(path, safe="/") + (f"?{left}" if left else "")
        cookie = ("set-cookie", self._cookie(session, scope, headers))
        await answer(send, 303, b"", [("location", location), cookie])

    def _open(self, account: str | None = None) -> WebSession:
        try:
            return self._sessions.open() if account is None else self._sessions.of_account(account)
        except TooManyError as problem:
            raise RefusedError(429, str(problem)) from None
        except InputError as problem:  # the audit log is full
            raise RefusedError(503, str(problem)) from None

    def _cookie(self, session: WebSession, scope: Scope, headers: dict[str, str]) -> str:
        secure = "; Secure" if self._place.is_secure(scope, headers) else ""
        return f"{self._place.cookie}={session.key}; Path=/; HttpOnly; SameSite=Strict{secure}"

    def _session(self, headers: dict[str, str], account: str | None) -> WebSession | None:
        """Return the session that a cookie or a program's authorization names, if it is this account's."""
        for key in (*_cookies(headers, self._place.cookie), _bearer(headers)):
            session = self._sessions.get(key)
            if session is not None and session.account == account:
                return session
        return None

    def _opens_by_token(self, scope: Scope, headers: dict[str, str], account: str | None) -> bool:
        """Whether a program asks for a session with the server's token."""
        return account is None and _asks_for_session(scope) and self._sessions.is_token(_bearer(headers))

    def _most(self, scope: Scope) -> int:
        """Return how many bytes a request may have."""
        limits = self._sessions.limits
        upload = scope["path"] in UPLOADS or scope["path"].startswith(PAGES)
        # A page wraps an upload in a form, which adds a little.
        return limits.upload_bytes + (1 << 16) if upload else limits.body_bytes

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        policy = _DATA if is_api(scope) and scope["path"] != API else self._pages

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = {**self._always, "content-security-policy": policy}
                if is_api(scope):
                    added["cache-control"] = "no-store"
                theirs = [
                    pair for pair in message.get("headers", ()) if pair[0].decode().lower() not in added
                ]
                ours = [(name.encode(), value.encode()) for name, value in added.items()]
                message["headers"] = [*theirs, *ours]
            await send(message)

        return sending


def _asks_for_session(scope: Scope) -> bool:
    return bool(scope["method"] == "POST" and scope["path"] == "/api/session")


def _page_of_socket(scope: Scope, session: WebSession) -> str:
    """Return the page of a socket; refuse a socket that names none, or another session's."""
    try:
        page = frames.page_of(scope.get("query_string", b""))
    except frames.FrameError as problem:
        raise RefusedError(403, str(problem)) from None
    if not (scope["path"].startswith(SOCKETS) and session.owns(page)):
        raise RefusedError(403, "this session has not opened that page; reload it")
    return page


def _check_page(scope: Scope, session: WebSession) -> None:
    """Refuse requests to another session's page, and those that bypass a page's socket."""
    path: str = scope["path"]
    if path.startswith(SOCKETS):
        raise RefusedError(403, "pages take messages only over websockets")
    if path.startswith(PAGES) and not session.owns(path.removeprefix(PAGES).partition("/")[0]):
        raise RefusedError(403, "this session has not opened that page; reload it")


def _cookies(headers: dict[str, str], name: str) -> list[str]:
    """Return the values of a cookie.

    Browsers also send the cookies of this machine's other ports, which may have any form.
    """
    pairs = [piece.strip().partition("=") for piece in headers.get("cookie", "").split(";")]
    return [value for found, _, value in pairs if found == name]


def _bearer(headers: dict[str, str]) -> str:
    kind, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if kind.lower() == "bearer" else ""
