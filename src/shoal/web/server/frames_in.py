"""Checks what comes over a page's socket, read just as NiceGUI reads it: for that page, or refused.

NiceGUI trusts the page that an event names, whoever sends it, and prints tracebacks for anything that is not
an event; so both are checked before it sees them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

EVENTS = frozenset({"handshake", "event", "javascript_response", "ack", "log"})
"""The events that NiceGUI's script sends."""
_ONCE = (
    "client_id",
    "sid",
    "implicit_handshake",
    "tab_id",
    "old_tab_id",
    "document_id",
    "next_message_id",
)
_NUMBER = re.compile("[0-9]{1,15}")


class FrameError(Exception):
    """No page sends what came over a socket."""


def page_of(query_string: bytes) -> str:
    """Return the page that a socket's address names.

    A repeated name is refused, because two readers might each pick a different value.
    """
    pairs = parse_qsl(query_string.decode("latin-1"), keep_blank_values=True)
    query = dict(pairs)
    if any(sum(name == each for name, _ in pairs) > 1 for each in _ONCE):
        raise FrameError("the address gives something twice")
    if "sid" in query or "client_id" not in query:
        raise FrameError("a socket must name its page from the start")
    whole = {"tab_id", "document_id"} <= query.keys()
    if query.get("implicit_handshake") == "true" and not (
        whole and _NUMBER.fullmatch(query.get("next_message_id", "0"))
    ):
        raise FrameError("an incomplete handshake")
    return query["client_id"]


def check(message: Mapping[str, Any], page: str) -> None:
    """Refuse a message that the page of that name would not send."""
    from engineio import packet as outer
    from socketio import packet as inner

    text = message.get("text")
    if text is None:
        raise FrameError("bytes, but pages send text")
    try:
        frame = outer.Packet(encoded_packet=text)
        if frame.packet_type in (outer.CLOSE, outer.PONG):
            return
        if frame.packet_type != outer.MESSAGE or not isinstance(frame.data, str) or not frame.data:
            raise FrameError("a frame of a kind that pages do not send")
        found = inner.Packet(encoded_packet=frame.data)
    except (ValueError, TypeError, RecursionError) as problem:
        raise FrameError(f"a frame that cannot be read ({type(problem).__name__})") from None
    if found.namespace not in (None, "/") or found.attachment_count:
        raise FrameError("a frame of a kind that pages do not send")
    if found.packet_type in (inner.CONNECT, inner.DISCONNECT):
        return
    if found.packet_type != inner.EVENT:
        raise FrameError("a frame of a kind that pages do not send")
    _check_event(found.data, page)


def _check_event(event: Any, page: str) -> None:
    if not (isinstance(event, list) and len(event) == 2 and isinstance(event[1], dict)):
        raise FrameError("an event that cannot be read")
    name, told = event
    if not isinstance(name, str) or name not in EVENTS:
        raise FrameError("an event that pages do not send")
    if told.get("client_id") != page:
        raise FrameError("an event for another page")
