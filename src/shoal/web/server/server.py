"""The server: listens on this machine, opens the browser, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import sys
import tempfile
import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from types import FrameType

import uvicorn

from shoal.errors import InputError
from shoal.web.api.application import make_app
from shoal.web.server.audit_log import Audit
from shoal.web.server.guard import Guard
from shoal.web.server.listening import LOOPBACK, ListeningPlace, Proxy
from shoal.web.server.protocol import patient_protocol
from shoal.web.server.server_limits import Limits
from shoal.web.server.sessions import Sessions
from shoal.web.server.streams import Application

PORT = 8642
"""The port unless one is given; if it is taken, another."""
BACKLOG = 2048
LONGEST_STOP = 8.0
"""The server takes at most so many seconds to stop."""


@dataclass(frozen=True)
class Settings:
    """How the server runs; without a `port` it looks for a free one."""

    study: Path | None = None
    host: str = "127.0.0.1"
    port: int | None = None
    browser: bool = True
    allowed_hosts: tuple[str, ...] = ()
    """Other names of the server, such as that of a proxy in front of it."""
    proxy: Proxy = field(default_factory=Proxy)
    audit_log: Path | None = None
    keep: Path | None = None
    """The folder in which work outlives the server."""
    limits: Limits = field(default_factory=Limits)


class _Server(uvicorn.Server):
    """Tells those who watch jobs that it is stopping, so that they do not hold it up."""

    def __init__(self, config: uvicorn.Config, sessions: Sessions, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._sessions, self._ready = sessions, ready

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop, and end all work."""
        self._sessions.jobs.closing.set()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, then say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()


def serve(settings: Settings) -> None:
    """Serve until Ctrl-C, SIGTERM or the end of the terminal; then remove every folder."""
    study = None if settings.study is None else settings.study.absolute()
    if study is not None:
        from shoal.describe.study_file import read_study_file

        read_study_file(study)  # refuse it before anything starts
    _check_names(settings)
    listening = _listen(settings)
    signal.signal(signal.SIGTERM, _terminate)
    port = int(listening.getsockname()[1])
    place = ListeningPlace.of(settings.host, port, settings.allowed_hosts, settings.proxy)
    audit = None if settings.audit_log is None else Audit(settings.audit_log)
    sessions = _sessions(settings, study, audit)

    def ready() -> None:
        shown = f"[{settings.host}]" if ":" in settings.host else settings.host
        address = f"http://{shown}:{port}/"
        if settings.host not in LOOPBACK:
            print(
                "shoal: the connection is not encrypted; put a TLS proxy in front (docs/team.md)",
                file=sys.stderr,
                flush=True,
            )
        if settings.proxy.account_header is not None:
            print(f"Shoal is at {address} for the proxy, which says who is signed in.", flush=True)
            return
        link = f"{address}?token={sessions.token}"
        print(f"Shoal is at {link}\n{_end_words(settings.keep)}", flush=True)
        if settings.browser:
            # Everybody on this machine may see the browser's command line.
            opened = f"{address}?token={sessions.once()}"
            Thread(target=webbrowser.open, args=(opened,), daemon=True).start()

    run(sessions, place, [listening], ready)


def run(
    sessions: Sessions,
    place: ListeningPlace,
    listening: list[socket.socket],
    ready: Callable[[], None],
) -> None:
    """Serve the pages and the API of some sessions at these sockets, until the process is told to stop.

    `ready` is called when somebody may ask. Afterwards every folder is removed.
    """
    # Started now: a signal that arrives while another thread starts would have to wait for it.
    Thread(target=_end_anyway, args=(sessions,), daemon=True).start()
    try:
        # NiceGUI would keep its storage in the working folder.
        os.environ["NICEGUI_STORAGE_PATH"] = str(sessions.root / "nicegui")
        # Uploads on a page are kept in a file for a moment, which others must not read.
        tempfile.tempdir = str(sessions.root)
        from shoal.web import pages

        # Requests are short; a job in another thread must not hold them up for long.
        sys.setswitchinterval(0.001)
        app = make_app(sessions)
        pages.mount(app, sessions)
        config = configured(Guard(app, sessions, place), sessions.limits)
        logging.getLogger("uvicorn.error").addFilter(_in_a_line)
        # What libraries put into the working folder, such as DuckDB's spill files, is removed with it.
        with contextlib.chdir(sessions.root):
            server = _Server(config, sessions, ready)
            gone = getattr(signal, "SIGHUP", None)  # the terminal is gone; not every system has this
            if gone is not None and signal.getsignal(gone) is not signal.SIG_IGN:  # nohup ignores it
                signal.signal(gone, server.handle_exit)
            server.run(sockets=listening)
    except KeyboardInterrupt:
        pass  # the usual way to stop
    finally:
        for each in listening:
            each.close()
        if not sessions.close():
            # A job that ignores the stop would keep the process alive; its folders are already gone.
            os._exit(0)


def _sessions(settings: Settings, study: Path | None, audit: Audit | None) -> Sessions:
    if settings.keep is not None:
        os.umask(0o077)  # whatever is kept is nobody else's to read
    return Sessions(settings.limits, study, audit=audit, keep=settings.keep)


def _end_words(keep: Path | None) -> str:
    if keep is None:
        return "Ctrl-C stops it and removes all work in it."
    return f"Ctrl-C stops it; the work stays in {keep}."


def _check_names(settings: Settings) -> None:
    """Refuse names by which nobody could reach the server, before anything starts."""
    ListeningPlace.of(settings.host, 0, settings.allowed_hosts)
    if settings.host in ("0.0.0.0", "::") and not settings.allowed_hosts:
        raise InputError(
            f"--host {settings.host} listens at every address of this machine; "
            "say what browsers call it: --allowed-host NAME"
        )


def configured(app: Application, limits: Limits) -> uvicorn.Config:
    """Return uvicorn's configuration for an application."""
    return uvicorn.Config(
        app,
        http=patient_protocol(limits),
        log_level="warning",
        use_colors=False,  # log files would show escape codes
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=3,
        timeout_keep_alive=60,
        lifespan="on",
    )


def _in_a_line(record: logging.LogRecord) -> bool:
    """Log in one line that a socket sent no text; nothing is wrong here then."""
    if record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError):
        record.exc_info = None
    return True


def _end_anyway(sessions: Sessions) -> None:
    """End the process some time after it was told to stop, whatever still runs; leave nothing behind."""
    sessions.jobs.closing.wait()
    time.sleep(LONGEST_STOP)
    sessions.remove()
    os._exit(0)


def _terminate(_: int, __: FrameType | None) -> None:
    """End by an exception, so that the clean-up runs."""
    sys.exit(0)


def _listen(settings: Settings) -> socket.socket:
    """Return a listening socket, or say why there is none."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    ports = [PORT, 0] if settings.port is None else [settings.port]
    reason = ""
    for port in ports:
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((settings.host, port))
            # Until it listens, another server can get the same port.
            listening.listen(BACKLOG)
            return listening
        except (OSError, OverflowError) as problem:
            listening.close()
            reason = getattr(problem, "strerror", None) or str(problem)
    raise InputError(
        f"cannot listen at {settings.host}, port {ports[0]}: {reason}; choose another --port"
    )
