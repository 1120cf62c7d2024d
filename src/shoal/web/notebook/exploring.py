"""A study explored in the pages of the web application, from a notebook or a program, and what was chosen."""

from __future__ import annotations

import json
import subprocess
import sys
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from shoal.answers.restored import Restored, restored
from shoal.errors import InputError, MissingExtraError, NotYetError
from shoal.present.notebook import html_of, kit
from shoal.web.notebook.handed_over import edited, hand_over
from shoal.web.notebook.notebook_origins import kernel, notebook_origins
from shoal.web.server.disk import PrivateFolder
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.candidates import candidates, first_choice
from shoal.web.workspace.workspace import Workspace

if TYPE_CHECKING:
    from shoal.study import Study

LONGEST_STOP = 15.0
"""Seconds for the pages to end by themselves."""
_ENDED = "the pages are closed; explore the study again"


class _Process:
    """The process that serves the pages: asked over pipes, ended by closing them."""

    def __init__(self, asked: dict[str, Any], log: Path) -> None:
        with log.open("wb") as said:
            self._running = subprocess.Popen(
                [sys.executable, "-m", "shoal.web.notebook.pages_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                start_new_session=True,  # whoever interrupts a cell does not mean the pages
            )
        self._lock = Lock()
        self.port = int(self.ask(json.dumps(asked))["port"])

    def ask(self, line: str) -> dict[str, Any]:
        """Send a line, and return the answer."""
        sent, received = self._running.stdin, self._running.stdout
        assert sent is not None
        assert received is not None
        with self._lock:
            try:
                sent.write(line + "\n")
                sent.flush()
                answer = received.readline()
            except (OSError, ValueError):  # the pipe is closed, by the other side or by us
                answer = ""
        found: dict[str, Any] = json.loads(answer) if answer else {"error": _ENDED}
        if "error" in found:
            raise InputError(str(found["error"]))
        return found

    def end(self) -> None:
        """End it, and wait until it has."""
        for pipe in (self._running.stdin, self._running.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._running.wait(LONGEST_STOP)
        except subprocess.TimeoutExpired:
            self._running.kill()
            self._running.wait()


@dataclass(frozen=True)
class _Decided:
    """What was decided in the pages: the answers, which of them was chosen, and the study."""

    chosen: Restored | None
    pinned: dict[str, Restored]
    study: Study


class Exploring:
    """A study open in the pages: `chosen` is the answer that was chosen there, `study` the study as edited.

    The pages end with `close`, with a `with` block, or with the kernel.
    """

    def __init__(self, study: Study, framed_by: Sequence[str], port: int | None) -> None:
        self._given = study
        self._framed_by = tuple(framed_by)
        self._folder = PrivateFolder()
        home, limits = self._folder.path, Limits()
        self._closed: _Decided | None = None
        try:
            work = hand_over(study, home, limits)
            self._workspace, self._limits = work.bench.folder, limits
            self._as_given = work.bench.state.study_key
            work.close()
            asked = {
                "home": str(home),
                "workspace": str(self._workspace),
                "port": port,
                "framed_by": self._framed_by,
            }
            self._process = _Process(asked, home / "log")
        except BaseException:
            self._folder.remove()
            raise
        self._end = weakref.finalize(self, _end, self._process, self._folder)

    @property
    def port(self) -> int:
        """The port at which the pages are served, on this machine alone."""
        return self._process.port

    @property
    def url(self) -> str:
        """A new link to the pages; it works once, within two minutes, and whoever has it is let in."""
        return f"http://localhost:{self.port}/?token={self._process.ask('link')['token']}"

    @property
    def chosen(self) -> Restored:
        """The answer that was chosen in the pages ("Release this"), or else the first pinned one.

        It is what `study.release` takes, of the study or, if that was edited in the pages, of this `study`.
        """
        found = self._decided().chosen
        if found is None:
            raise NotYetError(
                "nothing is chosen in the pages yet; choose an answer there (Release this, or Pin to compare)"
            )
        return found

    @property
    def pinned(self) -> dict[str, Restored]:
        """The answers that are pinned in the pages and fit the study as it is there, by their names."""
        return self._decided().pinned

    @property
    def study(self) -> Study:
        """The study as it is decided in the pages; the one that was given if nothing was edited."""
        return self._decided().study

    def _decided(self) -> _Decided:
        if self._closed is not None:
            return self._closed
        try:
            work = Workspace.reopen(self._workspace, self._limits)
        except FileNotFoundError:
            raise InputError(_ENDED) from None
        there, first = candidates(work), first_choice(work)
        chosen = next((restored(each.solution) for each in there if each.key == first), None)
        keys = {pin.key for pin in work.bench.state.pins}
        pinned = {each.title: restored(each.solution) for each in there if each.key in keys}
        study = self._given
        if work.bench.state.study_key != self._as_given:
            study = type(study).of(edited(work, study.specification), study.limits)
        return _Decided(chosen, pinned, study)

    def close(self) -> None:
        """End the pages; what was chosen in them is still known."""
        if self._closed is None:
            try:
                self._closed = self._decided()
            finally:
                self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            return f"<Exploring: {self.url}>"
        except InputError:
            return "<Exploring: closed>"

    def _repr_html_(self) -> str:
        """Return for notebooks what is chosen; the frame is shown when the exploring begins."""
        try:
            found = self._decided().chosen
        except InputError as problem:
            return kit.page(kit.words(str(problem)))
        if found is None:
            return kit.page(kit.words("Nothing is chosen in the pages yet."))
        return kit.page(kit.words("Chosen in the pages:", strong=True), html_of(found))

    def frame(self, height: int) -> str:
        """Return HTML that shows the pages in a frame of the notebook.

        Its host has the name by which the browser calls the notebook's: only then are both of one site, and
        the browser sends the cookie. The token in it is spent when it is shown.
        """
        token = self._process.ask("link")["token"]
        name = f"shoal-{self.port}-{token[:8]}"
        return (
            f'<iframe id="{escape(name)}" title="Shoal" width="100%" height="{int(height)}" '
            f'style="border:1px solid #8886"></iframe><script>(function () {{'
            f'var host = location.hostname === "127.0.0.1" ? "127.0.0.1" : "localhost";'
            f"document.getElementById({json.dumps(name)}).src = "
            f'"http://" + host + ":{self.port}/?token=" + {json.dumps(token)};}})()</script>'
        )


def _end(process: _Process, folder: PrivateFolder) -> None:
    process.end()
    folder.remove()


def explore(study: Study, height: int, notebook: str | None, port: int | None) -> Exploring:
    """Return a study open in the pages, and show them if a notebook runs this."""
    for package in ("nicegui", "fastapi", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtraError("the pages", package, "web")
    inside = kernel() is not None
    origins = (notebook,) if notebook is not None else notebook_origins() if inside else ()
    exploring = Exploring(study, origins, port)
    if inside:
        from IPython.display import HTML, display

        display(HTML(exploring.frame(height) if origins else _link(exploring)))
    return exploring


def _link(exploring: Exploring) -> str:
    """Return what a notebook shows if it is not known which page it is on."""
    return (
        f'<p>Open <a href="{escape(exploring.url)}" target="_blank" rel="noopener">the pages of this study'
        "</a> in a window of their own (the link works once, on this machine). To have them here, say where "
        'the notebook is: <code>study.explore(notebook="http://localhost:8888")</code>.</p>'
    )
