"""The process that serves one study's pages to a notebook, for as long as the notebook's kernel runs.

The first line of its input says what to serve; it answers with its port. For every further line it answers
with a link's token, which works once. When the input ends, as it does when the kernel is gone, so does it.
What is secret goes through these pipes, never into a command line, which everybody on a machine can read.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import socket
import sys
from pathlib import Path
from threading import Thread
from typing import IO, Any

from shoal.errors import InputError, ShoalError

HOST = "127.0.0.1"
_TRIES = 20
_NO_ADDRESS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""What a machine without IPv6 answers."""


def main() -> None:
    """Serve what the first line of the input says."""
    # Whatever libraries print must not be taken for an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    given = json.loads(sys.stdin.readline())
    # An exception, so that the clean-up runs.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        _serve(given, answers)
    except ShoalError as problem:
        _answer(answers, {"error": str(problem)})
    finally:
        # Also where the kernel was killed, and cannot remove it itself.
        shutil.rmtree(given["home"], ignore_errors=True)


def _serve(given: dict[str, Any], answers: IO[str]) -> None:
    from shoal.web.server.listening import ListeningPlace
    from shoal.web.server.server import run
    from shoal.web.server.server_limits import Limits
    from shoal.web.server.sessions import Sessions
    from shoal.web.workspace.workspace import Workspace

    listening = listen(given["port"])
    port = int(listening[0].getsockname()[1])
    place = ListeningPlace.of(HOST, port, framed_by=given["framed_by"])
    sessions = Sessions(Limits(), root=Path(given["home"]))
    session = sessions.open()
    work = Workspace.reopen(Path(given["workspace"]), sessions.limits)
    work.bench.check_room = session.left
    session.studies[work.key] = work

    def obey() -> None:
        while sys.stdin.readline():
            _answer(answers, {"token": sessions.once(session)})
        os.kill(os.getpid(), signal.SIGTERM)

    def ready() -> None:
        _answer(answers, {"port": port})
        Thread(target=obey, daemon=True).start()

    run(sessions, place, listening, ready)


def listen(port: int | None) -> list[socket.socket]:
    """Return sockets that listen at one port of both loopback addresses.

    A browser may take localhost for either of them: at one that is free, another user's process could wait
    for the link.
    """
    for _ in range(1 if port else _TRIES):
        first = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            first.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            first.bind((HOST, port or 0))
            first.listen()
        except (OSError, OverflowError) as problem:
            first.close()
            raise InputError(f"cannot listen at port {port}: {problem}; choose another") from None
        try:
            second = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        except OSError:
            return [first]  # a machine without IPv6
        try:
            second.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            second.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            second.bind(("::1", first.getsockname()[1]))
            second.listen()
            return [first, second]
        except OSError as problem:
            second.close()
            if problem.errno in _NO_ADDRESS:
                return [first]
            first.close()
    raise InputError("the port is taken at one of the loopback addresses; choose another")


def _answer(answers: IO[str], document: dict[str, Any]) -> None:
    answers.write(json.dumps(document) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
