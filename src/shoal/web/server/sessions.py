"""Sessions: whoever opens the link gets one, with studies that no other session sees."""

from __future__ import annotations

import hmac
import secrets
import shutil
import time
from collections.abc import AsyncIterable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from shoal.errors import EndedError, InputError, ShoalError, TooManyError
from shoal.web.server.audit_log import Audit, watch
from shoal.web.server.disk import Disk, PrivateFolder
from shoal.web.server.intake import end_readers, read_apart, receive
from shoal.web.server.jobs import Jobs
from shoal.web.server.kept_folder import KeptFolder
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.bench import SPILL
from shoal.web.workspace.project import restore
from shoal.web.workspace.workspace import Workspace

ONCE = 120.0
"""For so many seconds, the link given to the browser at the start opens a session."""


@dataclass
class WebSession:
    """One browser or program and its work. `key` is its secret; `name` is what logs call it.

    `folder` is private and is removed with the session.
    """

    key: str
    name: str
    folder: Path
    limits: Limits
    jobs: Jobs
    disk: Disk
    account: str | None = None
    """The account that a proxy named, if there is such a proxy."""
    audit: Audit | None = None
    studies: dict[str, Workspace] = field(default_factory=dict)
    pages: set[str] = field(default_factory=set)
    """The pages it has opened, by the names that their sockets use."""
    seen: float = field(default_factory=time.monotonic)
    kept: KeptFolder | None = None
    """Where its work outlives the server, if it does."""
    _lock: Lock = field(default_factory=Lock)
    _making: int = 0
    _ended: bool = False

    def make(self, make: Callable[[Path], Workspace]) -> Workspace:
        """Add a workspace, made in the session's folder; refuse if there are too many."""
        with self._lock:
            self._check_there()
            if len(self.studies) + self._making >= self.limits.studies:
                raise TooManyError(
                    f"{self.limits.studies} studies are open, and no more are allowed; delete one first"
                )
            self._making += 1
        try:
            self.left()
            work = make(self.folder)
            try:
                self.left()
                self.tell("opened", work.key)
            except InputError:
                work.close()
                shutil.rmtree(work.bench.folder, ignore_errors=True)
                raise
            work.bench.check_room = self.left
            if self.audit is not None:
                watch(work, partial(self.tell, study=work.key))
            with self._lock:
                if not self._ended:
                    self.studies[work.key] = work
                    return work
            work.close()
            shutil.rmtree(self.folder, ignore_errors=True)
        except Exception:
            # If the session ended meanwhile, its folder is gone, and that is why this failed.
            self._check_there()
            raise
        finally:
            with self._lock:
                self._making -= 1
        raise EndedError

    def bring_back(self, folders: list[Path]) -> None:
        """Open the studies that an earlier session left; one that cannot be opened is set aside."""
        for folder in folders:
            try:
                work = Workspace.reopen(folder, self.limits)
                work.bench.specification()
            except (ShoalError, OSError, ValueError, KeyError, TypeError):
                if self.kept is not None:
                    self.kept.set_aside(folder)
                continue
            work.bench.check_room = self.left
            if self.audit is not None:
                watch(work, partial(self.tell, study=work.key))
            self.studies[work.key] = work

    def tell(self, did: str, study: str | None = None) -> None:
        """Tell the audit log, if there is one, what was done."""
        if self.audit is not None:
            self.audit.tell(self.account, self.name, did, study)

    def left(self) -> int:
        """Return how many bytes may still be added to the folder; refuse if none."""
        return self.disk.left(self.folder)

    def owns(self, page: str) -> bool:
        """Whether this session is still open and has opened the page of that name."""
        return page in self.pages and not self._ended

    def _check_there(self) -> None:
        if self._ended:
            raise EndedError

    async def receive(self, blocks: AsyncIterable[bytes]) -> Path:
        """Write bytes to a private file as they arrive, and return its path."""
        return await receive(blocks, self.upload_path(), self.limits.upload_bytes, self.left)

    def take_file(self, upload: Path, title: str) -> Workspace:
        """Add a workspace with the uploaded table, called `title`; the upload is removed."""
        try:
            # A packed upload is small; there must be room for the unpacked table, too.
            room = self.left() + upload.stat().st_size
            limits = replace(self.limits, unpacked_bytes=min(self.limits.unpacked_bytes, room))
            return self.make(lambda root: Workspace.of_upload(upload, title, root, limits))
        finally:
            upload.unlink(missing_ok=True)

    def take_project(self, upload: Path) -> Workspace:
        """Add a workspace as a saved project has it; the upload is removed."""
        folder = self.upload_path()
        folder.mkdir(mode=0o700)
        try:
            limits = replace(self.limits, unpacked_bytes=min(self.limits.unpacked_bytes, self.left()))
            found = read_apart("project", upload, folder, limits)
            work = self.take_file(folder / found["table"], found["title"])
            try:
                restore(work, found)
            except BaseException:
                self.delete(work.key)
                raise
            return work
        finally:
            upload.unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)

    def verify_file(self, upload: Path) -> Any:
        """Return the verdict on an uploaded release; the upload is removed."""
        folder = self.upload_path()
        folder.mkdir(mode=0o700)
        try:
            limits = replace(self.limits, unpacked_bytes=min(self.limits.unpacked_bytes, self.left()))
            verdict = read_apart("verify", upload, folder, limits)["verdict"]
            self.tell("verified an uploaded release")
            return verdict
        finally:
            upload.unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)

    def upload_path(self) -> Path:
        """Return a new path for an upload."""
        return self.folder / f"upload-{secrets.token_hex(8)}"

    def delete(self, key: str) -> None:
        """End the work on a study and remove its folder."""
        work = self.studies.pop(key, None)
        if work is None:
            return
        self.jobs.end(self.name, key)
        work.close()
        shutil.rmtree(work.bench.folder, ignore_errors=True)
        with suppress(InputError):
            self.tell("closed", key)

    def end(self, *, keep: bool = False) -> None:
        """End all work and remove the folder, unless it is to be kept for the owner's next session."""
        with self._lock:
            self._ended = True
        self.jobs.end(self.name)
        if keep and self.kept is not None:
            for work in self.studies.values():
                work.close()
                shutil.rmtree(work.bench.folder / SPILL, ignore_errors=True)
            self.studies.clear()
            self.kept.leave(self.folder, self.account)
        else:
            for key in list(self.studies):
                self.delete(key)
            shutil.rmtree(self.folder, ignore_errors=True)
        if self.audit is not None:
            with suppress(InputError):
                self.tell("ended the session")
            self.audit.forget(self.name)


class Sessions:
    """All sessions of a server. `token` is the secret in the link that opens one."""

    def __init__(
        self,
        limits: Limits,
        study: Path | None = None,
        root: Path | None = None,
        audit: Audit | None = None,
        keep: Path | None = None,
    ) -> None:
        self._audit = audit
        self.kept = None if keep is None else KeptFolder(keep)
        self.limits = limits
        self.study = study
        self.token = secrets.token_urlsafe(32)
        self._once: dict[str, float | None] = {}
        self._leads_to: dict[str, WebSession] = {}
        self.jobs = Jobs(limits)
        self._folder = PrivateFolder(root)
        self.root = self._folder.path
        self._home = self.root if self.kept is None else self.kept.path
        self._disk = Disk(self._home, limits)
        self._sessions: dict[str, WebSession] = {}
        self._lock = Lock()
        self._opening = Lock()

    def is_token(self, given: str) -> bool:
        """Whether this is the server's token; a wrong one always takes the same time to compare."""
        return hmac.compare_digest(given.encode(), self.token.encode())

    def once(self, session: WebSession | None = None) -> str:
        """Return a short-lived token that opens one session: others may see the browser's command line.

        That is a new one, or the `session` that is given.
        """
        token = secrets.token_urlsafe(32)
        self._once[token] = time.monotonic() + ONCE
        if session is not None:
            self._leads_to[token] = session
        return token

    def opened_by(self, given: str) -> WebSession | None:
        """Return the session that a token leads to, if it is there; None if it opens a new one."""
        session = self._leads_to.pop(given, None)
        return None if session is None else self.get(session.key)

    def opens(self, given: str) -> bool:
        """Whether a token in a link opens a session; one that works only once is then spent."""
        until = self._once.get(given)
        if until is None:
            return self.is_token(given)
        self._once[given] = None
        return time.monotonic() <= until

    def is_spent(self, given: str) -> bool:
        """Whether this token has already opened its one session."""
        return given in self._once and self._once[given] is None

    def get(self, key: str) -> WebSession | None:
        """Return the session with this secret."""
        session = self._sessions.get(key)
        if session is not None:
            session.seen = time.monotonic()
        return session

    def of_account(self, account: str) -> WebSession:
        """Return the one session of an account, which all its browsers share."""
        with self._opening:
            for session in list(self._sessions.values()):
                if session.account == account:
                    return session
            return self.open(account)

    def open(self, account: str | None = None) -> WebSession:
        """Return a new session; if there are too many, end the one that has been idle longest."""
        with self._lock:
            idle = None
            if len(self._sessions) >= self.limits.sessions:
                idle = min(self._sessions.values(), key=lambda session: session.seen)
                if time.monotonic() - idle.seen < self.limits.idle_seconds:
                    raise TooManyError(
                        f"{self.limits.sessions} sessions are open, and no more are allowed; close one"
                    )
                del self._sessions[idle.key]
            name = secrets.token_hex(8)
            folder = self._home / name
            key = secrets.token_urlsafe(32)
            session = WebSession(
                key, name, folder, self.limits, self.jobs, self._disk, account, self._audit
            )
            session.kept = self.kept
            session.tell("opened a session")
            if self.kept is None:
                folder.mkdir(mode=0o700)
            else:
                session.bring_back(self.kept.begin(folder, account))
            self._sessions[session.key] = session
        if idle is not None:
            idle.end(keep=True)
        return session

    def end(self, session: WebSession) -> None:
        """End a session and its work."""
        with self._lock:
            self._sessions.pop(session.key, None)
        session.end()

    def given_study(self) -> Path:
        """Return the study file that the server was started with."""
        if self.study is None:
            raise InputError("the server was started without a study; name one: shoal serve STUDY")
        return self.study

    def close(self) -> bool:
        """End all sessions, remove every folder that is not kept, and return whether all jobs have ended.

        Calling it again only returns that again.
        """
        end_readers(self._home)
        ended = self.jobs.close()
        with self._lock:
            everyone = list(self._sessions.values())
            self._sessions.clear()
        for session in everyone:
            session.end(keep=True)
        self.remove()
        if self.kept is not None:
            self.kept.close()
        if self._audit is not None:
            self._audit.close()
        return ended

    def remove(self) -> None:
        """Remove every folder, even those in use; calling it again does nothing."""
        self._folder.remove()
