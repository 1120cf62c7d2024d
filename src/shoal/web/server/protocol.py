"""HTTP connections: not too many, and none that waits for ever for a header or for a reader."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from shoal.web.server.server_limits import Limits

_BUSY_WORDS = b'{"error": "too many connections are open; try again soon"}'
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(_BUSY_WORDS), _BUSY_WORDS)
)


def patient_protocol(limits: Limits) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol with more timeouts.

    uvicorn limits only the time between two requests, and each byte of an endless header starts that time
    again. The guard limits how slowly a body may arrive, since it knows when one is expected.
    """

    class Patient(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
        """One connection."""

        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self._head: asyncio.TimerHandle | None = None
            self._head_bytes = 0
            self._stalled: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                transport.write(_BUSY)
                transport.close()
            else:
                self._await_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._in_request():
                self._stop_awaiting_head()
            elif not self.transport.is_closing():
                # The rest of a body whose request was already answered does not count.
                self._head_bytes += 0 if self.cycle is not None and self.cycle.more_body else len(data)
                if self._head_bytes > limits.head_bytes:
                    self.transport.abort()
                else:
                    self._await_head()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_awaiting_head()
            self.resume_writing()
            super().connection_lost(exc)

        def pause_writing(self) -> None:
            super().pause_writing()
            self._stalled = self.loop.call_later(limits.stalled_seconds, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            if self._stalled is not None:
                self._stalled.cancel()
                self._stalled = None

        def _in_request(self) -> bool:
            """Whether a request is being answered, or this is now a socket, which has pings."""
            if self.transport.get_protocol() is not self:
                return True
            return self.cycle is not None and not self.cycle.response_complete

        def _await_head(self) -> None:
            if self._head is None:
                self._head = self.loop.call_later(limits.head_seconds, self.transport.abort)

        def _stop_awaiting_head(self) -> None:
            self._head_bytes = 0
            if self._head is not None:
                self._head.cancel()
                self._head = None

    return Patient
