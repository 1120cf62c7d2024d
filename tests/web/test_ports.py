"""Servers that start at the same moment do not get each other's requests."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")

from shoal.errors import InputError
from shoal.web.server.server import Settings, _listen


def test_two_servers_that_start_at_once_have_ports_of_their_own():
    with _listen(Settings()) as one, _listen(Settings()) as other:
        assert one.getsockname() != other.getsockname()


def test_a_port_that_is_taken_is_refused():
    with _listen(Settings(port=0)) as one, pytest.raises(InputError, match="choose another --port"):
        _listen(Settings(port=one.getsockname()[1]))
