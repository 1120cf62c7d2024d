"""A PostgreSQL server of the tests' own: on loopback, in a folder that goes when they end.

    python scratch_postgres.py start FOLDER         starts it and prints its address
    python scratch_postgres.py stop FOLDER          stops it and removes the folder
    python scratch_postgres.py serve FOLDER OWNER [PRIMARY]
                                                    starts it, and stops it when the process OWNER has ended;
                                                    as a hot standby of the server at the address PRIMARY

Only Python's own library is used, so that it runs before anything is installed.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ADDRESS = "address"
FAILURE = "failure"
_TRIES = 5

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "60",
    "shared_buffers": "32MB",
}


def binaries() -> Path | None:
    """Return the folder of the newest server that is installed, None where there is none."""
    found = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if (path / "initdb").is_file()]
    if found:
        return max(found, key=lambda path: [int(part) for part in re.findall(r"\d+", path.parent.name)])
    named = shutil.which("initdb")
    return None if named is None else Path(named).resolve().parent


def start(folder: Path, primary: str | None = None) -> str:
    """Start a server whose data lie in a folder, and return its address, with a password in it.

    Given the address of a primary, it is a hot standby of that one.
    """
    tools = binaries()
    if tools is None:
        raise RuntimeError("no PostgreSQL server is installed (on Debian: apt-get install postgresql)")
    folder.mkdir(parents=True, exist_ok=True)
    password, secret = secrets.token_hex(12), folder / "password"
    secret.write_text(password)
    who = _somebody()
    if who:
        for path in (folder, secret):
            shutil.chown(path, who["user"], who["group"])
    data = folder / "data"
    if primary is None:
        _make(tools, data, secret, who)
    else:
        copying = ["--checkpoint=fast", "--write-recovery-conf", "--no-sync", f"--dbname={primary}"]
        _run([tools / "pg_basebackup", f"--pgdata={data}", *copying], who)
        password = urlsplit(primary).password or ""
    return f"postgresql://postgres:{password}@127.0.0.1:{_up(tools, folder, who)}/postgres"


def _make(tools: Path, data: Path, secret: Path, who: dict[str, Any]) -> None:
    """Make the data of a new server, of one user with a password."""
    making = ["--username=postgres", f"--pwfile={secret}", "--auth=scram-sha-256", "--encoding=UTF8"]
    # A collation unlike the bytes' own order shows what forgets to ask for that.
    icu = "--icu-locale" in _run([tools / "initdb", "--help"], who)
    making += ["--locale=C", *(["--locale-provider=icu", "--icu-locale=en"] if icu else [])]
    _run([tools / "initdb", f"--pgdata={data}", "--no-sync", *making], who)


def _up(tools: Path, folder: Path, who: dict[str, Any]) -> int:
    """Let the server of a folder answer, and return its port."""
    data = folder / "data"
    for attempt in range(_TRIES):
        port = _free_port()
        settings = {**_SETTINGS, "port": str(port)}
        options = " ".join(f"-c {name}='{value}'" for name, value in settings.items())
        command = [tools / "pg_ctl", "start", f"--pgdata={data}", f"--log={folder / 'log'}", "--wait"]
        try:
            _run([*command, f"--options={options}"], who)
            return port
        except RuntimeError:  # somebody else took the port
            if attempt == _TRIES - 1:
                raise
    raise AssertionError


def stop(folder: Path) -> None:
    """Stop the server of a folder, and remove the folder."""
    tools = binaries()
    if tools is not None and (folder / "data" / "postmaster.pid").exists():
        command = [tools / "pg_ctl", "stop", f"--pgdata={folder / 'data'}", "--mode=immediate", "--wait"]
        _run(command, _somebody())
    shutil.rmtree(folder, ignore_errors=True)


def serve(folder: Path, owner: int, primary: str | None = None) -> None:
    """Keep a server up while a process runs; its address, or why there is none, lies in the folder."""
    try:
        _put(folder / ADDRESS, start(folder, primary))
        while _runs(owner):
            time.sleep(0.2)
    except Exception as problem:
        _put(folder / FAILURE, str(problem))
        raise
    finally:
        stop(folder)


def _put(path: Path, text: str) -> None:
    beside = path.with_name(path.name + ".new")
    beside.write_text(text)
    beside.replace(path)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _somebody() -> dict[str, Any]:
    """Return who runs the server: it refuses to be run by root."""
    if os.geteuid() != 0:
        return {}
    import pwd

    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise RuntimeError("root cannot run PostgreSQL, and there is no user postgres or nobody")


def _run(command: list[Any], who: dict[str, Any]) -> str:
    # Into a file: the server inherits the output, and a pipe would stay open as long as it runs.
    import tempfile

    with tempfile.TemporaryFile() as output:
        ended = subprocess.run(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            check=False,
            **who,
        )
        output.seek(0)
        said = output.read().decode(errors="replace")
    if ended.returncode:
        raise RuntimeError(f"{Path(command[0]).name} failed: {said.strip()}")
    return said


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


if __name__ == "__main__":
    if sys.argv[1] == "start":
        print(start(Path(sys.argv[2])))
    elif sys.argv[1] == "stop":
        stop(Path(sys.argv[2]))
    else:
        serve(Path(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
